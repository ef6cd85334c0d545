"""The additive model of rounds: against least squares on random designs, in closed form, and where values are missing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kdelta.stats.blocks import Fits, fit, residuals

Array = NDArray[np.float64]
NAN = np.nan

NUMBERS = st.integers(-1000, 1000).map(lambda number: number / 64.0)


@st.composite
def designs(draw: st.DrawFn, *, holes: bool = True) -> Array:
    """Values of some rounds, (rounds, columns); with `holes` any of them may be missing."""
    shape = draw(st.tuples(st.integers(1, 6), st.integers(2, 5)))
    cells = st.one_of(NUMBERS, NUMBERS, st.just(NAN)) if holes else NUMBERS
    return np.array(draw(st.lists(cells, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))).reshape(shape)


# ---- least squares, by numpy ----


class LeastSquares:
    """value = round + column, of what is there of `values`."""

    def __init__(self, values: Array) -> None:
        rounds, columns = values.shape
        where = np.argwhere(np.isfinite(values))
        self.matrix = np.zeros((len(where), rounds + columns))
        self.matrix[np.arange(len(where)), where[:, 0]] = 1.0
        self.matrix[np.arange(len(where)), rounds + where[:, 1]] = 1.0
        self.present = values[tuple(where.T)]
        self.solution = np.linalg.lstsq(self.matrix, self.present, rcond=None)[0]
        self.rank = int(np.linalg.matrix_rank(self.matrix)) if len(where) else 0
        self.rounds = rounds
        self.df = len(self.present) - self.rank
        self.left = self.present - self.matrix @ self.solution

    def contrast(self, column: int) -> Array:
        found = np.zeros(self.matrix.shape[1])
        found[self.rounds + column] += 1.0
        found[self.rounds] -= 1.0
        return found

    def knows(self, column: int) -> bool:
        """Whether the design says anything of `column` against column 0."""
        wider = np.vstack([self.matrix, self.contrast(column)])
        return bool(self.rank and np.linalg.matrix_rank(wider) == self.rank)

    def effect(self, column: int) -> float:
        return float(self.contrast(column) @ self.solution)

    def factor(self, column: int) -> float:
        return float(self.contrast(column) @ np.linalg.pinv(self.matrix.T @ self.matrix) @ self.contrast(column))


def met(values: Array) -> bool:
    """Whether all columns that were ever measured beside another one can be compared with the base."""
    groups = [set(np.flatnonzero(row).tolist()) for row in np.isfinite(values) if row.sum() > 1]
    known = {0}
    while more := [each for each in groups if each & known and not each <= known]:
        known.update(*more)
    return bool(groups) and set().union(*groups) <= known


@given(designs())
def test_effects_and_their_variances_are_those_of_least_squares(values: Array) -> None:
    if not met(values):
        return
    found, other = fit(values), LeastSquares(values)
    for column in range(1, values.shape[1]):
        if other.knows(column):
            assert found.effect[-1, column] == pytest.approx(other.effect(column), abs=1e-9)
            assert found.factor[-1, column] == pytest.approx(other.factor(column), rel=1e-9)
        else:
            assert np.isnan([found.effect[-1, column], found.factor[-1, column]]).all()


@given(designs())
def test_the_variance_is_what_least_squares_leave_over_its_degrees_of_freedom(values: Array) -> None:
    if not met(values):
        return
    found, other = fit(values), LeastSquares(values)
    assert found.df[-1] == other.df
    if other.df > 0:
        assert found.variance[-1] * other.df == pytest.approx((other.left**2).sum(), rel=1e-9, abs=1e-8)
    else:
        assert np.isnan(found.variance[-1])


@given(designs())
def test_residuals_are_those_of_least_squares(values: Array) -> None:
    if met(values):
        other, there = LeastSquares(values), np.isfinite(values)
        left = residuals(values)
        assert np.array_equal(np.isfinite(left), there)
        assert left[there] == pytest.approx(other.left, abs=1e-9)


def test_columns_that_never_met_in_a_round_are_not_compared() -> None:
    """0 was measured beside 2, and 1 beside 3."""
    apart = np.array([[1.0, NAN, 3.0, NAN], [NAN, 2.0, NAN, 5.0], [1.1, NAN, 3.2, NAN], [NAN, 2.1, NAN, 5.2]])
    found = fit(apart)
    assert np.isfinite(found.effect[-1]).tolist() == [True, False, True, False]
    assert found.df[-1] == LeastSquares(apart).df


# ---- closed form ----


@given(designs(holes=False))
def test_of_complete_rounds_an_effect_is_a_difference_of_means(values: Array) -> None:
    found, means = fit(values), np.cumsum(values, axis=0) / np.arange(1, len(values) + 1)[:, None]
    assert found.effect == pytest.approx(means - means[:, :1], abs=1e-9)
    assert found.paired == pytest.approx(means - means[:, :1], abs=1e-9)


@given(designs(holes=False))
def test_of_complete_rounds_its_variance_is_two_over_their_number(values: Array) -> None:
    rounds = np.arange(1.0, len(values) + 1.0)
    found = fit(values)
    assert found.factor[:, 1:] == pytest.approx(np.broadcast_to(2.0 / rounds[:, None], values[:, 1:].shape))
    assert found.df.tolist() == ((rounds - 1.0) * (values.shape[1] - 1.0)).tolist()
    assert found.pairs.tolist() == np.broadcast_to(rounds[:, None], values.shape).tolist()


@given(designs(holes=False))
def test_noise_of_its_own_is_half_of_what_differences_with_the_base_have(values: Array) -> None:
    if len(values) > 1:
        half = np.var(values[:, 1] - values[:, 0], ddof=1) / 2.0
        assert fit(values).own[-1, 1] == pytest.approx(half, rel=1e-9, abs=1e-9)


@given(designs(), NUMBERS, st.data())
def test_what_a_whole_round_has_in_common_cancels(values: Array, more: float, data: st.DataObject) -> None:
    moved = values.copy()
    moved[data.draw(st.integers(0, len(values) - 1))] += more
    assert_alike(fit(moved), fit(values))


def assert_alike(found: Fits, other: Fits) -> None:
    for name in ("effect", "factor", "variance", "df", "paired", "own", "pairs"):
        assert getattr(found, name) == pytest.approx(getattr(other, name), nan_ok=True, rel=1e-9, abs=1e-7)


# ---- round by round, and many at once ----


@given(designs())
def test_a_fit_after_some_rounds_knows_nothing_of_later_ones(values: Array) -> None:
    whole = fit(values)
    for rounds in range(1, len(values) + 1):
        early = fit(values[:rounds])
        for name in ("effect", "factor", "variance", "own", "paired"):
            found, expected = getattr(early, name)[-1], getattr(whole, name)[rounds - 1]
            assert found == pytest.approx(expected, nan_ok=True, rel=1e-9, abs=1e-9)


@given(designs(), designs())
def test_many_at_once_are_fitted_as_each_by_itself(one: Array, other: Array) -> None:
    rounds, columns = np.minimum(one.shape, other.shape)
    both = np.stack([one[:rounds, :columns], other[:rounds, :columns]])
    together = fit(both)
    for place, alone in enumerate(map(fit, both)):
        assert_alike(Fits(*(getattr(together, name)[place] for name in vars(alone))), alone)


# ---- missing values ----


def test_a_column_that_left_keeps_what_is_known_of_it_and_the_others_go_on() -> None:
    values = np.array([[0.0, 1.0, 5.0], [0.5, 2.0, 6.0], [0.25, 1.5, NAN], [0.0, 1.25, NAN]])
    found, before = fit(values), fit(values[:2])
    assert found.pairs[:, 2].tolist() == [1.0, 2.0, 2.0, 2.0]
    assert found.paired[:, 2].tolist() == [5.0, 5.25, 5.25, 5.25]
    assert found.factor[-1, 2] == pytest.approx(LeastSquares(values).factor(2))
    assert found.factor[-1, 2] < before.factor[-1, 2]
    assert found.df.tolist() == [0.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("column", [1, 2])
def test_of_a_column_never_seen_nothing_is_known_and_the_others_stay_as_they_are(column: int) -> None:
    values = np.random.default_rng(1).normal(size=(4, 3))
    values[:, column] = NAN
    found, rest = fit(values), fit(np.delete(values, column, axis=1))
    assert found.variance == pytest.approx(rest.variance, nan_ok=True)
    assert found.df.tolist() == rest.df.tolist()
    assert np.isfinite(found.effect[-1]).tolist() == [place != column for place in range(3)]


@pytest.mark.parametrize("columns", [3, 4, 5, 6])
@pytest.mark.parametrize("rounds", [2, 3, 4])
def test_without_the_base_nothing_is_compared_with_it_and_the_noise_is_that_of_the_others(columns: int, rounds: int) -> None:
    for values in np.random.default_rng(2).normal(size=(20, rounds, columns)):
        values[:, 0] = NAN
        found, rest = fit(values), fit(values[:, 1:])
        assert np.isnan(found.effect).all()
        assert found.variance == pytest.approx(rest.variance, nan_ok=True)
        assert residuals(values)[:, 1:] == pytest.approx(residuals(values[:, 1:]))


def test_a_round_without_the_base_still_tells_of_the_noise() -> None:
    values = np.array([[0.0, 1.0, 5.0], [0.5, 2.0, 6.0], [NAN, 1.5, 5.5]])
    found = fit(values)
    assert found.df.tolist() == [0.0, 2.0, 3.0]
    assert found.variance[-1] == pytest.approx((LeastSquares(values).left ** 2).sum() / 3.0)
    assert found.pairs[-1].tolist() == [2.0, 2.0, 2.0]


def test_a_round_with_one_value_tells_nothing() -> None:
    values = np.array([[0.0, 1.0], [0.5, 2.0], [NAN, 9.0]])
    found = fit(values)
    for name in ("effect", "factor", "variance", "paired", "own"):
        assert getattr(found, name)[2] == pytest.approx(getattr(found, name)[1])


def test_before_two_values_stand_side_by_side_nothing_is_known() -> None:
    found = fit(np.array([[1.0, NAN], [NAN, 2.0], [1.0, 2.5]]))
    assert np.isnan(found.effect[:, 1]).tolist() == [True, True, False]
    assert np.isnan(found.variance).all()
    assert found.df.tolist() == [0.0, 0.0, 0.0]


# ---- no noise ----


@pytest.mark.parametrize("columns", [2, 4])
def test_whole_numbers_without_noise_leave_none(columns: int) -> None:
    values = np.arange(5.0)[:, None] * 8.0 + np.arange(float(columns)) * 16.0
    found = fit(values)
    assert found.variance[1:].tolist() == [0.0] * 4
    assert found.own[1:].tolist() == [[0.0] * columns] * 4
    assert found.effect[-1] == pytest.approx(16.0 * np.arange(columns), rel=1e-14)


@given(st.integers(2, 6), st.floats(1.0, 20.0), st.floats(-0.5, 0.5))
def test_any_numbers_without_noise_leave_next_to_none(columns: int, level: float, step: float) -> None:
    """A variance is what squares of effects leave of each other, so that some of their last digits stay."""
    values = np.broadcast_to(level + step * np.arange(columns), (5, columns))
    found = fit(values)
    assert (found.variance[1:] < 1e-25 + 1e-15 * level * columns * abs(step)).all()
    assert found.effect[-1] == pytest.approx(step * np.arange(columns), abs=1e-12)
