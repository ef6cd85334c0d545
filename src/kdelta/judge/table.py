"""From boots to tables, and from tables to the change worth looking at first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import Cell, CellState
from kdelta.model.plan import Plan
from kdelta.model.record import BootRecord
from kdelta.model.table import Change, Entry, Row, Table
from kdelta.stats.summary import STATISTICS, change_percent, spread


def tables(plan: Plan, records: Iterable[BootRecord], statistic: str) -> list[Table]:
    """One table per box of `plan`. `statistic` is a key of stats.summary.STATISTICS."""
    by_column: dict[tuple[str, str], list[BootRecord]] = {}
    for record in sorted(records, key=lambda record: record.seed):
        by_column.setdefault((record.box, record.variant), []).append(record)
    return [
        Table(
            box=box,
            statistic=statistic,
            variants=tuple(variant.name for variant in plan.variants),
            boots=plan.seeds,
            rows=tuple(
                _row(benchmark, {v.name: by_column.get((box.name, v.name), []) for v in plan.variants}, plan.seeds, statistic)
                for benchmark in plan.benchmarks
            ),
        )
        for box in plan.boxes
    ]


def _row(benchmark: Benchmark, columns: dict[str, list[BootRecord]], planned: int, statistic: str) -> Row:
    entries: list[Entry] = []
    for variant, records in columns.items():
        base = entries[0].value if entries else None
        entries.append(_entry(benchmark.name, variant, records, base, planned, STATISTICS[statistic]))
    return Row(benchmark, tuple(entries))


def _entry(
    benchmark: str,
    variant: str,
    records: Sequence[BootRecord],
    base: float | None,
    planned: int,
    statistic: Callable[[Sequence[float]], float],
) -> Entry:
    """A boot gives a value only where the benchmark ended well: half of its iterations would be another benchmark."""
    cells = [(record, cell) for record in records for cell in record.boot.cells if cell.benchmark == benchmark]
    values = tuple(statistic(measured(record, benchmark)) for record, cell in cells if cell.state is CellState.OK)
    bad = [(record, cell) for record, cell in cells if cell.state is not CellState.OK]
    notes = _notes(bad)
    if len(cells) < planned:
        notes.append(f"{planned - len(cells)} of {planned} boots are not measured yet")
    value = statistic(values) if values else None
    return Entry(
        variant=variant,
        boots=values,
        value=value,
        percent=None if value is None or base is None else change_percent(base, value),
        sd_percent=spread(values).sd_percent,
        state=CellState.OK if values else bad[0][1].state if bad else None,
        notes=tuple(notes),
    )


def _notes(bad: Sequence[tuple[BootRecord, Cell]]) -> list[str]:
    """How cells ended that did not end well, each ending once with the seeds that had it."""
    seeds: dict[str, list[str]] = {}
    for record, cell in bad:
        seeds.setdefault(f"{cell.state.value}: {cell.reason}", []).append(str(record.seed))
    return [f"seed {', '.join(which)} {ending}" for ending, which in seeds.items()]


def measured(record: BootRecord, benchmark: str) -> list[float]:
    """The values of one boot, warm-up left out, in order."""
    return [sample.value for sample in record.boot.samples if sample.benchmark == benchmark and not sample.warmup]


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
