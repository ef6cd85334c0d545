"""What the settled rule shows where nothing changed: how far two visits' minima lie apart, by simulation.

Three results in a row within 1 % say little of how near the smallest of them is to that of another visit. That depends on how
visits differ, which the rule never sees: so a spread of 1 % is no margin of error.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from scipy import stats

from kdelta.model.plan import Rule
from kdelta.run.rule import step

PAIRS = 1200
FOREVER = 1e9
RULE = Rule()
Noise = Callable[[random.Random, float], float]


def normal(source: random.Random, sd: float) -> float:
    return source.gauss(0.0, sd)


def skewed(source: random.Random, sd: float) -> float:
    """Exponential: nothing is much faster than the rest, some are much slower."""
    return source.expovariate(1.0 / sd) - sd


def spiky(source: random.Random, sd: float) -> float:
    """Quiet, with something in the way of one result in ten."""
    spike = source.expovariate(1.0 / (3.0 * sd)) if source.random() < 0.1 else 0.0
    return source.gauss(0.0, 0.3 * sd) + spike


def visit(source: random.Random, noise: Noise, sd: float, boot_sd: float, change: float = 0.0) -> tuple[float, int]:
    """The least of the results that are kept, and how many were run; all in percent."""
    level = 100.0 + change + source.gauss(0.0, boot_sd)
    results: list[float] = []
    while True:
        results.append(level + noise(source, sd))
        said = step(RULE, results, 0.0, FOREVER)
        if not said.again:
            return min(result for place, result in enumerate(results) if place not in said.discards), len(results)


@dataclass(frozen=True)
class Figures:
    """Of pairs of visits: the mean number of results of one, and how often their minima lie further apart than so many percent."""

    runs: float
    half: float
    one: float
    two: float


def simulated(noise: Noise, sd: float, boot_sd: float, change: float = 0.0) -> Figures:
    source = random.Random(2006)
    pairs = [(visit(source, noise, sd, boot_sd), visit(source, noise, sd, boot_sd, change)) for _ in range(PAIRS)]
    apart = [abs(new[0] - old[0]) for old, new in pairs]
    half, one, two = (sum(distance > percent for distance in apart) / PAIRS for percent in (0.5, 1.0, 2.0))
    return Figures(sum(old[1] + new[1] for old, new in pairs) / (2 * PAIRS), half, one, two)


def near(share: float) -> float:
    """Four standard errors of a simulated share, and a hundredth."""
    return 4.0 * math.sqrt(share * (1.0 - share) / PAIRS) + 0.01


# Noise of a run, its standard deviation and that of visits in percent; what two visits of the same kernel show.
TABLE = [
    pytest.param(normal, 0.5, 0.0, Figures(3.8, 0.297, 0.037, 0.0), id="normal 0.5 0"),
    pytest.param(normal, 0.5, 0.3, Figures(3.8, 0.434, 0.118, 0.002), id="normal 0.5 0.3"),
    pytest.param(normal, 0.5, 0.5, Figures(3.8, 0.560, 0.244, 0.020), id="normal 0.5 0.5"),
    pytest.param(normal, 0.5, 1.0, Figures(3.8, 0.739, 0.503, 0.181), id="normal 0.5 1"),
    pytest.param(normal, 1.0, 0.0, Figures(7.0, 0.589, 0.282, 0.036), id="normal 1 0"),
    pytest.param(normal, 1.0, 0.5, Figures(7.0, 0.668, 0.393, 0.090), id="normal 1 0.5"),
    pytest.param(skewed, 0.5, 0.0, Figures(3.6, 0.062, 0.005, 0.0), id="skewed 0.5 0"),
    pytest.param(skewed, 0.5, 0.3, Figures(3.6, 0.305, 0.045, 0.0), id="skewed 0.5 0.3"),
    pytest.param(skewed, 0.5, 1.0, Figures(3.6, 0.728, 0.485, 0.163), id="skewed 0.5 1"),
    pytest.param(spiky, 0.5, 0.5, Figures(3.3, 0.492, 0.169, 0.006), id="spiky 0.5 0.5"),
]


@pytest.mark.parametrize(("noise", "sd", "boot_sd", "expected"), TABLE)
def test_visits_of_one_kernel_lie_apart_by_more_than_their_spread_shows(
    noise: Noise, sd: float, boot_sd: float, expected: Figures
) -> None:
    found = simulated(noise, sd, boot_sd)
    assert found.runs == pytest.approx(expected.runs, abs=0.3)
    assert found.half == pytest.approx(expected.half, abs=near(expected.half))
    assert found.one == pytest.approx(expected.one, abs=near(expected.one))
    assert found.two == pytest.approx(expected.two, abs=near(expected.two))


# Standard deviation of visits -> how often "they differ by more than 1 %" is said of a change of 0, 1, 2 and 5 %.
SAID = {
    0.0: (0.035, 0.498, 0.981, 1.0),
    0.5: (0.242, 0.510, 0.880, 1.0),
    1.0: (0.504, 0.588, 0.771, 0.996),
}


@pytest.mark.parametrize("boot_sd", SAID)
def test_to_take_the_spread_for_a_margin_of_error_is_wrong_as_often_as_visits_differ(boot_sd: float) -> None:
    for change, expected in zip((0.0, 1.0, 2.0, 5.0), SAID[boot_sd], strict=True):
        assert simulated(normal, 0.5, boot_sd, change).one == pytest.approx(expected, abs=near(expected))


VISITS = 3

# (standard deviation of visits) -> how often Welch's test at .05 tells minima of three visits apart from three of a kernel that is
# slower by 0, 1, 2 and 5 %; skewed noise of 0.5 %.
TOLD_APART = {
    0.3: (0.035, 0.647, 0.984, 1.0),
    1.0: (0.032, 0.118, 0.358, 0.966),
}


@pytest.mark.parametrize("boot_sd", TOLD_APART)
def test_minima_of_several_visits_are_told_apart_by_how_visits_differ(boot_sd: float) -> None:
    source, tests = random.Random(2006), PAIRS // 2
    for change, expected in zip((0.0, 1.0, 2.0, 5.0), TOLD_APART[boot_sd], strict=True):
        old, new = (
            [[visit(source, skewed, 0.5, boot_sd, one)[0] for _ in range(VISITS)] for _ in range(tests)] for one in (0.0, change)
        )
        told = float((stats.ttest_ind(old, new, axis=1, equal_var=False).pvalue < 0.05).mean())
        assert told == pytest.approx(expected, abs=4.0 * math.sqrt(expected * (1.0 - expected) / tests) + 0.01)
