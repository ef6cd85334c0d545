"""The additive model of rounds: value = round + column + noise, fitted anew after each round.

A round is a block: every column that is still measured, once, in random order; what the machine does to a whole round cancels.
Source: randomised complete blocks, as in Montgomery, "Design and Analysis of Experiments", chapter 4. Columns may miss rounds,
so the normal equations are solved instead of taking means. Values are natural logarithms: an effect is that of a ratio.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TWO = 2
"""Columns that have a difference."""


@dataclass(frozen=True)
class Fits:
    """What is known after each of R rounds: shapes are (..., R), and (..., R, K) for columns against the base, column 0.

    NaN where there is nothing to say it from.
    """

    effect: Array
    """Column less base."""
    factor: Array
    """Variance of `effect` in units of the noise's: 2 / rounds where nothing is missing."""
    variance: Array
    """Residual mean square of all columns."""
    df: Array
    """Degrees of freedom of `variance`."""
    paired: Array
    """Mean over the rounds of column less base."""
    own: Array
    """Variance of the noise as those differences have it: half of theirs, with `pairs` - 1 degrees of freedom."""
    pairs: Array
    """Rounds in which both were measured."""
    others: Array
    """Residual mean square of the columns without column and base; of three without the column alone. NaN for two."""
    df_others: Array
    """Degrees of freedom of `others`."""


def fit(values: Array) -> Fits:
    """The fits of `values`, (..., R, K): rounds in their order, base first, NaN where a column has no value in a round."""
    effect, factor, variance, df = _model(values)
    return Fits(effect, factor, variance, df, *_pairs(values, np.isfinite(values)), *_others(values))


def _model(values: Array) -> tuple[Array, Array, Array, Array]:
    """`effect`, `factor`, `variance` and `df` of Fits."""
    present = np.isfinite(values)
    centred = _centred(values, present)
    normal = np.cumsum(_normal(present), axis=-3)
    right = np.cumsum(centred, axis=-2)
    first = _first_met(normal)
    effect, factor = _solved(normal, right, first)
    residual = np.cumsum((centred**2).sum(-1), axis=-1) - (effect * right).sum(-1)
    df = np.cumsum(np.maximum(present.sum(-1) - 1, 0), axis=-1) - (first < np.arange(first.shape[-1])).sum(-1)
    known = (first == 0) & (np.diagonal(normal, axis1=-2, axis2=-1) > 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.where(df > 0, np.maximum(residual, 0.0) / df, np.nan)
    return np.where(known, effect, np.nan), np.where(known, factor, np.nan), variance, df.astype(np.float64)


def _others(values: Array) -> tuple[Array, Array]:
    """`others` and `df_others` of Fits."""
    columns = values.shape[-1]
    variance, df = np.full(values.shape, np.nan), np.zeros(values.shape)
    for column in range(1, columns) if columns > TWO else ():
        left_out = {column} if columns == TWO + 1 else {0, column}
        rest = [place for place in range(columns) if place not in left_out]
        _, _, variance[..., column], df[..., column] = _model(values[..., rest])
    return variance, df


def residuals(values: Array) -> Array:
    """What the model leaves of each value, (..., R, K), fitted over all rounds; NaN where a value is missing."""
    present = np.isfinite(values)
    centred = _centred(values, present)
    normal, right = _normal(present).sum(-3), centred.sum(-2)
    effect, _ = _solved(normal, right, _first_met(normal))
    left = np.where(present, np.where(present, values, 0.0) - effect[..., None, :], 0.0)
    found: Array = np.where(present, left - left.sum(-1, keepdims=True) / np.maximum(present.sum(-1, keepdims=True), 1), np.nan)
    return found


def _centred(values: Array, present: Mask) -> Array:
    """Less the mean of their round; 0 where missing."""
    filled = np.where(present, values, 0.0)
    size = np.maximum(present.sum(-1, keepdims=True), 1)
    return np.where(present, filled - filled.sum(-1, keepdims=True) / size, 0.0)


def _normal(present: Mask) -> Array:
    """Each round's part of the normal equations, (..., R, K, K), once the rounds' own means are eliminated."""
    ones = present.astype(np.float64)
    size = np.maximum(ones.sum(-1), 1.0)
    found: Array = ones[..., None] * np.eye(present.shape[-1]) - ones[..., :, None] * ones[..., None, :] / size[..., None, None]
    return found


def _first_met(normal: Array) -> NDArray[np.int64]:
    """Of each column the first one that it met in a round, if only by way of others: its own number where there is none.

    Only columns that met can be compared.
    """
    columns = normal.shape[-1]
    met = (normal < 0.0) | np.eye(columns, dtype=np.bool_)
    first = np.broadcast_to(np.arange(columns), normal.shape[:-1])
    for _ in range(columns - 1):
        nearer = np.where(met, first[..., None, :], columns).min(-1)
        if np.array_equal(nearer, first):
            break
        first = nearer
    return first


def _solved(normal: Array, right: Array, first: NDArray[np.int64]) -> tuple[Array, Array]:
    """Effects against the first column that each met, and their variances in units of the noise's where that is column 0.

    Of each set of columns that met nobody of the others one is held at 0: by a 1 on its diagonal, as the sum of the set's equations
    shows.
    """
    held = (first == np.arange(first.shape[-1])).astype(np.float64)[..., None] * np.eye(first.shape[-1])
    inverse = np.linalg.inv((normal + held)[..., 1:, 1:])
    effect, factor = np.zeros_like(right), np.zeros_like(right)
    effect[..., 1:] = (inverse @ right[..., 1:, None])[..., 0]
    factor[..., 1:] = np.diagonal(inverse, axis1=-2, axis2=-1)
    return effect, factor


def _pairs(values: Array, present: Mask) -> tuple[Array, Array, Array]:
    """Mean and half the variance of column less base over the rounds that have both, and how many those are."""
    both = present & present[..., :1]
    difference = np.where(both, np.where(both, values, 0.0) - np.where(both, values[..., :1], 0.0), 0.0)
    count = np.cumsum(both, axis=-2).astype(np.float64)
    total, squares = np.cumsum(difference, axis=-2), np.cumsum(difference**2, axis=-2)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, total / count, np.nan)
        variance = np.where(count > 1, np.maximum(squares - count * mean**2, 0.0) / (count - 1), np.nan)
    return mean, variance / 2.0, count
