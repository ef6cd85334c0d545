"""The geometric mean over the benchmarks of a table: all in all, what does the change cost?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from kdelta.judge.groups import Group
from kdelta.judge.measured import LEAST_BOOTS, measured
from kdelta.judge.series import Key, Series
from kdelta.judge.verdicts import Terms, verdicts
from kdelta.model.benchmark import TIME_PER_OPERATION, Benchmark, Better
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.verdict import Mean, Side, Verdict

Array = NDArray[np.float64]

ALL = Benchmark(name="geometric mean", program="", operation="", metrics=(TIME_PER_OPERATION,))
"""In place of a benchmark: as of a time, of which less is better."""


def means(plan: Plan, cells: Mapping[Key, Series], made: Sequence[Verdict], terms: Terms) -> tuple[Mean, ...]:
    """One for each box and column against the base, of those that `made` compares on two benchmarks or more; they are a family of
    their own."""
    pairs = dict.fromkeys((one.new.box.name, one.base.variant, one.new.variant) for one in made)
    found = [_mean(plan, plan.box(box), base, new, cells) for box, base, new in pairs]
    known = [(mean, group) for mean, group in found if len(mean.benchmarks) > 1]
    judged = verdicts([*measured([group for _, group in known], terms.looks, terms.margin, doubted=False)], terms)
    return tuple(_judged(mean, verdict) for (mean, _), verdict in zip(known, judged, strict=True))


def _judged(mean: Mean, verdict: Verdict) -> Mean:
    return msgspec.structs.replace(mean, ratio=verdict.ratio, answer=verdict.answer, rounds=verdict.rounds)


def _mean(plan: Plan, box: BoxSpec, base: str, new: str, cells: Mapping[Key, Series]) -> tuple[Mean, Group]:
    """The mean without its ratio yet, and the contrast that makes it."""
    names = [variant.name for variant in plan.variants]
    columns = [names.index(base), names.index(new)]
    costs = {one.name: _costs(one, cells[box.name, one.name].logs[:, columns]) for one in plan.benchmarks}
    counts = {name: int(np.isfinite(pair).all(1).sum()) for name, pair in costs.items()}
    kept = [name for name in costs if counts[name] >= LEAST_BOOTS]
    left_out = [f"{name}: {count} of {LEAST_BOOTS} rounds that have both" for name, count in counts.items() if name not in kept]
    mean = Mean(box=box, base=base, new=new, benchmarks=tuple(kept), left_out=tuple(left_out))
    sides = tuple(Side(box=box, variant=name, benchmark=ALL) for name in (base, new))
    logs = np.mean([costs[name] for name in kept] or [np.empty((plan.seeds, 2))], axis=0)
    return mean, Group(sides=sides, logs=logs, floor=0.0, asked=(1,), odd=(0, 0))


def _costs(benchmark: Benchmark, logs: Array) -> Array:
    """Of which less is better, whatever the metric."""
    return logs if benchmark.metric.better is Better.SMALLER else -logs
