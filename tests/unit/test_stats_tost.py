"""Equivalence by two one-sided tests."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.stats.t import Comparison, pooled
from kdelta.stats.tost import tost, tost_between

OLD = [math.log(value) for value in (100.0, 101.0, 99.0, 100.5, 99.5)]
NEW = [math.log(value) for value in (100.3, 100.9, 99.4, 100.1, 99.8)]
CHANGE = pooled(NEW, OLD)

EFFECTS = st.floats(-3.0, 3.0)


def p(change: Comparison, margin: float) -> float:
    return float(tost(change.estimate, change.se, change.df, margin))


def test_the_example_has_the_ratio_and_intervals_that_are_known() -> None:
    assert math.exp(CHANGE.estimate) == pytest.approx(1.00101, abs=5e-6)
    assert np.exp(CHANGE.interval(0.9)) == pytest.approx((0.99298, 1.00911), abs=5e-6)
    assert np.exp(CHANGE.interval(0.95)) == pytest.approx((0.99106, 1.01107), abs=5e-6)


def test_the_example_is_equivalent_within_two_percent() -> None:
    assert p(CHANGE, math.log(1.02)) == pytest.approx(0.001246, abs=5e-7)


def test_the_example_is_equivalent_within_one_percent_and_no_less() -> None:
    assert p(CHANGE, math.log(1.01)) < 0.05 < p(CHANGE, math.log(1.009))


@given(EFFECTS, st.floats(0.05, 2.0), st.integers(1, 30), st.floats(0.01, 3.0))
def test_p_is_below_5_percent_where_the_90_percent_interval_lies_inside(d: float, se: float, df: int, margin: float) -> None:
    change = Comparison(d, se, df, d / se, math.nan)
    low, high = change.interval(0.9)
    found = p(change, margin)
    assert 0.0 <= found <= 1.0
    if abs(found - 0.05) > 1e-9:
        assert (found < 0.05) == (-margin < low and high < margin)


@given(EFFECTS, st.floats(0.05, 2.0), st.floats(0.01, 3.0))
def test_the_direction_of_the_effect_does_not_matter(d: float, se: float, margin: float) -> None:
    assert tost(d, se, 5, margin) == pytest.approx(float(tost(-d, se, 5, margin)))


@pytest.mark.parametrize(("estimate", "expected"), [(0.0, 0.0), (-0.0099, 0.0), (0.01, 1.0), (-0.02, 1.0)])
def test_without_error_it_is_inside_or_not(estimate: float, expected: float) -> None:
    assert tost(estimate, 0.0, math.nan, 0.01) == expected


@pytest.mark.parametrize(
    "arguments",
    [(math.nan, 0.1, 4, 1), (0.0, math.nan, 4, 1), (0.0, 0.1, math.nan, 1), (0.0, 0.1, 4, math.nan), (math.nan, 0, 4, 1)],
)
def test_what_is_not_known_stays_so(arguments: tuple[float, float, float, float]) -> None:
    assert math.isnan(float(tost(*arguments)))


def test_arrays_are_broadcast() -> None:
    found = tost(np.array([[0.0], [0.5]]), np.array([0.1, 0.0, np.nan]), 4.0, 0.3)
    assert found.shape == (2, 3)
    assert found[0, 0] == tost(0.0, 0.1, 4.0, 0.3)
    assert found[:, 1].tolist() == [0.0, 1.0]
    assert np.isnan(found[:, 2]).all()


def test_bounds_need_not_be_opposite() -> None:
    assert tost_between(0.1, 0.1, 9, -0.2, 0.5) == pytest.approx(float(tost(-0.05, 0.1, 9, 0.35)), abs=1e-12)
    assert tost_between(0.3, 0.0, 9, 0.2, 0.5) == 0.0


# ---- simulation ----


def test_an_effect_at_the_margin_is_called_equivalent_in_5_percent() -> None:
    runs, n = 40_000, 5
    noise = np.random.default_rng(3).normal(0.3, 0.1, (runs, n))
    found = tost(noise.mean(-1), noise.std(-1, ddof=1) / math.sqrt(n), n - 1, 0.3)
    assert float(np.mean(found <= 0.05)) == pytest.approx(0.05, abs=4.0 * math.sqrt(0.05 * 0.95 / runs))
