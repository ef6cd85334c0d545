"""Looking after every round: how often a difference is seen where there is none, and how soon one that is there.

Effects are in standard deviations of one boot, two columns in rounds where nothing else is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from tests.validation.noise import SHAPES, normal, one_noisy, unequal
from tests.validation.simulate import CAP, Array, Flags, Row, first_hit, looked, mean, near, outcome, share, size, terms

from kdelta.stats.eprocess import G_PAIRED, log_e_value
from kdelta.stats.power import sequential_needed
from kdelta.stats.sequential import Looks, two_sided

FIRST = 3


def rows(scale: float) -> Iterator[Row]:
    yield from shape_rows(scale)
    yield from columns_rows(scale)
    yield from noisy_rows(scale)
    yield from speed_rows(scale)
    yield from cap_rows(scale)
    yield from rounding_rows(scale)


def p_of(values: Array, floor: float = 0.0) -> Array:
    """Of the last column against the base, (runs, rounds); 1 before the first look."""
    found = looked(values, floor)
    p = two_sided(found.estimate, found.se, found.df)[:, :, -1]
    p[:, : FIRST - 1] = 1.0
    return p


def shape_rows(scale: float) -> Iterator[Row]:
    """Without a difference the interval that holds at every look misses 0 as often as something is called changed."""
    rng = np.random.default_rng(1)
    for name, noise in {**SHAPES, "normal against skewed of twice the sd": unequal}.items():
        least = p_of(noise(rng, (size(40000, scale), CAP, 2))).min(1)
        low, high = (0.045, 0.055) if name == "normal" else (0.0, 0.08 if noise is unequal else 0.055)
        hits = least <= Looks(FIRST, CAP).level(0.05)
        yield share(f"sequential, {name}: false positives", hits, low, high, scale)
        if noise is not unequal:
            yield share(f"sequential, {name}: intervals of all looks hold what is true", ~hits, 0.94, 1.0, scale)
        if name == "normal":
            p = Looks(FIRST, CAP).p(least)
            for alpha in (0.2, 0.1, 0.02, 0.01):
                yield near(f"sequential, normal: p at most {alpha:g}", p <= alpha, alpha, scale, "p holds at every look")


def columns_rows(scale: float) -> Iterator[Row]:
    """More columns than two, adjusted together; and each alone, whose noise is pooled."""
    rng = np.random.default_rng(2)
    values = normal(rng, (size(20000, scale), 1, CAP, 4))
    found = outcome(values, terms())
    yield share("sequential, 4 columns: any false positive", found.changed.any((1, 2)), 0.0, 0.055, scale, "adjusted together")
    alone = p_of(values[:, 0]).min(1) <= Looks(FIRST, CAP).level(0.05)
    yield share("sequential, 4 columns: false positives of one of them alone", alone, 0.0, 0.05, scale)


def noisy_rows(scale: float) -> Iterator[Row]:
    """One column has three times the noise of the others."""
    rng = np.random.default_rng(3)
    for columns, high in ((3, 0.10), (5, 0.13), (8, 0.15)):
        values = one_noisy(rng, (size(10000, scale), 1, CAP, columns))
        found = outcome(values, terms()).changed
        name = f"sequential, {columns} columns, one of 3 times the noise"
        yield share(f"{name}: that one called changed", found[:, 0, -1], 0.0, 0.08, scale, "adjusted together")
        yield share(f"{name}: another one", found[:, 0, :-1].any(1), 0.0, 0.055, scale, "adjusted together")
        alone = p_of(values[:, 0]).min(1) <= Looks(FIRST, CAP).level(0.05)
        yield share(f"{name}: that one, were it asked for alone", alone, 0.0, high, scale)


# Effect -> shares that reject, and rounds: looking after every round, e-values, p < .05 at every look; 3, 5 and 10 fixed rounds.
Seen = tuple[float, float | None]
SPEED: dict[float, tuple[Seen, Seen, Seen, tuple[float, float, float]]] = {
    0.0: ((0.047, 9.8), (0.018, 9.9), (0.167, None), (0.049, 0.049, 0.049)),
    1.0: ((0.336, 8.9), (0.177, 9.5), (0.629, 7.5), (0.116, 0.231, 0.514)),
    2.0: ((0.899, 6.6), (0.725, 7.7), (0.985, 4.8), (0.293, 0.661, 0.977)),
    3.0: ((0.999, 4.9), (0.983, 5.8), (1.0, 3.7), (0.511, 0.939, 1.0)),
    4.0: ((1.0, 4.2), (1.0, 4.9), (1.0, 3.3), (0.707, 0.995, 1.0)),
    6.0: ((1.0, 3.6), (1.0, 4.2), (1.0, 3.1), (0.930, 1.0, 1.0)),
}


def speed_rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(4)
    for effect, (sequential, e_values, peeking, fixed) in SPEED.items():
        values = normal(rng, (size(20000, scale), CAP, 2))
        values[..., 1] += effect
        found = looked(values)
        p = two_sided(found.estimate, found.se, found.df)[..., 1]
        t = found.estimate[..., 1] / found.se[..., 1]
        e = log_e_value(t, np.arange(1, CAP + 1), found.df[..., 1], G_PAIRED) >= math.log(20.0)
        late = np.arange(1, CAP + 1) >= FIRST
        name = f"effect of {effect:g} sd"
        yield from _seen(f"{name}, looking after every round", (p <= Looks(FIRST, CAP).level(0.05)) & late, sequential, scale)
        yield from _seen(f"{name}, e-values", e, e_values, scale)
        yield from _seen(f"{name}, p < .05 at any look", (p <= 0.05) & late, peeking, scale)
        for rounds, seen in zip((3, 5, 10), fixed, strict=True):
            yield near(f"{name}, {rounds} rounds fixed before: seen", p[:, rounds - 1] <= 0.05, seen, scale)


def _seen(name: str, hits: Flags, seen: Seen, scale: float) -> Iterator[Row]:
    """How often something is seen up to the cap, and after how many rounds the run ends."""
    found, rounds = first_hit(hits, CAP)
    yield near(f"{name}: seen", found, seen[0], scale, room=0.006)
    if seen[1] is not None:
        yield mean(f"{name}: rounds", rounds, seen[1] - 0.12, seen[1] + 0.12, scale, f"was {seen[1]:g}")


def cap_rows(scale: float) -> Iterator[Row]:
    """Other caps; and those that a plan names for a power of .8."""
    rng = np.random.default_rng(5)
    null = p_of(normal(rng, (size(20000, scale), 60, 2)))
    for cap in (5, 20, 40, 60):
        hits = null[:, :cap].min(1) <= Looks(FIRST, cap).level(0.05)
        yield share(f"sequential, at most {cap} rounds: false positives", hits, 0.044, 0.056, scale)
    for effect, rounds in ((1.0, 16.5), (1.5, 8.9), (2.0, 6.3)):
        cap = sequential_needed(effect, 1.0) or 0
        values = normal(rng, (size(20000, scale), cap, 2))
        values[..., 1] += effect
        found, used = first_hit(p_of(values) <= Looks(FIRST, cap).level(0.05), cap)
        name = f"effect of {effect:g} sd, cap of {cap} rounds planned for .80"
        yield share(f"{name}: seen", found, 0.795, 0.91, scale)
        yield mean(f"{name}: rounds", used, rounds - 0.3, rounds + 0.6, scale, f"was {rounds:g}")


# Step of the results, in sd of a boot -> false positives with the least variance that the step can show, and without it.
ROUNDED = {0.5: (0.045, 0.051), 1.0: (0.037, 0.055), 2.0: (0.023, 0.044), 3.0: (0.011, 0.022), 5.0: (0.006, 0.013)}


def rounding_rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(6)
    for step, (floored, bare) in ROUNDED.items():
        exact = normal(rng, (size(40000, scale), CAP, 2))
        values = np.round(exact / step + rng.random((len(exact), 1, 1))) * step
        level = Looks(FIRST, CAP).level(0.05)
        for name, floor, seen in (("with the floor", step**2 / 12.0, floored), ("without", 0.0, bare)):
            hits = p_of(values, floor).min(1) <= level
            yield near(f"sequential, results rounded to {step:g} sd, {name}: false positives", hits, seen, scale, room=0.003)
