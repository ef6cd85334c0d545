"""One number for several, and how far they lie apart."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "median": statistics.median,
    "min": min,
    "mean": statistics.fmean,
}


@dataclass(frozen=True)
class Spread:
    """Of `n` values: their standard deviation (n - 1 in the denominator) in percent of their mean.

    `sd_percent` is None where it is not defined: fewer than two values, or a mean of 0.
    """

    n: int
    sd_percent: float | None


def spread(values: Sequence[float]) -> Spread:
    """The spread of `values`; never raises for thin data."""
    mean = statistics.fmean(values) if values else 0.0
    if len(values) < 2 or mean == 0.0:
        return Spread(len(values), None)
    return Spread(len(values), 100.0 * statistics.stdev(values) / abs(mean))


def change_percent(old: float, new: float) -> float | None:
    """`new` against `old` in percent of `old`, positive where it grew; None where `old` is 0: no percentage says that."""
    return 100.0 * (new - old) / old if old else None
