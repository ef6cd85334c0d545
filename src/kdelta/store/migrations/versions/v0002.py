"""Schema 2: a boot's ending and the discards have tables of their own, and a kernel need not have an image."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

ENDING = ("outcome", "reason", "running", "environment", "warnings", "kernel_log", "host_seconds", "ready_seconds")


def upgrade() -> None:
    """What was known of a boot's end moves from `boots` to `endings`; nothing else of what is stored changes."""
    _key_kernels()
    _add_endings()
    _add_discards()
    with op.batch_alter_table("samples") as samples:
        samples.alter_column("elapsed_ns", existing_type=sa.BigInteger, nullable=True)
    op.execute("UPDATE store SET version = 2")


def _key_kernels() -> None:
    # Both databases rename the column in the tables that refer to it, too; Alembic's own renaming makes the table anew.
    op.execute("ALTER TABLE kernels RENAME COLUMN image_sha256 TO key")
    op.add_column("kernels", sa.Column("image_sha256", sa.String(64)))
    op.execute("UPDATE kernels SET image_sha256 = key")
    with op.batch_alter_table("kernels") as kernels:
        kernels.alter_column("image_sha256", existing_type=sa.String(64), nullable=False)


def _add_endings() -> None:
    op.create_table(
        "endings",
        sa.Column("boot", sa.Integer, sa.ForeignKey("boots.id"), primary_key=True, autoincrement=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("running", sa.Text),
        sa.Column("environment", sa.Text, nullable=False),
        sa.Column("warnings", sa.Text, nullable=False),
        sa.Column("kernel_log", sa.Text, nullable=False),
        sa.Column("host_seconds", sa.Float, nullable=False),
        sa.Column("ready_seconds", sa.Float),
    )
    columns = ", ".join(ENDING)
    op.execute(f"INSERT INTO endings (boot, {columns}) SELECT id, {columns} FROM boots ORDER BY id")
    with op.batch_alter_table("boots") as boots:
        for name in ENDING:
            boots.drop_column(name)


def _add_discards() -> None:
    op.create_table(
        "discards",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("boot", sa.Integer, sa.ForeignKey("boots.id"), nullable=False, index=True),
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("iteration", sa.Integer, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
