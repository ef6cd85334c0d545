"""Exact tests by counting, and the interval of a median: by what benchstat, asv and R print, and by going through all ways."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kdelta.stats.ranks import (
    FLIPS,
    LEAST_PAIRS,
    LEAST_SIZES,
    NOT_A_NUMBER,
    MedianInterval,
    median_interval,
    rank_test,
    sign_flips,
)

# Of benchstat's documentation: nanoseconds per operation, before and after.
JSON = (
    [1726, 1723, 1707, 1707, 1713, 1729, 1736, 1707, 1705, 1774],
    [1423, 1416, 1411, 1413, 1412, 1426, 1422, 1424, 1447, 1425],
)
GOB = (
    [3069, 3075, 3069, 3067, 3207, 3064, 3064, 3058, 3059, 3062],
    [3075, 3065, 3059, 3065, 3060, 3081, 3186, 3135, 3087, 3062],
)

# Few values, so that many are equal.
TIED = st.lists(st.integers(0, 4).map(float), min_size=1, max_size=5)
DIFFERENCES = st.lists(st.integers(-6, 6).map(lambda tenth: tenth / 10.0), min_size=1, max_size=8)


def two_sided_by_all_ways(a: Sequence[float], b: Sequence[float]) -> float:
    """The definition: every way to deal the values, U by comparing each pair."""

    def u(side: Sequence[float], rest: Sequence[float]) -> float:
        return sum((left > right) + (left == right) / 2.0 for left in side for right in rest)

    values = [*a, *b]
    deals = [set(mine) for mine in itertools.combinations(range(len(values)), len(a))]
    all_u = [u([values[i] for i in mine], [value for i, value in enumerate(values) if i not in mine]) for mine in deals]
    seen = u(a, b)
    return min(1.0, 2.0 * min(sum(each <= seen for each in all_u), sum(each >= seen for each in all_u)) / len(all_u))


# ---- ranks ----


@pytest.mark.parametrize(
    ("n", "least"),
    [
        *((2, 0.3333333), (3, 0.1), (4, 0.0285714), (5, 0.00793651), (6, 0.00216450), (7, 0.00058275), (8, 0.00015540)),
        (9, 4.1135e-5),
    ],
)
def test_the_least_p_of_so_many_values_on_each_side_is_that_of_benchstat(n: int, least: float) -> None:
    assert rank_test(range(n), range(n, 2 * n)).p == pytest.approx(least, rel=1e-5)


@pytest.mark.parametrize(
    ("a", "b", "u", "p"),
    [
        pytest.param([1, 2, 3, 4], [0.9, 1.1, 0.7], 11, 0.1142857, id="asv"),
        pytest.param([1, -1, -1, -1], [-1, 1, 1, 1], 4, 0.4857143, id="only two values, benchstat"),
        pytest.param([2, 1, 3, 5], [0, 4, 6, 7], 5, 0.4857143, id="benchstat"),
        pytest.param(*JSON, 100, 1.0825e-5, id="json"),
        pytest.param([115, 114, 115, 115, 115], [78.8] * 5, 25, 0.0079365, id="no spread on one side"),
    ],
)
def test_u_and_p_are_those_of_other_programs(a: list[float], b: list[float], u: float, p: float) -> None:
    found = rank_test(a, b)
    assert found.statistic == u
    assert found.p == pytest.approx(p, abs=5e-8 if p > 1e-3 else 5e-10)


def test_ties_are_counted_exactly() -> None:
    found = rank_test(*GOB)
    assert (found.statistic, round(found.p, 4), found.doubts) == (39.5, 0.4461, ())


@given(TIED, TIED)
def test_p_is_what_going_through_all_ways_finds(a: list[float], b: list[float]) -> None:
    assert rank_test(a, b).p == pytest.approx(two_sided_by_all_ways(a, b), abs=1e-12)


@given(st.permutations(range(15)), st.integers(1, 14))
def test_without_ties_p_is_scipys(values: list[int], n: int) -> None:
    expected = stats.mannwhitneyu(values[:n], values[n:], method="exact")
    found = rank_test(values[:n], values[n:])
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)


@given(TIED, TIED)
def test_to_exchange_the_sides_mirrors_u_and_keeps_p(a: list[float], b: list[float]) -> None:
    one, other = rank_test(a, b), rank_test(b, a)
    assert (one.statistic, one.p) == pytest.approx((len(a) * len(b) - other.statistic, other.p), abs=1e-12)


@given(TIED, TIED)
def test_only_the_order_of_values_matters(a: list[float], b: list[float]) -> None:
    assert rank_test([math.exp(value) for value in a], [math.exp(value) for value in b]) == rank_test(a, b)


@pytest.mark.parametrize(
    ("a", "b", "doubts"),
    [
        pytest.param([1, 2, 3], [4, 5, 6], (f"3 and 3 values give no p below 0.1: {LEAST_SIZES}",), id="3 and 3"),
        pytest.param([1], [2, 3], (f"1 and 2 values give no p below 0.667: {LEAST_SIZES}",), id="1 and 2"),
        pytest.param([1, 2], [3, 4, 5, 6, 7, 8, 9, 10], (), id="2 are enough against 8"),
        pytest.param([1, 2, 3, 4], [5, 6, 7, 8], (), id="4 and 4"),
        pytest.param(
            [1] * 5,
            [1] * 5,
            ("so many values are equal that no p is below 1: more digits or more values are needed",),
            id="all equal",
        ),
        pytest.param(
            [1, 1, 1, 1],
            [1, 1, 1, 2],
            ("so many values are equal that no p is below 1: more digits or more values are needed",),
            id="all but one equal",
        ),
        pytest.param([1, 1, 2], [1, 1, 1, 1, 1, 3, 4], (), id="equal ones at the lower end alone"),
        pytest.param([9, 9, 8], [9, 9, 9, 9, 9, 7, 6], (), id="equal ones at the upper end alone"),
        pytest.param([], [1, 2], (f"too few values (0 and 2): {LEAST_SIZES}",), id="none"),
        pytest.param([math.nan], [1, 2], (NOT_A_NUMBER,), id="missing"),
    ],
)
def test_a_test_that_cannot_reach_5_percent_says_what_it_would_take(
    a: list[float], b: list[float], doubts: tuple[str, ...]
) -> None:
    assert rank_test(a, b).doubts == doubts


def test_four_on_each_side_are_the_least_that_are_enough() -> None:
    assert rank_test([1, 2, 3, 4], [5, 6, 7, 8]).p <= 0.05 < rank_test([1, 2, 3], [4, 5, 6]).p


@pytest.mark.parametrize("values", [([], [1.0]), ([math.nan], [1.0])])
def test_without_values_there_is_no_u_and_no_p(values: tuple[list[float], list[float]]) -> None:
    found = rank_test(*values)
    assert math.isnan(found.statistic)
    assert math.isnan(found.p)


def test_for_very_many_values_p_is_the_normal_approximation_and_doubted() -> None:
    a, b = np.arange(100.0) // 3, np.arange(5.0, 105.0) // 3
    expected = stats.mannwhitneyu(a, b, method="asymptotic")
    found = rank_test(a, b)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    assert found.doubts == ("so many values: p is the normal approximation, and no exact count",)


def test_up_to_there_the_exact_p_is_near_to_the_approximation() -> None:
    a, b = np.arange(70.0), np.arange(10.5, 80.5)
    found = rank_test(a, b)
    assert found.doubts == ()
    assert found.p == pytest.approx(stats.mannwhitneyu(a, b, method="asymptotic").pvalue, rel=0.06)


# Chromium's bisection (Catapult) calls p up to .01 different, up to .5708 unknown (a shift of one interquartile range, 10 values).
@pytest.mark.parametrize(
    ("other", "low", "high"),
    [(range(7, 17), 0.0, 0.01), (range(3, 13), 0.01, 0.5708), (range(10), 0.5708, 1.0)],
    ids=["different", "unknown", "same"],
)
def test_ten_values_and_ten_shifted_ones_are_judged_as_by_catapult(other: range, low: float, high: float) -> None:
    assert low < rank_test(range(10), other).p <= high


# ---- flips of signs ----


@given(DIFFERENCES)
def test_p_of_flips_is_what_going_through_all_of_them_finds(differences: list[float]) -> None:
    tenths = [round(10 * one) for one in differences]
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, tenths, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(tenths))
    ]
    assert sign_flips(differences).p == pytest.approx(sum(each >= abs(sum(tenths)) for each in sums) / len(sums), abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 6, 10, 20])
def test_the_least_p_of_flips_is_two_of_all(n: int) -> None:
    assert sign_flips([1.0 + one for one in range(n)]).p == 2.0 / 2**n


def test_twenty_pairs_agree_with_scipys_exact_count() -> None:
    differences = np.round(np.random.default_rng(2).normal(0.4, 1.0, 12), 1)
    expected = stats.permutation_test((differences,), np.sum, permutation_type="samples", n_resamples=10**4)
    found = sign_flips(differences)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)


@pytest.mark.parametrize(
    ("differences", "doubts"),
    [
        pytest.param([1.0] * 5, (f"5 pairs that differ give no p below 0.0625: {LEAST_PAIRS}",), id="five"),
        pytest.param([1.0] * 6, (), id="six"),
        pytest.param([1.0] * 5 + [0.0], (f"5 pairs that differ give no p below 0.0625: {LEAST_PAIRS}",), id="six, one of them 0"),
        pytest.param([0.0] * 9, (f"0 pairs that differ give no p below 1: {LEAST_PAIRS}",), id="all 0"),
        pytest.param([1.0, math.nan], (NOT_A_NUMBER,), id="missing"),
        pytest.param([], (f"no pairs: {LEAST_PAIRS}",), id="none"),
    ],
)
def test_flips_that_cannot_reach_5_percent_say_what_it_would_take(differences: list[float], doubts: tuple[str, ...]) -> None:
    assert sign_flips(differences).doubts == doubts


def test_differences_of_0_change_no_p() -> None:
    assert sign_flips([3.0, 0.0, -1.0, 2.0, 0.0, 2.5, 4.0]).p == sign_flips([3.0, -1.0, 2.0, 2.5, 4.0]).p
    assert sign_flips([0.0, 0.0]).p == 1.0


def test_sums_that_differ_by_rounding_alone_are_equal() -> None:
    # .1 + .2 - .3 is not 0 in binary.
    assert sign_flips([0.1, 0.2, -0.3]).p == 1.0


def test_beyond_twenty_pairs_random_flips_come_near_and_say_so() -> None:
    differences = np.random.default_rng(4).normal(0.4, 1.0, 21)
    found = sign_flips(differences)
    assert found == sign_flips(differences)
    assert found.doubts == (f"p is from {FLIPS} random flips of signs, and no exact count",)
    exact = np.zeros(1)
    for one in np.abs(differences[1:]):
        exact = np.concatenate([exact + one, exact - one])
    p = float(np.mean(np.abs(np.concatenate([exact + differences[0], exact - differences[0]])) >= abs(differences.sum()) - 1e-9))
    assert found.p == pytest.approx(p, abs=4.0 * math.sqrt(p * (1.0 - p) / FLIPS))


def test_random_flips_never_find_a_p_of_0() -> None:
    assert sign_flips([1.0] * 60).p == 1.0 / (1 + FLIPS)


# ---- the interval of the median ----


@pytest.mark.parametrize(
    ("n", "level", "low", "high", "coverage"),
    [
        (6, 0.95, 1, 6, 0.96875),
        (8, 0.95, 1, 8, 0.9921875),
        (9, 0.95, 2, 8, 0.9609375),
        (10, 0.95, 2, 9, 0.9785156),
        (20, 0.95, 6, 15, 0.9586105),
        (8, 0.99, 1, 8, 0.9921875),
        (10, 0.99, 1, 10, 0.9980469),
        (20, 0.99, 4, 17, 0.9974232),
        (5, 0.9375, 1, 5, 0.9375),
    ],
)
def test_the_interval_lies_between_the_ranks_that_benchstat_takes(
    n: int, level: float, low: int, high: int, coverage: float
) -> None:
    found = median_interval(range(n, 0, -1), level)
    assert (found.low, found.high) == (low, high)
    assert found.coverage == pytest.approx(coverage, abs=5e-8)
    assert found.doubts == ()


def test_the_interval_of_twelve_values_is_that_of_asv_and_r() -> None:
    values = [
        *(-2.47946614, -1.49595963, -1.02812482, -0.76592323, -0.09452743, 0.10732743),
        *(0.27798342, 0.50173779, 0.57829823, 0.60474948, 0.94695675, 1.20159789),
    ]
    found = median_interval(values, 0.8)
    assert (found.low, found.high) == (-0.76592323, 0.57829823)


@pytest.mark.parametrize(
    ("n", "level", "needed"), [(5, 0.95, "6 or more"), (7, 0.99, "8 or more"), (4, 0.9375, "5 or more"), (0, 0.5, "2 or more")]
)
def test_too_few_values_for_an_interval_say_how_many_it_takes(n: int, level: float, needed: str) -> None:
    said = f"too few values ({n}): an interval of level {level:g} needs {needed}"
    assert median_interval(range(n), level) == MedianInterval(None, None, None, (said,))


@given(st.integers(0, 60), st.floats(0.01, 0.9999))
def test_as_many_values_as_were_asked_for_are_enough_and_one_less_is_not(n: int, level: float) -> None:
    doubts = median_interval(range(n), level).doubts
    if doubts:
        needed = int(doubts[0].split("needs ")[1].split()[0])
        assert median_interval(range(needed), level).doubts == ()
        assert median_interval(range(needed - 1), level).doubts != ()


@pytest.mark.parametrize(("values", "level", "said"), [([1.0, math.nan], 0.5, NOT_A_NUMBER), ([1.0] * 9, 1.0, "infinitely many")])
def test_what_no_number_of_values_gives_is_said(values: list[float], level: float, said: str) -> None:
    found = median_interval(values, level)
    assert (found.low, found.high, found.coverage) == (None, None, None)
    assert found.doubts[0].endswith(said)


# ---- simulation ----

RUNS = 2000


@pytest.mark.parametrize(("n", "share"), [(4, 2 / 70), (5, 8 / 252)])
def test_rank_tests_are_false_as_often_as_their_steps_allow(n: int, share: float) -> None:
    noise = np.random.default_rng(6).standard_t(3, size=(RUNS, 2, n))
    found = np.mean([rank_test(a, b).p <= 0.05 for a, b in noise])
    assert float(found) == pytest.approx(share, abs=4.0 * math.sqrt(share * (1.0 - share) / RUNS))


def test_the_interval_covers_the_median_of_skewed_values_as_often_as_it_says() -> None:
    noise = np.random.default_rng(8).exponential(size=(RUNS, 9))
    intervals = [median_interval(row, 0.95) for row in noise]
    covered = np.mean([one.low is not None and one.high is not None and one.low <= math.log(2.0) <= one.high for one in intervals])
    assert float(covered) == pytest.approx(0.9609375, abs=4.0 * math.sqrt(0.96 * 0.04 / RUNS))
