"""Columns that leave because they are equivalent: what the others, which stay, are called then; and who is called so wrongly.

A margin of 1 %, at most ten rounds, four columns that are judged together where nothing else is said. On top of what boots have
of their own, rounds differ by three standard deviations of a boot.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from tests.validation.noise import SHAPES, normal, unequal
from tests.validation.simulate import CAP, EQUIVALENT, Array, Outcome, Row, mean, outcome, share, size, terms

MARGIN = 0.01
TRUE = {
    "nothing changed": (0.0, 0.0, 0.0),
    "one 2 % slower": (0.0, 0.0, 0.02),
    "two 2 % slower": (0.0, 0.02, 0.02),
    "one slower by just the margin": (0.0, 0.0, MARGIN),
    "none, half the margin, the margin": (0.0, 0.5 * MARGIN, MARGIN),
    "all by just the margin, one faster": (-MARGIN, MARGIN, MARGIN),
}


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(47)
    for sd in (0.2, 0.5, 1.0):
        for said, true in TRUE.items():
            found = outcome(drawn(rng, size(10000, scale), sd, np.array(true)), terms(MARGIN))
            yield from _judged(f"sd {sd:g} %, {said}", found, np.array(true), scale)
    yield from shape_rows(rng, scale)


def drawn(rng: np.random.Generator, runs: int, sd: float, true: Array) -> Array:
    values = normal(rng, (runs, 1, CAP, 1 + len(true))) + 3.0 * normal(rng, (runs, 1, CAP, 1))
    values *= 0.01 * sd
    values[..., 1:] += true
    return values


def _judged(name: str, found: Outcome, true: Array, scale: float) -> Iterator[Row]:
    unchanged, beyond = true == 0.0, np.abs(true) >= MARGIN
    changed, equivalent = found.changed[:, 0], found.answer[:, 0] == EQUIVALENT
    if unchanged.all():
        yield share(f"{name}: any called changed", changed.any(1), 0.0, 0.055, scale)
    elif unchanged.any():
        wrong = changed[:, unchanged].sum(1) / np.maximum(changed.sum(1), 1)
        yield mean(f"{name}: wrong ones among the changes", wrong, 0.0, 0.05, scale)
    for column in np.flatnonzero(unchanged):
        yield share(f"{name}: column {column + 1} called changed", changed[:, column], 0.0, 0.055, scale)
    for column in np.flatnonzero(beyond):
        yield share(f"{name}: column {column + 1} called equivalent", equivalent[:, column], 0.0, 0.055, scale)
    yield share(f"{name}: intervals that hold what is true", found.covers(true), 0.94, 1.0, scale)


def shape_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    """Two columns, the second slower or faster by just the margin, boots that vary by .5 %."""
    for name, noise in {**SHAPES, "normal against skewed of twice the sd": unequal}.items():
        for said, true in (("slower", MARGIN), ("faster", -MARGIN)):
            values = 0.005 * noise(rng, (size(20000, scale), 1, CAP, 2))
            values[..., 1] += true
            found = outcome(values, terms(MARGIN))
            wrong = found.answer == EQUIVALENT
            high, note = (0.10, "what no rule here sees") if noise is unequal else (0.055, "")
            yield share(f"{name}, {said} by just the margin: called equivalent", wrong, 0.0, high, scale, note)
            if noise is not unequal:
                yield share(f"{name}, {said} by just the margin: interval holds it", found.covers(true), 0.94, 1.0, scale)
