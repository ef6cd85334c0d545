"""The four answers by what is true and how noisy boots are: two columns in at most ten rounds, a margin of 1 %."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from tests.validation.noise import normal
from tests.validation.simulate import CAP, EQUIVALENT, LESS, MORE, UNDECIDED, Outcome, Row, mean, near, outcome, share, size, terms

MARGIN = 0.01

# (sd of a boot, what is true), in percent -> rounds; shares of faster, slower, equivalent and undecided.
MIX: dict[tuple[float, float], tuple[float, tuple[float, float, float, float]]] = {
    (0.2, 0.0): (3.5, (0.0, 0.0, 1.0, 0.0)),
    (0.2, 0.5): (4.4, (0.0, 0.19, 0.81, 0.0)),
    (0.2, 1.0): (3.8, (0.0, 0.98, 0.016, 0.0)),
    (0.2, 2.0): (3.2, (0.0, 1.0, 0.0, 0.0)),
    (0.2, 5.0): (3.0, (0.0, 1.0, 0.0, 0.0)),
    (0.5, 0.0): (6.6, (0.010, 0.011, 0.909, 0.070)),
    (0.5, 0.5): (7.5, (0.0, 0.27, 0.46, 0.27)),
    (0.5, 1.0): (6.5, (0.0, 0.88, 0.040, 0.08)),
    (0.5, 2.0): (4.2, (0.0, 1.0, 0.0, 0.0)),
    (0.5, 5.0): (3.2, (0.0, 1.0, 0.0, 0.0)),
    (1.0, 0.0): (9.4, (0.025, 0.024, 0.131, 0.821)),
    (1.0, 0.5): (9.3, (0.003, 0.107, 0.086, 0.80)),
    (1.0, 1.0): (8.8, (0.0, 0.344, 0.031, 0.625)),
    (1.0, 2.0): (6.6, (0.0, 0.900, 0.001, 0.099)),
    (1.0, 5.0): (3.8, (0.0, 1.0, 0.0, 0.0)),
    (2.0, 0.0): (9.8, (0.025, 0.024, 0.004, 0.948)),
    (2.0, 0.5): (9.7, (0.012, 0.056, 0.003, 0.93)),
    (2.0, 1.0): (9.6, (0.005, 0.110, 0.003, 0.88)),
    (2.0, 2.0): (8.9, (0.001, 0.346, 0.002, 0.651)),
    (2.0, 5.0): (5.6, (0.0, 0.984, 0.0, 0.016)),
}
ANSWERS = {"faster": LESS, "slower": MORE, "equivalent": EQUIVALENT, "undecided": UNDECIDED}


def rows(scale: float) -> Iterator[Row]:
    rng = np.random.default_rng(46)
    for (sd, true), (rounds, shares) in MIX.items():
        values = 0.01 * sd * normal(rng, (size(20000, scale), 1, CAP, 2))
        values[..., 1] += 0.01 * true
        found = outcome(values, terms(MARGIN))
        name = f"sd {sd:g} %, truly {true:g} %"
        yield mean(f"{name}: rounds", found.rounds, rounds - 0.1, rounds + 0.1, scale, f"was {rounds:g}")
        for (answer, code), seen in zip(ANSWERS.items(), shares, strict=True):
            yield near(f"{name}: {answer}", found.answer == code, seen, scale, room=0.007)
        yield from promises(name, found, 0.01 * true, scale)


def promises(name: str, found: Outcome, true: float, scale: float) -> Iterator[Row]:
    """What holds whatever the noise."""
    yield share(f"{name}: the interval holds what is true when the run stops", found.covers(true), 0.94, 1.0, scale)
    if true == 0.0:
        yield share(f"{name}: called a change", found.changed, 0.0, 0.055, scale)
    if true >= MARGIN:
        yield share(f"{name}: called equivalent", found.answer == EQUIVALENT, 0.0, 0.055, scale)
    if (name, true) == ("sd 0.5 %, truly 2 %", 0.02):
        yield share(f"{name}: called slower", found.answer == MORE, 0.995, 1.0, scale)
