"""The tables. Rows are only ever added: what was measured is never altered or overwritten.

A change to them is a new VERSION, with a revision of that number in `migrations/versions`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

VERSION = 5
"""The number of this schema: an older store is upgraded to it, a newer one is refused."""

metadata = MetaData()


class _Escaped(TypeDecorator[str]):
    """Text in PostgreSQL, which stores no NUL: it becomes SUB @, and SUB becomes SUB Z, after the ^@ and ^Z of terminals."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return value and value.replace("\x1a", "\x1aZ").replace("\0", "\x1a@")

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return value and str(value).replace("\x1a@", "\0").replace("\x1aZ", "\x1a")


# What others wrote: any character may be in it. JSON escapes by itself.
ANY_TEXT = Text().with_variant(_Escaped(), "postgresql")

# One row: the schema's version. Every kdelta looks at it, also one that is older than the store.
store = Table("store", metadata, Column("version", Integer, primary_key=True))

# One row: the same, as Alembic names it.
alembic_version = Table(
    "alembic_version",
    metadata,
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)

kernels = Table(
    "kernels",
    metadata,
    Column("key", String(64), primary_key=True),  # model.kernel.Kernel.key
    Column("image_sha256", String(64), nullable=False),  # empty for a running kernel
    Column("release", ANY_TEXT, nullable=False),
    Column("version", ANY_TEXT, nullable=False),
    Column("machine", ANY_TEXT, nullable=False),
    Column("build_id", ANY_TEXT),
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
    Column("attempt", Integer, nullable=False),  # from 1; what a later one means for an earlier one: `attempts`
    Column("box", ANY_TEXT, nullable=False),
    Column("variant", ANY_TEXT, nullable=False),
    Column("seed", Integer, nullable=False),
    Column("kernel", ForeignKey("kernels.key"), nullable=False),
    Column("benchmarks", Text, nullable=False),  # JSON: names, in the order in which they run
    Column("profiled", Boolean, nullable=False),  # then nothing of it is judged
    UniqueConstraint("run", "position", "attempt"),
)

# How a boot ended; a boot without a row here is under way, or was interrupted.
endings = Table(
    "endings",
    metadata,
    Column("boot", ForeignKey("boots.id"), primary_key=True),
    Column("outcome", Text, nullable=False),
    Column("reason", ANY_TEXT, nullable=False),
    Column("running", Text),  # JSON of model.kernel.RunningKernel: what the machine said of itself
    Column("environment", Text, nullable=False),  # JSON
    Column("warnings", Text, nullable=False),  # JSON
    Column("kernel_log", ANY_TEXT, nullable=False),
    Column("host_seconds", Float, nullable=False),
    Column("ready_seconds", Float),
)

# How a benchmark of a boot ended; one without a row here was not measured to its end.
cells = Table(
    "cells",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("boot", ForeignKey("boots.id"), nullable=False, index=True),
    Column("benchmark", ANY_TEXT, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", ANY_TEXT, nullable=False),
)

samples = Table(
    "samples",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("boot", ForeignKey("boots.id"), nullable=False, index=True),
    Column("benchmark", ANY_TEXT, nullable=False),
    Column("metric", ANY_TEXT, nullable=False),
    Column("iteration", Integer, nullable=False),
    Column("warmup", Boolean, nullable=False),
    Column("value", Float, nullable=False),
    Column("unit", ANY_TEXT, nullable=False),
    Column("operations", BigInteger, nullable=False),
    Column("elapsed_ns", BigInteger),
)

# Iterations that are kept and not judged, and why: that is known only after they were measured.
discards = Table(
    "discards",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("boot", ForeignKey("boots.id"), nullable=False, index=True),
    Column("benchmark", ANY_TEXT, nullable=False),
    Column("iteration", Integer, nullable=False),
    Column("reason", ANY_TEXT, nullable=False),
)

profiles = Table(
    "profiles",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("boot", ForeignKey("boots.id"), nullable=False, index=True),
    Column("benchmark", ANY_TEXT, nullable=False),
    Column("iteration", Integer, nullable=False),
    Column("operations", BigInteger, nullable=False),
    Column("counts", Text, nullable=False),  # JSON: function -> instructions, or ticks
    Column("unit", Text, nullable=False),
    Column("hertz", Float),  # of ticks
)

# One row for each benchmark of a boot.
stacks = Table(
    "stacks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("boot", ForeignKey("boots.id"), nullable=False, index=True),
    Column("benchmark", ANY_TEXT, nullable=False),
    Column("operations", BigInteger, nullable=False),
    Column("counts", LargeBinary, nullable=False),  # zlib of JSON: folded call chain -> instructions, or ticks
    Column("unit", Text, nullable=False),
    Column("hertz", Float),
)

# What a run found that measured a baseline against itself: model.noise.Noise. Of several rows of one run, box and benchmark the
# last one counts: the run was completed meanwhile.
noise = Table(
    "noise",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run", ForeignKey("runs.id"), nullable=False, index=True),
    Column("box", ANY_TEXT, nullable=False),
    Column("machine", ANY_TEXT, nullable=False),  # empty where nothing is known of it
    Column("benchmark", ANY_TEXT, nullable=False),
    Column("metric", ANY_TEXT, nullable=False),
    Column("kernel", ForeignKey("kernels.key"), nullable=False),  # of the baseline
    Column("boots", Integer, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("sd", Float),
    Column("df", Float, nullable=False),
    Column("ratio", Float),
    Column("p", Float),
    Column("flagged", Boolean, nullable=False),
)

# What others published of a variant on a box: a row for each benchmark.
published = Table(
    "published",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("boot", ForeignKey("boots.id"), nullable=False, index=True),
    Column("benchmark", ANY_TEXT, nullable=False),
    Column("entries", Text, nullable=False),  # JSON: list of model.published.Entry
    Column("listings", Text, nullable=False),  # JSON: list of model.published.Listing
)

# Texts that runs were read from.
sources = Table(
    "sources",
    metadata,
    Column("sha256", String(64), primary_key=True),  # of the text
    Column("name", ANY_TEXT, nullable=False),
    Column("line", Integer, nullable=False),  # its first, in the file of that name
    Column("subject", ANY_TEXT, nullable=False),
    Column("sender", ANY_TEXT, nullable=False),
    Column("date", ANY_TEXT, nullable=False),
    Column("message_id", ANY_TEXT, nullable=False),
    Column("content", LargeBinary),  # zlib of the text, as it was given; missing where there was too much
)

# Places of such texts that runs were made of, in their order.
blocks = Table(
    "blocks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run", ForeignKey("runs.id"), nullable=False, index=True),
    Column("source", ForeignKey("sources.sha256"), nullable=False),
    Column("digest", String(64), nullable=False, index=True),  # of what it says, wherever it stands
    Column("block", Text, nullable=False),  # JSON of model.published.Block, without entries and listings
)
