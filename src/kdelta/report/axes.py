"""Axes of pictures: where a value lies, and which values are written beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

FARTHEST = 1e300
"""Beyond which differences of two values are no longer finite."""
FACTORS = (1.0, 2.0, 5.0)
MOST_FIGURES = 10
"""Characters of a value that is written out: 12,345,678."""
LEAST_SPAN = 1e-9
"""Of an axis, as a share of its values: where all are the same it still has two ends."""


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` lie between the coordinates `start` and `end`, of which either may be the greater."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """What lies beyond an end is at that end."""
        return self.start + (self.end - self.start) * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def beyond(self, value: float) -> int:
        """-1 below the axis, 1 above it, 0 on it."""
        return (value > self.high) - (value < self.low)


def around(values: Iterable[float], start: float, end: float, *, room: float = 0.05) -> Axis:
    """That of all `values`, with `room` beyond either end as a share of what lies between; of none, from 0 to 1."""
    found = [min(max(value, -FARTHEST), FARTHEST) for value in values if not math.isnan(value)] or [0.0, 1.0]
    low, high = min(found), max(found)
    size = max(abs(low), abs(high), LEAST_SPAN)
    pad = room * (high - low) if high - low > LEAST_SPAN * size else 0.01 * size
    return Axis(low - pad, high + pad, start, end)


def ticks(axis: Axis, most: int) -> list[tuple[float, str]]:
    """At most `most` values with what is written at them: the multiples of the least of 1, 2 and 5 times a power of 10."""
    least = math.floor(math.log10((axis.high - axis.low) / most))
    sizes = (factor * 10.0**power for power in range(least, least + 4) for factor in FACTORS)
    found = ((size, range(math.ceil(axis.low / size), math.floor(axis.high / size) + 1)) for size in sizes)
    size, counts = next(each for each in found if len(each[1]) <= most)
    return [(count * size, written(count * size, size)) for count in counts]


def written(value: float, size: float) -> str:
    """`value` with the decimals that steps of `size` need; in at most 11 characters."""
    decimals = max(0, -math.floor(math.log10(size) + LEAST_SPAN))
    words = f"{value:,.{min(decimals, MOST_FIGURES)}f}"
    return words if decimals <= MOST_FIGURES and len(words) <= MOST_FIGURES else f"{value:.4g}"


def rungs(low: float, high: float, most: int) -> list[float]:
    """At most `most` of 1, 2 and 5 times powers of 10, or of those powers alone, from `low` to `high`, both above 0."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    full = [value for power in powers for factor in FACTORS if low <= (value := factor * 10.0**power) <= high]
    if len(full) <= most:
        return full
    tens = [value for power in powers if low <= (value := 10.0**power) <= high]
    return tens[:: -(-len(tens) // most)]
