"""One benchmark over kernels: all that a store has of it, run by run."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np

from kdelta.inquiry.pair import box_facts, definition
from kdelta.judge.measured import LEAST_BOOTS
from kdelta.judge.printed import entries, printed
from kdelta.judge.residue import OF_THE_MEASUREMENT
from kdelta.judge.results import Judged, by_variant, came
from kdelta.judge.series import FEW_RESULTS
from kdelta.judge.verdicts import MOST_LOGARITHM
from kdelta.kernel import release
from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import CellState
from kdelta.model.history import History, Point, Series
from kdelta.model.plan import LOCAL, PUBLISHED, BoxSpec, Plan
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.variant import Variant
from kdelta.stats.t import one_sample
from kdelta.store.store import Store

LEVEL = 0.95
OF_A_KERNEL = "kernel "
"""Begins what a boot recorded of its kernel: that is what the points differ in."""
UNKNOWN = "what it was measured with"
"""A fact of those of which nothing is recorded: each is alone."""

Measured = tuple[RunRecord, Sequence[BootRecord]]


def read(store: Store, benchmark: str, box: str | None = None) -> History:
    """What `store` has of `benchmark`, on all boxes or on those with that name."""
    return history(store.measured(benchmark), benchmark, box)


def history(measured: Iterable[Measured], benchmark: str, box: str | None = None) -> History:
    """Of runs with their boots, of which others than those of `benchmark` are passed over.

    Values may stand beside each other where the boxes are asked for alike and recorded the same of themselves, and the benchmark
    is defined alike. Series are in the order of their first runs.
    """
    found: dict[tuple[tuple[str, str], ...], Series] = {}
    runs = set()
    for run, boots in sorted(measured, key=lambda one: one[0].id):
        for one in _series(run, boots, benchmark, box):
            runs.add(run.id)
            key = tuple(sorted(one.facts.items()))
            known = found.get(key, one)
            points = one.points if known is one else (*known.points, *one.points)
            found[key] = msgspec.structs.replace(known, points=points)
    every = tuple(msgspec.structs.replace(one, points=tuple(sorted(one.points, key=_order))) for one in found.values())
    return History(benchmark=benchmark, series=every, apart=tuple(_apart(every)), runs=len(runs))


def _order(point: Point) -> tuple[object, ...]:
    return release.order(point.kernel.release), point.started, point.run


def _apart(every: Sequence[Series]) -> Iterator[str]:
    for name in dict.fromkeys(name for one in every for name in one.facts):
        if len({one.facts.get(name) for one in every}) > 1:
            yield name


# ---- of one run ----


def _series(run: RunRecord, boots: Sequence[BootRecord], name: str, wanted: str | None) -> Iterator[Series]:
    """One for each box."""
    own = next((one for one in run.plan.benchmarks if one.name == name), None)
    if own is None:
        return
    plan = msgspec.structs.replace(run.plan, benchmarks=(own,))
    for box in plan.boxes:
        if wanted in (None, box.name):
            columns = by_variant(plan, box, boots)
            yield Series(
                box=box,
                benchmark=own,
                facts=_facts(run, box, own, columns[plan.baseline]),
                points=tuple(_point(run, plan, box, variant, columns[variant.name]) for variant in plan.variants),
            )


def _facts(run: RunRecord, box: BoxSpec, benchmark: Benchmark, baseline: Iterable[Judged]) -> dict[str, str]:
    """What values depend on beside the kernel and its settings: what was asked for, and what the first boot of the baseline
    recorded of what measures."""
    recorded = next((one.record.boot.environment for one in baseline if one.record.boot.environment), {})
    facts = {
        name: value for name, value in recorded.items() if OF_THE_MEASUREMENT.fullmatch(name) and not name.startswith(OF_A_KERNEL)
    }
    return {
        **box_facts(run.plan, box),
        **(dict(sorted(facts.items())) or {UNKNOWN: f"not recorded in run {run.id}"}),
        **definition(benchmark),
    }


def _point(run: RunRecord, plan: Plan, box: BoxSpec, variant: Variant, boots: Sequence[Judged]) -> Point:
    """A boot's value is as of judge.series: the median of its results, or the mean of two."""
    (benchmark,) = plan.benchmarks
    found = came(plan, box, benchmark, boots)
    planned = plan.rule.results if box.kind == LOCAL else benchmark.iterations
    middle = statistics.fmean if planned <= FEW_RESULTS else statistics.median
    values = [middle(visit.values[benchmark.metric.name]) for visit in found.visits]
    if box.kind == PUBLISHED:
        values = list(_printed(box, variant, benchmark, boots))
    bare = Point(run=run.id, started=run.started, variant=variant, kernel=run.kernels[variant.name], boots=tuple(values))
    if not values:
        return msgspec.structs.replace(bare, state=found.state)
    mean, low, high = _mean(values)
    return msgspec.structs.replace(
        bare,
        state=CellState.OK,
        median=statistics.median(values),
        least=min(values),
        most=max(values),
        mean=mean,
        low=low,
        high=high,
    )


def _printed(box: BoxSpec, variant: Variant, benchmark: Benchmark, boots: Sequence[Judged]) -> Iterator[float]:
    """The value that stands for what others published; none where there is none."""
    found = entries([one.record for one in boots]).get((box.name, variant.name, benchmark.name, benchmark.metric.name))
    one = printed(found) if found else None
    if one:
        yield one.value


def _mean(values: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """The geometric one with its interval, as far as there are any."""
    if min(values) <= 0.0:
        return None, None, None
    mean = math.exp(statistics.fmean(map(math.log, values)))
    if len(values) < LEAST_BOOTS:
        return mean, None, None
    low, high = one_sample(np.log(values)).interval(LEVEL)
    return mean, math.exp(low), math.exp(high) if high < MOST_LOGARITHM else None
