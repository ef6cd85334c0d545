"""Stopping when it looks good: at intervals that are narrow enough, at p that are small enough, at results that agree.

And Stein's two stages, which plan for a width honestly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from tests.validation.noise import normal
from tests.validation.simulate import Array, Flags, Row, Whole, first_hit, looked, mean, near, share, size

from kdelta.model.plan import Rule
from kdelta.stats.contrast import unpaired
from kdelta.stats.sequential import half_width, two_sided
from kdelta.stats.stein import interval, second_stage


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(41)
    yield from precise_rows(rng, scale)
    yield from two_sides_rows(rng, scale)
    yield from peeking_rows(rng, scale)
    yield from stein_rows(rng, scale)
    yield from settled_rows(rng, scale)


# ---- until the interval is narrow enough ----


@dataclass(frozen=True)
class Stopped:
    """Of series that end when half the 95 % interval of their mean is at most 1."""

    kept: Array
    """The values until then, NaN after it."""
    count: Whole
    covers: Flags
    precise: Flags
    """Whether it ended so, and not at the cap."""


def until_precise(rng: np.random.Generator, runs: int, sd: float, first: int, cap: int) -> Stopped:
    values, count = sd * normal(rng, (runs, cap)), np.arange(1, cap + 1.0)
    middle = np.cumsum(values, axis=1) / count
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.maximum(np.cumsum(values**2, axis=1) - count * middle**2, 0.0) / (count - 1.0)
    half = half_width(np.sqrt(variance / count), np.broadcast_to(count - 1.0, values.shape), 0.05)
    precise, ends = first_hit((half <= 1.0) & (count >= first), cap)
    at = (np.arange(runs), ends - 1)
    return Stopped(np.where(count <= ends[:, None], values, np.nan), ends, np.abs(middle[at]) <= half[at], precise)


# (sd over wanted half width, least values, cap) -> mean values, coverage, share that ended so, coverage of those.
PRECISE: dict[tuple[float, int, int], tuple[float, float, float, float]] = {
    (1.0, 2, 50): (5.8, 0.895, 1.0, 0.895),
    (1.0, 3, 50): (6.1, 0.924, 1.0, 0.924),
    (2.0, 3, 50): (15.9, 0.902, 1.0, 0.902),
    (2.0, 5, 50): (16.4, 0.922, 1.0, 0.922),
    (2.0, 3, 10): (9.3, 0.914, 0.21, 0.701),
    (3.0, 3, 10): (9.8, 0.931, 0.04, 0.427),
}


def precise_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    for (sd, first, cap), (count, covered, precise, then) in PRECISE.items():
        found = until_precise(rng, size(100000, scale), sd, first, cap)
        name = f"until narrow enough, sd of {sd:g} widths, {first} to {cap} values"
        yield mean(f"{name}: values", found.count, count - 0.1, count + 0.1, scale, f"was {count:g}")
        yield near(f"{name}: interval holds the mean", found.covers, covered, scale)
        yield near(f"{name}: ended so", found.precise, precise, scale, room=0.006)
        yield near(f"{name}: of those, holds the mean", found.covers[found.precise], then, scale, room=0.006)


# sd over wanted half width -> false positives of Welch's test on two such series, from 2, 3 and 5 values on, cap 20.
TWO_SIDES = {1.0: (0.133, 0.106, 0.066), 2.0: (0.147, 0.118, 0.091), 3.0: (0.101, 0.076, 0.060)}


def two_sides_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    for sd, seen in TWO_SIDES.items():
        for first, was in zip((2, 3, 5), seen, strict=True):
            sides = [until_precise(rng, size(100000, scale), sd, first, 20).kept for _ in range(2)]
            found = unpaired(np.stack(sides, axis=-1))
            hits = two_sided(found.estimate, found.se, found.df)[:, -1, 1] <= 0.05
            yield near(f"two sides until narrow enough, sd of {sd:g} widths, from {first} on: false positives", hits, was, scale)


# ---- until p is small enough ----

PEEKING = {2: (0.136, 0.198, 0.258, 0.333), 3: (0.100, 0.168, 0.231, 0.307)}
CAPS = (5, 10, 20, 50)


def peeking_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    found = looked(normal(rng, (size(100000, scale), CAPS[-1], 2)))
    p = two_sided(found.estimate, found.se, found.df)[..., 1]
    for first, seen in PEEKING.items():
        for cap, was in zip(CAPS, seen, strict=True):
            hits, _ = first_hit(p[:, first - 1 :] <= 0.05, cap - first + 1)
            yield near(f"p < .05 at any look from round {first} to {cap}: false positives", hits, was, scale)


# ---- two stages ----

# (sd, wanted half width, first stage) -> mean values in all, what they may be off by, and coverage.
STEIN: dict[tuple[float, float, int], tuple[float, float, float]] = {
    (2.0, 1.0, 3): (74.7, 2.0, 0.959),
    (2.0, 1.0, 5): (31.4, 0.6, 0.958),
    (2.0, 1.0, 10): (21.2, 0.3, 0.959),
    (3.0, 1.0, 3): (166.9, 4.0, 0.953),
    (3.0, 1.0, 5): (69.9, 1.2, 0.953),
    (3.0, 1.0, 10): (46.6, 0.6, 0.952),
    (5.0, 1.789, 5): (60.65, 1.0, 0.952),
    (5.0, 1.386, 5): (100.56, 1.6, 0.952),
    (5.0, 0.980, 5): (201.33, 3.2, 0.952),
    (5.0, 1.789, 10): (40.48, 0.4, 0.952),
    (5.0, 1.386, 10): (67.22, 0.8, 0.952),
    (5.0, 0.980, 10): (135.16, 1.6, 0.952),
}


def stein_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    for (sd, half, first), (values, off, covered) in STEIN.items():
        ends = [two_stages(rng, sd, half, first) for _ in range(size(20000, scale))]
        total, inside, near_it = (np.array(each, dtype=np.float64) for each in zip(*ends, strict=True))
        name = f"two stages, sd {sd:g}, half width {half:g}, first {first}"
        yield mean(f"{name}: values", total, values - off, values + off, scale, f"was {values:g}")
        yield near(f"{name}: mean within the width that was asked for", near_it, covered, scale, room=0.003)
        yield share(f"{name}: interval holds the mean", inside, 0.945, 0.956, scale)


def two_stages(rng: np.random.Generator, sd: float, half: float, first: int) -> tuple[int, bool, bool]:
    """How many values in all; whether the interval holds the mean, and whether the mean is as near as was asked for."""
    values = rng.normal(0.0, sd, first)
    known = float(values.std(ddof=1))
    total = second_stage(known, first - 1.0, half, first=first).total or 0
    middle = (float(values.sum()) + rng.normal() * sd * math.sqrt(total - first)) / total
    low, high = interval(middle, known, first - 1.0, total)
    return total, low <= 0.0 <= high, abs(middle) <= half


# ---- until three results agree ----


def settled(results: Array, rule: Rule) -> tuple[Array, Whole]:
    """What a visit keeps of its `results`, (runs, rule.most), as `kdelta.run.rule` ends it: the last of them, and how many ran."""
    windows = sliding_window_view(results[:, : rule.most], rule.results, axis=1)
    agree = windows.max(2) <= windows.min(2) * (1.0 + rule.spread)
    _, last = first_hit(agree, agree.shape[1])
    kept: Array = windows[np.arange(len(results)), last - 1]
    return kept, last + rule.results - 1


def skewed(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.exponential(1.0, shape) - 1.0


def spiky(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return 0.3 * rng.normal(size=shape) + (rng.random(shape) < 0.1) * rng.exponential(3.0, shape)


NOISES = {"normal": normal, "skewed": skewed, "spiky": spiky}

# (noise, sd of results, sd of boots), in percent -> results of one boot; least ones that differ by more than .5, 1 and 2 %.
# Where the cap came first the last three results stand: the least of all fifteen would differ more often, for results of 1 %.
SETTLED: dict[tuple[str, float, float], tuple[float, tuple[float, float, float]]] = {
    ("normal", 0.5, 0.0): (3.8, (0.297, 0.037, 0.0)),
    ("normal", 0.5, 0.3): (3.8, (0.434, 0.118, 0.002)),
    ("normal", 0.5, 0.5): (3.8, (0.560, 0.244, 0.020)),
    ("normal", 0.5, 1.0): (3.8, (0.739, 0.503, 0.181)),
    ("normal", 1.0, 0.0): (7.0, (0.593, 0.281, 0.034)),
    ("normal", 1.0, 0.5): (7.0, (0.666, 0.393, 0.090)),
    ("skewed", 0.5, 0.0): (3.6, (0.062, 0.005, 0.0)),
    ("skewed", 0.5, 0.3): (3.6, (0.305, 0.045, 0.0)),
    ("skewed", 0.5, 1.0): (3.6, (0.728, 0.485, 0.163)),
    ("spiky", 0.5, 0.5): (3.3, (0.492, 0.169, 0.006)),
}
# (sd of boots, truly), in percent -> least ones of two boots that differ by more than 1 %.
DIFFERENT = {
    (0.0, 1.0): 0.498,
    (0.0, 2.0): 0.981,
    (0.5, 1.0): 0.510,
    (0.5, 2.0): 0.880,
    (1.0, 1.0): 0.588,
    (1.0, 2.0): 0.771,
    (1.0, 5.0): 0.996,
}
# (boots, sd of boots in percent) -> Welch's test on the least results of boots, truly 0, 1, 2 and 5 %.
ON_MINIMA = {(3, 0.3): (0.035, 0.647, 0.984, 1.0), (3, 1.0): (0.032, 0.118, 0.358, 0.966)} | {
    (5, 0.3): (0.042, 0.964, 1.0, 1.0),
    (5, 1.0): (0.045, 0.256, 0.753, 1.0),
}


def settled_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    for (noise, sd, boot_sd), (results, seen) in SETTLED.items():
        (left, ran), (right, _) = (minima(rng, size(50000, scale), noise, sd, boot_sd) for _ in range(2))
        name = f"three that agree, {noise} results of {sd:g} %, boots of {boot_sd:g} %"
        yield mean(f"{name}: results", ran, results - 0.1, results + 0.1, scale, f"was {results:g}")
        for limit, was in zip((0.5, 1.0, 2.0), seen, strict=True):
            away = np.abs(left - right) > limit
            yield near(f"{name}: least ones of two boots differ by more than {limit:g} %", away, was, scale, room=0.008)
    for (boot_sd, true), was in DIFFERENT.items():
        left, right = (minima(rng, size(50000, scale), "normal", 0.5, boot_sd, of)[0] for of in (0.0, true))
        name = f"three that agree, boots of {boot_sd:g} %, truly {true:g} %"
        yield near(f"{name}: least ones differ by more than 1 %", np.abs(left - right) > 1.0, was, scale, room=0.008)
    for (boots, boot_sd), shares in ON_MINIMA.items():
        for true, was in zip((0.0, 1.0, 2.0, 5.0), shares, strict=True):
            count = size(20000, scale)
            sides = [minima(rng, count * boots, "skewed", 0.5, boot_sd, of)[0].reshape(count, boots) for of in (0.0, true)]
            found = unpaired(np.stack(sides, axis=-1))
            hits = two_sided(found.estimate, found.se, found.df)[:, -1, 1] <= 0.05
            yield near(f"least results of {boots} boots of {boot_sd:g} %, truly {true:g} %: seen", hits, was, scale, room=0.008)


def minima(rng: np.random.Generator, runs: int, noise: str, sd: float, boot_sd: float, true: float = 0.0) -> tuple[Array, Whole]:
    """The least result that a visit keeps, in percent above the base's mean, and how many results it took."""
    rule = Rule()
    values = sd * NOISES[noise](rng, (runs, rule.most)) + boot_sd * normal(rng, (runs, 1)) + true
    kept, ran = settled(1.0 + 0.01 * values, rule)
    return 100.0 * (kept.min(1) - 1.0), ran
