"""Schema 1: a boot is stored whole, with its ending."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """The tables of schema 1."""
    op.create_table("store", sa.Column("version", sa.Integer, primary_key=True))
    op.create_table(
        "kernels",
        sa.Column("image_sha256", sa.String(64), primary_key=True),
        sa.Column("release", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("build_id", sa.Text),
        sa.Column("config_sha256", sa.String(64)),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("uuid", sa.String(36), nullable=False, unique=True),
        sa.Column("started", sa.String(25), nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("kernels", sa.Text, nullable=False),
        sa.Column("kdelta_version", sa.Text, nullable=False),
    )
    op.create_table(
        "boots",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), nullable=False, index=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("box", sa.Text, nullable=False),
        sa.Column("variant", sa.Text, nullable=False),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("kernel", sa.String(64), sa.ForeignKey("kernels.image_sha256"), nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("running", sa.Text),
        sa.Column("benchmarks", sa.Text, nullable=False),
        sa.Column("environment", sa.Text, nullable=False),
        sa.Column("warnings", sa.Text, nullable=False),
        sa.Column("kernel_log", sa.Text, nullable=False),
        sa.Column("host_seconds", sa.Float, nullable=False),
        sa.Column("ready_seconds", sa.Float),
        sa.UniqueConstraint("run", "position", "attempt"),
    )
    _parts_of_a_boot()
    op.execute("INSERT INTO store (version) VALUES (1)")


def _parts_of_a_boot() -> None:
    op.create_table(
        "cells",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("boot", sa.Integer, sa.ForeignKey("boots.id"), nullable=False, index=True),
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_table(
        "samples",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("boot", sa.Integer, sa.ForeignKey("boots.id"), nullable=False, index=True),
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("metric", sa.Text, nullable=False),
        sa.Column("iteration", sa.Integer, nullable=False),
        sa.Column("warmup", sa.Boolean, nullable=False),
        sa.Column("value", sa.Float, nullable=False),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("operations", sa.BigInteger, nullable=False),
        sa.Column("elapsed_ns", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "profiles",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("boot", sa.Integer, sa.ForeignKey("boots.id"), nullable=False, index=True),
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("iteration", sa.Integer, nullable=False),
        sa.Column("operations", sa.BigInteger, nullable=False),
        sa.Column("counts", sa.Text, nullable=False),
    )
