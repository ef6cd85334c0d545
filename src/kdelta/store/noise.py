"""What earlier runs tell of the noise: rows of baselines against themselves, and boots of the same kinds of machine."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, Table, insert, select

from kdelta.model.noise import Noise, measured_on
from kdelta.model.record import BootRecord, RunRecord
from kdelta.store import rows, schema
from kdelta.store.attempts import together

MOST_LOOKED_AT = 500
"""Newest runs: what is older is another machine, or another kdelta."""

PARTS = (schema.cells, schema.samples, schema.discards, schema.published)
Parts = dict[int, list[Row[Any]]]
"""Rows by boot."""

Past = tuple[RunRecord, list[BootRecord]]


def add(connection: Connection, run: RunRecord, found: Iterable[Noise]) -> None:
    """Beside what a run has already: of that the newest counts."""
    own = {"run": run.id, "kernel": run.kernels[run.plan.baseline].key}
    values = [{**own, **rows.fields(one)} for one in found]
    if values:
        connection.execute(insert(schema.noise), values)


def read(connection: Connection, machines: Collection[str] | None) -> dict[int, tuple[Noise, ...]]:
    """By run, oldest first, on `machines`, or on all. One for each box and benchmark: the newest."""
    table = schema.noise
    wanted = select(table).order_by(table.c.id)
    newest: dict[int, dict[tuple[str, str], Noise]] = {}
    for row in connection.execute(wanted if machines is None else wanted.where(table.c.machine.in_(machines))):
        found = Noise(**{name: getattr(row, name) for name in Noise.__struct_fields__})
        newest.setdefault(row.run, {})[found.box, found.benchmark] = found
    return {run: tuple(newest[run].values()) for run in sorted(newest)}


def history(connection: Connection, machines: Collection[str], benchmarks: Collection[str]) -> Iterator[Past]:
    """Runs that measured one of `benchmarks` on one of `machines`, newest first; of their boots those there, of these their
    results of `benchmarks` alone. Environments are read before samples, of which there are a thousand times as many.
    """
    known = set(machines) - {""}  # machines of which nothing is recorded are not alike
    wanted = select(schema.runs).order_by(schema.runs.c.id.desc()).limit(MOST_LOOKED_AT)
    for run in map(rows.run, connection.execute(wanted).all()):
        if any(benchmark.name in benchmarks for benchmark in run.plan.benchmarks):
            found = attempts(connection, run.id)
            bare = [rows.attempt(row, (), (), ()) for row in found]
            boxes = {box.name for box in run.plan.boxes if measured_on(run.plan, box, bare) in known}
            if boxes:
                parts = [_grouped(connection, table, run.id, benchmarks) for table in PARTS]
                yield run, records([row for row in found if row.box in boxes], parts)


def of_benchmark(connection: Connection, run: int, benchmark: str) -> list[BootRecord]:
    """The boots of a run whose results are judged, with the results of `benchmark` alone."""
    parts = [_grouped(connection, table, run, [benchmark]) for table in PARTS]
    return records(attempts(connection, run), parts)


def attempts(connection: Connection, run: int, *, profiled: bool = False) -> list[Row[Any]]:
    """Every attempt at a boot beside its ending, which some have not, in the plan's order: at timed boots, or at profiled ones."""
    boots, endings = schema.boots, schema.endings
    ending = [column for column in endings.c if column.name not in ("boot", "kernel_log")]
    wanted = (
        select(boots, *ending)
        .join(endings, endings.c.boot == boots.c.id, isouter=True)
        .where(boots.c.run == run, boots.c.profiled == profiled)
    )
    return list(connection.execute(wanted.order_by(boots.c.position, boots.c.attempt)).all())


def records(found: Iterable[Row[Any]], parts: Sequence[Parts]) -> list[BootRecord]:
    """One for each position of `found`, which are `attempts`: they together, with their rows of PARTS."""
    each = [rows.attempt(row, *(part.get(row.id, []) for part in parts)) for row in found]
    return [together(list(same)) for _, same in groupby(each, key=lambda one: one.position)]


def _grouped(connection: Connection, table: Table, run: int, benchmarks: Collection[str]) -> Parts:
    """As rows.grouped, of `benchmarks` alone."""
    wanted = select(table).join(schema.boots, schema.boots.c.id == table.c.boot)
    wanted = wanted.where(schema.boots.c.run == run, table.c.benchmark.in_(benchmarks)).order_by(table.c.id)
    groups: Parts = {}
    for row in connection.execute(wanted):
        groups.setdefault(row.boot, []).append(row)
    return groups
