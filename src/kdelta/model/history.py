"""What one benchmark took on kernel after kernel, as far as the values may stand beside each other."""

from __future__ import annotations

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import CellState
from kdelta.model.kernel import Kernel
from kdelta.model.plan import BoxSpec
from kdelta.model.variant import Variant


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One column of one run. A boot's value is that which verdicts are made of, in the unit of the benchmark's metric.

    Without any, `state` says how it ended, None if it was not measured yet. `mean` is their geometric mean, `low` and `high` are
    the ends of its 95 % interval; None for fewer than three boots, or a value of 0 or less.
    """

    run: int
    started: str
    variant: Variant
    kernel: Kernel
    boots: tuple[float, ...]
    state: CellState | None = None
    median: float | None = None
    least: float | None = None
    most: float | None = None
    mean: float | None = None
    low: float | None = None
    high: float | None = None


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """Points that may stand beside each other, by kernel release and then by date: `facts` are what their values depend on, by
    name, and are the same for all. `box` is as the first of the runs has it.
    """

    box: BoxSpec
    benchmark: Benchmark
    facts: dict[str, str]
    points: tuple[Point, ...]


class History(msgspec.Struct, frozen=True, kw_only=True):
    """All series of one benchmark. `apart` are the names of the facts that are not the same in all of them: why they are several.
    `runs` is how many measured it.
    """

    benchmark: str
    series: tuple[Series, ...]
    apart: tuple[str, ...]
    runs: int
