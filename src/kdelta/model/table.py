"""Samples laid out as people compare them: one table per box, a row per benchmark, a column per variant."""

from __future__ import annotations

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import CellState
from kdelta.model.plan import BoxSpec


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One benchmark of one variant on one box. `boots` holds one value per boot, in the order of their seeds.

    `value` is None where no boot has one; `state` then says how it ended, or is None if it was not measured yet.
    `percent` is against the baseline's value, None where one of the two is missing or the baseline is 0. `sd_percent` is the
    standard deviation over the boots in percent of their mean, None for fewer than two boots.
    """

    variant: str
    boots: tuple[float, ...]
    value: float | None
    percent: float | None
    sd_percent: float | None
    state: CellState | None
    notes: tuple[str, ...] = ()
    printed: str = ""
    """How others printed the value: as many digits as these are shown."""


class Row(msgspec.Struct, frozen=True):
    """`statistic` is the table's, but `max` in place of `min` where larger is better: either is the best result."""

    benchmark: Benchmark
    entries: tuple[Entry, ...]
    statistic: str


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Baseline first. `boots` are those of a column, at most. `statistic` is the name of what a value is, of the boots' values and
    of a boot's iterations.
    """

    box: BoxSpec
    statistic: str
    variants: tuple[str, ...]
    boots: int
    rows: tuple[Row, ...]


class Change(msgspec.Struct, frozen=True):
    """`entry` is the column in which `benchmark` changed against the baseline."""

    box: str
    benchmark: Benchmark
    entry: Entry
