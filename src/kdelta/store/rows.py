"""Between rows and values."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Table, func, insert, select

from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.kernel import Kernel, RunningKernel
from kdelta.model.plan import Plan, Slot
from kdelta.model.profile import Profile, Stacks
from kdelta.model.published import Entry, Listing, Origin
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sample import Sample
from kdelta.store import schema
from kdelta.store.attempts import INTERRUPTED

NUMBERING = int.from_bytes(b"boot")
"""The number of PostgreSQL's locks, one for each run, that one holds who numbers an attempt."""

COLUMNS = tuple(schema.samples.c.keys())
SAMPLE = tuple(name for name in Sample.__struct_fields__ if name != "discarded")


def json(value: object) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def fields(value: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__struct_fields__}


# ---- adding ----


def add_kernel(connection: Connection, kernel: Kernel) -> None:
    """Unless it is known: another run may add it at this moment.

    SQLAlchemy has ON CONFLICT in its dialects alone; the one in use is loaded, and the other would slow the start.
    """
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    values = {column.name: getattr(kernel, column.name) for column in schema.kernels.c}
    connection.execute(dialect.insert(schema.kernels).values(values).on_conflict_do_nothing())


def add_boot(connection: Connection, run: int, slot: Slot, kernel: Kernel) -> int:
    """The id of a new boot, numbered as one attempt more than the run has at the slot's position.

    Who else adds one to the run waits. In SQLite a transaction that writes is alone; in PostgreSQL it takes a lock that needs
    no right to change rows.
    """
    boots = schema.boots
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(NUMBERING, run)))
    earlier = select(func.max(boots.c.attempt)).where(boots.c.run == run, boots.c.position == slot.position)
    values = {
        "run": run,
        "position": slot.position,
        "attempt": (connection.execute(earlier).scalar() or 0) + 1,
        "box": slot.box,
        "variant": slot.variant,
        "seed": slot.seed,
        "kernel": kernel.key,
        "benchmarks": json([benchmark.name for benchmark in slot.benchmarks]),
        "profiled": slot.profiled,
    }
    return added(connection, boots, values)


def added(connection: Connection, table: Table, values: dict[str, Any]) -> int:
    """The id of the new row."""
    key = connection.execute(insert(table).values(values)).inserted_primary_key
    assert key is not None
    return int(key[0])


def add_parts(connection: Connection, table: Table, boot: int, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), [{**row, "boot": boot} for row in rows])


def add_samples(connection: Connection, boot: int, samples: Iterable[Sample]) -> None:
    found = list(samples)
    add_parts(connection, schema.samples, boot, [{name: getattr(sample, name) for name in SAMPLE} for sample in found])
    discards = {(sample.benchmark, sample.iteration): sample.discarded for sample in found if sample.discarded}
    add_discards(connection, boot, discards)


def add_discards(connection: Connection, boot: int, reasons: Mapping[tuple[str, int], str]) -> None:
    """`reasons` are by benchmark and iteration."""
    discards = [{"benchmark": name, "iteration": which, "reason": reason} for (name, which), reason in reasons.items()]
    add_parts(connection, schema.discards, boot, discards)


def add_cells(connection: Connection, boot: int, cells: Iterable[Cell]) -> None:
    add_parts(connection, schema.cells, boot, [{**fields(cell), "state": cell.state.value} for cell in cells])


def add_ending(connection: Connection, boot: int, ended: Boot) -> None:
    """What is known only when `ended` is: all but its samples, discards and cells."""
    ending = {
        "outcome": ended.outcome.value,
        "reason": ended.reason,
        "running": json(ended.running) if ended.running else None,
        "environment": json(ended.environment),
        "warnings": json(ended.warnings),
        "kernel_log": ended.kernel_log,
        "host_seconds": ended.host_seconds,
        "ready_seconds": ended.ready_seconds,
    }
    add_parts(connection, schema.endings, boot, [ending])
    profiles = [{**fields(profile), "counts": json(profile.counts)} for profile in ended.profiles]
    add_parts(connection, schema.profiles, boot, profiles)
    stacks = [{**fields(one), "counts": zlib.compress(json(one.counts).encode())} for one in ended.stacks]
    add_parts(connection, schema.stacks, boot, stacks)


# ---- reading ----


def grouped(connection: Connection, table: Table, run: int, *, profiled: bool) -> dict[int, list[Row[Any]]]:
    """The rows of `table` that belong to boots of `run`, by boot, in the order in which they were added."""
    groups: dict[int, list[Row[Any]]] = {}
    boots = schema.boots
    wanted = select(table).join(boots, boots.c.id == table.c.boot).where(boots.c.run == run, boots.c.profiled == profiled)
    place = list(table.c.keys()).index("boot")
    for row in connection.execute(wanted.order_by(table.c.id)).all():
        groups.setdefault(row[place], []).append(row)
    return groups


def run(row: Row[Any], origins: tuple[Origin, ...] = ()) -> RunRecord:
    """The run in a row of `runs`."""
    return RunRecord(
        id=row.id,
        uuid=row.uuid,
        started=row.started,
        plan=msgspec.json.decode(row.plan, type=Plan),
        kernels=msgspec.json.decode(row.kernels, type=dict[str, Kernel]),
        kdelta_version=row.kdelta_version,
        origins=origins,
    )


def attempt(
    row: Row[Any],
    cells: Sequence[Row[Any]],
    samples: Sequence[Row[Any]],
    discards: Sequence[Row[Any]],
    published: Sequence[Row[Any]] = (),
) -> BootRecord:
    """The boot in a row of `boots` beside its row of `endings`, with its rows of `cells`, `samples`, `discards`, `published`."""
    closed = tuple(Cell(cell.benchmark, CellState(cell.state), cell.reason) for cell in cells)
    found = tuple(_samples(samples, discards, {cell.benchmark for cell in closed}))
    entries, listings = _published(published)
    return BootRecord(
        id=row.id,
        position=row.position,
        attempt=row.attempt,
        box=row.box,
        variant=row.variant,
        seed=row.seed,
        benchmarks=msgspec.json.decode(row.benchmarks, type=tuple[str, ...]),
        profiled=row.profiled,
        boot=_ended(row, closed, found) if row.outcome else Boot(outcome=Outcome.INTERRUPTED, cells=closed, samples=found),
        published=entries,
        listings=listings,
    )


def _published(found: Sequence[Row[Any]]) -> tuple[tuple[Entry, ...], tuple[Listing, ...]]:
    """What rows of `published` say, which are those of one boot."""
    entries = (msgspec.json.decode(row.entries, type=list[Entry]) for row in found)
    listings = (msgspec.json.decode(row.listings, type=list[Listing]) for row in found)
    return tuple(one for each in entries for one in each), tuple(one for each in listings for one in each)


def _ended(row: Row[Any], cells: tuple[Cell, ...], samples: tuple[Sample, ...]) -> Boot:
    return Boot(
        outcome=Outcome(row.outcome),
        reason=row.reason,
        running=msgspec.json.decode(row.running, type=RunningKernel) if row.running else None,
        cells=cells,
        samples=samples,
        warnings=msgspec.json.decode(row.warnings, type=tuple[str, ...]),
        environment=msgspec.json.decode(row.environment, type=dict[str, str]),
        host_seconds=row.host_seconds,
        ready_seconds=row.ready_seconds,
    )


def _samples(rows: Iterable[Row[Any]], discards: Iterable[Row[Any]], closed: set[str]) -> Iterable[Sample]:
    """A sample is judged if it was not discarded, and the benchmark came to its end. Of several reasons the first stands."""
    reasons: dict[tuple[str, int], str] = {}
    for row in discards:
        reasons.setdefault((row.benchmark, row.iteration), row.reason)
    for row in rows:
        known = dict(zip(COLUMNS, row, strict=True))
        benchmark, iteration = known["benchmark"], known["iteration"]
        reason = reasons.get((benchmark, iteration), "" if benchmark in closed else INTERRUPTED)
        yield Sample(**{name: known[name] for name in SAMPLE}, discarded=reason)


def profile(row: Row[Any]) -> Profile:
    return Profile(**_columns(row, Profile), counts=msgspec.json.decode(row.counts, type=dict[str, int]))


def stacks(row: Row[Any]) -> Stacks:
    return Stacks(**_columns(row, Stacks), counts=msgspec.json.decode(zlib.decompress(row.counts), type=dict[str, int]))


def _columns(row: Row[Any], of: type[msgspec.Struct]) -> dict[str, Any]:
    """The fields of a profile that are stored as they are."""
    return {name: getattr(row, name) for name in of.__struct_fields__ if name != "counts"}
