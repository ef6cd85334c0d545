"""Samples as means, standard deviations and ranges, with all metrics of a benchmark: one sheet per box."""

from __future__ import annotations

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import CellState
from kdelta.model.plan import BoxSpec


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """Of the values of one metric. `sd` has n - 1 in its denominator, and is None for one value; `sd_percent` is it in percent
    of the mean.
    """

    mean: float
    sd: float | None
    sd_percent: float | None
    least: float
    most: float


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One benchmark of one variant. `figures` are by metric; without any, `state` says how it ended, None if it was not measured.

    `of_base` is the mean of the benchmark's first metric in percent of the baseline's. `cpus` are those that the tasks could use,
    None where that was not the same in all visits.
    """

    variant: str
    visits: int
    results: int
    figures: dict[str, Figure]
    of_base: float | None
    state: CellState | None
    cpus: int | None
    notes: tuple[str, ...] = ()


class Block(msgspec.Struct, frozen=True):
    benchmark: Benchmark
    lines: tuple[Line, ...]


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """`within`: no line has more than one visit (or boot), and the values of a figure are the results in it. Otherwise they are
    one per visit, the mean of its results, and a line with one visit has no spread. `agreed`: the results of a visit were kept
    because they agree, so that their spread is that of the rule.
    """

    box: BoxSpec
    within: bool
    agreed: bool
    blocks: tuple[Block, ...]
