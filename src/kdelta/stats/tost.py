"""Equivalence: two one-sided t tests, each of which must show that the effect lies inside a bound."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

Array = NDArray[np.float64]


def tost(estimate: ArrayLike, se: ArrayLike, df: ArrayLike, margin: ArrayLike) -> Array:
    """p of the hypothesis that the effect lies at or beyond -margin or margin: small where it is equivalent to none.

    All in one unit, natural logarithms for ratios; shapes broadcast. p < alpha where the interval of level 1 - 2 alpha lies inside
    the margins. Where `se` is 0, p is 0 inside and 1 elsewhere, whatever `df`; NaN where another argument is. Source: Schuirmann,
    Journal of Pharmacokinetics and Biopharmaceutics 15 (1987).
    """
    return tost_between(estimate, se, df, -np.asarray(margin, dtype=np.float64), margin)


def tost_between(estimate: ArrayLike, se: ArrayLike, df: ArrayLike, low: ArrayLike, high: ArrayLike) -> Array:
    """As `tost` for bounds that are not each other's opposite, as ln .98 and ln 1.02."""
    d, error, nu, least, most = (np.asarray(each, dtype=np.float64) for each in (estimate, se, df, low, high))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.maximum(stdtr(nu, (least - d) / error), stdtr(nu, (d - most) / error))
    # Without an error there is nothing to divide by, and no degrees of freedom are needed.
    exact = np.where((least < d) & (d < most), 0.0, 1.0)
    known = ~np.isnan(d + least + most)
    return np.where((error == 0.0) & known, exact, np.where(known, p, np.nan))
