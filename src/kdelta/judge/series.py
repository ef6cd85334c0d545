"""The boots' values of each cell as arrays: what verdicts are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kdelta.judge.results import cuts_warmup
from kdelta.model.benchmark import Benchmark, Better
from kdelta.model.boot import CellState
from kdelta.model.plan import LOCAL, BoxSpec, Plan
from kdelta.model.record import BootRecord
from kdelta.stats.checks import resolution, resolution_floor
from kdelta.stats.warmup import truncations

Array = NDArray[np.float64]
Key = tuple[str, str]
"""Names of box and benchmark."""

FEW_RESULTS = 2
"""Up to so many results of a boot have no middle: their mean is its value."""
STATISTICS: dict[str, Callable[..., Array]] = {"median": np.median, "mean": np.mean, "min": np.min, "max": np.max}


@dataclass(frozen=True)
class Series:
    """`logs` are natural logarithms of the boots' values, (rounds, variants), baseline first, NaN where there is none.

    `floor` is the least variance of a logarithm that the resolution of the results can show. `odd` counts boots whose value is
    0 or less and has no logarithm, by variant.
    """

    logs: Array
    floor: float
    odd: Mapping[str, int]


def series(plan: Plan, records: Iterable[BootRecord], statistic: str | None = None) -> dict[Key, Array]:
    """`Series.logs` of each cell."""
    return {key: found.logs for key, found in cells(plan, records, statistic).items()}


def cells(plan: Plan, records: Iterable[BootRecord], statistic: str | None = None) -> dict[Key, Series]:
    """The series of each box and benchmark of `plan`, of the benchmark's first metric.

    A boot's value is `statistic` of its judged results: without one the median, or the mean of two; never the least, which
    noise makes less. For a metric of which larger is better `min` means the best: the largest.
    """
    found = _results(plan, records)
    return {
        (box.name, benchmark.name): _series(plan, box, benchmark, found.get((box.name, benchmark.name), {}), statistic)
        for box in plan.boxes
        for benchmark in plan.benchmarks
    }


def _results(plan: Plan, records: Iterable[BootRecord]) -> dict[Key, dict[tuple[int, int], list[float]]]:
    """Judged results by cell, and in it by round from 0 and column: in one pass, for there may be a million."""
    metrics = {benchmark.name: benchmark.metric.name for benchmark in plan.benchmarks}
    columns = {variant.name: place for place, variant in enumerate(plan.variants)}
    found: dict[Key, dict[tuple[int, int], list[float]]] = {}
    for record in records:
        place = (record.seed - plan.first_seed, columns.get(record.variant, -1))
        if place[1] < 0 or not 0 <= place[0] < plan.seeds:
            continue
        good: dict[str, list[float]] = {cell.benchmark: [] for cell in record.boot.cells if cell.state is CellState.OK}
        for sample in record.boot.samples:
            results = good.get(sample.benchmark)
            if results is not None and sample.metric == metrics.get(sample.benchmark) and sample.counts:
                results.append(sample.value)
        for name, results in good.items():
            if results:
                found.setdefault((record.box, name), {})[place] = results
    return found


def _series(
    plan: Plan, box: BoxSpec, benchmark: Benchmark, results: Mapping[tuple[int, int], list[float]], statistic: str | None
) -> Series:
    planned = plan.rule.results if box.kind == LOCAL else benchmark.iterations
    name = statistic or ("mean" if planned <= FEW_RESULTS else "median")
    name = "max" if name == "min" and benchmark.metric.better is Better.LARGER else name
    values = np.full((plan.seeds, len(plan.variants)), np.nan)
    for length in {len(each) for each in results.values()}:
        places = [place for place, each in results.items() if len(each) == length]
        rows = np.array([results[place] for place in places])
        values[tuple(np.array(places).T)] = _statistic(rows, name, cuts=cuts_warmup(plan, box))
    positive = values > 0.0
    odd = (np.isfinite(values) & ~positive).sum(0)
    return Series(
        logs=np.log(np.where(positive, values, np.nan)),
        floor=_floor(results),
        odd={variant.name: int(count) for variant, count in zip(plan.variants, odd, strict=True) if count},
    )


def _statistic(rows: Array, name: str, *, cuts: bool) -> Array:
    """Of each row, without its warm-up."""
    dropped = truncations(rows) if cuts else np.zeros(len(rows), dtype=np.int64)
    found = np.empty(len(rows))
    for cut in np.unique(dropped):
        same = dropped == cut
        found[same] = STATISTICS[name](rows[same, cut:], axis=1)
    return found


def _floor(results: Mapping[tuple[int, int], list[float]]) -> float:
    """By the first results of the boots: the way in which a program prints does not change."""
    firsts = [each[0] for each in results.values() if each[0] > 0.0]
    return resolution_floor(resolution(firsts), min(firsts)) if firsts else 0.0
