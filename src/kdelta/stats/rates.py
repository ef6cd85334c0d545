"""Two rates of events: ticks of a profile, faults, failures, each counted over an exposure.

Counts are taken as Poisson. Those of a profile are not, from boot to boot: with no change at all, but 5 percent of extra variation
between boots, profiles of 30000 ticks over 300 functions show a false difference in 59 of 100 comparisons.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, betaincinv, gammaln, pdtr, pdtrc, xlog1py, xlogy

Array = NDArray[np.float64]

POISSON = "p takes the counts as Poisson: it is a lower bound where the rate itself varies from boot to boot"
NO_EVENTS = "no events on either side: nothing can be said of the ratio"
NO_EXPOSURE = "an exposure is not above 0, or a count below it: there is no rate"


@dataclass(frozen=True)
class RateRatio:
    """First rate by second, with two-sided `p` of their being equal; the exposures in one unit, whichever.

    `ratio` is 0, infinite or, without events, NaN. Without a positive exposure `p` is NaN too.
    """

    count1: int
    exposure1: float
    count2: int
    exposure2: float
    p: float
    doubts: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        if self.count2 == 0:
            return math.inf if self.count1 else math.nan
        return self.count1 / self.count2 * self._exposures

    def interval(self, level: float) -> tuple[float, float]:
        """Low and high end for the ratio, of Clopper & Pearson's interval for the first's share of the events; `level` as .95.

        0 and infinity are possible ends; both without events. Source: Clopper & Pearson, Biometrika 26 (1934).
        """
        tail = (1.0 - level) / 2.0
        low, inverse = _least_odds(self.count1, self.count2, tail), _least_odds(self.count2, self.count1, tail)
        return low * self._exposures, self._exposures / inverse if inverse else math.inf

    @property
    def _exposures(self) -> float:
        known = _countable(self.count1, self.exposure1, self.count2, self.exposure2)
        return self.exposure2 / self.exposure1 if known else math.nan


def rate_ratio(count1: int, exposure1: float, count2: int, exposure2: float) -> RateRatio:
    """The exact test given the sum of both counts: how they fall on the two exposures is then binomial.

    p is the chance of all outcomes that are no more likely than this one, as in R's poisson.test. Source: Przyborowski & Wilenski,
    Biometrika 31 (1940).
    """
    if not _countable(count1, exposure1, count2, exposure2):
        return RateRatio(count1, exposure1, count2, exposure2, math.nan, (NO_EXPOSURE,))
    total = count1 + count2
    p = _binomial(count1, total, exposure1 / (exposure1 + exposure2))
    return RateRatio(count1, exposure1, count2, exposure2, p, (POISSON,) if total else (NO_EVENTS,))


def e_test(count1: int, n1: float, count2: int, n2: float) -> float:
    """Two-sided p of equal rates; more powerful than `rate_ratio`, and nearly exact. 1 without events, NaN without exposures `n`.

    Source: Krishnamoorthy & Thomson, "A more powerful test for comparing two Poisson means", Journal of Statistical Planning and
    Inference 119 (2004).
    """
    if not _countable(count1, n1, count2, n2):
        return math.nan
    if count1 / n1 == count2 / n2:
        return 1.0
    rate = (count1 + count2) / (n1 + n2)
    # A little less is asked than what was seen, so that rounding does not exclude it.
    squared = (count1 / n1 - count2 / n2) ** 2 / (count1 / n1**2 + count2 / n2**2) * (1.0 - 1e-9)
    x1, chance = _likely(n1 * rate)
    low, high = _as_far(x1 / n1, n1, n2, squared)
    below = np.where((low >= 0.0) & (x1 > 0), pdtr(np.maximum(low, 0.0), n2 * rate), 0.0)
    return float(min(1.0, np.sum(chance * (below + pdtrc(high - 1.0, n2 * rate)))))


def _countable(count1: int, exposure1: float, count2: int, exposure2: float) -> bool:
    return exposure1 > 0.0 and exposure2 > 0.0 and count1 >= 0 and count2 >= 0


def _likely(mean: float) -> tuple[Array, Array]:
    """The counts within 10 standard deviations of a Poisson mean, and the chance of each."""
    reach = 40.0 + 10.0 * math.sqrt(mean)
    counts = np.arange(max(0, math.floor(mean - reach)), math.ceil(mean + reach) + 1, dtype=np.float64)
    return counts, np.exp(counts * math.log(mean) - mean - gammaln(counts + 1.0))


def _as_far(rate: Array, n1: float, n2: float, squared: float) -> tuple[Array, Array]:
    """For first rates, the second counts down from which and up from which the squared difference by its variance is `squared`."""
    aside = squared / n2 / 2.0
    half = np.sqrt(squared * rate * (1.0 / n1 + 1.0 / n2) + aside**2)
    return np.floor(n2 * (rate + aside - half)), np.ceil(n2 * (rate + aside + half))


def _least_odds(mine: int, others: int, tail: float) -> float:
    """The odds for an event to be mine at which so many of mine, or more, have the chance `tail`."""
    share = float(betaincinv(mine, others + 1, tail)) if mine else 0.0
    return share / (1.0 - share)


def _binomial(k: int, n: int, share: float) -> float:
    """The chance of all counts out of `n` that are no more likely than `k`; equal but for rounding counts as equal."""
    if k > n * share:
        k, share = n - k, 1.0 - share
    mode, bound = min(n, math.floor((n + 1) * share)), _log_chance(k, n, share) + 1e-7
    # From the mode on they are ever less likely.
    other = mode + bisect_left(range(mode, n + 1), -bound, key=lambda count: -_log_chance(count, n, share))
    return float(min(1.0, bdtr(k, n, share) + bdtrc(other - 1, n, share))) if other > mode else 1.0


def _log_chance(k: int, n: int, share: float) -> float:
    arrangements = gammaln(n + 1.0) - (gammaln(k + 1.0) + gammaln(n - k + 1.0))
    return float(arrangements + xlogy(k, share) + xlog1py(n - k, -share))
