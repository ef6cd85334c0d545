"""Shapes of noise, with a mean of 0 and a standard deviation of 1 where nothing else is said."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.normal(size=shape)


def gamma(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Skewed: the tail is long above."""
    return (rng.gamma(2.0, 1.0, shape) - 2.0) / math.sqrt(2.0)


def heavy(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Student's t with 3 degrees of freedom."""
    return rng.standard_t(3.0, shape) / math.sqrt(3.0)


def bimodal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Seven of ten boots are fast ones."""
    return np.where(rng.random(shape) < 0.7, -0.6546, 1.5275) + rng.normal(0.0, 0.2, shape)


def outliers(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Normal, but one of twenty is slower by 6 on average; the standard deviation is not 1."""
    return rng.normal(size=shape) + (rng.random(shape) < 0.05) * rng.exponential(6.0, shape)


def unequal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """The base is normal, the others are skewed and have twice its standard deviation."""
    found = 2.0 * gamma(rng, shape)
    found[..., 0] = normal(rng, shape[:-1])
    return found


def one_noisy(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """The last column has three times the standard deviation of the others."""
    found = normal(rng, shape)
    found[..., -1] *= 3.0
    return found


SHAPES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Array]] = {
    "normal": normal,
    "skewed": gamma,
    "heavy-tailed": heavy,
    "bimodal": bimodal,
    "outliers": outliers,
}
