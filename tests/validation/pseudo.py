"""Iterations are no replicates: a t-test on all iterations of all boots, against one on a value for each boot. No difference."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from tests.validation.noise import normal
from tests.validation.simulate import Array, Flags, Row, near, share, size

from kdelta.stats.contrast import unpaired
from kdelta.stats.sequential import two_sided

RATIOS = (0.5, 1.0, 2.0)
"""Standard deviation of boots over that of iterations."""

# (boots, iterations in each) -> false positives on iterations, in the sequence of RATIOS.
SEEN: dict[tuple[int, int], tuple[float, float, float]] = {
    (1, 5): (0.166, 0.374, 0.630),
    (1, 30): (0.491, 0.718, 0.863),
    (3, 3): (0.102, 0.186, 0.278),
    (3, 10): (0.252, 0.447, 0.560),
    (5, 5): (0.148, 0.277, 0.378),
    (20, 3): (0.101, 0.169, 0.231),
}


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(44)
    for (boots, iterations), seen in SEEN.items():
        for ratio, was in zip(RATIOS, seen, strict=True):
            runs = size(20000 if boots * iterations <= 30 else 8000, scale)
            values = ratio * normal(rng, (runs, boots, 1, 2)) + normal(rng, (runs, boots, iterations, 2))
            name = f"{boots} x {iterations} iterations, boots vary {ratio:g} times as much"
            yield near(f"{name}: false positives of Student's test on them", student(values.reshape(runs, -1, 2)), was, scale)
            if boots > 1:
                of_boots = values.mean(2)
                yield share(f"{name}: of Student's on boots", student(of_boots), 0.043, 0.057, scale)
                yield share(f"{name}: of Welch's on boots", welch(of_boots), 0.015, 0.055, scale)


def student(values: Array) -> Flags:
    """For as many values on both sides t is that of Welch, and there are 2 n - 2 degrees of freedom."""
    found = unpaired(values)
    hits: Flags = two_sided(found.estimate, found.se, np.full_like(found.df, 2.0 * values.shape[1] - 2.0))[:, -1, 1] <= 0.05
    return hits


def welch(values: Array) -> Flags:
    found = unpaired(values)
    hits: Flags = two_sided(found.estimate, found.se, found.df)[:, -1, 1] <= 0.05
    return hits
