"""Tests from what others publish of few values: mean and standard deviation, mean and range, or a range alone.

Critical values are those of normal data, from `scripts/published_levels.py 20000000`; those of means agree with Lord's own.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace

from scipy.special import stdtrit

from kdelta.stats.t import NO_SPREAD, TWO_VALUES, Comparison, lopsided, satterthwaite, welch_from_summaries

# n -> the mean of the range of n values in standard deviations, and the degrees of freedom of what it says of them.
D2 = {2: 1.128, 3: 1.693, 4: 2.058, 5: 2.326, 6: 2.535, 8: 2.847, 10: 3.078}
RANGE_DF = {2: 0.88, 3: 1.81, 4: 2.74, 5: 3.62, 6: 4.47, 8: 6.03, 10: 7.46}

# n -> what a difference in mean ranges exceeds by chance, two-sided, in 5 and in 1 of 100 pairs of samples of n.
MEANS = {
    2: (3.426, 7.927),
    3: (1.272, 2.114),
    4: (0.813, 1.237),
    5: (0.613, 0.895),
    6: (0.499, 0.714),
    8: (0.373, 0.521),
    10: (0.304, 0.419),
}
MIDRANGES = {
    2: (3.426, 7.927),
    3: (1.297, 2.136),
    4: (0.859, 1.281),
    5: (0.674, 0.957),
    6: (0.57, 0.791),
    8: (0.457, 0.617),
    10: (0.396, 0.527),
}
MINIMA = {
    2: (3.548, 7.99),
    3: (1.489, 2.309),
    4: (1.049, 1.49),
    5: (0.852, 1.173),
    6: (0.739, 1.0),
    8: (0.609, 0.813),
    10: (0.535, 0.71),
}
LEVELS = (0.05, 0.01)

NOT_SAID_OF_WHAT = "whether n counts boots or runs in one boot is not stated: one boot is assumed, so p is a lower bound"
ONE_BOOT = "the values are runs in one boot: p is a lower bound, since boots differ too"
EQUAL_CV = "one standard deviation is not stated: it is taken to be the same share of its mean as the other"
POSSIBLE_N = (3, 5, 10)


@dataclass(frozen=True)
class Summary:
    """What was published of one side, in the unit of its values; None where it was not.

    `ddof` is 1 or 0 where the source says whether n - 1 or n is in the denominator of `sd`; `boots` says whether `n` counts boots
    (True) or runs in one boot (False).
    """

    mean: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    ddof: int | None = None
    boots: bool | None = None


@dataclass(frozen=True)
class PublishedTest:
    """Of first less second: `statistic` is t, or the difference in mean ranges; NaN where the test has none.

    `p` is two-sided, and from critical values it is .01, .05 or 1: at most that. It is NaN where nothing can be said, and
    `doubts` tell what is missing.
    """

    test: str
    statistic: float
    p: float
    doubts: tuple[str, ...] = ()


def compare(first: Summary, second: Summary, alpha: float = 0.05) -> PublishedTest:
    """The test for what both sides have: Welch's with standard deviations, Lord's with means and ranges, else by ranges alone."""
    if first.sd is not None or second.sd is not None:
        return welch_of_summaries(first, second, alpha)
    boots = _both_boots(first, second)
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return _nothing("none", boots, "the standard deviation, or the least and the greatest value, of both sides is needed")
    if first.n is None or second.n is None:
        return _nothing("none", boots, "n is not stated, and without it a range says nothing")
    if first.n == second.n and (first.mean is None or second.mean is None):
        return midrange(first.low, first.high, second.low, second.high, first.n, boots=boots)
    if first.mean is not None and second.mean is not None:
        return _by_means(first.mean, first.high - first.low, first.n, second.mean, second.high - second.low, second.n, boots)
    if first.high < second.low or second.high < first.low:
        return disjoint(first.n, second.n, boots=boots)
    return _nothing(
        "none", boots, f"the ranges of {first.n} and {second.n} values overlap: both means, or as many values, are needed"
    )


def lord(mean1: float, range1: float, mean2: float, range2: float, n: int, *, boots: bool | None = None) -> PublishedTest:
    """Means of `n` values each, by the ranges (greatest less least) of these values. Source: Lord, Biometrika 34 (1947)."""
    return _ranged("Lord's test of means", MEANS, mean1 - mean2, (range1 + range2) / 2.0, n, boots)


def midrange(low1: float, high1: float, low2: float, high2: float, n: int, *, boots: bool | None = None) -> PublishedTest:
    """The middles between least and greatest of `n` values each, by the ranges: where no mean is published."""
    difference = (low1 + high1 - low2 - high2) / 2.0
    return _ranged("test of midranges", MIDRANGES, difference, (high1 - low1 + high2 - low2) / 2.0, n, boots)


def minimum(low1: float, high1: float, low2: float, high2: float, n: int, *, boots: bool | None = None) -> PublishedTest:
    """The least of `n` values each, by the ranges: where minima are what is compared. Weaker than `midrange` for normal noise."""
    return _ranged("test of minima", MINIMA, low1 - low2, (high1 - low1 + high2 - low2) / 2.0, n, boots)


def disjoint(n1: int, n2: int, *, boots: bool | None = None) -> PublishedTest:
    """All of `n1` values on one side of all of `n2`: 2 / C(n1 + n2, n1), exact whatever the noise; .1 for 3 against 3."""
    if min(n1, n2) < 1:
        return _nothing("disjoint ranges", boots, "too few values: 1 or more on each side are needed")
    return PublishedTest("disjoint ranges", math.nan, min(1.0, 2.0 / math.comb(n1 + n2, n1)), _doubts(boots))


def sd_from_range(width: float, n: int) -> tuple[float, float]:
    """The standard deviation that a range of `n` values suggests, and its degrees of freedom; NaN for fewer than 2.

    For an `n` that is not in the table the next lesser one, which makes more of the standard deviation and less of what is known of
    it. Source: Patnaik, Biometrika 37 (1950).
    """
    size = _tabulated(n)
    return (width / D2[size], RANGE_DF[size]) if size else (math.nan, math.nan)


@dataclass(frozen=True)
class Uncertainty:
    """Of the logarithm of second over first: its standard error, with degrees of freedom; and the standard deviation of one value,
    as a share of it. NaN where nothing of it is known.
    """

    se: float
    df: float
    sd: float


UNKNOWN = Uncertainty(math.nan, math.nan, math.nan)


def uncertainty(first: Summary, second: Summary) -> Uncertainty:
    """By the delta method, from what `compare` tests with: where something is not stated, the weakest of what it may have been.

    From ranges of as many values the interval of level .95 is that of the critical values.
    """
    if first.sd is not None or second.sd is not None:
        return _by_deviations(_with_sd(first, second), _with_sd(second, first))
    if None in (first.low, first.high, second.low, second.high, first.n, second.n):
        return UNKNOWN
    sides = [_Ranged(one.low or 0.0, one.high or 0.0, one.mean, one.n or 0) for one in (first, second)]
    sds, means, dfs = [one.sd[0] for one in sides], [one.centre for one in sides], [one.sd[1] for one in sides]
    if math.isnan(sum(sds)) or min(means) <= 0.0:
        return UNKNOWN
    shares = [sd / mean for sd, mean in zip(sds, means, strict=True)]
    sd = math.sqrt(statistics.fmean(share**2 for share in shares))
    if sides[0].n != sides[1].n:
        t = satterthwaite(0.0, shares[0] ** 2 / sides[0].n, dfs[0], shares[1] ** 2 / sides[1].n, dfs[1])
        return Uncertainty(t.se, t.df, sd)
    size = _tabulated(sides[0].n) or 2
    critical = (MIDRANGES if first.mean is None or second.mean is None else MEANS)[size][0]
    widths = statistics.fmean(one.width / one.centre for one in sides)
    return Uncertainty(critical * widths / float(stdtrit(sum(dfs), 1.0 - LEVELS[0] / 2.0)), sum(dfs), sd)


@dataclass(frozen=True)
class _Ranged:
    low: float
    high: float
    mean: float | None
    n: int

    @property
    def centre(self) -> float:
        return (self.low + self.high) / 2.0 if self.mean is None else self.mean

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def sd(self) -> tuple[float, float]:
        return sd_from_range(self.width, self.n)


def _by_deviations(left: _Stated | None, right: _Stated | None) -> Uncertainty:
    if left is None or right is None or min(left.mean, right.mean) <= 0.0:
        return UNKNOWN
    known = [one.of(POSSIBLE_N[0]) for one in (left, right)]
    shares = [one.deviation(0) / one.mean for one in known]
    n = [one.n or 0 for one in known]
    if min(n) < 2:
        return UNKNOWN
    t = satterthwaite(0.0, shares[0] ** 2 / n[0], n[0] - 1, shares[1] ** 2 / n[1], n[1] - 1)
    return Uncertainty(t.se, t.df, math.sqrt(statistics.fmean(share**2 for share in shares)))


def welch_of_summaries(first: Summary, second: Summary, alpha: float = 0.05) -> PublishedTest:
    """Welch's test of two means with standard deviations; where something is not stated, the weakest of what it may have been.

    Both denominators of a standard deviation are tried, and for a missing n 3, 5 and 10: p is NaN unless all agree whether it is at
    most `alpha`. One missing standard deviation is taken from the other side.
    """
    boots = _both_boots(first, second)
    left, right = _with_sd(first, second), _with_sd(second, first)
    if left is None or right is None:
        return _nothing("Welch's t", boots, "both means, and at least one standard deviation, are needed")
    if few := [n for n in (left.n, right.n) if n is not None and n < 2]:
        return _nothing("Welch's t", boots, _too_few(*few))
    assumed = EQUAL_CV if first.sd is None or second.sd is None else None
    if first.n is not None and second.n is not None:
        t, doubt = _either_denominator(left, right)
        return PublishedTest("Welch's t", t.t, t.p, _doubts(boots, *t.doubts, assumed, doubt))
    tried = [_either_denominator(left.of(n), right.of(n))[0] for n in POSSIBLE_N]
    unstated = "n is not stated: p is " + ", ".join(f"{t.p:.3g} for {n}" for t, n in zip(tried, POSSIBLE_N, strict=True))
    if len({t.p <= alpha for t in tried}) > 1:
        return _nothing("Welch's t", boots, unstated, assumed)
    weakest = max(tried, key=lambda t: t.p)
    return PublishedTest("Welch's t", weakest.t, weakest.p, _doubts(boots, *weakest.doubts, unstated, assumed))


@dataclass(frozen=True)
class _Stated:
    mean: float
    sd: float
    n: int | None
    ddof: int | None

    def of(self, n: int) -> _Stated:
        return self if self.n is not None else replace(self, n=n)

    def deviation(self, ddof: int) -> float:
        """With n - 1 in the denominator; `ddof` where it is not stated."""
        n = self.n or 0
        return self.sd * math.sqrt(n / (n - 1)) if n > 1 and (ddof if self.ddof is None else self.ddof) == 0 else self.sd


def _with_sd(one: Summary, other: Summary) -> _Stated | None:
    if one.mean is None:
        return None
    if one.sd is not None:
        return _Stated(one.mean, one.sd, one.n, one.ddof)
    if other.sd is None or not other.mean:
        return None
    return _Stated(one.mean, other.sd * abs(one.mean / other.mean), one.n, other.ddof)


def _either_denominator(left: _Stated, right: _Stated) -> tuple[Comparison, str | None]:
    """The greater p of both readings of a standard deviation; and both, where they differ."""
    tests = [
        welch_from_summaries(left.mean, left.deviation(ddof), left.n or 0, right.mean, right.deviation(ddof), right.n or 0)
        for ddof in (1, 0)
    ]
    weaker = max(tests, key=lambda t: t.p)
    if not tests[0].p < tests[1].p:
        return weaker, None
    return weaker, f"p is {tests[0].p:.3g} if the standard deviation has n - 1 in its denominator, {tests[1].p:.3g} if it has n"


def _by_means(mean1: float, range1: float, n1: int, mean2: float, range2: float, n2: int, boots: bool | None) -> PublishedTest:
    if n1 == n2:
        return lord(mean1, range1, mean2, range2, n1, boots=boots)
    (sd1, df1), (sd2, df2) = sd_from_range(range1, n1), sd_from_range(range2, n2)
    if math.isnan(sd1 + sd2):
        return _nothing("Welch's t from ranges", boots, _too_few(n1, n2))
    t = satterthwaite(mean1 - mean2, sd1**2 / n1, df1, sd2**2 / n2, df2)
    return PublishedTest("Welch's t from ranges", t.t, t.p, _doubts(boots, *t.doubts, TWO_VALUES if lopsided(n1, n2) else None))


def _ranged(
    test: str, critical: Mapping[int, tuple[float, float]], difference: float, width: float, n: int, boots: bool | None
) -> PublishedTest:
    size = _tabulated(n)
    if size is None:
        return _nothing(test, boots, _too_few(n))
    u = difference / width if width else math.copysign(math.inf, difference) if difference else 0.0
    p = min((level for level, least in zip(LEVELS, critical[size], strict=True) if abs(u) >= least), default=1.0)
    near = None if size == n else f"the critical values of {size} values stand in for those of {n}: p may be less"
    return PublishedTest(test, u, p, _doubts(boots, near, None if width else NO_SPREAD))


def _too_few(*n: int) -> str:
    return f"too few values ({' and '.join(map(str, n))}): 2 or more on each side are needed"


def _tabulated(n: int) -> int | None:
    return max((size for size in D2 if size <= n), default=None)


def _nothing(test: str, boots: bool | None, *doubts: str | None) -> PublishedTest:
    return PublishedTest(test, math.nan, math.nan, _doubts(boots, *doubts))


def _both_boots(first: Summary, second: Summary) -> bool | None:
    stated = {first.boots, second.boots}
    return False if False in stated else None if None in stated else True


def _doubts(boots: bool | None, *others: str | None) -> tuple[str, ...]:
    of_what = {None: NOT_SAID_OF_WHAT, False: ONE_BOOT, True: None}[boots]
    return tuple(doubt for doubt in (*others, of_what) if doubt)
