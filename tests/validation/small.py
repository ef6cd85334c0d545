"""Few boots: what tests say of 3, 4, 5 and 10 on each side, and what a borrowed variance adds. Effects are in sd of a boot."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from tests.validation.noise import SHAPES, normal
from tests.validation.pseudo import student, welch
from tests.validation.rules import gap
from tests.validation.simulate import Array, Flags, Row, near, share, size

from kdelta.stats.moderate import Prior, moderated, pooled_variance
from kdelta.stats.power import equivalence_needed, needed
from kdelta.stats.ranks import rank_test
from kdelta.stats.sequential import two_sided


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(430)
    yield from test_rows(rng, scale)
    yield from shape_rows(rng, scale)
    yield from pooled_rows(rng, scale)
    yield from moderated_rows(rng, scale)
    yield from needed_rows()


def ranks(values: Array) -> Flags:
    """Whether the exact rank test of both columns has a p of at most .05."""
    n = values.shape[1]
    u = (values[:, :, None, 0] > values[:, None, :, 1]).sum((1, 2))
    p = np.array([rank_test(*_dealt(n, wins)).p for wins in range(n * n + 1)])
    found: Flags = p[u] <= 0.05
    return found


def _dealt(n: int, wins: int) -> tuple[Array, Array]:
    """Two samples of `n` in which a value of the first is the greater in `wins` of all pairs."""
    above = [n] * (wins // n) + [wins % n] * (wins < n * n)
    first = np.array(above + [0] * (n - len(above))) + np.linspace(0.0, 0.4, n)
    return first, np.asarray(np.arange(n) + 0.5, dtype=np.float64)


def disjoint(values: Array) -> Flags:
    low, high = values.min(1), values.max(1)
    found: Flags = (high[:, 0] < low[:, 1]) | (high[:, 1] < low[:, 0])
    return found


def apart(values: Array) -> Flags:
    """Mean and standard deviation of one side above those of the other."""
    middle, sd = values.mean(1), values.std(1, ddof=1)
    found: Flags = np.abs(middle[:, 0] - middle[:, 1]) > sd.sum(1)
    return found


TESTS: dict[str, Callable[[Array], Flags]] = {
    "Welch": welch,
    "Student": student,
    "ranks": ranks,
    "LKP's gap rule": gap,
    "disjoint ranges": disjoint,
    "mean +- sd disjoint": apart,
}

# (boots on each side, effect) -> shares that call it a change, in the sequence of TESTS.
SEEN: dict[tuple[int, float], tuple[float, ...]] = {
    (3, 0.0): (0.035, 0.051, 0.0, 0.024, 0.100, 0.082),
    (3, 2.0): (0.371, 0.467, 0.0, 0.228, 0.624, 0.594),
    (3, 4.0): (0.886, 0.948, 0.0, 0.663, 0.981, 0.980),
    (4, 0.0): (0.040, 0.049, 0.028, 0.002, 0.028, 0.035),
    (4, 4.0): (0.993, 0.996, 0.971, 0.511, 0.971, 0.991),
    (5, 0.0): (0.045, 0.051, 0.032, 0.0, 0.008, 0.015),
    (5, 2.0): (0.768, 0.793, 0.675, 0.045, 0.378, 0.564),
    (10, 0.0): (0.047, 0.049, 0.043, 0.0, 0.0, 0.0),
    (10, 4.0): (1.0, 1.0, 1.0, 0.076, 0.866, 1.0),
}


def drawn(rng: np.random.Generator, runs: int, boots: int, effect: float) -> Array:
    values = normal(rng, (runs, boots, 2))
    values[..., 1] += effect
    return values


def test_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    for (boots, effect), seen in SEEN.items():
        values = drawn(rng, size(40000, scale), boots, effect)
        for (name, test), was in zip(TESTS.items(), seen, strict=True):
            yield near(f"{boots} and {boots} boots, {effect:g} sd, {name}", test(values), was, scale)


def shape_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    for name, of_welch, of_student in (("skewed", 0.030, 0.046), ("heavy-tailed", 0.025, 0.039), ("bimodal", 0.022, 0.026)):
        values = SHAPES[name](rng, (size(40000, scale), 3, 2))
        yield near(f"3 and 3 boots, {name}, Welch: false positives", welch(values), of_welch, scale)
        yield near(f"3 and 3 boots, {name}, Student: false positives", student(values), of_student, scale)


# Columns whose variance is pooled -> what is seen of 1, 2, 3 and 4 sd, 3 boots each.
POOLED = {2: (0.16, 0.46, 0.78, 0.95), 3: (0.18, 0.54, 0.86, 0.98), 5: (0.20, 0.60, 0.91, 0.99), 8: (0.21, 0.63, 0.93, 1.0)}


def pooled_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    for columns, seen in POOLED.items():
        values = normal(rng, (size(20000, scale), columns, 3))
        shared = [pooled_variance(each.tolist(), [2.0] * columns) for each in values.var(2, ddof=1)]
        variance, df = np.array([one.value for one in shared]), np.array([one.df for one in shared])
        difference = values[:, 1].mean(1) - values[:, 0].mean(1)
        name = f"3 boots each, variance of {columns} columns"
        yield share(f"{name}: false positives", _seen(difference, variance, df), 0.045, 0.055, scale)
        for effect, was in zip((1.0, 2.0, 3.0, 4.0), seen, strict=True):
            yield near(f"{name}: {effect:g} sd seen", _seen(difference + effect, variance, df), was, scale, room=0.008)


def _seen(difference: Array, variance: Array, df: Array) -> Flags:
    found: Flags = two_sided(difference, np.sqrt(2.0 * variance / 3.0), df) <= 0.05
    return found


# Degrees of freedom of what earlier runs say of the variance -> what is seen of 2 and 3 sd, 3 boots each.
MODERATED = {4.0: (0.53, 0.81), 10.0: (0.61, 0.91), 30.0: (0.66, 0.95)}


def moderated_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    for prior_df, seen in MODERATED.items():
        runs = size(20000, scale)
        sd = np.sqrt(prior_df / rng.chisquare(prior_df, runs))
        values = sd[:, None, None] * normal(rng, (runs, 2, 3))
        known = Prior(1.0, prior_df, math.inf)
        drawn_in = [moderated(float(each), 4.0, known) for each in values.var(2, ddof=1).mean(1)]
        variance, df = np.array([one.value for one in drawn_in]), np.array([one.df for one in drawn_in])
        difference = values[:, 1].mean(1) - values[:, 0].mean(1)
        name = f"3 boots each, variance known by {prior_df:g} degrees of freedom"
        yield share(f"{name}: false positives", _seen(difference, variance, df), 0.045, 0.055, scale)
        for effect, was in zip((2.0, 3.0), seen, strict=True):
            yield near(f"{name}: {effect:g} sd seen", _seen(difference + effect, variance, df), was, scale, room=0.008)


# (sd of a boot, effect), in percent -> rounds and boots of each for .80, and for .90.
NEEDED: dict[tuple[float, float], tuple[int, int, int, int]] = {
    (0.2, 0.5): (5, 4, 6, 5),
    (0.2, 1.0): (3, 3, 4, 3),
    (0.2, 2.0): (3, 2, 3, 2),
    (0.5, 0.5): (18, 17, 24, 23),
    (0.5, 1.0): (7, 6, 8, 7),
    (0.5, 2.0): (4, 3, 4, 3),
    (1.0, 0.5): (65, 64, 87, 86),
    (1.0, 1.0): (18, 17, 24, 23),
    (1.0, 2.0): (7, 6, 8, 7),
    (1.0, 5.0): (3, 3, 4, 3),
    (2.0, 1.0): (65, 64, 87, 86),
    (2.0, 2.0): (18, 17, 24, 23),
    (2.0, 5.0): (5, 4, 6, 5),
}
# (margin, sd), in percent -> boots of each that show equivalence of .80.
ALIKE = {(1.0, 0.2): 2, (1.0, 0.5): 6, (1.0, 1.0): 18, (1.0, 2.0): 70, (2.0, 0.2): 2, (2.0, 0.5): 3, (2.0, 1.0): 6, (2.0, 2.0): 18}


def needed_rows() -> Iterator[Row]:
    """What plans say, which takes no simulation."""
    for (sd, effect), (rounds, boots, more_rounds, more_boots) in NEEDED.items():
        wanted = ((0.8, True, rounds), (0.8, False, boots), (0.9, True, more_rounds), (0.9, False, more_boots))
        for power, paired, count in wanted:
            found = needed(effect, sd, paired=paired, power=power) or math.nan
            what = "rounds" if paired else "boots of each"
            yield f"{what} for {power:.2f}, sd {sd:g} %, effect {effect:g} %", float(found), count, count, "planned"
    for (margin, sd), count in ALIKE.items():
        found = equivalence_needed(margin, sd, paired=False) or math.nan
        # The tabulated ones are themselves simulated.
        yield f"boots of each to show equivalence within {margin:g} %, sd {sd:g} %", float(found), count - 1, count + 1, "planned"
