"""One number for several, and how far they lie apart."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.stats.summary import STATISTICS, Spread, change_percent, spread

MEASURED = st.floats(min_value=1e-3, max_value=1e15)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("median", 2.0, id="median"),
        pytest.param("min", 1.0, id="min"),
        pytest.param("max", 9.0, id="max"),
        pytest.param("mean", 4.0, id="mean"),
    ],
)
def test_a_statistic_is_what_its_name_says(name: str, expected: float) -> None:
    assert STATISTICS[name]([9.0, 1.0, 2.0]) == expected


def test_no_statistic_is_left_out_of_the_tests() -> None:
    assert set(STATISTICS) == {"median", "min", "max", "mean"}


@pytest.mark.parametrize("name", sorted(STATISTICS))
def test_the_statistic_of_one_value_is_that_value(name: str) -> None:
    assert STATISTICS[name]([7.25]) == 7.25


@pytest.mark.parametrize("name", sorted(STATISTICS))
@given(values=st.lists(MEASURED, min_size=1, max_size=12))
def test_a_statistic_lies_between_the_least_and_the_greatest(name: str, values: list[float]) -> None:
    slack = 1e-9 * max(values)
    assert min(values) - slack <= STATISTICS[name](values) <= max(values) + slack


def test_the_spread_has_n_minus_1_in_its_denominator() -> None:
    assert spread([90.0, 100.0, 110.0]) == Spread(3, 10.0, 10.0)


def test_equal_values_have_a_spread_of_0() -> None:
    assert spread([5.0, 5.0, 5.0]) == Spread(3, 0.0, 0.0)


@pytest.mark.parametrize("values", [[], [5.0]], ids=["none", "one"])
def test_fewer_than_two_values_have_no_spread(values: list[float]) -> None:
    assert spread(values) == Spread(len(values), None, None)


@pytest.mark.parametrize(("values", "sd"), [([0.0, 0.0], 0.0), ([-1.0, 0.0, 1.0], 1.0)], ids=["zeros", "opposite"])
def test_values_around_a_mean_of_0_have_no_spread_in_percent(values: list[float], sd: float) -> None:
    assert spread(values) == Spread(len(values), sd, None)


def test_the_spread_around_a_negative_mean_is_positive() -> None:
    assert spread([-90.0, -100.0, -110.0]) == Spread(3, 10.0, 10.0)


@given(st.lists(MEASURED, min_size=2, max_size=12))
def test_the_spread_does_not_depend_on_the_unit(values: list[float]) -> None:
    plain, scaled = spread(values).sd_percent, spread([1024.0 * value for value in values]).sd_percent
    assert plain is not None
    assert scaled is not None
    assert math.isclose(plain, scaled, rel_tol=1e-9, abs_tol=1e-12)


@given(st.lists(MEASURED, max_size=12))
def test_the_spread_does_not_depend_on_the_order(values: list[float]) -> None:
    assert spread(sorted(values)) == spread(sorted(values, reverse=True))


@pytest.mark.parametrize(
    ("old", "new", "percent"),
    [
        pytest.param(200.0, 230.0, 15.0, id="grown"),
        pytest.param(200.0, 150.0, -25.0, id="shrunk"),
        pytest.param(200.0, 200.0, 0.0, id="equal"),
        pytest.param(200.0, 0.0, -100.0, id="gone"),
    ],
)
def test_a_change_is_in_percent_of_the_old_value(old: float, new: float, percent: float) -> None:
    assert change_percent(old, new) == percent


@pytest.mark.parametrize("new", [0.0, 5.0])
def test_no_percentage_says_a_change_from_0(new: float) -> None:
    assert change_percent(0.0, new) is None
