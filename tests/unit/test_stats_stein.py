"""Stein's two stages: by published figures, by simulation, and what is said where the first stage is too short."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.stats.stein import interval, second_stage

SD = 5.0
RUNS = 4000
SDS = st.floats(0.001, 100.0)
DFS = st.integers(1, 60)


def simulated(first: int, half_width: float, seed: int = 1945) -> tuple[float, float, float]:
    """The mean number of values, and how often the true mean, 0, lies within the interval and within +-`half_width`."""
    noise = np.random.default_rng(seed)
    pilots = noise.normal(0.0, SD, (RUNS, first))
    totals, inside, near = [], [], []
    for pilot in pilots:
        sd = float(pilot.std(ddof=1))
        total = second_stage(sd, first - 1, half_width, first=first).total
        assert total is not None
        rest = total - first
        mean = (float(pilot.sum()) + float(noise.normal(0.0, SD * math.sqrt(rest)))) / total
        low, high = interval(mean, sd, first - 1, total)
        totals.append(total)
        inside.append(low <= 0.0 <= high)
        near.append(abs(mean) <= half_width)
    return float(np.mean(totals)), float(np.mean(inside)), float(np.mean(near))


@pytest.mark.parametrize(
    ("half_width", "published", "error"),
    [(1.789, 40.5, 1.2), (1.386, 67.2, 2.0), (0.980, 133.84, 4.0)],
    ids=["1.789", "1.386", "0.980"],
)
def test_after_ten_values_it_takes_as_many_as_published(half_width: float, published: float, error: float) -> None:
    """The errors are 4 standard errors of a mean of 4000 runs: the number varies as chi squared of 9 degrees of freedom."""
    total, inside, near = simulated(10, half_width)
    assert total == pytest.approx(published, abs=error)
    assert min(inside, near) >= 0.95 - 4.0 * math.sqrt(0.05 * 0.95 / RUNS)


@pytest.mark.parametrize(
    ("first", "half", "expected"), [(3, SD / 2, 74.7), (5, SD / 2, 31.4), (10, SD / 2, 21.2), (10, SD / 3, 46.6)]
)
def test_a_short_first_stage_makes_a_long_second(first: int, half: float, expected: float) -> None:
    total, inside, _ = simulated(first, half)
    spread = math.sqrt(2.0 / (first - 1)) * expected / math.sqrt(RUNS)
    assert total == pytest.approx(expected, abs=4.0 * spread + 0.2)
    assert inside >= 0.95 - 4.0 * math.sqrt(0.05 * 0.95 / RUNS)


def test_the_number_is_that_of_the_interval_of_the_first_stage() -> None:
    assert second_stage(5.0, 9, 1.789, first=10).total == math.ceil((2.2621572 * 5.0 / 1.789) ** 2)


@given(SDS, DFS, st.floats(0.001, 100.0), st.sampled_from([0.9, 0.95, 0.99]), st.integers(2, 20))
def test_the_interval_is_as_narrow_as_was_asked_for(sd: float, df: int, half_width: float, level: float, first: int) -> None:
    total = second_stage(sd, df, half_width, level, first=first).total
    assert total is not None
    low, high = interval(0.0, sd, df, total, level)
    assert (high - low) / 2.0 <= half_width * (1.0 + 1e-9)
    assert total >= first


@given(SDS, DFS, st.floats(0.001, 100.0))
def test_one_value_less_would_make_it_too_wide(sd: float, df: int, half_width: float) -> None:
    total = second_stage(sd, df, half_width, first=1).total
    assert total is not None
    if total > 1:
        low, high = interval(0.0, sd, df, total - 1)
        assert (high - low) / 2.0 > half_width * (1.0 - 1e-9)


@pytest.mark.parametrize(("df", "price"), [(2, "4.8"), (4, "2.0"), (9, "1.3")])
def test_few_degrees_of_freedom_are_said_with_their_price(df: int, price: str) -> None:
    (said,) = second_stage(1.0, df, 1.0, first=3).doubts
    assert said == (
        f"the standard deviation has {df} degrees of freedom, which makes this plan {price} times as long as a known one would:"
        " 10 or more are cheap, pooled over kernels or from earlier runs"
    )


def test_ten_degrees_of_freedom_are_enough() -> None:
    assert second_stage(1.0, 10, 1.0, first=3).doubts == ()


@pytest.mark.parametrize(
    ("sd", "df", "half_width"),
    [(1.0, 0, 1.0), (math.nan, 5, 1.0), (1.0, math.nan, 1.0), (1.0, 5, 0.0), (math.inf, 5, 1.0), (1e200, 5, 1e-200)],
)
def test_without_a_first_stage_nothing_is_planned(sd: float, df: float, half_width: float) -> None:
    found = second_stage(sd, df, half_width, first=1)
    assert (found.total, len(found.doubts)) == (None, 1)


def test_without_noise_the_first_stage_is_enough() -> None:
    assert second_stage(0.0, 12, 1.0, first=3).total == 3


@pytest.mark.parametrize(("df", "total"), [(0, 5), (2, 0)])
def test_an_interval_of_nothing_is_unknown(df: int, total: int) -> None:
    assert np.isnan(interval(1.0, 1.0, df, total)).all()
