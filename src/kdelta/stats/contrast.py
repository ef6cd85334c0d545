"""Each column against the base after each round: the difference, its standard error, and whose noise that is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from kdelta.stats.blocks import Fits

Array = NDArray[np.float64]

OWN_NOISE = 0.1
"""Where the noise of a contrast exceeds that of the other columns by what chance exceeds in fewer cases than this, it is its own.

Measured for 3, 5 and 8 columns that are looked at after rounds 3 to 10, at .05 overall: with equal noise .045, .040 and .040 are
called different; of a column with three times the noise of the others .085, .118 and .136. Pooling whatever happens makes that
.120, .222 and .311; pooling unless the largest standard deviation is three times the least .106, .141 and .114, and that is often
chance: with 5 columns in two of three cases after 3 rounds. The price: a difference of 2 standard deviations takes 5.3 rounds in
place of 5.0 with 5 columns, and 6.6 unpooled.
"""

ROUNDING = 1e-24
"""Variance that logarithms have of their own: those of numbers up to e^30 are rounded to some 4e-15, and added up. Columns that are
equal in all rounds differ by as much, and that is no change.
"""


@dataclass(frozen=True)
class Estimates:
    """Logarithms of ratios, (..., R, K): rounds so far, columns; NaN where there is nothing to say them from."""

    estimate: Array
    se: Array
    df: Array
    variance: Array
    """Of one boot's noise."""
    own: NDArray[np.bool_]
    """Whether that is the noise of column and base alone, and not of all columns."""
    chance: Array
    """How often chance makes their noise exceed that of the other columns by so much; NaN where there are no others."""


def estimates(fits: Fits, floor: float | Array = 0.0) -> Estimates:
    """Of each column against column 0. `floor` is the least variance that values of their resolution can show."""
    df_own = fits.pairs - 1.0
    chance = _chance(fits, df_own)
    own = chance < OWN_NOISE
    pooled, df = fits.variance[..., None], np.broadcast_to(fits.df[..., None], own.shape)
    variance = np.maximum(np.where(own, fits.own, pooled), np.maximum(floor, ROUNDING))
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(own, 2.0 / fits.pairs, fits.factor)
        se = np.sqrt(variance * factor)
    return Estimates(np.where(own, fits.paired, fits.effect), se, np.where(own, df_own, df), variance, own, chance)


def _chance(fits: Fits, df_own: Array) -> Array:
    """F test of a contrast's own noise against that of the other columns."""
    with np.errstate(invalid="ignore", divide="ignore"):
        chance = fdtrc(np.maximum(df_own, 1.0), np.maximum(fits.df_others, 1.0), fits.own / np.maximum(fits.others, ROUNDING))
    return np.where((df_own > 0) & (fits.df_others > 0), np.where(fits.own > ROUNDING, chance, 1.0), np.nan)


def unpaired(values: Array, floor: float | Array = 0.0) -> Estimates:
    """Of columns that have no rounds in common, (..., R, K): Welch's difference of means after the first, the second, ... value.

    `floor` is as of `estimates`.
    """
    least = np.maximum(floor, ROUNDING)
    present = np.isfinite(values)
    # Moved to about 0: sums of squares would drown in what all values have in common.
    middle = np.where(present, values, 0.0).sum((-2, -1), keepdims=True) / np.maximum(present.sum((-2, -1), keepdims=True), 1)
    filled = np.where(present, values - middle, 0.0)
    count = np.cumsum(present, axis=-2).astype(np.float64)
    total = np.cumsum(filled, axis=-2)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, total / count, np.nan)
        spread = np.cumsum(filled**2, axis=-2) - count * mean**2
        variance = np.where(count > 1, np.maximum(np.maximum(spread, 0.0) / (count - 1), least), np.nan)
        part = variance / count
        both = part + part[..., :1]
        weights = part**2 / (count - 1) + part[..., :1] ** 2 / (count[..., :1] - 1)
        df = np.where(both > 0.0, both**2 / weights, np.minimum(count, count[..., :1]) - 1)
    shared = (variance + variance[..., :1]) / 2.0
    own, chance = np.ones(values.shape, dtype=np.bool_), np.full(values.shape, np.nan)
    return Estimates(mean - mean[..., :1], np.sqrt(both), df, shared, own, chance)
