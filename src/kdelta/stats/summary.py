"""One number for several, and how far they lie apart."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "median": statistics.median,
    "min": min,
    "max": max,
    "mean": statistics.fmean,
}


@dataclass(frozen=True)
class Spread:
    """Of `n` values: their standard deviation (n - 1 in the denominator), and that in percent of their mean.

    Both are None for fewer than two values, `sd_percent` also where the mean is 0.
    """

    n: int
    sd: float | None
    sd_percent: float | None


def spread(values: Sequence[float]) -> Spread:
    """The spread of `values`; never raises for thin data."""
    if len(values) < 2:
        return Spread(len(values), None, None)
    mean, sd = statistics.fmean(values), statistics.stdev(values)
    return Spread(len(values), sd, 100.0 * sd / abs(mean) if mean else None)


def change_percent(old: float, new: float) -> float | None:
    """`new` against `old` in percent of `old`, positive where it grew; None where `old` is 0: no percentage says that."""
    return 100.0 * (new - old) / old if old else None
