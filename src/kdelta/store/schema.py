"""The tables. Rows are only ever added: what was measured is never altered or overwritten."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Integer, MetaData, String, Table, Text, UniqueConstraint

VERSION = 1
"""The number of this schema; a store of another number is refused."""

metadata = MetaData()

# One row: the schema's version.
store = Table("store", metadata, Column("version", Integer, primary_key=True))

kernels = Table(
    "kernels",
    metadata,
    Column("image_sha256", String(64), primary_key=True),
    Column("release", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("machine", Text, nullable=False),
    Column("build_id", Text),
    Column("config_sha256", String(64)),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("uuid", String(36), nullable=False, unique=True),
    Column("started", String(25), nullable=False),  # ISO 8601, UTC: a label
    Column("plan", Text, nullable=False),  # JSON of model.plan.Plan
    Column("kernels", Text, nullable=False),  # JSON: variant -> model.kernel.Kernel
    Column("kdelta_version", Text, nullable=False),
)

boots = Table(
    "boots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run", ForeignKey("runs.id"), nullable=False, index=True),
    Column("position", Integer, nullable=False),  # in the plan's order
    Column("attempt", Integer, nullable=False),  # from 1; a later one replaces an earlier one in tables, not in the store
    Column("box", Text, nullable=False),
    Column("variant", Text, nullable=False),
    Column("seed", Integer, nullable=False),
    Column("kernel", ForeignKey("kernels.image_sha256"), nullable=False),
    Column("outcome", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("running", Text),  # JSON of model.kernel.RunningKernel: what the guest said of itself
    Column("benchmarks", Text, nullable=False),  # JSON: names, in the order in which they ran
    Column("environment", Text, nullable=False),  # JSON
    Column("warnings", Text, nullable=False),  # JSON
    Column("kernel_log", Text, nullable=False),
    Column("host_seconds", Float, nullable=False),
    Column("ready_seconds", Float),
    UniqueConstraint("run", "position", "attempt"),
)

cells = Table(
    "cells",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("boot", ForeignKey("boots.id"), nullable=False, index=True),
    Column("benchmark", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
)

samples = Table(
    "samples",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("boot", ForeignKey("boots.id"), nullable=False, index=True),
    Column("benchmark", Text, nullable=False),
    Column("metric", Text, nullable=False),
    Column("iteration", Integer, nullable=False),
    Column("warmup", Boolean, nullable=False),
    Column("value", Float, nullable=False),
    Column("unit", Text, nullable=False),
    Column("operations", BigInteger, nullable=False),
    Column("elapsed_ns", BigInteger, nullable=False),
)

profiles = Table(
    "profiles",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("boot", ForeignKey("boots.id"), nullable=False, index=True),
    Column("benchmark", Text, nullable=False),
    Column("iteration", Integer, nullable=False),
    Column("operations", BigInteger, nullable=False),
    Column("counts", Text, nullable=False),  # JSON: function -> instructions
)
