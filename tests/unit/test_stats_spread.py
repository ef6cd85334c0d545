"""Counts of instructions over boots: by reference values, by properties, and by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from kdelta.stats.multiplicity import benjamini_hochberg
from kdelta.stats.spread import ALONE, EXPOSURES, PAIRS, Counts, Shifts, shifts

QUIET = [1000] * 19
"""Functions that do not vary: with them the usual variation is none."""


def boots(*rows: Sequence[int]) -> Counts:
    return np.array(rows, dtype=np.int64)


def beside(quiet: Sequence[int], *of_one: int) -> Counts:
    """One boot for each count of the first function, which the `quiet` ones stand beside."""
    return boots(*([count, *quiet] for count in of_one))


def shown(found: Shifts) -> NDArray[np.bool_]:
    return (found.adjusted <= 0.05) & found.material


def test_a_function_that_moved_while_none_varies_is_shown() -> None:
    found = shifts(beside(QUIET, 1000, 1000, 1000), beside(QUIET, 1012, 1012, 1012), np.ones(6))
    assert shown(found).tolist() == [True] + [False] * 19
    assert (found.low[0], found.high[0]) == pytest.approx((12.0, 12.0), abs=0.01)


def test_a_function_that_varies_by_more_than_it_moved_is_not_shown() -> None:
    found = shifts(beside(QUIET, 1000, 1060, 1020), beside(QUIET, 1050, 1010, 1090), np.ones(6))
    assert not shown(found).any()
    assert found.low[0] < 0.0 < found.high[0]


def test_where_none_varies_but_one_its_test_is_students() -> None:
    old, new = [1000, 1060, 1020], [1150, 1110, 1190]
    found = shifts(beside(QUIET, *old), beside(QUIET, *new), np.ones(6))
    expected = stats.ttest_ind(new, old)
    ends = expected.confidence_interval(0.95)
    assert found.p[0] == pytest.approx(expected.pvalue, rel=1e-6)
    assert (found.low[0], found.high[0]) == pytest.approx((ends.low, ends.high), rel=1e-6)


def test_a_function_that_did_not_vary_has_the_variation_of_nine_in_ten() -> None:
    old, new = boots([1000, 970], [1000, 1000], [1000, 1030]), boots([1200, 970], [1200, 1000], [1200, 1030])
    found = shifts(old, new, np.ones(6))
    usual = math.sqrt(0.9) * 0.03
    error = usual * math.sqrt((1000**2 + 1200**2) / 3)
    assert found.usual == pytest.approx(usual)
    assert found.p[0] == pytest.approx(2.0 * stats.t.sf(200 / error, 4))


def test_the_degrees_of_freedom_are_those_of_the_larger_part_or_of_both() -> None:
    """Two variances of 4 degrees of freedom each have 8 together where they are equal."""
    old, new = boots([970, 970], [1000, 1000], [1030, 1030]), boots([1070, 970], [1100, 1000], [1130, 1030])
    found = shifts(old, new, np.ones(6))
    own, usual = 30.0**2 * 2 / 3, 0.03**2 * (1000**2 + 1100**2) / 3
    usual *= np.quantile([0.03**2 * (1 + 1 / 1.21) / 2, 0.03**2], 0.9) / 0.03**2
    df = (own + usual) ** 2 / (own**2 / 4 + usual**2 / 4)
    assert found.p[0] == pytest.approx(2.0 * stats.t.sf(100 / math.sqrt(own + usual), df))


@pytest.mark.parametrize(("old", "new"), [((0, 0, 0), (80, 160, 80)), ((80, 160, 80), (0, 0, 0))], ids=["new", "gone"])
def test_a_burst_is_judged_by_the_boots_of_its_own_side(old: tuple[int, ...], new: tuple[int, ...]) -> None:
    found = shifts(beside(QUIET, *old), beside(QUIET, *new), np.ones(6))
    assert found.p[0] == pytest.approx(stats.ttest_1samp([80, 160, 80], 0).pvalue, rel=1e-6)
    assert not shown(found)[0]


@pytest.mark.parametrize(("more", "is_shown"), [(9, False), (11, True)])
def test_a_change_must_be_of_a_share_of_the_total(more: int, is_shown: bool) -> None:
    """The total is 20000, of which .05 % is 10."""
    found = shifts(beside(QUIET, 1000, 1000, 1000), beside(QUIET, *[1000 + more] * 3), np.ones(6))
    assert shown(found)[0] == is_shown
    assert found.adjusted[0] < 1e-6


def test_functions_that_never_reach_that_share_do_not_count_among_the_tests() -> None:
    found = shifts(beside([*QUIET, 3], 1000, 1010, 990), beside([*QUIET, 2], 1030, 1040, 1020), np.ones(6))
    assert np.isnan(found.p).tolist() == [False] * 20 + [True]
    assert found.adjusted == pytest.approx(benjamini_hochberg(found.p), nan_ok=True)


def test_counts_are_per_exposure() -> None:
    old, new = beside(QUIET, 1000, 1060, 1020), beside(QUIET, 1150, 1110, 1190)
    alike = shifts(old, new, np.ones(6))
    found = shifts(2 * old, 5 * new, [2.0, 2.0, 2.0, 5.0, 5.0, 5.0])
    assert found.low == pytest.approx(alike.low)
    assert found.high == pytest.approx(alike.high)
    assert found.p == pytest.approx(alike.p)


COUNTS = st.lists(st.tuples(*[st.integers(0, 5000)] * 6), min_size=1, max_size=8)


@given(COUNTS)
def test_exchanging_the_sides_turns_the_interval_and_keeps_p(rows: list[tuple[int, ...]]) -> None:
    every = np.array(rows, dtype=np.int64).T
    there, back = shifts(every[:3], every[3:], np.ones(6)), shifts(every[3:], every[:3], np.ones(6))
    assert there.p == pytest.approx(back.p, nan_ok=True)
    assert there.low == pytest.approx(-back.high, nan_ok=True)


@given(COUNTS, st.sampled_from([0.01, 1000.0]))
def test_the_unit_of_exposure_does_not_matter(rows: list[tuple[int, ...]], unit: float) -> None:
    every = np.array(rows, dtype=np.int64).T
    found = [shifts(every[:3], every[3:], np.full(6, of)).p for of in (1.0, unit)]
    assert found[0] == pytest.approx(found[1], nan_ok=True, rel=1e-6)


@given(COUNTS)
def test_the_interval_holds_0_where_p_is_above_its_level(rows: list[tuple[int, ...]]) -> None:
    every = np.array(rows, dtype=np.int64).T
    found = shifts(every[:3], every[3:], np.ones(6))
    told = ~np.isnan(found.p) & (np.abs(found.p - 0.05) > 1e-6)
    assert ((found.low <= 0.0) & (found.high >= 0.0))[told].tolist() == (found.p > 0.05)[told].tolist()


@pytest.mark.parametrize(("old", "new"), [(1, 1), (1, 3), (3, 1), (0, 2)])
def test_one_boot_on_a_side_says_nothing_of_chance(old: int, new: int) -> None:
    found = shifts(np.full((old, 2), 100), np.full((new, 2), 200), np.ones(old + new))
    assert np.isnan([found.low, found.high, found.p, found.adjusted]).all()
    assert found.doubts == (ALONE,)


def test_that_two_boots_a_side_agree_by_luck_is_said() -> None:
    assert shifts(np.full((2, 2), 100), np.full((3, 2), 200), np.ones(5)).doubts == (PAIRS,)
    assert shifts(np.full((3, 2), 100), np.full((3, 2), 200), np.ones(6)).doubts == ()


@pytest.mark.parametrize("lost", [0.0, math.nan])
def test_a_boot_of_unknown_work_leaves_nothing_to_compare(lost: float) -> None:
    found = shifts(np.full((3, 2), 100), np.full((3, 2), 200), [1, 1, 1, 1, lost, 1])
    assert np.isnan([found.low, found.high, found.p]).all()
    assert found.doubts == (EXPOSURES,)


@pytest.mark.parametrize("functions", [0, 2])
def test_boots_that_executed_nothing_have_nothing_to_show(functions: int) -> None:
    nothing = np.zeros((3, functions), dtype=np.int64)
    found = shifts(nothing, nothing, np.ones(6))
    assert np.isnan(found.p).all()
    assert not shown(found).any()
