"""What to look for in numbers before they are believed: drift, outliers, rounding, unequal noise. Nothing is dropped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Array = NDArray[np.float64]

FAR_FROM_MEDIAN = 5.0
"""Median absolute deviations: a residual further away is named."""

FAR_FOR_HYPERFINE = 14.826
"""The same for hyperfine: 10 of what 1.4826 median absolute deviations estimate, a standard deviation."""

UNEQUAL_SDS = 3.0
"""Largest over smallest standard deviation above which kernels do not share one."""

DRIFT_LEAST = 6
"""Residuals: the fewest in an order that chance gives in less than one of 100 cases."""

DRIFT_P = 0.01
DRAWS = 2000
MANY = 100
_SEED = 1941
_FULL_PRECISION = 15


@dataclass(frozen=True)
class Drift:
    """Von Neumann's `ratio`: squared differences of neighbours over squared deviations from the mean. About 2 for noise, near 0
    where the values drift. `p` is the probability of so small a ratio in a random order. None where there is nothing to test."""

    ratio: float | None
    p: float | None
    doubts: tuple[str, ...] = ()


def drift(residuals: Sequence[float] | Array) -> Drift:
    """Whether `residuals`, in the order in which they were measured, lie nearer to their neighbours than chance allows.

    Take each result less the mean of its kernel; what is not finite is passed over. Once the means of the rounds are taken off
    too, nothing of a drift is left to be found: of 6 standard deviations of a boot over a session it is then seen in none of 100
    sessions, without that in 90 of 2 kernels in 5 rounds and in all of 4 kernels in 10. Without a drift 1 or 2 of 100 sessions
    have a `p` of .01 or less.

    One-sided: alternation is no drift. By 2000 random orders, drawn with a fixed seed; of more than 100 residuals by the normal
    distribution that their ratio then has. Source: von Neumann, "Distribution of the ratio of the mean square successive
    difference to the variance", Annals of Mathematical Statistics 12 (1941).
    """
    x = np.asarray(residuals, dtype=np.float64).ravel()
    x = x[np.isfinite(x)]
    if x.size < DRIFT_LEAST:
        return Drift(None, None, (f"{x.size} residuals cannot show a drift: {DRIFT_LEAST} or more can",))
    if np.ptp(x) == 0.0:
        return Drift(None, None)
    observed = float(_neighbours(x))
    ratio = observed / float(((x - x.mean()) ** 2).sum())
    p = _normal_p(ratio, x.size) if x.size > MANY else _permutation_p(observed, x)
    said = f"results drift in the order in which they were measured (von Neumann ratio {ratio:.2f}, p {p:.2g})"
    return Drift(ratio, p, (f"{said}: compare within rounds only, and find what changes",) if p <= DRIFT_P else ())


def outliers(values: Sequence[float] | Array, threshold: float = FAR_FROM_MEDIAN) -> tuple[int, ...]:
    """The places, from 0, of values further than `threshold` median absolute deviations (MAD) from the median.

    Where more than half of them are equal, MAD is 0 and each of the others is named; what is not finite is passed over. Of normal
    noise something is beyond 5 MAD in 30 % of samples of 3, 22 % of 5 and 14 % of 10: a value to look at, not to drop.
    """
    x = np.asarray(values, dtype=np.float64)
    known = np.isfinite(x)
    if not known.any():
        return ()
    away = np.abs(np.where(known, x, np.nan) - np.median(x[known]))
    return tuple(int(place) for place in np.flatnonzero(away > threshold * np.median(away[known])))


def resolution(values: Sequence[float]) -> float:
    """The step of the last decimal place that any of `values` needs, in their unit: 0.01 of 1.5 and 2.25, 1 of whole numbers.

    0 where one needs 15 digits or more: those were computed and not rounded to a step; and where there are no values.
    """
    written = [Decimal(repr(float(value))).normalize().as_tuple() for value in values if math.isfinite(value)]
    if not written or any(len(number.digits) >= _FULL_PRECISION for number in written):
        return 0.0
    return 10.0 ** min(0, *(int(number.exponent) for number in written))


def resolution_floor(step: float, value: float) -> float:
    """The variance, as of a natural logarithm, that rounding to `step` gives to numbers about `value`; NaN for a `value` of 0.

    No estimated variance of one number may be less: results that were rounded to the same step look as if they had no noise. Of a
    difference of two numbers it is twice that. Source: a uniform distribution over one step (Sheppard 1898).
    """
    return (step / value) ** 2 / 12.0 if value else math.nan


def sd_ratio(sds: Sequence[float]) -> float:
    """The largest of `sds` over the smallest, NaN passed over; infinite where only that is 0, NaN for fewer than two or where all
    are 0.

    Above 3 kernels do not share one standard deviation. Chance alone goes there too: of 2, 3 and 5 kernels with the same one in
    20, 39 and 66 % of cases after 3 boots, in 6, 13 and 28 % after 5, in 0.3, 0.8 and 2 % after 10.
    """
    known = [sd for sd in sds if not math.isnan(sd)]
    if len(known) < 2 or max(known) == 0.0:
        return math.nan
    return max(known) / min(known) if min(known) > 0.0 else math.inf


def _neighbours(x: Array) -> Array:
    steps: Array = np.diff(x, axis=-1)
    found: Array = np.einsum("...i,...i->...", steps, steps)
    return found


def _permutation_p(observed: float, x: Array) -> float:
    """Of the sum of squared differences alone: the deviations from the mean are the same in every order. The order that was
    observed is one of those counted; equal sums may differ in their last digit."""
    orders = np.random.default_rng(_SEED).permuted(np.tile(x, (DRAWS, 1)), axis=1)
    return float(1 + (_neighbours(orders) <= observed * (1.0 + 1e-9)).sum()) / (1 + DRAWS)


def _normal_p(ratio: float, n: int) -> float:
    return float(ndtr((ratio - 2.0) / math.sqrt(4.0 * (n - 2) / ((n + 1) * (n - 1)))))
