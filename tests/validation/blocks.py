"""The additive model of rounds: how often it errs and what it sees, with drift, missing values and columns that leave.

Standard deviations of a boot are 1. The slots of a session drift by 3 in all, and the columns of a round are in random order.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from tests.validation.noise import normal
from tests.validation.simulate import CAP, Array, Row, looked, near, outcome, share, size, terms

from kdelta.stats.blocks import fit
from kdelta.stats.contrast import unpaired
from kdelta.stats.sequential import two_sided

DRIFT = 3.0
EFFECT = 2.0

# (columns, rounds) -> power for EFFECT with the noise pooled; .49 and the like, None where nobody said.
POWER: dict[tuple[int, int], float | None] = {(2, 3): 0.26, (2, 5): None, (4, 3): 0.49, (4, 5): 0.81, (6, 3): 0.55}


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(45)
    for (columns, rounds), power in POWER.items():
        null = drifting(rng, size(30000, scale), rounds, columns)
        changed = null.copy()
        changed[..., 1] += EFFECT
        name = f"{columns} columns, {rounds} rounds"
        yield share(f"{name}, pooled noise: false positives", pooled_p(null) <= 0.05, 0.045, 0.055, scale)
        yield share(f"{name}, noise pooled or own: false positives", chosen_p(null) <= 0.05, 0.0, 0.055, scale)
        if power is not None:
            yield near(f"{name}, pooled noise: {EFFECT:g} sd seen", pooled_p(changed) <= 0.05, power, scale, room=0.007)
        apart = unpaired(changed)
        welch = two_sided(apart.estimate, apart.se, apart.df)[:, -1, 1] <= 0.05
        yield share(f"{name}, without rounds: {EFFECT:g} sd seen", welch, 0.05, 0.46, scale, "Welch's test")
    yield from incomplete_rows(rng, scale)
    yield from leaving_rows(rng, scale)


def drifting(rng: np.random.Generator, runs: int, rounds: int, columns: int) -> Array:
    """(runs, rounds, columns); the slots of the session lie on a straight line."""
    slots = np.linspace(0.0, DRIFT, rounds * columns).reshape(rounds, columns)
    shape = (runs, rounds, columns)
    return np.asarray(normal(rng, shape) + rng.permuted(np.broadcast_to(slots, shape), axis=-1))


def pooled_p(values: Array) -> Array:
    """Of column 1 after the last round."""
    fits = fit(values)
    return two_sided(fits.effect, np.sqrt(fits.variance[..., None] * fits.factor), fits.df[..., None])[:, -1, 1]


def chosen_p(values: Array) -> Array:
    found = looked(values)
    return two_sided(found.estimate, found.se, found.df)[:, -1, 1]


def incomplete_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    """One boot of six fails, in columns and the base alike."""
    for columns, rounds in ((2, 8), (4, 5)):
        values = normal(rng, (size(30000, scale), rounds, columns)) + 3.0 * normal(rng, (size(30000, scale), rounds, 1))
        values[rng.random(values.shape) < 1.0 / 6.0] = np.nan
        p = pooled_p(values)
        name = f"{columns} columns, {rounds} rounds, one boot of six failed"
        yield share(f"{name}, pooled noise: false positives", p[np.isfinite(p)] <= 0.05, 0.045, 0.055, scale)
        chosen = chosen_p(values)
        yield share(f"{name}, noise pooled or own: false positives", chosen[np.isfinite(chosen)] <= 0.05, 0.0, 0.06, scale)


def leaving_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    """A sequential run of four columns in rounds that differ by 3: what changed leaves early, and the rest is fitted on."""
    for effects in ((4.0, 0.0, 0.0), (4.0, 4.0, 0.0)):
        runs = size(10000, scale)
        values = normal(rng, (runs, 1, CAP, 4)) + 3.0 * normal(rng, (runs, 1, CAP, 1))
        values[..., 1:] += np.array(effects)
        changed = outcome(values, terms()).changed[:, 0]
        name = f"columns of {', '.join(f'{effect:g}' for effect in effects)} sd that leave"
        yield share(f"{name}: changed ones seen", changed[:, 0], 0.99, 1.0, scale)
        yield share(f"{name}: an unchanged one called changed", changed[:, -1], 0.0, 0.055, scale)
