"""How often to repeat at each level of an experiment: boots, and in each boot iterations.

Source: Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, in its corrected form: what the level below
adds to the variance of a level's means is taken off as it was observed (S^2), not as it was estimated (T^2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Components:
    """Of the grand `mean`, by level, outermost first; variances are in the square of the values' unit.

    `s2` is the variance of one level's means, as it is (n - 1 in the denominator, the mean over all groups). `t2` is what of it
    is this level's own: less what the level inside, repeated `counts` times, brings with it. A negative `t2` is reported as it
    came out and means 0. Both are NaN at a level that was not repeated, `t2` also at the level around it.
    """

    mean: float
    counts: tuple[int, ...]
    s2: tuple[float, ...]
    t2: tuple[float, ...]
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Repeat:
    """How often to repeat something within one repetition of what is around it: `real`, and as a whole number of 1 or more.

    `count` is None where the more the better (`real` is infinite) or where nothing is known (NaN); the doubts say which.
    """

    real: float
    count: int | None
    doubts: tuple[str, ...] = ()


def variance_components(values: Array) -> Components:
    """Of an array with an axis per level, outermost first: boots, then iterations; so of equally many in every group."""
    if values.size == 0 or values.ndim == 0:
        unknown = (math.nan,) * values.ndim
        return Components(math.nan, values.shape, unknown, unknown, ("there are no values",))
    means, s2 = values, list[float]()
    while means.ndim:
        s2.insert(0, float(means.var(axis=-1, ddof=1).mean()) if means.shape[-1] > 1 else math.nan)
        means = means.mean(axis=-1)
    brought = [*(variance / count for variance, count in zip(s2[1:], values.shape[1:], strict=True)), 0.0]
    t2 = tuple(variance - inside for variance, inside in zip(s2, brought, strict=True))
    doubts = (_once(level) for level, count in enumerate(values.shape, start=1) if count < 2)
    return Components(float(means), values.shape, tuple(s2), t2, tuple(doubts))


def half_width(components: Components, level: float = 0.95) -> float:
    """Of the grand mean's interval, which only the outermost level's means make; NaN where that was not repeated."""
    count = components.counts[0] if components.counts else 0
    if count < 2:
        return math.nan
    return float(stdtrit(count - 1, 0.5 + 0.5 * level)) * math.sqrt(components.s2[0] / count)


def repetitions(components: Components, costs: Sequence[float]) -> tuple[Repeat, ...]:
    """For each level but the outermost, the repetitions that make the grand mean most precise for the time; rounded up.

    `costs`, outermost first, are those of one repetition without what is inside it, in any unit. The outermost level has no best
    number: it is repeated until the mean is as precise as it has to be.
    """
    t2, levels = components.t2, range(1, len(components.t2))
    return tuple(
        _repeat((t2[i - 1], t2[i]), (costs[i - 1], costs[i]), (f"level-{i} repetitions", f"level-{i + 1} repetitions"), _up)
        for i in levels
    )


def iterations_per_boot(var_boot: float, var_iteration: float, seconds_boot: float, seconds_iteration: float) -> Repeat:
    """The iterations of each boot that make a mean over boots most precise for the time; to the nearest whole number.

    `var_boot` is the boots' own variance, without what iterations bring with them (`t2`). Boots of 120 s and iterations of 30 s,
    with standard deviations of 0.5 % between boots and 1 % between iterations, ask for 4.
    """
    return _repeat((var_boot, var_iteration), (seconds_boot, seconds_iteration), ("boots", "iterations"), round)


def effective(count: float, rho: float) -> float:
    """How many independent values `count` successive ones are worth whose lag-1 autocorrelation is `rho`.

    More than `count` where neighbours alternate, 0 for a `rho` of 1, infinite for -1, NaN for NaN. Source: the variance of the mean
    of a long first-order autoregression.
    """
    return math.inf if rho <= -1.0 else count * (1.0 - rho) / (1.0 + rho)


def autocorrelation(values: Sequence[float] | Array) -> float:
    """Of lag 1: between each value and the next. NaN for fewer than 3 values or where they are all equal.

    Of n independent values it is -1/n on average and lies within 2/sqrt(n) of that mostly.
    """
    x = np.asarray(values, dtype=np.float64)
    if x.size < 3 or np.ptp(x) == 0.0:
        return math.nan
    away = x - x.mean()
    return float((away[:-1] * away[1:]).sum() / (away * away).sum())


def _once(level: int) -> str:
    return f"level {level} has one repetition: two or more are needed to see how it varies"


def _up(real: float) -> int:
    """What is above a whole number by no more than rounding is that number."""
    return math.ceil(real - 1e-9)


def _repeat(own: tuple[float, float], costs: tuple[float, float], names: tuple[str, str], whole: Callable[[float], int]) -> Repeat:
    """Of an outer and an inner level: their own variances, the costs of a repetition, their names."""
    outer, inner = (variance if math.isnan(variance) else max(variance, 0.0) for variance in own)
    if math.isnan(outer + inner):
        return Repeat(math.nan, None, (f"how {names[0]} and {names[1]} vary is not known: repeat each twice or more",))
    if inner == 0.0:
        return Repeat(0.0, 1)
    real = math.sqrt(costs[0] / costs[1] * inner / outer) if outer > 0.0 and costs[1] > 0.0 else math.inf
    if math.isinf(real):
        reason = (
            f"{names[1]} cost nothing" if costs[1] <= 0.0 else f"{names[0]} differ by no more than {names[1]} inside them explain"
        )
        return Repeat(real, None, (f"{reason}: more {names[1]} are always better than more {names[0]}",))
    return Repeat(real, max(1, whole(real)))
