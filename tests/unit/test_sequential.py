"""Looking after every round: levels against figures of an earlier simulation, and what they and p have to do with each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from kdelta.stats.levels import ALPHAS, FIRST, LEVELS
from kdelta.stats.sequential import MOST_ROUNDS, Looks, half_width, two_sided

Array = NDArray[np.float64]

CAPS = st.integers(4, 60)
OVERALL = st.floats(1e-6, 0.5)

# Overall level -> nominal level of each look, by the last round: of a simulation of its own, with the digits that it gave.
PUBLISHED = {
    0.10: {5: 0.0492, 6: 0.0408, 8: 0.0319, 10: 0.0270, 12: 0.0238, 15: 0.0207, 20: 0.0176},
    0.05: {5: 0.0227, 6: 0.0187, 8: 0.0143, 10: 0.0120, 12: 0.0105, 15: 0.0091, 20: 0.0077},
    0.01: {5: 0.0040, 6: 0.0032, 8: 0.0024, 10: 0.0020, 12: 0.0017, 15: 0.0015, 20: 0.0012},
}
HALF_A_DIGIT = 0.00005

# Nominal level -> overall, of ten rounds.
OF_TEN = [(0.0624, 0.2), (0.0270, 0.1), (0.01204, 0.05), (0.00427, 0.02), (0.00200, 0.01), (0.00095, 0.005), (0.00035, 0.002)]


@pytest.mark.parametrize(("alpha", "cap"), [(alpha, cap) for alpha, caps in PUBLISHED.items() for cap in caps])
def test_levels_are_those_of_an_earlier_simulation(alpha: float, cap: int) -> None:
    assert Looks(FIRST, cap).level(alpha) == pytest.approx(PUBLISHED[alpha][cap], rel=0.015, abs=HALF_A_DIGIT)


@pytest.mark.parametrize(("level", "alpha"), OF_TEN)
def test_p_of_ten_rounds_is_that_of_an_earlier_simulation(level: float, alpha: float) -> None:
    assert float(Looks(FIRST, 10).p(np.array(level))) == pytest.approx(alpha, rel=0.025)


@pytest.mark.parametrize(("first", "cap", "level"), [(4, 8, 0.0179), (4, 10, 0.0145), (4, 20, 0.0088), (5, 10, 0.0176)])
def test_looks_that_begin_later_are_taken_for_more_than_they_are(first: int, cap: int, level: float) -> None:
    assert Looks(first, cap).level(0.05) < level


# ---- level and p ----


@given(CAPS, OVERALL)
def test_the_p_of_a_level_is_the_overall_level_that_it_was_made_of(cap: int, alpha: float) -> None:
    looks = Looks(FIRST, cap)
    assert float(looks.p(np.array(looks.level(alpha)))) == pytest.approx(alpha, rel=1e-9)


@given(CAPS, st.floats(1e-9, 0.1))
def test_a_p_is_reached_by_the_level_that_it_says(cap: int, least: float) -> None:
    """Just so between tabulated levels, and safely below the least of them."""
    looks = Looks(FIRST, cap)
    overall = float(looks.p(np.array(least)))
    assert looks.level(overall) == pytest.approx(least, rel=1e-9) or looks.level(overall) > least


@given(CAPS, OVERALL, OVERALL)
def test_more_overall_is_more_at_each_look(cap: int, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert Looks(FIRST, cap).level(low) <= Looks(FIRST, cap).level(high)


@given(CAPS, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_less_p_at_one_look_is_a_less_p_of_all(cap: int, one: float, other: float) -> None:
    low, high = np.sort([one, other])
    assert Looks(FIRST, cap).p(low) <= Looks(FIRST, cap).p(high)


@given(CAPS, OVERALL)
def test_more_looks_leave_less_to_each(cap: int, alpha: float) -> None:
    assert Looks(FIRST, cap + 1).level(alpha) <= Looks(FIRST, cap).level(alpha)


@given(CAPS, OVERALL)
def test_a_level_lies_between_that_of_one_look_and_what_bonferroni_leaves(cap: int, alpha: float) -> None:
    looks = Looks(FIRST, cap)
    assert alpha / looks.number <= looks.level(alpha) <= alpha


@given(CAPS)
def test_p_goes_from_0_to_1(cap: int) -> None:
    assert Looks(FIRST, cap).p(np.array([0.0, 1.0])).tolist() == [0.0, 1.0]


def test_an_unknown_p_stays_unknown() -> None:
    assert np.isnan(Looks(FIRST, 10).p(np.array([np.nan, 0.01]))).tolist() == [True, False]


# ---- one look, and many ----


@pytest.mark.parametrize("looks", [Looks(), Looks(3, 3), Looks(10, 10), Looks(100, 100)])
@pytest.mark.parametrize("alpha", [0.9, 0.05, 0.012, 1e-7])
def test_one_look_is_no_looking(looks: Looks, alpha: float) -> None:
    assert (looks.level(alpha), float(looks.p(np.array(alpha)))) == (alpha, alpha)


def test_the_tabulated_levels_of_one_look_are_those_overall() -> None:
    assert LEVELS[FIRST] == ALPHAS


@pytest.mark.parametrize("cap", [61, 100, 300, 1000])
def test_beyond_the_table_a_level_falls_faster_than_it_would(cap: int) -> None:
    """By the logarithm of the rounds it would fall as it does inside the table, from 30 to 60."""
    half = Looks(FIRST, MOST_ROUNDS // 2).level(0.05) / Looks(FIRST, MOST_ROUNDS).level(0.05)
    would = Looks(FIRST, MOST_ROUNDS).level(0.05) * half ** -np.log2(cap / MOST_ROUNDS)
    assert 0.05 / Looks(FIRST, cap).number < Looks(FIRST, cap).level(0.05) < would


def test_beyond_the_table_false_positives_stay_below_the_level() -> None:
    rounds = np.arange(1.0, 201.0)
    difference = np.random.default_rng(1977).normal(size=(4000, 200))
    middle = np.cumsum(difference, axis=1) / rounds
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.sqrt((np.cumsum(difference**2, axis=1) - rounds * middle**2) / (rounds - 1.0) / rounds)
    least = two_sided(middle[:, 2:], se[:, 2:], np.broadcast_to(rounds[2:] - 1.0, (4000, 198))).min(1)
    assert 0.01 < (Looks(FIRST, 200).p(least) <= 0.05).mean() < 0.05


# ---- p and intervals ----


@given(st.floats(-10.0, 10.0), st.floats(0.01, 10.0), st.floats(1.0, 100.0))
def test_p_is_that_of_students_t(estimate: float, se: float, df: float) -> None:
    found = two_sided(np.array(estimate), np.array(se), np.array(df))
    assert float(found) == pytest.approx(2.0 * stats.t.sf(abs(estimate) / se, df), rel=1e-9)


@pytest.mark.parametrize(("estimate", "p"), [(0.0, 1.0), (0.001, 0.0), (-0.001, 0.0)])
def test_without_noise_there_is_a_difference_or_none(estimate: float, p: float) -> None:
    assert float(two_sided(np.array(estimate), np.array(0.0), np.array(4.0))) == p


@pytest.mark.parametrize(("estimate", "se", "df"), [(np.nan, 1.0, 4.0), (1.0, np.nan, 4.0), (1.0, 1.0, 0.0), (1.0, 1.0, np.nan)])
def test_p_is_unknown_where_something_is(estimate: float, se: float, df: float) -> None:
    assert np.isnan(two_sided(np.array(estimate), np.array(se), np.array(df)))


@given(st.floats(0.01, 10.0), st.floats(1.0, 100.0), st.floats(1e-5, 0.5))
def test_an_interval_ends_where_p_is_its_level(se: float, df: float, level: float) -> None:
    half = half_width(np.array(se), np.array(df), level)
    assert float(two_sided(half, np.array(se), np.array(df))) == pytest.approx(level, rel=1e-6)


@pytest.mark.parametrize(("se", "df"), [(np.nan, 4.0), (1.0, 0.0)])
def test_an_interval_of_nothing_is_infinite(se: float, df: float) -> None:
    assert np.isinf(half_width(np.array(se), np.array(df), 0.05))


def test_an_interval_without_noise_is_a_point() -> None:
    assert float(half_width(np.array(0.0), np.array(4.0), 0.05)) == 0.0
