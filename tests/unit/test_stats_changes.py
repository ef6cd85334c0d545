"""Where a level changes: by published examples, by properties, and by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.validation.later import any_change, boots_of, step_is_found

from kdelta.stats.changes import SHORTEST, Change, Changes, Segment, change_points, newest

# Of Apache Otava's tests: the change points are what it expects there.
HALVED = [1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96, 0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49, 0.51, 0.50, 0.49]
TWO_STEPS = [0.3, 2.4, 1.5, -0.9, -0.5, 99.7, 98.3, 99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0]

FLAT = [0.1, -0.2, 0.3, -0.1, 0.2, -0.3, 0.0, 0.1, -0.1, 0.05]

# Whole numbers: their sums are exact.
SERIES = st.lists(st.integers(-100, 100).map(float), min_size=SHORTEST, max_size=16)


def places(found: Changes) -> list[int]:
    return [change.index for change in found.changes]


def only(found: Changes) -> Change:
    (change,) = found.changes
    return change


# ---- examples ----


@pytest.mark.parametrize(("values", "expected"), [(HALVED, [10]), (TWO_STEPS, [5, 8])], ids=["one", "two"])
def test_the_change_points_of_published_examples_are_found(values: Sequence[float], expected: list[int]) -> None:
    assert places(change_points(values)) == expected


def test_the_segments_lie_between_the_changes_and_have_the_means_of_their_values() -> None:
    segments = change_points(TWO_STEPS).segments
    assert [(segment.start, segment.end) for segment in segments] == [(0, 5), (5, 8), (8, 14)]
    assert [segment.mean for segment in segments] == pytest.approx([0.56, 297.1 / 3, 149.35])


def test_a_series_without_a_change_is_one_segment_without_doubts() -> None:
    found = change_points(FLAT)
    assert found == Changes((), (Segment(0, 10, found.segments[0].mean),), ())
    assert found.segments[0].mean == pytest.approx(0.005)


def test_equal_values_have_no_change() -> None:
    assert places(change_points([0.1] * 12)) == []


def test_p_is_the_share_of_orders_that_split_as_well() -> None:
    """Of 8 values, 2 of the 70 ways to choose 4 of them for the first half are as good."""
    change = only(change_points([0.0, 0.1, 0.2, 0.3, 9.0, 9.1, 9.2, 9.3], permutations=20000))
    assert change.p == pytest.approx(2 / 70, abs=4 * math.sqrt(2 / 70 / 20000))


def test_the_least_p_is_one_more_than_none_of_the_orders() -> None:
    assert only(change_points(HALVED, seed=1)).p == 1 / 1000


def test_a_level_of_two_cannot_be_told_in_eight_values_but_in_ten() -> None:
    assert [places(change_points([0.0, 0.1] * half + [9.0, 9.1])) for half in (3, 4)] == [[], [8]]


def test_no_level_has_fewer_values_than_asked_for() -> None:
    values = [*FLAT, 5.0, 5.1]
    assert (places(change_points(values)), 10 in places(change_points(values, least=3))) == ([10], False)


def test_a_smaller_alpha_finds_less() -> None:
    assert places(change_points(HALVED, alpha=0.0005)) == []


# ---- the ratio of a step ----


def test_the_ratio_of_two_levels_has_the_interval_of_students_t_test() -> None:
    change = only(change_points(HALVED))
    expected = stats.ttest_ind(HALVED[10:], HALVED[:10]).confidence_interval(0.95)
    found = np.log([change.ratio, change.low, change.high])
    assert found == pytest.approx([np.mean(HALVED[10:]) - np.mean(HALVED[:10]), expected.low, expected.high])


def test_the_interval_pools_the_spread_of_all_segments() -> None:
    parts = [np.array(part) for part in (TWO_STEPS[:5], TWO_STEPS[5:8], TWO_STEPS[8:])]
    spread = math.sqrt(sum(((part - part.mean()) ** 2).sum() for part in parts) / 11)
    half = stats.t.ppf(0.975, 11) * spread * math.sqrt(1 / 3 + 1 / 6)
    change = change_points(TWO_STEPS).changes[1]
    assert (math.log(change.high) - math.log(change.low)) / 2.0 == pytest.approx(half)


def test_a_step_that_no_ratio_can_say_is_infinite() -> None:
    assert only(change_points([value + 1000.0 * (place > 4) for place, value in enumerate(FLAT)])).ratio == math.inf


def test_where_something_was_found_its_bias_is_said() -> None:
    assert change_points(HALVED).doubts == (
        "the ratios are biased by selection, away from 1: the places were chosen because the values differ there; "
        "compare the two kernels around each change with fresh boots",
    )


# ---- thin data ----


@pytest.mark.parametrize("kernels", [0, 1, 7])
def test_few_kernels_are_not_tested(kernels: int) -> None:
    found = change_points([float(place > 3) for place in range(kernels)], alpha=0.2)
    assert (found.changes, found.doubts) == (
        (),
        (f"{kernels} kernels are too short for change points, which need 8: use verdicts of pairs",),
    )


def test_kernels_without_a_value_are_passed_over_and_said() -> None:
    found = change_points([math.nan, *HALVED[:10], math.nan, *HALVED[10:]])
    assert (places(found), found.segments[0].end, found.doubts[0]) == (
        [12],
        12,
        "2 of 22 kernels have no value: a change may lie at one of them",
    )


def test_kernels_without_values_do_not_make_a_series_long_enough() -> None:
    assert change_points([*HALVED[:7], math.nan]).doubts[0].startswith("7 kernels are too short")


# ---- properties ----


@given(SERIES)
@settings(max_examples=50)
def test_the_same_seed_finds_the_same(values: list[float]) -> None:
    assert change_points(values, permutations=99) == change_points(values, permutations=99)


@given(SERIES, st.integers(-1000, 1000), st.sampled_from([0.25, -2.0]))
@settings(max_examples=50)
def test_places_and_p_depend_on_neither_unit_nor_offset(values: list[float], more: int, factor: float) -> None:
    moved = change_points([factor * (value + more) for value in values], permutations=99).changes
    found = change_points(values, permutations=99).changes
    assert [(change.index, change.p) for change in moved] == [(change.index, change.p) for change in found]


@given(SERIES)
@settings(max_examples=50)
def test_segments_cover_the_series_in_order(values: list[float]) -> None:
    found = change_points(values, alpha=0.2, permutations=99)
    assert [segment.start for segment in found.segments] == [0, *places(found)]
    assert [segment.end for segment in found.segments] == [*places(found), len(values)]


# ---- the newest kernel ----


@pytest.mark.parametrize(("value", "outside"), [(3.0, False), (6.0, False), (6.1, True), (-0.1, True)])
def test_the_newest_kernel_is_outside_where_its_level_hardly_reaches(value: float, outside: bool) -> None:
    found = newest([9.0, 2.0, 3.0, 4.0, 2.0, 4.0, value], Segment(1, 6, 3.0))
    half = stats.t.ppf(0.975, 4) * 1.0 * math.sqrt(1.0 + 1.0 / 5.0)
    assert (found.value, found.df, found.outside) == (value, 4, outside)
    assert (found.low, found.high) == pytest.approx((3.0 - half, 3.0 + half))


def test_the_newest_kernel_is_not_compared_with_itself() -> None:
    values = [*FLAT, 0.9]
    assert newest(values, Segment(0, 11, 0.0)) == newest(values, Segment(0, 10, 0.0))


@pytest.mark.parametrize(
    ("values", "doubt"),
    [
        ([], "the current level has 0 other values, and 2 are needed"),
        ([1.0, 2.0], "the current level has 1 other values, and 2 are needed"),
        ([1.0, math.nan, 2.0], "the current level has 1 other values, and 2 are needed"),
        ([1.0, 2.0, math.nan], "the newest kernel has no value"),
    ],
)
def test_where_nothing_can_be_expected_of_the_newest_kernel_that_is_said(values: list[float], doubt: str) -> None:
    found = newest(values, Segment(0, len(values), 0.0))
    assert (found.outside, math.isnan(found.low), found.doubts) == (None, True, (doubt,))


def test_the_newest_of_unchanged_kernels_is_outside_once_in_twenty() -> None:
    rng = np.random.default_rng(1)
    outside = [newest(rng.normal(size=6), Segment(0, 5, 0.0)).outside is True for _ in range(3000)]
    assert np.mean(outside) == pytest.approx(0.05, abs=4.0 * math.sqrt(0.05 * 0.95 / 3000))


# ---- simulation ----


@pytest.mark.parametrize("size", [12, 30])
def test_in_nine_of_a_hundred_series_at_most_a_change_is_found_that_is_none(size: int) -> None:
    rng = np.random.default_rng(2)
    assert np.mean([any_change(rng.normal(size=size), seed) for seed in range(300)]) <= 0.09


@pytest.mark.parametrize("size", [12, 20])
def test_a_step_of_four_deviations_is_found_within_one_kernel(size: int) -> None:
    rng = np.random.default_rng(3)
    assert np.mean([step_is_found(size, 4.0, rng, seed) for seed in range(200)]) >= 0.97


def test_builds_that_vary_as_boots_do_are_no_changes() -> None:
    trap = boots_of(np.random.default_rng(4), 300, build_sd=1.0)
    assert np.mean([any_change(boots.mean(axis=-1), seed) for seed, boots in enumerate(trap)]) <= 0.09
