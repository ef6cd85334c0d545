"""Looking after every round: intervals and p values that stay honest however often and whenever one looks.

Repeated confidence intervals (Jennison & Turnbull, "Interim analyses: the repeated confidence interval approach", JRSS B 51,
1989) with one nominal level for all looks (Pocock, Biometrika 64, 1977), tabulated for the t distribution in `levels`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from kdelta.stats.levels import ALPHAS, FIRST, LEVELS

Array = NDArray[np.float64]

MOST_ROUNDS = max(LEVELS)


@dataclass(frozen=True)
class Looks:
    """At which rounds was or will be looked: after each from `first` to `last`. One look only, after however many rounds,
    where the number of rounds was fixed before: `first` is `last`.

    Beyond MOST_ROUNDS the levels are on the safe side. Of several looks the first is after round FIRST, as in the table.
    """

    first: int = FIRST
    last: int = FIRST

    @property
    def number(self) -> int:
        return self.last - self.first + 1

    @cached_property
    def _levels(self) -> Array:
        """Nominal levels for ALPHAS. Beyond the table the level of one look falls as the logarithm of their number grows, which
        dividing it by the rounds never exceeds."""
        if self.number <= 1:
            return np.array(ALPHAS)
        return np.array(LEVELS[min(self.last, MOST_ROUNDS)]) * min(1.0, MOST_ROUNDS / self.last)

    def level(self, alpha: float) -> float:
        """The two-sided nominal level of each look that makes `alpha` overall; between tabulated ones by logarithms."""
        if self.number <= 1:
            return alpha
        logs = np.interp(np.log(alpha), np.log(ALPHAS[::-1]), np.log(self._levels[::-1]))
        return float(np.exp(logs)) if alpha >= ALPHAS[-1] else alpha / self.number

    def p(self, least: Array) -> Array:
        """The overall level at which the least p so far, `least`, would just have been enough: a p value that is valid at
        every look. NaN stays NaN."""
        if self.number <= 1:
            return least
        levels, alphas = np.append(self._levels[::-1], 1.0), np.append(ALPHAS[::-1], 1.0)
        with np.errstate(divide="ignore"):
            found = np.exp(np.interp(np.log(least), np.log(levels), np.log(alphas)))
        return np.where(least < levels[0], np.minimum(self.number * least, ALPHAS[-1]), found)


def two_sided(estimate: Array, se: Array, df: Array) -> Array:
    """p of `estimate` being 0. Without any noise (`se` 0) it is 0, or 1 where there is no difference either."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(se > 0.0, np.abs(estimate) / se, np.where(estimate == 0.0, 0.0, np.inf))
    p = np.where(np.isinf(t), 0.0, 2.0 * stdtr(np.maximum(df, 1.0), -t))
    return np.where(np.isfinite(estimate) & np.isfinite(se) & (df > 0), p, np.nan)


def half_width(se: Array, df: Array, level: float) -> Array:
    """Half the width of the interval at the two-sided nominal `level`; infinite without degrees of freedom."""
    quantile = -stdtrit(np.maximum(df, 1.0), level / 2.0)
    return np.where((df > 0) & np.isfinite(se), quantile * np.where(np.isfinite(se), se, 0.0), np.inf)
