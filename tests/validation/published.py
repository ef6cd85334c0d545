"""Tests of what others publish: their critical values, what ranges say of a spread, and what the tests see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from tests.validation.noise import normal
from tests.validation.simulate import Array, Flags, Row, mean, near, share, size

from kdelta.stats.contrast import unpaired
from kdelta.stats.published import D2, MEANS, MIDRANGES, MINIMA, RANGE_DF, disjoint
from kdelta.stats.sequential import two_sided

Critical = Mapping[int, tuple[float, float]]
FULL = 1_000_000
PART = 50_000

TESTS: dict[str, tuple[Critical, int]] = {"means": (MEANS, 0), "midranges": (MIDRANGES, 1), "least values": (MINIMA, 2)}

# (values, effect in sd) -> what Lord's test and that of midranges see at .05.
POWER = {(3, 2.0): (0.457, 0.447), (3, 4.0): (0.942, 0.932), (5, 2.0): (0.784, 0.707), (5, 4.0): (1.0, 0.997)}


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(470)
    for n in MEANS:
        yield from level_rows(rng, n, scale)
    for (n, effect), seen in POWER.items():
        left, right = normal(rng, (size(100000, scale), n)), normal(rng, (size(100000, scale), n)) + effect
        for (name, (critical, place)), was in zip(TESTS.items(), seen, strict=False):
            hits = in_ranges(left, right)[place] >= critical[n][0]
            yield near(f"{name} of {n} by their ranges, {effect:g} sd: seen", hits, was, scale, room=0.003)
    for n in (3, 4, 5):
        yield from welch_rows(rng, n, scale)
    for first, second in ((3, 3), (3, 4), (4, 4), (5, 5)):
        left, right = normal(rng, (size(100000, scale), first)), normal(rng, (size(100000, scale), second))
        apart = (left.max(1) < right.min(1)) | (right.max(1) < left.min(1))
        yield near(f"ranges of {first} and {second} disjoint for nothing", apart, disjoint(first, second).p, scale)


def in_ranges(left: Array, right: Array) -> tuple[Array, Array, Array]:
    """How far apart means, middles of ranges and least values are, in mean ranges."""
    low, high = (np.stack([each(side, axis=1) for side in (left, right)]) for each in (np.min, np.max))
    width = (high - low).mean(0)
    away = (left.mean(1) - right.mean(1), np.diff((low + high) / 2.0, axis=0)[0], np.diff(low, axis=0)[0])
    return np.abs(away[0]) / width, np.abs(away[1]) / width, np.abs(away[2]) / width


def level_rows(rng: np.random.Generator, n: int, scale: float) -> Iterator[Row]:
    count = size(FULL, scale)
    parts, ranges = list[tuple[Array, Array, Array]](), list[Array]()
    for _ in range(max(1, count // PART)):
        left, right = normal(rng, (min(count, PART), n)), normal(rng, (min(count, PART), n))
        parts.append(in_ranges(left, right))
        ranges += [np.ptp(left, axis=1), np.ptp(right, axis=1)]
    for name, (critical, place) in TESTS.items():
        found = np.concatenate([part[place] for part in parts])
        for level, least in zip((0.05, 0.01), critical[n], strict=True):
            room = 0.0002 + 0.016 * level
            hits = found >= least
            yield share(f"{name} of {n} by their ranges: false positives at {level:g}", hits, level - room, level + room, scale)
    width = np.concatenate(ranges)
    yield mean(f"range of {n}, in sd", width, D2[n] - 0.003, D2[n] + 0.003, scale)
    df = 0.5 * (width.mean() / width.std()) ** 2
    reach = 0.03 + (4.0 * df / np.sqrt(width.size) if scale < 1.0 else 0.0)
    yield f"range of {n}: degrees of freedom", float(df), RANGE_DF[n] - reach, RANGE_DF[n] + reach, f"{width.size} ranges"


def welch_rows(rng: np.random.Generator, n: int, scale: float) -> Iterator[Row]:
    """Of means and standard deviations, n - 1 in the denominator; and the same taken for n, which makes them too small."""
    found = unpaired(normal(rng, (size(100000, scale), n, 2)))
    honest, mistaken = (two_sided(found.estimate, factor * found.se, found.df)[:, -1, 1] for factor in (1.0, np.sqrt((n - 1) / n)))
    yield share(f"Welch's test of {n} and {n}: false positives", honest <= 0.05, 0.03, 0.05, scale)
    yield share(f"Welch's test of {n} and {n}, n for n - 1: false positives", _more(honest, mistaken), 0.01, 0.06, scale, "more")


def _more(honest: Array, mistaken: Array) -> Flags:
    found: Flags = (mistaken <= 0.05) & (honest > 0.05)
    return found
