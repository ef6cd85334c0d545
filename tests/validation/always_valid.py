"""E-values and confidence sequences: what holds however long one goes on, and how much wider that is."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from tests.validation.noise import SHAPES, normal
from tests.validation.simulate import Array, Flags, Row, chunks, near, share, size

from kdelta.stats.blocks import fit
from kdelta.stats.eprocess import G_PAIRED, G_POOLED, confidence_sequence, critical_t, log_e_value
from kdelta.stats.sequential import half_width

ENOUGH = math.log(20.0)
LONG = 300

# g -> whether there is ever enough evidence of nothing, in 300 rounds.
EVER = {1.0: 0.030, 5.0: 0.028, 25.0: 0.026}
# Rounds -> width of the confidence sequence over that of the interval of so many rounds fixed before, g = 5.
WIDTHS = {4: 2.16, 6: 1.85, 10: 1.78, 15: 1.76, 20: 1.76}


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(43)
    found = [evidence(normal(part, (count, LONG, 2))) for part, count in _parts(rng, size(20000, scale))]
    t, df = (np.concatenate(each) for each in zip(*found, strict=True))
    for g, seen in EVER.items():
        ever = _ever(t, df, g)
        yield near(f"e-values, {LONG} rounds, g {g:g}: ever enough for nothing", ever, seen, scale)
        yield share(f"e-values, {LONG} rounds, g {g:g}: ever enough, as promised", ever, 0.0, 0.05, scale)
    for effect in (0.0, 1.0, 4.0):
        yield share(f"confidence sequence, {effect:g} sd: ever without it", _missed(rng, effect, scale), 0.0, 0.05, scale)
    yield from column_rows(rng, scale)
    for name, noise in SHAPES.items():
        ever = _ever(*evidence(noise(rng, (size(40000, scale), 40, 2))), G_PAIRED)
        yield share(f"e-values, 40 rounds, {name}: ever enough for nothing", ever, 0.0, 0.05, scale)
    for rounds, seen in WIDTHS.items():
        ratio = critical_t(rounds, rounds - 1.0, G_PAIRED, 0.05) / half_width(np.ones(1), np.array([rounds - 1.0]), 0.05)
        name = f"confidence sequence after {rounds} rounds: times as wide"
        yield name, float(ratio[0]), seen - 0.006, seen + 0.006, f"was {seen:g}"
    yield "e-value of 3 rounds: largest that is not enough", _most_of_three(), 0.0, 20.0, "no t of 3 rounds excludes anything"


def _parts(rng: np.random.Generator, count: int) -> Iterator[tuple[np.random.Generator, int]]:
    yield from ((rng, part) for part in chunks(count, 1000))


def evidence(values: Array) -> tuple[Array, Array]:
    """t of the last column with the noise of all pooled, and its degrees of freedom, (runs, rounds - 1): from the second on."""
    fits = fit(values)
    t = fits.effect[:, 1:, -1] / np.sqrt(fits.variance * fits.factor[..., -1])[:, 1:]
    return t, fits.df[:, 1:]


def _ever(t: Array, df: Array, g: float) -> Flags:
    return np.asarray((log_e_value(t, np.arange(2, t.shape[1] + 2), df, g) >= ENOUGH).any(axis=1))


def _missed(rng: np.random.Generator, effect: float, scale: float) -> Flags:
    values = normal(rng, (size(10000, scale), 60, 2))
    values[..., 1] += effect
    fits = fit(values)
    se = np.sqrt(fits.variance * fits.factor[..., 1])[:, 1:]
    low, high = confidence_sequence(fits.effect[:, 1:, 1], se, np.arange(2, 61), fits.df[:, 1:], G_PAIRED, 0.05)
    return np.asarray(((low > effect) | (high < effect)).any(axis=1))


def column_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    found = [evidence(normal(part, (count, 100, 4))) for part, count in _parts(rng, size(20000, scale))]
    t, df = (np.concatenate(each) for each in zip(*found, strict=True))
    ever = _ever(t, df, G_POOLED)
    yield near("e-values, 100 rounds of 4 columns: ever enough for nothing", ever, 0.025, scale)


def _most_of_three() -> float:
    return float(np.exp(log_e_value(np.inf, 3, 2.0, G_PAIRED)))
