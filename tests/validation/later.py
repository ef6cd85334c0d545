"""Change points, bisection and profiles by simulation: how often they are right, and how often they see what is not there.

Each `..._rows(scale)` yields (name, measured, low, high, note): what was measured has to lie in low..high. A scale of 1.0 is
the full size; below it there are fewer runs, and the bounds are wider by four standard errors. Noise has a standard
deviation of 1, so steps are in standard deviations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kdelta.stats import bisection, changes, counts

Array = NDArray[np.float64]
Row = tuple[str, float, float, float, str]

LEAST_RUNS = 10


def share_row(name: str, hits: Sequence[float], low: float, high: float, scale: float, note: str = "") -> Row:
    """`hits` are one share of 0 to 1 for each run."""
    if scale < 1.0:
        low = max(0.0, low - 4.0 * math.sqrt(low * (1.0 - low) / len(hits)))
        high = min(1.0, high + 4.0 * math.sqrt(high * (1.0 - high) / len(hits)))
    return name, float(np.mean(hits)), low, high, _note(len(hits), note)


def mean_row(name: str, values: Sequence[float], low: float, high: float, scale: float, note: str = "") -> Row:
    error = 4.0 * float(np.std(values)) / math.sqrt(len(values)) if scale < 1.0 else 0.0
    return name, float(np.mean(values)), low - error, high + error, _note(len(values), note)


def _note(size: int, note: str) -> str:
    return f"{size} runs; {note}" if note else f"{size} runs"


def runs(full: int, scale: float) -> range:
    return range(max(LEAST_RUNS, round(full * scale)))


# ---- change points ----


def change_point_rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(410)
    for size in (8, 12, 20, 30):
        null = [any_change(rng.normal(size=size), seed) for seed in runs(300, scale)]
        yield share_row(f"change points, {size} kernels, no change: any found", null, 0.0, 0.09, scale, "level .05")
    yield from build_noise_rows(rng, scale)
    for size, step, low, high in ((12, 4.0, 0.97, 1.0), (20, 4.0, 0.97, 1.0), (12, 2.0, 0.40, 0.62), (20, 2.0, 0.58, 0.80)):
        near = [step_is_found(size, step, rng, seed) for seed in runs(300, scale)]
        yield share_row(f"change points, {size} kernels, step of {step:g}: found within 1", near, low, high, scale)


def build_noise_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    trap = boots_of(rng, len(runs(300, scale)), build_sd=1.0)
    found = [any_change(boots.mean(axis=-1), seed) for seed, boots in enumerate(trap)]
    yield share_row("change points, builds that vary as boots do: any found", found, 0.0, 0.09, scale, "12 kernels, 3 boots each")
    critical = np.quantile(against_boots(boots_of(rng, len(runs(20000, scale)), build_sd=0.0)), 0.95)
    naive = against_boots(trap) > critical
    yield share_row("the same, against the spread of boots: any found", naive.tolist(), 0.45, 0.67, scale, "why it is not used")


def any_change(values: Array, seed: int) -> bool:
    return bool(changes.change_points(values, seed=seed).changes)


def boots_of(rng: np.random.Generator, series: int, build_sd: float) -> Array:
    """3 boots of each of 12 kernels, whose builds vary by themselves: shape (series, 12, 3)."""
    boots: Array = rng.normal(size=(series, 12, 3)) + build_sd * rng.normal(size=(series, 12, 1))
    return boots


def against_boots(boots: Array) -> Array:
    """What a test that knows no builds looks at: the greatest step in units of the boots' spread, squared."""
    means = boots.mean(axis=-1)
    places = range(2, means.shape[-1] - 1)
    steps = [means[:, :place].mean(axis=1) - means[:, place:].mean(axis=1) for place in places]
    sizes = [place * (means.shape[-1] - place) for place in places]
    return np.asarray(np.max([size * step**2 for size, step in zip(sizes, steps, strict=True)], axis=0) / noise(boots))


def noise(boots: Array) -> Array:
    return np.asarray(boots.var(axis=-1, ddof=1).mean(axis=-1))


def step_is_found(size: int, step: float, rng: np.random.Generator, seed: int) -> bool:
    place = int(rng.integers(3, size - 2))
    values = rng.normal(size=size) + step * (np.arange(size) >= place)
    return any(abs(change.index - place) <= 1 for change in changes.change_points(values, seed=seed).changes)


# ---- bisection ----

KERNELS = 1024


@dataclass(frozen=True)
class Search:
    """`right` is None where the ends were refused; `boots` counts theirs."""

    boots: int
    right: bool | None


def bisection_rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(411)
    for step, full, accuracy, boots in ((2.0, 150, 0.92, 48.0), (3.0, 150, 0.95, 30.0), (4.0, 150, 0.95, 24.0)):
        made = [search for _ in runs(full, scale) if (search := bisect(KERNELS, step, rng)).right is not None]
        name = f"bisection of {KERNELS}, step of {step:g}"
        yield share_row(f"{name}: right", [bool(search.right) for search in made], accuracy, 1.0, scale, "named at .95")
        yield mean_row(f"{name}: boots", [search.boots for search in made], 0.0, boots, scale, "those of the ends included")
    for level in (0.80, 0.90, 0.99):
        made = [search for _ in runs(300, scale) if (search := bisect(KERNELS, 2.0, rng, level)).right is not None]
        low = level - 4.0 * math.sqrt(level * (1.0 - level) / len(made))
        yield share_row(f"bisection, step of 2, named at {level}: right", [bool(search.right) for search in made], low, 1.0, 1.0)
    for step, low, high in ((0.0, 0.95, 1.0), (1.5, 0.08, 0.34), (2.0, 0.0, 0.07)):
        refused = [bisect(KERNELS, step, rng, level=0.0).right is None for _ in runs(150, scale)]
        yield share_row(f"bisection, ends {step:g} apart: refused", refused, low, high, scale)


def bisect(n: int, step: float, rng: np.random.Generator, level: float = 0.95, cap: int = 300) -> Search:
    """From kernels that differ by `step` from a drawn one on, to an answer."""
    first = int(rng.integers(1, n + 1))

    def boot(kernel: int) -> float:
        return float(rng.normal(step if kernel >= first else 0.0))

    values: list[float] = []
    ends = bisection.ends_apart([], [])
    while ends.apart is None:
        values += [boot(0), boot(n)]
        ends = bisection.ends_apart(values[::2], values[1::2])
    booted = [0, n] * (len(values) // 2)
    if not ends.apart:
        return Search(len(booted), None)
    while (found := bisection.found(known := bisection.posterior(booted, values, n), level)) is None and len(booted) < cap:
        kernel = bisection.next_kernel(known)
        assert kernel is not None
        booted.append(kernel)
        values.append(boot(kernel))
    return Search(len(booted), found is not None and found.first == first)


# ---- profiles ----

FUNCTIONS = 300
MORE = 1.25
HOT = 200

Counts = counts.Counts


def profile_rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(412)
    for ticks in (3000, 30000):
        null = [any_shown(ticks, 0.0, rng, seed) for seed in runs(200, scale)]
        yield share_row(f"profile of {ticks} ticks, no change, Poisson: any shown", null, 0.0, 0.05, scale, "adjusted p .05")
    for cv, low, high in ((0.05, 0.45, 0.73), (0.10, 0.95, 1.0), (0.20, 0.98, 1.0)):
        null = [any_shown(30000, cv, rng, seed) for seed in runs(200, scale)]
        yield share_row(
            f"profile of 30000 ticks, no change, extra {cv:.0%}: any shown", null, low, high, scale, "the warning's figures"
        )
    yield from composition_rows(rng, scale)
    for repeats, low in ((3, 0.55), (5, 0.80)):
        flags = [replicated(repeats, 0.10, rng, seed) for seed in runs(100, scale)]
        name = f"{repeats} profiles a side, extra 10 %"
        yield share_row(f"{name}: unchanged ones shown", [flag.unchanged for flag in flags], 0.0, 0.06, scale, "p .05")
        yield share_row(f"{name}: 25 % more found", [flag.hot for flag in flags], low, 1.0, scale, f"{HOT} ticks and more")
    alone = [single_function(rng) for _ in runs(4000, scale)]
    yield share_row("profiles of a single function, no change: shown", alone, 0.0, 0.06, scale, "p .05")


def composition_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    by_total, by_median, found = zip(*(composition(rng, seed) for seed in runs(200, scale)), strict=True)
    yield share_row("one function of 30 % doubled, by totals: others shown", by_total, 0.05, 0.15, scale, "why totals are not used")
    yield share_row("one function of 30 % doubled, by the median ratio: others shown", by_median, 0.0, 0.005, scale)
    yield share_row("one function of 30 % doubled: found", found, 0.99, 1.0, scale)


def shares(seed: int) -> Array:
    """Of the ticks, heavy-tailed as in a kernel's profile."""
    drawn: Array = np.random.default_rng([412, seed]).pareto(1.1, FUNCTIONS) + 0.02
    return np.asarray(drawn / drawn.sum())


def profiles(mean: Array, cv: float, repeats: int, rng: np.random.Generator) -> Counts:
    """Poisson around a mean that varies by `cv` from profile to profile."""
    means = np.broadcast_to(mean, (repeats, len(mean)))
    return rng.poisson(means * rng.gamma(1.0 / cv**2, cv**2, means.shape) if cv else means)


def any_shown(ticks: int, cv: float, rng: np.random.Generator, seed: int) -> bool:
    old, new = profiles(ticks * shares(seed), cv, 2, rng)
    return bool(np.any(counts.binomial(old, new, float(old.sum()), float(new.sum())).adjusted <= 0.05))


def composition(rng: np.random.Generator, seed: int) -> tuple[float, float, bool]:
    """Shares of the unchanged functions that are shown, by totals and by the median ratio, and whether the changed one is."""
    before = 30000 * np.append(0.7 * shares(seed), 0.3)
    old, new = rng.poisson(before), rng.poisson(np.append(before[:-1], 2.0 * before[-1]))
    by_total = counts.binomial(old, new, float(old.sum()), float(new.sum())).adjusted
    by_median = counts.binomial(old, new, 1.0, counts.median_ratio(old, new).ratio).adjusted
    return shown(by_total[:-1]), shown(by_median[:-1]), bool(by_median[-1] <= 0.05)


@dataclass(frozen=True)
class Flags:
    """Shares shown of the functions that did not change, and of hot ones that take a quarter more."""

    unchanged: float
    hot: float


def replicated(repeats: int, cv: float, rng: np.random.Generator, seed: int) -> Flags:
    mean = 30000 * shares(seed)
    hot = np.flatnonzero(mean >= HOT)[::4]
    changed = mean.copy()
    changed[hot] *= MORE
    old, same, new = (profiles(each, cv, repeats, rng) for each in (mean, mean, changed))
    exposures = np.ones(2 * repeats)
    null, effect = counts.quasi_poisson(old, same, exposures), counts.quasi_poisson(old, new, exposures)
    return Flags(shown(null.p), shown(effect.p[hot]))


def single_function(rng: np.random.Generator) -> bool:
    old, new = (profiles(np.array([1000.0]), 0.10, 3, rng) for _ in range(2))
    return bool(counts.quasi_poisson(old, new, np.ones(6)).p[0] <= 0.05)


def shown(p: Array) -> float:
    """The share at p <= .05 of what was tested."""
    return float(np.mean(p[~np.isnan(p)] <= 0.05))
