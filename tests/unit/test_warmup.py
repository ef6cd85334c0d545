"""Where a warm-up ends: by examples, by properties, and by simulation."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.stats.warmup import LEAST, truncation

# Whole numbers: their sums and squares are exact.
VALUES = st.lists(st.integers(0, 10**6).map(float), max_size=30)


@pytest.mark.parametrize("values", [[], [9.0], [9.0, 1.0], [9.0, 1.0, 1.0]])
def test_of_few_values_none_is_dropped(values: list[float]) -> None:
    assert len(values) < LEAST
    assert truncation(values) == 0


@pytest.mark.parametrize(
    ("values", "dropped"),
    [
        ([90.0, 10.0, 11.0, 10.0], 1),
        ([500.0, 100.0, 10.0, 11.0, 10.0, 11.0], 2),
        ([10.0, 11.0, 10.0, 11.0, 10.0, 11.0], 0),
        ([10.0, 11.0, 10.0, 90.0, 10.0, 11.0], 0),
        ([5.0, 10.0, 11.0, 10.0, 11.0, 10.0], 1),
        ([7.0, 7.0, 7.0, 7.0], 0),
    ],
    ids=["slow first", "two slow first", "no warm-up", "a slow one amid", "fast first", "all equal"],
)
def test_what_is_dropped_is_what_lies_apart_at_the_start(values: list[float], dropped: int) -> None:
    assert truncation(values) == dropped


@given(VALUES)
def test_at_most_half_of_the_values_are_dropped(values: list[float]) -> None:
    assert 0 <= truncation(values) <= len(values) // 2


@given(VALUES)
def test_what_stays_has_the_least_variance_of_its_mean(values: list[float]) -> None:
    def error(cut: int) -> float:
        return statistics.pvariance(values[cut:]) / (len(values) - cut)

    if len(values) >= LEAST:
        assert error(truncation(values)) == min(error(cut) for cut in range(len(values) // 2 + 1))


@given(VALUES, st.sampled_from([0.25, 2.0, 1024.0]))
def test_the_cut_does_not_depend_on_the_unit(values: list[float], factor: float) -> None:
    assert truncation([factor * value for value in values]) == truncation(values)


@given(VALUES, st.integers(0, 10**6))
def test_the_cut_does_not_depend_on_what_all_values_have_in_common(values: list[float], more: int) -> None:
    assert truncation([value + more for value in values]) == truncation(values)


# ---- simulation ----

SERIES = 600


def errors(results: int, warmup_sd: float, seed: int = 1) -> tuple[Sequence[float], Sequence[float]]:
    """Of the mean of all results and of that of those that stay, in standard deviations of one, in SERIES series.

    A warm-up begins at `warmup_sd` and decays by e over three results.
    """
    noise = random.Random(seed)
    series = [[noise.gauss(0.0, 1.0) + warmup_sd * math.exp(-place / 3.0) for place in range(results)] for _ in range(SERIES)]
    return [statistics.fmean(each) for each in series], [statistics.fmean(each[truncation(each) :]) for each in series]


def rms(found: Sequence[float]) -> float:
    return math.sqrt(statistics.fmean(error * error for error in found))


@pytest.mark.parametrize(
    ("results", "bias", "rest"), [(20, 1.77, 0.25), (10, 3.40, 1.20)], ids=["20 results", "10 results, too few to leave it behind"]
)
def test_a_warm_up_of_ten_deviations_is_cut_to_what_the_docstring_says(results: int, bias: float, rest: float) -> None:
    whole, cut = errors(results, warmup_sd=10.0)
    assert statistics.fmean(whole) == pytest.approx(bias, abs=0.05)
    assert statistics.fmean(cut) == pytest.approx(rest, abs=0.06)


def test_the_error_of_twenty_results_with_a_warm_up_falls_to_a_quarter() -> None:
    whole, cut = errors(20, warmup_sd=10.0)
    assert rms(whole) == pytest.approx(1.78, abs=0.04)
    assert rms(cut) == pytest.approx(0.41, abs=0.04)


@pytest.mark.parametrize(("results", "cost"), [(30, 1.09), (20, 1.12), (10, 1.20), (5, 1.19)])
def test_without_a_warm_up_the_cut_costs_a_tenth_of_the_error_of_many_results_and_a_fifth_of_few(results: int, cost: float) -> None:
    whole, cut = errors(results, warmup_sd=0.0)
    assert rms(cut) / rms(whole) == pytest.approx(cost, abs=0.05)
    assert statistics.fmean(cut) == pytest.approx(0.0, abs=4.0 * rms(cut) / math.sqrt(SERIES))
