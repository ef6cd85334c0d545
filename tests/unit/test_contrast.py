"""Contrasts with the base: whose noise they are judged by, and Welch's test where there are no rounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from kdelta.stats.blocks import fit
from kdelta.stats.contrast import OWN_NOISE, Estimates, estimates, unpaired
from kdelta.stats.sequential import two_sided

Array = NDArray[np.float64]
NAN = np.nan


def drawn(*shape: int, seed: int = 1, noisy: float = 1.0) -> Array:
    """Of (..., rounds, columns); the last column has `noisy` times the noise of the others."""
    values = np.random.default_rng(seed).normal(size=shape)
    values[..., -1] *= noisy
    return values


def p_of(found: Estimates) -> Array:
    return two_sided(found.estimate, found.se, found.df)


# ---- whose noise ----


@given(st.integers(2, 8), st.integers(0, 10**6))
def test_two_columns_have_no_other_noise_than_their_own(rounds: int, seed: int) -> None:
    found = estimates(fit(drawn(rounds, 2, seed=seed)))
    assert not found.own.any()
    assert found.df[:, 1].tolist() == list(range(rounds))


@given(st.integers(2, 8), st.integers(0, 10**6))
def test_two_columns_are_a_paired_t_test(rounds: int, seed: int) -> None:
    values = drawn(rounds, 2, seed=seed)
    expected = stats.ttest_rel(values[:, 1], values[:, 0])
    found = estimates(fit(values))
    assert (found.estimate / np.where(found.se > 0.0, found.se, NAN))[-1, 1] == pytest.approx(expected.statistic, rel=1e-6)
    assert p_of(found)[-1, 1] == pytest.approx(expected.pvalue, rel=1e-6)


def test_a_column_of_much_noise_is_judged_by_its_own_and_leaves_the_others_theirs() -> None:
    values = drawn(400, 6, 4, noisy=10.0)
    own = estimates(fit(values)).own[:, -1]
    assert own[:, 3].mean() > 0.95
    assert own[:, 1:3].mean() < 0.05


def test_without_more_noise_a_contrast_is_judged_by_its_own_as_often_as_chance_has_it() -> None:
    own = estimates(fit(drawn(4000, 6, 4))).own[:, -1, 1:]
    assert own.mean(0) == pytest.approx(OWN_NOISE, abs=4.0 * np.sqrt(OWN_NOISE * (1.0 - OWN_NOISE) / 4000))


def test_its_own_noise_is_that_of_the_differences_in_rounds() -> None:
    values = drawn(6, 4, noisy=30.0)
    found, difference = estimates(fit(values)), values[:, 3] - values[:, 0]
    assert found.own[-1].tolist() == [False, False, False, True]
    assert found.estimate[-1, 3] == pytest.approx(difference.mean())
    assert found.se[-1, 3] == pytest.approx(difference.std(ddof=1) / np.sqrt(6.0))
    assert (found.df[-1, 3], found.variance[-1, 3]) == (5.0, pytest.approx(difference.var(ddof=1) / 2.0))


def test_pooled_noise_has_the_degrees_of_freedom_of_all_columns() -> None:
    values = drawn(6, 4, noisy=30.0)
    found, fits = estimates(fit(values)), fit(values)
    assert found.df[-1, 1] == 15.0
    assert found.se[-1, 1] == pytest.approx(np.sqrt(fits.variance[-1] * 2.0 / 6.0))


def test_a_column_that_left_is_judged_by_the_rounds_that_it_was_in() -> None:
    values = drawn(8, 3, noisy=30.0)
    values[4:, 2] = NAN
    found = estimates(fit(values))
    assert found.own[-1, 2]
    assert found.df[-1, 2] == 3.0
    assert found.se[-1, 2] == found.se[3, 2]


def false_positives(columns: int, noisy: float = 1.0) -> float:
    """Of the last column, after six rounds, at .05."""
    return float((p_of(estimates(fit(drawn(8000, 6, columns, noisy=noisy))))[:, -1, -1] <= 0.05).mean())


@pytest.mark.parametrize("columns", [3, 5, 8])
def test_with_equal_noise_false_positives_stay_below_their_level(columns: int) -> None:
    assert false_positives(columns) == pytest.approx(0.049, abs=0.008)


@pytest.mark.parametrize("columns", [3, 5, 8])
def test_a_column_of_three_times_the_noise_is_not_often_called_different(columns: int) -> None:
    assert false_positives(columns, noisy=3.0) < 0.08


# ---- the least variance ----


def test_no_variance_is_less_than_results_of_their_resolution_can_show() -> None:
    values = np.array([[1.0, 2.0, 3.0]] * 4)
    found = estimates(fit(values), floor=0.25)
    assert found.variance[1:].tolist() == [[0.25] * 3] * 3
    assert found.se[-1, 1:] == pytest.approx(np.sqrt(0.25 * 2.0 / 4.0))


def test_a_floor_below_the_noise_changes_nothing() -> None:
    fits = fit(drawn(6, 4))
    assert np.array_equal(estimates(fits, floor=1e-6).se, estimates(fits).se, equal_nan=True)


@pytest.mark.parametrize("others", [0, 1, 2])
@pytest.mark.parametrize("columns", [2, 3, 5, 8])
def test_equal_columns_without_noise_are_not_called_different(columns: int, others: int) -> None:
    """They have one value in all of ten rounds, and `others` another one; of 500 logarithms of numbers up to 10^13."""
    levels = np.random.default_rng(3).uniform(1.0, 30.0, 500)
    values = np.tile(levels[:, None, None], (1, 10, columns + others))
    values[..., columns:] += 0.3
    assert p_of(estimates(fit(values)))[:, 2:, 1].min() > 0.5


def test_columns_without_noise_that_differ_are_called_different() -> None:
    assert p_of(estimates(fit(np.full((5, 2), 9.0) + np.array([0.0, 1e-6]))))[-1, 1] < 1e-6


# ---- without rounds ----


@st.composite
def sides(draw: st.DrawFn) -> tuple[Array, Array]:
    """Two samples of different lengths."""
    numbers = st.integers(-1000, 1000).map(lambda number: number / 64.0)
    one, other = (draw(st.lists(numbers, min_size=2, max_size=7)) for _ in range(2))
    return np.array(one), np.array(other)


def padded(one: Array, other: Array) -> Array:
    values = np.full((max(one.size, other.size), 2), NAN)
    values[: one.size, 0], values[: other.size, 1] = one, other
    return values


@given(sides())
def test_columns_without_rounds_are_compared_by_welchs_test(both: tuple[Array, Array]) -> None:
    if min(np.ptp(side) for side in both) == 0.0:
        return
    expected = stats.ttest_ind(both[1], both[0], equal_var=False)
    found = unpaired(padded(*both))
    assert found.estimate[-1, 1] == pytest.approx(both[1].mean() - both[0].mean(), abs=1e-9)
    assert found.df[-1, 1] == pytest.approx(expected.df, rel=1e-6)
    assert p_of(found)[-1, 1] == pytest.approx(expected.pvalue, rel=1e-5, abs=1e-12)


@given(sides())
def test_after_each_value_it_is_welchs_test_of_those_so_far(both: tuple[Array, Array]) -> None:
    values = padded(*both)
    whole = unpaired(values)
    for count in range(1, len(values) + 1):
        early = unpaired(values[:count])
        assert early.estimate[-1] == pytest.approx(whole.estimate[count - 1], nan_ok=True, abs=1e-9)
        assert early.se[-1] == pytest.approx(whole.se[count - 1], nan_ok=True, abs=1e-6)
        if early.se[-1, 1] > 1e-3:
            assert early.df[-1] == pytest.approx(whole.df[count - 1])


def test_of_one_value_nothing_is_known() -> None:
    found = unpaired(np.array([[1.0, 2.0], [1.5, NAN]]))
    assert np.isnan(found.se[:, 1]).all()
    assert np.isnan(p_of(found)[:, 1]).all()


def test_equal_values_on_each_side_are_a_difference_or_none() -> None:
    found = unpaired(np.array([[1.0, 2.0, 1.0]] * 4))
    assert p_of(found)[-1] == pytest.approx([1.0, 0.0, 1.0], abs=1e-9)


@pytest.mark.parametrize("sd", [1e-3, 1e-5, 1e-7])
def test_noise_that_is_small_beside_the_values_is_seen(sd: float) -> None:
    """Logarithms of large counts that hardly vary."""
    values = 15.0 + sd * drawn(2000, 5, 2)
    expected = stats.ttest_ind(values[..., 1], values[..., 0], axis=1, equal_var=False)
    assert p_of(unpaired(values))[:, -1, 1] == pytest.approx(expected.pvalue, abs=0.01)
