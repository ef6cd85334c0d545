"""From boots to tables, and from tables to the change worth looking at first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from kdelta.judge import printed_table
from kdelta.judge.results import Came, by_variant, came, settles
from kdelta.model.benchmark import Benchmark, Better
from kdelta.model.boot import CellState
from kdelta.model.plan import PUBLISHED, BoxSpec, Plan
from kdelta.model.record import BootRecord
from kdelta.model.table import Change, Entry, Row, Table
from kdelta.stats.summary import STATISTICS, change_percent, spread

Statistic = Callable[[Sequence[float]], float]
Make = Callable[[Plan, BoxSpec, Sequence[BootRecord], str | None], Table]

TABLES: dict[str, Make] = {PUBLISHED: printed_table.table}
"""Kind of box -> what makes its table; those of all others are made of boots."""


def tables(plan: Plan, records: Sequence[BootRecord], statistic: str | None = None) -> list[Table]:
    """One table per box of `plan`. `statistic` is a key of stats.summary.STATISTICS; None for the one that fits the box."""
    return [TABLES.get(box.kind, _table)(plan, box, records, statistic) for box in plan.boxes]


def usual_statistic(plan: Plan, box: BoxSpec) -> str:
    """The best of results that settled, as the settled rule's author reports it; the median of counts and of fixed results."""
    return "min" if settles(plan, box) else "median"


def _table(plan: Plan, box: BoxSpec, records: Sequence[BootRecord], asked: str | None) -> Table:
    statistic = asked or usual_statistic(plan, box)
    columns = by_variant(plan, box, records)
    boots = max(map(len, columns.values())) if plan.sequential or plan.apart else plan.seeds
    return Table(
        box=box,
        statistic=statistic,
        variants=tuple(columns),
        boots=boots,
        rows=tuple(
            _row(benchmark, {name: came(plan, box, benchmark, of) for name, of in columns.items()}, statistic)
            for benchmark in plan.benchmarks
        ),
    )


def _row(benchmark: Benchmark, columns: Mapping[str, Came], statistic: str) -> Row:
    own = "max" if statistic == "min" and benchmark.metric.better is Better.LARGER else statistic
    entries: list[Entry] = []
    for variant, found in columns.items():
        base = entries[0].value if entries else None
        entries.append(_entry(benchmark.metric.name, variant, found, base, STATISTICS[own]))
    return Row(benchmark, tuple(entries), own)


def _entry(metric: str, variant: str, found: Came, base: float | None, statistic: Statistic) -> Entry:
    values = tuple(statistic(visit.values[metric]) for visit in found.visits)
    value = statistic(values) if values else None
    return Entry(
        variant=variant,
        boots=values,
        value=value,
        percent=None if value is None or base is None else change_percent(base, value),
        sd_percent=spread(values).sd_percent,
        state=found.state,
        notes=found.notes,
    )


def measured(record: BootRecord, benchmark: str, metric: str | None = None) -> list[float]:
    """The values of one boot that are judged, in order: of `metric`, or of the one that comes first."""
    found = [sample for sample in record.boot.samples if sample.benchmark == benchmark and sample.counts]
    wanted = metric or (found[0].metric if found else "")
    return [sample.value for sample in found if sample.metric == wanted]


def largest_change(found: Iterable[Table]) -> Change | None:
    """The largest change against a baseline as a ratio, up or down; None where nothing can be compared."""
    changes = [
        Change(table.box.name, row.benchmark, entry)
        for table in found
        for row in table.rows
        for entry in row.entries[1:]
        if entry.percent is not None
    ]
    return max(changes, key=_size, default=None)


def _size(change: Change) -> float:
    ratio = 1.0 + (change.entry.percent or 0.0) / 100.0
    return abs(math.log(ratio)) if ratio > 0.0 else math.inf


def incomplete(found: Iterable[Table]) -> bool:
    """Whether a cell that was asked for has no value."""
    entries = (entry for table in found for row in table.rows for entry in row.entries)
    return any(entry.value is None and entry.state is not CellState.NOT_HERE for entry in entries)
