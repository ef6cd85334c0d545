"""What every form of data says of the samples of a run: which metrics there are, and which samples are judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.dossier import Dossier
from kdelta.model.record import BootRecord

Metrics = dict[tuple[str, str], Better | None]
"""By name and unit; None for a metric of which the plan does not say what is better."""


@dataclass(frozen=True)
class Taken:
    """A boot with its samples. `cut` is by benchmark, `judged` has one entry for each sample."""

    record: BootRecord
    cut: dict[str, int]
    judged: tuple[bool, ...]


def taken(dossier: Dossier) -> Iterator[Taken]:
    """All boots that are known: those that are judged, and then those in which nothing was timed."""
    for record, cut in zip(dossier.boots, dossier.cuts, strict=True):
        yield Taken(record, cut, tuple(_judged(record, cut)))
    for record in dossier.profiled:
        yield Taken(record, {}, (False,) * len(record.boot.samples))


def _judged(record: BootRecord, cut: dict[str, int]) -> Iterator[bool]:
    """Results of a benchmark that ended well, without what was discarded and without those cut from their beginning."""
    good = {cell.benchmark for cell in record.boot.cells if cell.state is CellState.OK}
    before: Counter[tuple[str, str]] = Counter()
    for sample in record.boot.samples:
        counts = sample.counts and sample.benchmark in good
        if counts and sample.benchmark in cut:
            key = (sample.benchmark, sample.metric)
            before[key] += 1
            counts = before[key] > cut[sample.benchmark]
        yield counts


def metrics(dossier: Dossier) -> dict[str, Metrics]:
    """The metrics of each benchmark, in the plan's order; behind them what was measured though the plan does not name it."""
    found: dict[str, Metrics] = {
        one.name: {(metric.name, metric.unit): metric.better for metric in one.metrics} for one in dossier.run.plan.benchmarks
    }
    records = (*dossier.boots, *dossier.profiled)
    for name in dict.fromkeys(cell.benchmark for record in records for cell in record.boot.cells):
        found.setdefault(name, {})
    every = (sample for record in records for sample in record.boot.samples)
    for name, metric, unit in dict.fromkeys((one.benchmark, one.metric, one.unit) for one in every):
        found.setdefault(name, {}).setdefault((metric, unit), None)
    return found
