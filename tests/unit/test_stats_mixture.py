"""The confidence sequence for a known standard deviation: against the authors' own code, by properties, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.stats.mixture import best_rho, bound, log_mixture

SIZES = st.floats(0.1, 1e6)
ALPHAS = st.sampled_from([0.2, 0.05, 0.001])


def test_the_authors_values_are_found() -> None:
    rho = best_rho(100.0, 0.05)
    assert rho == pytest.approx(12.60056, abs=5e-6)
    assert float(bound(100.0, rho, 0.05)) == pytest.approx(30.35209, abs=5e-6)
    assert float(log_mixture(10.0, 100.0, rho)) == pytest.approx(-0.6510052, abs=5e-8)


@given(SIZES, SIZES, ALPHAS)
def test_at_the_bound_the_evidence_is_just_enough(v: float, rho: float, alpha: float) -> None:
    assert float(log_mixture(bound(v, rho, alpha), v, rho)) == pytest.approx(-math.log(alpha))


@given(st.floats(-1e3, 1e3), SIZES, SIZES)
def test_the_evidence_does_not_depend_on_the_direction(s: float, v: float, rho: float) -> None:
    assert log_mixture(s, v, rho) == log_mixture(-s, v, rho)


@given(SIZES, ALPHAS)
def test_the_bound_is_about_as_narrow_as_can_be_where_it_was_tuned(v: float, alpha: float) -> None:
    tuned = float(bound(v, best_rho(v, alpha), alpha))
    assert tuned <= min(float(bound(v, factor * best_rho(v, alpha), alpha)) for factor in (0.2, 0.5, 2.0, 5.0))


def test_before_the_first_value_there_is_no_evidence() -> None:
    assert float(log_mixture(0.0, 0.0, 1.0)) == 0.0


def test_it_takes_arrays() -> None:
    assert bound(np.arange(1.0, 5.0), 2.0, 0.05).shape == (4,)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_the_true_mean_is_rarely_left_however_often_one_looks(alpha: float) -> None:
    sums = np.random.default_rng(2021).normal(size=(4000, 300)).cumsum(1)
    rounds = np.arange(1.0, 301.0)
    left = (np.abs(sums) > bound(rounds, best_rho(10.0, alpha), alpha)).any(1).mean()
    assert 0.3 * alpha < left <= alpha


@pytest.mark.parametrize(("df", "errs"), [(4, 0.18), (10, 0.08), (20, 0.05), (30, 0.04)])
def test_a_deviation_of_few_degrees_of_freedom_is_not_a_known_one(df: int, errs: float) -> None:
    noise = np.random.default_rng(10)
    sums = noise.normal(size=(4000, 100)).cumsum(1) / np.sqrt(noise.chisquare(df, (4000, 1)) / df)
    left = (np.abs(sums) > bound(np.arange(1.0, 101.0), best_rho(10.0, 0.05), 0.05)).any(1).mean()
    assert left == pytest.approx(errs, abs=0.02)
