"""Which functions execute more instructions than before, where nothing but the layout of a boot and rare events make counts differ.

Counts of R boots have the shape (R, F): one place per function, the same on both sides, 0 where a function was not met.

Instructions have no sampling error: a function's counts agree in all boots to the last digit, or fall into a few states by where
things lie in memory (one page table more, a pointer on the other side of a boundary), or have a burst in some boots (free
pages are handed back by the hundred, a work queue runs). Three boots a side may well agree within each and differ between them
by luck: of a state that half of all boots have, in 1 of 32 comparisons. So a function that did not vary is given the variation
that nine in ten functions stay within, on top of its own.

Measured on 40 boots of one kernel (Debian's 6.12, 11 benchmarks), dealt at random: in 1.3 % of 10000 comparisons of 3 boots a
side any of the 11 shows any function, and a single benchmark does in .12 %; of 5 boots a side in .45 %, of 10 in less than .1 %,
of 2 in 6.5 %. Of 3 boots a function's own variance alone is false in 8 %; drawn towards the mean of all, as in `moderate`, in
5 to 11 %; drawn towards their median, in 21 to 62 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from kdelta.stats.multiplicity import benjamini_hochberg

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

MATERIAL = 0.0005
"""Share of the total per unit of work: functions that never reach it are not tested, and smaller changes not called real."""

USUAL = 0.9
"""The share of functions whose variation is the least that any function is given."""

RESOLUTION = 1e-6
"""The least variation of a function, relative: no count of a few boots shows that it is none."""

FEW = 3
"""Boots a side: fewer are alike by luck too often."""

ALONE = "one boot on a side: nothing is known of chance, only sizes; boot each kernel with 3 seeds or more"
PAIRS = "2 boots a side agree by luck too often: 1 in 16 comparisons shows something; boot each kernel with 3 seeds or more"
EXPOSURES = "the work of the boots is not all known: nothing can be compared"


@dataclass(frozen=True)
class Shifts:
    """Per function, all of the shape (F,): `low`..`high` is the interval of the new count - the old one, per exposure.

    `p`, two-sided, and `adjusted` for all functions tested (Benjamini-Hochberg) are NaN where a function is too small. `material`:
    the change is large enough to matter. `usual` is the coefficient of variation that every function is given besides its own.
    """

    low: Array
    high: Array
    p: Array
    adjusted: Array
    material: NDArray[np.bool_]
    usual: float
    doubts: tuple[str, ...]


def shifts(old: Counts, new: Counts, exposures: Sequence[float] | Array, *, level: float = 0.95) -> Shifts:
    """Two or more boots a side; `exposures` is the work of those of `old`, then of `new`.

    t test of the difference. A function's variance, relative to its count, is the sum of its own and of that which 9 in 10 of
    the functions tested stay within, each with the degrees of freedom of the boots (Satterthwaite, Biometrics Bulletin 2,
    1946); as an addend, after Tusher, Tibshirani and Chu (Proceedings of the National Academy of Sciences 98, 2001). A side
    that never met a function has nothing to vary.

    Of 6.12's functions with a share of .1 % or more, one that takes 3 % more is found in 3 boots a side in 93 % and more of
    null, open, select, page faults, mmap and context switches. In exec, fork and hackbench, where layout moves many functions by
    6 %, it is not; there 30 % more is found in 100, 38 and 1 %, and with 5 boots a side in 100, 100 and 9 %. That is a function
    alone: the more functions change, the less each must.
    """
    exposure = np.asarray(exposures, dtype=np.float64)
    exposure = np.where(exposure > 0.0, exposure, np.nan)
    sides = _side(old, exposure[: len(old)]), _side(new, exposure[len(old) :])
    floor = MATERIAL * float(sides[0].rate.sum() + sides[1].rate.sum()) / 2.0
    tested = np.maximum(sides[0].rate, sides[1].rate) >= max(floor, np.finfo(float).tiny)
    usual = _usual(*sides, tested)
    variance, df = _variance(*sides, usual)
    change, error = sides[1].rate - sides[0].rate, np.sqrt(variance)
    p = np.where(tested, 2.0 * stdtr(df, -_divided(np.abs(change), error)), np.nan)
    reach = stdtrit(df, (1.0 + level) / 2.0) * error
    doubts = tuple(_doubts(*sides, exposure))
    material = np.abs(change) >= floor
    return Shifts(change - reach, change + reach, p, benjamini_hochberg(p), material, usual, doubts)


@dataclass(frozen=True)
class _Side:
    """`rate` per exposure, the sum of `squares` of deviations from it and their degrees of freedom have the shape (F,)."""

    boots: int
    rate: Array
    squares: Array
    dfs: Array

    @property
    def relative(self) -> Array:
        return np.where(self.dfs > 0.0, _divided(self.squares, self.rate**2), 0.0)


def _side(counts: Counts, exposure: Array) -> _Side:
    rate = _divided(counts.sum(axis=0), exposure.sum())
    weights = exposure[:, np.newaxis] / exposure.mean() if len(counts) else np.empty((0, 1))
    squares = (weights * (counts / exposure[:, np.newaxis] - rate) ** 2).sum(axis=0)
    return _Side(len(counts), rate, squares, np.where(rate > 0.0, len(counts) - 1.0, 0.0))


def _usual(old: _Side, new: _Side, tested: NDArray[np.bool_]) -> float:
    """The coefficient of variation that most of the functions tested stay within, of those that both sides have."""
    both = tested & (old.dfs > 0.0) & (new.dfs > 0.0)
    squares = ((old.relative + new.relative) / np.maximum(old.dfs + new.dfs, 1.0))[both]
    return max(math.sqrt(np.quantile(squares, USUAL)) if len(squares) else 0.0, RESOLUTION)


def _variance(old: _Side, new: _Side, usual: float) -> tuple[Array, Array]:
    """Of the difference of the rates, with its degrees of freedom; NaN where a side has no spread."""
    if min(old.boots, new.boots) < 2:
        unknown = np.full(len(old.rate), np.nan)
        return unknown, unknown
    dfs = np.maximum(old.dfs + new.dfs, 1.0)
    own = (old.squares + new.squares) / dfs * ((old.dfs > 0.0) / old.boots + (new.dfs > 0.0) / new.boots)
    common = usual**2 * (old.rate**2 / old.boots + new.rate**2 / new.boots)
    return own + common, _divided((own + common) ** 2, own**2 / dfs + common**2 / (old.boots + new.boots - 2.0))


def _divided(part: ArrayLike, whole: ArrayLike) -> Array:
    """0 / 0 is NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.divide(part, whole), dtype=np.float64)


def _doubts(old: _Side, new: _Side, exposure: Array) -> Iterator[str]:
    boots = min(old.boots, new.boots)
    if boots < FEW:
        yield ALONE if boots < 2 else PAIRS
    if not np.isfinite(exposure).all():
        yield EXPOSURES
