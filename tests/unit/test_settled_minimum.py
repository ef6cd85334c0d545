"""What the settled rule does to the minimum that tables show, by simulation: docs/reports.md says it in these numbers."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable

import pytest

from kdelta.model.plan import Rule
from kdelta.run.rule import step

VISITS = 3000
FOREVER = 1e9


def minimum(draw: Callable[[], float], rule: Rule) -> float:
    """Of the results that one visit keeps."""
    results: list[float] = []
    while True:
        results.append(draw())
        said = step(rule, results, 0.0, FOREVER)
        if not said.again:
            return min(result for place, result in enumerate(results) if place not in said.discards)


def bias_percent(draw: Callable[[random.Random], float], mean: float) -> float:
    """Of the mean of many visits' minima against the true mean."""
    noise = random.Random(2006)
    return 100.0 * (statistics.fmean(minimum(lambda: draw(noise), Rule()) for _ in range(VISITS)) / mean - 1.0)


@pytest.mark.parametrize(("sd", "bias"), [(0.003, -0.24), (0.005, -0.30), (0.01, -0.38), (0.02, -1.06)])
def test_under_symmetric_noise_the_minimum_lies_below_the_mean_by_an_amount_that_depends_on_it(sd: float, bias: float) -> None:
    assert bias_percent(lambda noise: noise.gauss(1.0, sd), 1.0) == pytest.approx(bias, abs=0.06)


@pytest.mark.parametrize("sd", [0.003, 0.005, 0.01])
def test_under_noise_that_only_adds_the_minimum_stays_within_half_a_deviation_of_the_floor(sd: float) -> None:
    above = bias_percent(lambda noise: 1.0 + noise.expovariate(1.0 / sd), 1.0)
    assert 0.25 * 100.0 * sd < above < 0.5 * 100.0 * sd
