"""Units for people, and how many digits a value has in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from kdelta.model.benchmark import TIME_PER_OPERATION, Benchmark
from kdelta.model.plan import EXACT, PUBLISHED, BoxSpec

MANY = 1e15
"""Of a value above it, no hundredth was ever measured."""


@dataclass(frozen=True)
class Scale:
    """A value times `factor` is in `unit`, and `text` writes it."""

    unit: str
    factor: float
    text: Callable[[float], str]

    def __call__(self, value: float) -> str:
        return self.text(value * self.factor)


def hundredths(value: float) -> str:
    return f"{value:.2f}" if abs(value) < MANY else f"{value:.6g}"


def at_least_hundredths(value: float) -> str:
    """Two decimals, and more where those would leave fewer than two digits."""
    return _small(value, 2) if 0.0 < abs(value) < 0.1 else hundredths(value)


def three_digits(value: float) -> str:
    """At least three digits that say something, and no decimals that say nothing."""
    if value == 0.0:
        return "0"
    if abs(value) < 1.0:
        return _small(value, 3)
    return hundredths(value) if abs(value) < 1000.0 or abs(value) >= MANY else f"{value:.0f}"


def _small(value: float, digits: int) -> str:
    return f"{value:.{digits - 1 - math.floor(math.log10(abs(value)))}f}" if abs(value) >= 1e-6 else f"{value:.{digits}g}"


INSTRUCTIONS = Scale("instructions per operation", 1.0, hundredths)
MICROSECONDS = Scale("us per operation", 1e-3, at_least_hundredths)


def scale(benchmark: Benchmark, box: BoxSpec) -> Scale:
    """In the exact lab a nanosecond is an instruction, and saying so is clearer.

    Elsewhere a time is one of an operation in microseconds, or of one test of the classic program in seconds. Other units are
    what their metric is in, and all that others published is.
    """
    if box.kind == PUBLISHED:
        return Scale(benchmark.metric.unit, 1.0, three_digits)
    if benchmark.metric.unit != TIME_PER_OPERATION.unit:
        return Scale(benchmark.metric.unit, 1.0, three_digits)
    if box.kind == EXACT:
        return INSTRUCTIONS
    return MICROSECONDS if benchmark.classic == 1 else Scale("s", benchmark.classic / 1e9, at_least_hundredths)
