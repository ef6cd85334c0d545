"""Differences of profiles: how often they show functions that did not change, by all that is said of them, and what they find.

Profiles by time are Poisson around a mean that varies from boot to boot. Instructions have no such noise: what varies there
is drawn as it was seen over 40 boots of one kernel, as layouts that many functions have in common, and as bursts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tests.validation.later import FUNCTIONS, HOT, MORE, Row, profiles, runs, share_row, shares

from kdelta.model.profile import INSTRUCTIONS, TICKS
from kdelta.profile.change import Difference, Side
from kdelta.profile.difference import compare

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

SIZE = 30000
BOOTS = 3

# (extra variation, profiles a side) -> how many functions that grew by 25 % are found, at least and at most.
GROWN: dict[tuple[float, int], tuple[float, float]] = {
    (0.05, 3): (0.25, 0.48),
    (0.05, 5): (0.75, 0.95),
    (0.10, 3): (0.0, 0.08),
    (0.10, 5): (0.1, 0.4),
    (0.10, 10): (0.75, 1.0),
    (0.20, 3): (0.0, 0.02),
}


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(420)
    for known in (True, False):
        for cv in (0.0, 0.05, 0.10, 0.20):
            yield from unchanged_rows(cv, known, rng, scale)
    yield from unlike_rows(rng, scale)
    for cv, low in ((0.0, 0.99), (0.05, 0.99), (0.10, 0.95), (0.20, 0.08)):
        yield from doubled_rows(cv, low, rng, scale)
    for (cv, boots), found in GROWN.items():
        yield from grown_rows(cv, boots, found, rng, scale)
    yield from single_rows(rng, scale)
    yield from exact_rows(rng, scale)


# ---- by time ----


def side(name: str, counts: Counts, work: float | None = 1.0, unit: str = TICKS) -> Side:
    mappings = tuple({f"f{place}": int(count) for place, count in enumerate(one) if count} for one in counts)
    return Side(name=name, counts=mappings, work=() if work is None else (work,) * len(mappings), unit=unit)


def between(old: Array, new: Array, cv: float, known: bool, rng: np.random.Generator, boots: int = BOOTS) -> Difference:
    work = 1.0 if known else None
    return compare(side("old", profiles(old, cv, boots, rng), work), side("new", profiles(new, cv, boots, rng), work))


def any_real(difference: Difference, but: str = "") -> bool:
    return any(change.real for change in difference.changes if change.name != but)


def away(difference: Difference) -> float:
    """The share of the functions tested whose interval leaves out 0, as p is then .05 or less."""
    tested = [change for change in difference.changes if not np.isnan(change.q)]
    return float(np.mean([not change.low <= 0.0 <= change.high for change in tested]))


def unchanged_rows(cv: float, known: bool, rng: np.random.Generator, scale: float) -> Iterator[Row]:
    means = (SIZE * shares(seed) for seed in runs(200, scale))
    made = [between(mean, mean, cv, known, rng) for mean in means]
    name = f"{BOOTS} profiles a side, work {'known' if known else 'not known'}, extra {cv:.0%}, no change"
    yield share_row(f"{name}: any real", [any_real(one) for one in made], 0.0, 0.05, scale, "q .05")
    yield share_row(f"{name}: intervals without 0", [away(one) for one in made], 0.0, 0.06, scale, "of 95 %")


def unlike_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    """Functions that vary by 10 % in the middle, two in three by half to twice as much."""
    made = []
    for seed in runs(200, scale):
        mean, cv = SIZE * shares(seed), 0.1 * np.exp(rng.normal(0.0, 0.6, FUNCTIONS))
        drawn = rng.poisson(mean * rng.gamma(1.0 / cv**2, cv**2, (2, BOOTS, FUNCTIONS)))
        made.append(compare(side("old", drawn[0]), side("new", drawn[1])))
    name = f"{BOOTS} profiles a side, extra variation of its own in each function, no change"
    yield share_row(f"{name}: any real", [any_real(one) for one in made], 0.0, 0.05, scale, "q .05")


def doubled_rows(cv: float, low: float, rng: np.random.Generator, scale: float) -> Iterator[Row]:
    made = [doubled(cv, rng, seed) for seed in runs(200, scale)]
    name = f"work not known, one function of 30 % doubled, extra {cv:.0%}"
    yield share_row(f"{name}: any other real", [any_real(one, HOTTEST) for one in made], 0.0, 0.05, scale, "q .05")
    found = [any(change.real for change in one.changes if change.name == HOTTEST) for one in made]
    yield share_row(f"{name}: found", found, low, 1.0, scale)


HOTTEST = "f300"


def doubled(cv: float, rng: np.random.Generator, seed: int) -> Difference:
    before = SIZE * np.append(0.7 * shares(seed), 0.3)
    return between(before, np.append(before[:-1], 2.0 * before[-1]), cv, False, rng)


def grown_rows(cv: float, boots: int, found: tuple[float, float], rng: np.random.Generator, scale: float) -> Iterator[Row]:
    made = [grown(cv, boots, rng, seed) for seed in runs(100, scale)]
    name = f"{boots} profiles a side, extra {cv:.0%}, a quarter of the hot functions grown by 25 %"
    yield share_row(f"{name}: found", [one.found for one in made], *found, scale, f"{HOT} ticks and more, q .05")
    yield share_row(f"{name}: false among what is real", [one.false for one in made], 0.0, 0.05, scale, "0 where nothing is")
    yield share_row(f"{name}: intervals that hold the change", [one.held for one in made], 0.94, 1.0, scale, "of 95 %")


@dataclass(frozen=True)
class Grown:
    """Shares: of the grown functions that are real, of the real ones that did not grow, of the intervals that hold the truth."""

    found: float
    false: float
    held: float


def grown(cv: float, boots: int, rng: np.random.Generator, seed: int) -> Grown:
    old = SIZE * shares(seed)
    hot = np.flatnonzero(old >= HOT)[::4]
    new = old.copy()
    new[hot] *= MORE
    truth = {f"f{place}": float(change) for place, change in enumerate(new - old)}
    changes = between(old, new, cv, True, rng, boots).changes
    real = [truth[change.name] > 0.0 for change in changes if change.real]
    held = [change.low <= truth[change.name] <= change.high for change in changes if not np.isnan(change.q)]
    return Grown(sum(real) / len(hot), 1.0 - float(np.mean(real)) if real else 0.0, float(np.mean(held)))


def single_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    """One Poisson profile a side, with a function that is hotter than the ratio of the exposures is known."""
    for hot in (0.3, 0.8):
        means = (10 * SIZE * np.append((1.0 - hot) * shares(seed), hot) for seed in runs(200, scale))
        found = [any_real(between(mean, mean, 0.0, False, rng, boots=1)) for mean in means]
        yield share_row(
            f"1 profile a side, work not known, one function of {hot:.0%}, no change: any real", found, 0.0, 0.05, scale
        )


# ---- by instructions ----

ON_PATH, ASIDE, CALLS = 150, 100, 6000


@dataclass(frozen=True)
class Kernel:
    """What a benchmark executes in a boot of it: instructions by function.

    `path` are executed in every call. Of each layout a boot has one of two, the other with the probability `odds`, and `moved`
    (layouts, functions) is what that adds per call. `bursts` (kinds, functions) come `often` per boot.
    """

    path: Array
    odds: Array
    moved: Array
    often: Array
    bursts: Array

    def boots(self, boots: int, rng: np.random.Generator) -> Counts:
        layouts = rng.random((boots, len(self.odds))) < self.odds
        bursts = rng.poisson(self.often, (boots, len(self.often)))
        return np.rint(CALLS * (self.path + layouts @ self.moved) + bursts @ self.bursts).astype(np.int64)


def kernel(layouts: int, rng: np.random.Generator) -> Kernel:
    """`layouts` move 6 functions each, by up to 8 % of their count. Bursts are rare and large, or often and small."""
    path = np.append(np.rint(np.exp(rng.normal(4.0, 1.2, ON_PATH))) + 1.0, np.zeros(ASIDE))
    moved = np.zeros((layouts, len(path)))
    for row in moved:
        some = rng.choice(ON_PATH, 6, replace=False)
        row[some] = np.rint(path[some] * rng.uniform(0.0, 0.08, 6))
    large, small = 3, 30
    bursts = np.zeros((large + small, len(path)))
    for row, size in zip(bursts, [*10.0 ** rng.uniform(4.0, 5.5, large), *10.0 ** rng.uniform(1.5, 3.0, small)], strict=True):
        some = rng.choice(len(path), 4, replace=False)
        row[some] = np.rint(size * np.array([1.0, 0.35, 0.1, 0.05]))
    often = np.append(rng.uniform(0.05, 0.5, large), rng.uniform(0.1, 20.0, small))
    return Kernel(path, rng.uniform(0.1, 0.5, layouts), moved, often, bursts)


def exact(of: Kernel, rng: np.random.Generator, more: dict[int, float] | None = None, boots: int = BOOTS) -> Difference:
    """`of` against itself; with `more` instructions per call of some functions."""
    old, new = of.boots(boots, rng), of.boots(boots, rng)
    for place, count in (more or {}).items():
        new[:, place] += round(CALLS * count)
    return compare(side("old", old, CALLS, INSTRUCTIONS), side("new", new, CALLS, INSTRUCTIONS))


def exact_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    for layouts, found in ((1, (0.9, 1.0)), (8, (0.0, 0.05))):
        name = f"{BOOTS} boots a side, {layouts} layouts"
        null = [any_real(exact(kernel(layouts, rng), rng)) for _ in runs(1000, scale)]
        yield share_row(f"{name}, no change: any real", null, 0.0, 0.05, scale, "q .05")
        for boots, (low, high) in ((BOOTS, found), (2 * BOOTS, (0.8, 1.0))):
            hits = [planted(layouts, rng, boots) for _ in runs(200, scale)]
            yield share_row(f"{boots} boots a side, {layouts} layouts, one function 10 % larger: found", hits, low, high, scale)


def planted(layouts: int, rng: np.random.Generator, boots: int = BOOTS) -> bool:
    """In one of the ten functions that execute most."""
    of = kernel(layouts, rng)
    place = int(rng.choice(np.argsort(-of.path)[:10]))
    difference = exact(of, rng, {place: 0.1 * float(of.path[place])}, boots)
    return any(change.real for change in difference.changes if change.name == f"f{place}")
