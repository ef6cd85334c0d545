"""What can be said without a shape for the noise: exact tests by counting arrangements, and an interval of the median."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, ndtr

Array = NDArray[np.float64]

WANTED = 0.05
"""What p must be able to reach, or a doubt says that it cannot."""

ENUMERATED = 20
"""Pairs: of so many all 2^n ways to flip signs are gone through."""

FLIPS = 100_000
SEED = 1945
LARGE = 2 * 10**8
"""Additions: half a second. Beyond it the distribution of ranks is not counted out."""

LEAST_SIZES = "4 on each side are enough for .05"
LEAST_PAIRS = "6 that differ are needed for .05"
NOT_A_NUMBER = "a value is missing: measure it again, or leave it out"


@dataclass(frozen=True)
class PermutationTest:
    """`statistic` as the function says, and in two-sided `p` how often a rearrangement lies as far out; NaN without values."""

    statistic: float
    p: float
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class MedianInterval:
    """Two of the values, between which the median lies with probability `coverage`; all None where there are too few values."""

    low: float | None
    high: float | None
    coverage: float | None
    doubts: tuple[str, ...] = ()


def rank_test(a: Sequence[float] | Array, b: Sequence[float] | Array) -> PermutationTest:
    """Mann and Whitney's U of `a`: the pairs in which its value is the greater, ties as halves; p exact, with ties too.

    Two-sided p is twice the lesser tail of all ways to deal the ranks to both sides. Above 70 values on each side the normal
    approximation takes over, and a doubt says so. Source: Mann & Whitney, Annals of Mathematical Statistics 18 (1947); for ties
    Lehmann, "Nonparametrics", chapter 1.4.
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.size == 0 or y.size == 0 or np.isnan(x).any() or np.isnan(y).any():
        few_values = f"too few values ({x.size} and {y.size}): {LEAST_SIZES}"
        return PermutationTest(math.nan, math.nan, (NOT_A_NUMBER if x.size and y.size else few_values,))
    ranks = _doubled_midranks(np.concatenate([x, y]))
    mine = int(ranks[: x.size].sum())
    u = mine / 2.0 - x.size * (x.size + 1) / 2.0
    # The smaller side is counted: its sum tells the other's, and takes fewer additions.
    few, total = (x.size, mine) if x.size <= y.size else (y.size, int(ranks.sum()) - mine)
    if few * ranks.size * int(ranks.sum()) > LARGE:
        return PermutationTest(
            u, _normal(ranks, few, total), ("so many values: p is the normal approximation, and no exact count",)
        )
    ways = _ways(ranks, few)
    possible = np.flatnonzero(ways)
    least = min(_two_sided(ways, int(end)) for end in possible[[0, -1]])
    return PermutationTest(u, _two_sided(ways, total), _rank_doubts(x.size, y.size, least))


def sign_flips(differences: Sequence[float] | Array) -> PermutationTest:
    """Of differences within pairs or rounds: their sum, against all ways to flip their signs (Fisher, "Design of Experiments", 21).

    p is exact for up to 20 differences other than 0, and from 100000 random flips beyond; at least 2 / 2^n of n differences.
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.size == 0 or not np.isfinite(d).all():
        return PermutationTest(math.nan, math.nan, (NOT_A_NUMBER if d.size else f"no pairs: {LEAST_PAIRS}",))
    total = float(d.sum())
    # A difference of 0 changes no sum.
    sizes = np.abs(d[d != 0.0])
    # Sums that are equal but for rounding count as equal.
    bound = abs(total) - 1e-12 * float(sizes.sum())
    if sizes.size > ENUMERATED:
        return PermutationTest(total, _drawn(sizes, bound), (f"p is from {FLIPS} random flips of signs, and no exact count",))
    least = min(1.0, 2.0 / 2**sizes.size)
    doubts = (f"{sizes.size} pairs that differ give no p below {least:.3g}: {LEAST_PAIRS}",) if least > WANTED else ()
    return PermutationTest(total, float(np.mean(np.abs(_all_sums(sizes)) >= bound)), doubts)


def median_interval(values: Sequence[float] | Array, level: float) -> MedianInterval:
    """The narrowest pair of values, equally far from both ends, that covers the median with probability `level` (as .95) or more.

    Source: Conover, "Practical Nonparametric Statistics", chapter 3.2.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = ordered.size
    if np.isnan(ordered).any():
        return MedianInterval(None, None, None, (NOT_A_NUMBER,))
    coverage = 1.0 - 2.0 * bdtr(np.arange(n // 2), n, 0.5)
    wide_enough = np.flatnonzero(coverage >= level)
    if wide_enough.size == 0:
        needed = f"{1 + math.ceil(math.log2(1.0 / (1.0 - level)))} or more" if level < 1.0 else "infinitely many"
        return MedianInterval(None, None, None, (f"too few values ({n}): an interval of level {level:g} needs {needed}",))
    outer = int(wide_enough[-1])
    return MedianInterval(float(ordered[outer]), float(ordered[n - 1 - outer]), float(coverage[outer]))


def _all_sums(sizes: Array) -> Array:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _drawn(sizes: Array, bound: float) -> float:
    """Never 0: what was seen is itself one of the ways (Phipson & Smyth 2010)."""
    rng, batch, far = np.random.default_rng(SEED), max(1, 2**20 // sizes.size), 0
    for start in range(0, FLIPS, batch):
        signs = 1.0 - 2.0 * rng.integers(0, 2, (min(batch, FLIPS - start), sizes.size), dtype=np.int8)
        far += int(np.count_nonzero(np.abs(signs @ sizes) >= bound))
    return (1 + far) / (1 + FLIPS)


def _doubled_midranks(values: Array) -> NDArray[np.int64]:
    """Twice the rank of each value, which is whole even where equal values share the mean of theirs."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (2 * np.cumsum(count) - count + 1)[place].astype(np.int64)


def _ways(ranks: NDArray[np.int64], few: int) -> Array:
    """Of each sum, in how many ways `few` of `ranks` have it; whole numbers, exact below 2^53."""
    ways = np.zeros((few + 1, int(np.sort(ranks)[-few:].sum()) + 1))
    ways[0, 0] = 1.0
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank]
    return np.asarray(ways[few])


def _two_sided(ways: Array, total: int) -> float:
    return float(min(1.0, 2.0 * min(ways[: total + 1].sum(), ways[total:].sum()) / ways.sum()))


def _normal(ranks: NDArray[np.int64], few: int, total: int) -> float:
    """With the variance that the ties leave, and half a step for continuity."""
    n = ranks.size
    sd = math.sqrt(few * (n - few) * float(np.var(ranks)) / (n - 1))
    away = abs(total - few * float(ranks.mean())) - 1.0
    return float(min(1.0, 2.0 * ndtr(-away / sd))) if sd else 1.0


def _rank_doubts(n1: int, n2: int, least: float) -> tuple[str, ...]:
    if least <= WANTED:
        return ()
    untied = 2.0 / math.comb(n1 + n2, n1)
    if untied > WANTED:
        return (f"{n1} and {n2} values give no p below {min(1.0, untied):.3g}: {LEAST_SIZES}",)
    return (f"so many values are equal that no p is below {least:.3g}: more digits or more values are needed",)
