"""The order of boots on a machine that drifts: five boots of each of two columns, noise of 1, and what the order makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from tests.validation.noise import normal
from tests.validation.simulate import Array, Row, looked, near, share, size

from kdelta.stats.contrast import Estimates, unpaired
from kdelta.stats.sequential import two_sided

BOOTS = 5
SLOTS = 2 * BOOTS
Places = NDArray[np.int64]
"""Which slot of the session each boot has: (runs, boots, columns)."""


def base_first(rng: np.random.Generator, runs: int) -> Places:
    return np.broadcast_to(np.arange(SLOTS).reshape(2, BOOTS).T, (runs, BOOTS, 2))


def alternating(rng: np.random.Generator, runs: int) -> Places:
    return np.broadcast_to(np.arange(SLOTS).reshape(BOOTS, 2), (runs, BOOTS, 2))


def mirrored(rng: np.random.Generator, runs: int) -> Places:
    places = np.arange(SLOTS).reshape(BOOTS, 2)
    places[1::2] = places[1::2, ::-1]
    return np.broadcast_to(places, (runs, BOOTS, 2))


def drawn(rng: np.random.Generator, runs: int) -> Places:
    return rng.permuted(alternating(rng, runs), axis=-1)


Draw = Callable[[np.random.Generator, int], Places]
ORDERS: dict[str, tuple[Draw, Callable[[Array], Estimates]]] = {
    "base first, without rounds": (base_first, unpaired),
    "ABAB, in rounds": (alternating, looked),
    "ABBA, in rounds": (mirrored, looked),
    "drawn in each round, in rounds": (drawn, looked),
    "drawn in each round, without rounds": (drawn, unpaired),
}

# (drift over the session, its random walk per boot) -> false positives, in the sequence of ORDERS.
SEEN: dict[tuple[float, float], tuple[float, ...]] = {
    (0.0, 0.0): (0.044, 0.051, 0.049, 0.052, 0.044),
    (1.0, 0.0): (0.105, 0.051, 0.049, 0.051, 0.035),
    (3.0, 0.0): (0.505, 0.071, 0.046, 0.050, 0.006),
    (6.0, 0.0): (0.936, 0.129, 0.039, 0.052, 0.000),
    (0.0, 1.0): (0.304, 0.050, 0.050, 0.050, 0.015),
}


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(450)
    for (drift, walk), seen in SEEN.items():
        for (name, (order, estimates)), was in zip(ORDERS.items(), seen, strict=True):
            hits = rejected(estimates(session(rng, size(40000, scale), order, drift, walk)))
            said = f"drift of {drift:g}, random walk of {walk:g}, {name}: false positives"
            yield near(said, hits, was, scale)
            if order is drawn and estimates is looked:
                yield share(f"{said}, as promised", hits, 0.045, 0.055, scale)
    yield from power_rows(rng, scale)


def session(rng: np.random.Generator, runs: int, order: Draw, drift: float, walk: float, effect: float = 0.0) -> Array:
    """(runs, boots, columns), in which column 1 has the `effect`."""
    slots = np.linspace(0.0, drift, SLOTS) + normal(rng, (runs, SLOTS)) + np.cumsum(walk * normal(rng, (runs, SLOTS)), axis=1)
    values = np.take_along_axis(slots, order(rng, runs).reshape(runs, SLOTS), axis=1).reshape(runs, BOOTS, 2)
    values[..., 1] += effect
    return values


def rejected(found: Estimates) -> NDArray[np.bool_]:
    hits: NDArray[np.bool_] = two_sided(found.estimate, found.se, found.df)[:, -1, 1] <= 0.05
    return hits


def power_rows(rng: np.random.Generator, scale: float) -> Iterator[Row]:
    for name, seen in (("drawn in each round, in rounds", 0.58), ("drawn in each round, without rounds", 0.04)):
        order, estimates = ORDERS[name]
        hits = rejected(estimates(session(rng, size(40000, scale), order, 6.0, 0.0, 2.0)))
        yield near(f"drift of 6, {name}: 2 sd seen", hits, seen, scale, room=0.01)
