"""Drift, outliers, rounding and unequal noise: by examples, by properties, and by how often chance raises an alarm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from kdelta.stats.checks import (
    DRIFT_LEAST,
    DRIFT_P,
    FAR_FOR_HYPERFINE,
    FAR_FROM_MEDIAN,
    UNEQUAL_SDS,
    Drift,
    drift,
    outliers,
    resolution,
    resolution_floor,
    sd_ratio,
)

WHOLE = st.integers(-1000, 1000).map(float)

# ---- drift ----


@pytest.mark.parametrize(
    ("values", "ratio"),
    [([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 5.0 / 17.5), ([1.0, -1.0] * 3, 20.0 / 6.0), ([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], 1.0 / 1.5)],
    ids=["rising", "alternating", "a step"],
)
def test_the_ratio_is_that_of_neighbours_differences_to_deviations_from_the_mean(values: list[float], ratio: float) -> None:
    assert drift(values).ratio == pytest.approx(ratio)


def test_p_is_the_share_of_all_orders_with_so_small_a_ratio() -> None:
    values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6]

    def squares(order: Sequence[float]) -> float:
        return sum((b - a) ** 2 for a, b in itertools.pairwise(order))

    share = np.mean([squares(order) <= squares(values) + 1e-9 for order in itertools.permutations(values)])
    assert drift(values).p == pytest.approx(share, abs=4.0 * math.sqrt(share * (1.0 - share) / 2000))


def test_what_rises_all_the_time_drifts_and_is_said_to() -> None:
    found = drift([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    assert found.p is not None
    assert found.p <= DRIFT_P
    assert found.doubts == (
        "results drift in the order in which they were measured (von Neumann ratio 0.17, p 0.0005): compare within rounds only,"
        " and find what changes",
    )


def test_of_many_results_the_normal_distribution_says_what_random_orders_would() -> None:
    noise = np.random.default_rng(6)
    values = noise.normal(size=120)
    orders = noise.permuted(np.tile(values, (4000, 1)), axis=1)
    share = float(((np.diff(orders) ** 2).sum(1) <= (np.diff(values) ** 2).sum()).mean())
    assert 0.1 < share < 0.9
    assert drift(values).p == pytest.approx(share, abs=0.04)


def test_an_order_that_chance_gives_in_one_of_fifty_cases_is_not_yet_called_a_drift() -> None:
    found = drift([1.0, 2.0, 3.0, 5.0, 4.0, 6.0])
    assert found.p is not None
    assert DRIFT_P < found.p < 0.05
    assert found.doubts == ()


def test_alternation_is_no_drift() -> None:
    found = drift([1.0, 2.0] * 6)
    assert found.p == pytest.approx(1.0, abs=0.01)
    assert found.doubts == ()


def test_too_few_results_are_said_and_equal_ones_have_nothing_to_test() -> None:
    assert drift([1.0] * (DRIFT_LEAST - 1)) == Drift(None, None, ("5 residuals cannot show a drift: 6 or more can",))
    assert drift([1.0] * DRIFT_LEAST) == Drift(None, None)


def test_six_results_are_the_fewest_that_can_raise_an_alarm() -> None:
    """Of their 720 orders only the rising and the falling one have the smallest ratio; of 120 that is too large a share."""
    rising = np.arange(float(DRIFT_LEAST))
    assert drift(rising).doubts != ()
    assert 2.0 / math.factorial(DRIFT_LEAST - 1) > DRIFT_P > 2.0 / math.factorial(DRIFT_LEAST)


@settings(max_examples=30)
@given(st.lists(WHOLE, min_size=DRIFT_LEAST, max_size=20), st.sampled_from([0.5, 4.0]), WHOLE)
def test_neither_unit_nor_level_nor_direction_of_time_matters(values: list[float], unit: float, level: float) -> None:
    found, other = drift(values), drift([level + unit * value for value in reversed(values)])
    assert other.ratio == (None if found.ratio is None else pytest.approx(found.ratio))
    assert other.p == (None if found.p is None else pytest.approx(found.p, abs=0.06))


def test_the_same_results_get_the_same_answer() -> None:
    values = np.random.default_rng(1).normal(size=12)
    assert drift(values) == drift(values)


@pytest.mark.parametrize("n", [6, 15, 150])
def test_noise_raises_an_alarm_as_often_as_p_says(n: int) -> None:
    noise, runs = np.random.default_rng(1941), 500
    found = [drift(each).p or 0.0 for each in noise.normal(size=(runs, n))]
    assert np.mean([p <= 0.05 for p in found]) == pytest.approx(0.05, abs=4.0 * math.sqrt(0.05 * 0.95 / runs))


def session(rounds: int, kernels: int, change: float, noise: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Residuals in the order of measurement, while the level changes by `change`: of kernels alone, of kernels and rounds."""
    values = noise.normal(size=(rounds, kernels)) + np.linspace(0.0, change, rounds * kernels).reshape(rounds, kernels)
    slots = np.argsort(noise.random((rounds, kernels)), axis=1)
    by_kernel = np.empty_like(values)
    np.put_along_axis(by_kernel, slots, values, axis=1)
    of_kernels = by_kernel - by_kernel.mean(0)
    of_both = of_kernels - of_kernels.mean(1, keepdims=True)
    return np.take_along_axis(of_kernels, slots, 1).ravel(), np.take_along_axis(of_both, slots, 1).ravel()


def alarms(rounds: int, kernels: int, change: float, runs: int = 120) -> tuple[float, float]:
    noise = np.random.default_rng(22)
    found = [session(rounds, kernels, change, noise) for _ in range(runs)]
    one, both = (np.mean([(drift(pair[place]).p or 1.0) <= DRIFT_P for pair in found]) for place in (0, 1))
    return float(one), float(both)


@pytest.mark.parametrize(("rounds", "kernels", "seen"), [(5, 2, 0.90), (10, 4, 1.0)])
def test_a_drift_is_seen_unless_the_means_of_the_rounds_are_taken_off(rounds: int, kernels: int, seen: float) -> None:
    one, both = alarms(rounds, kernels, 6.0)
    assert one == pytest.approx(seen, abs=0.06)
    assert both == 0.0


@pytest.mark.parametrize(("rounds", "kernels"), [(5, 2), (10, 4)])
def test_a_session_without_drift_raises_an_alarm_in_one_or_two_of_a_hundred(rounds: int, kernels: int) -> None:
    assert alarms(rounds, kernels, 0.0)[0] <= 0.02 + 4.0 * math.sqrt(0.02 / 120)


# ---- outliers ----


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([-0.2, 0.0, 0.2], ()),
        ([-0.2, 0.0, 0.2, 4.0], (3,)),
        ([0.5, 0.30, 0.29, 0.31, 0.30], (0,)),
        ([10.0] * 7 + [100.0], (7,)),
    ],
    ids=["none", "one", "one among values near to each other", "one among equal values"],
)
def test_hyperfines_outliers_are_found(values: list[float], found: tuple[int, ...]) -> None:
    assert outliers(values, FAR_FOR_HYPERFINE) == found


def test_ten_of_hyperfines_deviations_are_its_threshold() -> None:
    assert pytest.approx(10.0 / stats.norm.ppf(0.75), abs=2e-4) == FAR_FOR_HYPERFINE


def test_missing_values_are_passed_over() -> None:
    assert outliers([math.nan, -0.2, 0.0, 0.2, 4.0]) == (4,)
    assert drift([1.0, math.nan, 2.0, 3.0, 5.0, 6.0, math.nan, 7.0]) == drift([1.0, 2.0, 3.0, 5.0, 6.0, 7.0])


@pytest.mark.parametrize("values", [[], [7.0], [7.0, 9.0], [7.0, 7.0, 7.0], [math.nan]])
def test_few_or_equal_values_have_none(values: list[float]) -> None:
    assert outliers(values) == ()


def test_a_value_is_named_only_when_it_is_further_away_than_the_threshold() -> None:
    assert (outliers([-1.0, 0.0, 1.0, 0.0, 5.0, -1.0, 1.0]), outliers([-1.0, 0.0, 1.0, 0.0, 5.1, -1.0, 1.0])) == ((), (4,))


@given(st.lists(WHOLE, max_size=20), st.sampled_from([0.25, 2.0]), WHOLE)
def test_outliers_do_not_depend_on_the_unit_or_the_level(values: list[float], unit: float, level: float) -> None:
    assert outliers([level + unit * value for value in values]) == outliers(values)


@given(st.lists(WHOLE, min_size=1, max_size=20))
def test_less_than_half_of_the_values_are_outliers(values: list[float]) -> None:
    assert 2 * len(outliers(values)) <= len(values)


@pytest.mark.parametrize(("n", "share"), [(3, 0.30), (5, 0.22), (10, 0.14)])
def test_noise_has_outliers_as_often_as_is_said(n: int, share: float) -> None:
    noise = np.random.default_rng(3)
    found = np.mean([bool(outliers(each, FAR_FROM_MEDIAN)) for each in noise.normal(size=(2000, n))])
    assert found == pytest.approx(share, abs=4.0 * math.sqrt(share * (1.0 - share) / 2000) + 0.005)


# ---- rounding ----


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([1.5, 2.25], 0.01),
        ([100.0, 200.0], 1.0),
        ([1e22], 1.0),
        ([0.00012, 0.5], 1e-5),
        ([1150364.96, 6415.21], 0.01),
        ([0.0, 0.1], 0.1),
        ([-3.5], 0.1),
        ([1e-7], 1e-7),
        ([0.1 + 0.2, 0.5], 0.0),
        ([1.0 / 3.0], 0.0),
        ([math.nan, 2.5, math.inf], 0.1),
        ([math.nan], 0.0),
        ([], 0.0),
    ],
)
def test_the_step_is_that_of_the_last_decimal_that_any_value_needs(values: list[float], step: float) -> None:
    assert resolution(values) == pytest.approx(step, rel=1e-12, abs=0.0)


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=10), st.integers(0, 5))
def test_rounded_numbers_have_no_finer_step_than_they_were_rounded_to(values: list[int], places: int) -> None:
    assert resolution([float(f"{value}e-{places}") for value in values]) >= 10.0**-places * (1.0 - 1e-12)


@given(st.lists(st.floats(), max_size=10))
def test_no_number_is_too_odd_for_a_step(values: list[float]) -> None:
    assert 0.0 <= resolution(values) <= 1.0


def test_the_floor_is_the_variance_of_rounded_logarithms() -> None:
    noise = np.random.default_rng(12)
    exact = noise.uniform(99.0, 101.0, 20000)
    errors = np.log(np.round(exact)) - np.log(exact)
    assert resolution_floor(1.0, 100.0) == pytest.approx(float((errors**2).mean()), rel=0.03)


@pytest.mark.parametrize(("step", "value", "floor"), [(0.0, 5.0, 0.0), (1.0, -10.0, 0.01 / 12.0), (1.0, 0.0, math.nan)])
def test_the_floor_is_relative_to_the_value(step: float, value: float, floor: float) -> None:
    assert resolution_floor(step, value) == pytest.approx(floor, nan_ok=True)


def errs(step: float, floored: bool, runs: int = 8000, rounds: int = 10) -> float:
    """How often t at .0117, looked at after each of 3 to 10 rounds, errs on results rounded to `step`, in deviations of a boot."""
    noise = np.random.default_rng(13)
    levels = noise.uniform(0.0, 1.0, (runs, 1, 1))
    values = np.round(noise.normal(size=(runs, rounds, 2)) / step + levels) * step
    differences, n = values[:, :, 1] - values[:, :, 0], np.arange(1, rounds + 1)
    mean = differences.cumsum(1) / n
    variance = ((differences**2).cumsum(1) - n * mean**2)[:, 2:] / (n[2:] - 1)
    least = 2.0 * resolution_floor(step, 1.0) if floored else 1e-9
    reach = special.stdtrit(n[2:] - 1, 1.0 - 0.0117 / 2.0) * np.sqrt(np.maximum(variance, least) / n[2:])
    return float((np.abs(mean[:, 2:]) > reach).any(1).mean())


@pytest.mark.parametrize(
    ("step", "without", "floored"),
    [(0.5, 0.051, 0.045), (1.0, 0.055, 0.037), (2.0, 0.044, 0.023), (3.0, 0.022, 0.011), (5.0, 0.013, 0.006)],
)
def test_the_floor_keeps_rounded_results_from_looking_free_of_noise(step: float, without: float, floored: float) -> None:
    error = 4.0 * math.sqrt(0.05 / 8000)
    assert errs(step, floored=False) == pytest.approx(without, abs=error)
    assert errs(step, floored=True) == pytest.approx(floored, abs=error)


# ---- unequal noise ----


@pytest.mark.parametrize(
    ("sds", "ratio"),
    [
        ([1.0, 3.0], 3.0),
        ([2.0, 1.0, 4.0], 4.0),
        ([0.0, 1.0], math.inf),
        ([0.0, 0.0], math.nan),
        ([1.0], math.nan),
        ([], math.nan),
        ([math.nan, 1.0, 2.0], 2.0),
        ([math.nan, 1.0], math.nan),
    ],
)
def test_the_ratio_of_deviations_is_that_of_the_largest_to_the_smallest(sds: list[float], ratio: float) -> None:
    assert sd_ratio(sds) == pytest.approx(ratio, nan_ok=True)


@pytest.mark.parametrize(
    ("boots", "kernels", "share"),
    [
        (3, 2, 0.20),
        (3, 3, 0.39),
        (3, 5, 0.66),
        (5, 2, 0.06),
        (5, 3, 0.13),
        (5, 5, 0.28),
        (10, 2, 0.003),
        (10, 3, 0.008),
        (10, 5, 0.02),
    ],
)
def test_chance_alone_makes_deviations_look_unequal_as_often_as_is_said(boots: int, kernels: int, share: float) -> None:
    sds = np.random.default_rng(5).normal(size=(2000, kernels, boots)).std(2, ddof=1)
    found = np.mean([sd_ratio(each.tolist()) > UNEQUAL_SDS for each in sds])
    assert found == pytest.approx(share, abs=4.0 * math.sqrt(share * (1.0 - share) / 2000) + 0.005)
