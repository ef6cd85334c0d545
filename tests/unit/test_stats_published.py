"""Tests from published summaries: by examples, by integration, and by simulated samples."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scripts.published_levels import SIZES, differences
from scripts.published_levels import levels as simulated_levels

from kdelta.stats.published import (
    D2,
    EQUAL_CV,
    LEVELS,
    MEANS,
    MIDRANGES,
    MINIMA,
    NOT_SAID_OF_WHAT,
    ONE_BOOT,
    RANGE_DF,
    PublishedTest,
    Summary,
    compare,
    disjoint,
    lord,
    midrange,
    minimum,
    sd_from_range,
    welch_of_summaries,
)
from kdelta.stats.t import NO_SPREAD, TWO_VALUES, Array, welch_from_summaries

# Mean and standard deviation of 5 boots each.
OLD = Summary(mean=100.0, sd=1.2, n=5, ddof=1, boots=True)
NEW = Summary(mean=102.0, sd=1.5, n=5, ddof=1, boots=True)

# Ranges of 3 boots each, which do not overlap.
LOW = Summary(low=100.0, high=104.0, n=3, boots=True)
HIGH = Summary(low=108.0, high=113.0, n=3, boots=True)


def summary(values: Array, *, mean: bool = False) -> Summary:
    middle = float(values.mean()) if mean else None
    return Summary(mean=middle, low=float(values.min()), high=float(values.max()), n=values.size, boots=True)


# ---- mean and standard deviation ----


def test_five_and_five_boots_are_compared_by_welch() -> None:
    found = compare(OLD, NEW)
    assert (found.test, found.doubts) == ("Welch's t", ())
    assert found.statistic == pytest.approx(-2.3281, abs=5e-5)
    assert found.p == pytest.approx(0.0498006, abs=5e-8)


def test_where_the_denominator_is_not_stated_the_weaker_result_is_given() -> None:
    found = welch_of_summaries(Summary(100.0, 1.2, n=5, boots=True), Summary(102.0, 1.5, n=5, boots=True))
    assert found.p == pytest.approx(welch_from_summaries(100.0, 1.2 * math.sqrt(1.25), 5, 102.0, 1.5 * math.sqrt(1.25), 5).p)
    assert found.doubts == ("p is 0.0498 if the standard deviation has n - 1 in its denominator, 0.0725 if it has n",)


def test_a_standard_deviation_with_n_in_its_denominator_is_converted() -> None:
    old, new = (Summary(one.mean, (one.sd or 0.0) * math.sqrt(0.8), n=5, ddof=0, boots=True) for one in (OLD, NEW))
    found = welch_of_summaries(old, new)
    assert found.p == pytest.approx(compare(OLD, NEW).p)
    assert found.doubts == ()


@pytest.mark.parametrize(
    ("apart", "agreed"),
    [(9.0, True), (0.5, True), (2.0, False)],
    ids=["a difference in any case", "none in any case", "it depends"],
)
def test_without_n_there_is_a_result_where_any_number_gives_the_same(apart: float, agreed: bool) -> None:
    found = compare(Summary(100.0, 1.2, boots=True), Summary(100.0 + apart, 1.5, boots=True))
    widened = {n: math.sqrt(n / (n - 1)) for n in (3, 5, 10)}
    p = [welch_from_summaries(100.0, 1.2 * by, n, 100.0 + apart, 1.5 * by, n).p for n, by in widened.items()]
    assert found.p == pytest.approx(p[0] if agreed else math.nan, nan_ok=True)
    assert found.doubts == (f"n is not stated: p is {p[0]:.3g} for 3, {p[1]:.3g} for 5, {p[2]:.3g} for 10",)


def test_an_n_that_is_stated_on_one_side_is_used() -> None:
    found = welch_of_summaries(OLD, Summary(102.0, 1.5, ddof=1, boots=True))
    p = [welch_from_summaries(100.0, 1.2, 5, 102.0, 1.5, n).p for n in (3, 5, 10)]
    assert found.doubts == (f"n is not stated: p is {p[0]:.3g} for 3, {p[1]:.3g} for 5, {p[2]:.3g} for 10",)


def test_a_missing_standard_deviation_is_the_same_share_of_the_mean_as_the_other() -> None:
    found = compare(Summary(50.0, n=5, boots=True), NEW)
    assert found.p == pytest.approx(welch_from_summaries(50.0, 1.5 * 50.0 / 102.0, 5, 102.0, 1.5, 5).p)
    assert found.doubts == (EQUAL_CV,)


@pytest.mark.parametrize(
    ("first", "second"),
    [(Summary(sd=1.0, n=5), NEW), (OLD, Summary(n=5)), (Summary(100.0, n=5), Summary(0.0, sd=1.0, n=5))],
    ids=["no mean", "nothing", "a share of 0"],
)
def test_without_a_mean_a_standard_deviation_is_not_enough(first: Summary, second: Summary) -> None:
    found = compare(first, second)
    assert math.isnan(found.p)
    assert found.doubts[0] == "both means, and at least one standard deviation, are needed"


@pytest.mark.parametrize("n", [None, 5])
def test_one_value_has_no_standard_deviation(n: int | None) -> None:
    found = welch_of_summaries(Summary(100.0, 0.0, n=1, boots=True), Summary(102.0, 1.5, n=n, boots=True))
    assert math.isnan(found.p)
    assert found.doubts == ("too few values (1): 2 or more on each side are needed",)


# ---- ranges ----


def test_three_and_three_boots_with_disjoint_ranges_are_compared_by_midranges() -> None:
    found = compare(LOW, HIGH)
    assert (found.test, found.p, found.doubts) == ("test of midranges", 0.05, ())
    assert found.statistic == pytest.approx(-1.889, abs=5e-4)


@pytest.mark.parametrize(("n1", "n2", "p"), [(3, 3, 0.1), (3, 4, 0.057), (4, 4, 0.029), (5, 5, 0.008), (1, 1, 1.0)])
def test_disjoint_ranges_have_an_exact_p(n1: int, n2: int, p: float) -> None:
    found = disjoint(n1, n2, boots=True)
    assert found.p == pytest.approx(p, abs=5e-4)
    assert found.doubts == ()


def test_with_means_ranges_are_compared_by_lord() -> None:
    found = compare(Summary(101.0, low=100.0, high=104.0, n=3), Summary(111.0, low=108.0, high=113.0, n=3))
    assert found == lord(101.0, 4.0, 111.0, 5.0, 3)
    assert found.statistic == pytest.approx(-10.0 / 4.5)
    assert found.p == 0.01


@pytest.mark.parametrize(
    ("apart", "p"),
    [(1.27, 1.0), (1.28, 0.05), (2.11, 0.05), (2.12, 0.01), (-1.27, 1.0), (-2.12, 0.01)],
)
def test_p_is_the_least_level_whose_critical_value_is_reached(apart: float, p: float) -> None:
    assert lord(apart, 1.0, 0.0, 1.0, 3).p == p


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("test", "table"), [(midrange, MIDRANGES), (minimum, MINIMA)], ids=["midrange", "minimum"])
def test_midranges_and_minima_have_critical_values_of_their_own(
    test: Callable[[float, float, float, float, int], PublishedTest], table: dict[int, tuple[float, float]], n: int
) -> None:
    five, one = table[n]
    p = [test(apart, apart + 1.0, 0.0, 1.0, n).p for apart in (five - 1e-9, five + 1e-9, one - 1e-9, one + 1e-9)]
    assert p == [1.0, 0.05, 0.05, 0.01]


@pytest.mark.parametrize(("n", "used"), [(7, 6), (9, 8), (40, 10)])
def test_between_the_tabulated_numbers_the_next_lesser_is_used_and_said(n: int, used: int) -> None:
    critical = MIDRANGES[used][0] + 1e-9
    found = midrange(critical, critical + 1.0, 0.0, 1.0, n, boots=True)
    assert found.p == 0.05
    assert found.doubts == (f"the critical values of {used} values stand in for those of {n}: p may be less",)


@pytest.mark.parametrize("n", [0, 1])
def test_one_value_has_no_range(n: int) -> None:
    for found in (lord(1.0, 0.0, 2.0, 0.0, n), midrange(1.0, 1.0, 2.0, 2.0, n), minimum(1.0, 1.0, 2.0, 2.0, n)):
        assert math.isnan(found.p)
        assert found.doubts == (f"too few values ({n}): 2 or more on each side are needed", NOT_SAID_OF_WHAT)
    assert all(math.isnan(one) for one in sd_from_range(1.0, n))


@pytest.mark.parametrize(("low", "u", "p"), [(5.0, 0.0, 1.0), (6.0, -math.inf, 0.01)])
def test_without_any_range_a_difference_is_one_and_doubted(low: float, u: float, p: float) -> None:
    found = midrange(5.0, 5.0, low, low, 3, boots=True)
    assert (found.statistic, found.p, found.doubts) == (u, p, (NO_SPREAD,))


def test_ranges_of_unequal_numbers_with_means_become_standard_deviations() -> None:
    found = compare(Summary(100.0, low=99.0, high=101.0, n=3, boots=True), Summary(105.0, low=103.0, high=107.0, n=5, boots=True))
    variances = (2.0 / D2[3]) ** 2 / 3, (4.0 / D2[5]) ** 2 / 5
    assert (found.test, found.doubts) == ("Welch's t from ranges", ())
    assert found.statistic == pytest.approx(-5.0 / math.sqrt(sum(variances)))
    df = sum(variances) ** 2 / (variances[0] ** 2 / RANGE_DF[3] + variances[1] ** 2 / RANGE_DF[5])
    assert found.p == pytest.approx(2.0 * stats.t.cdf(found.statistic, df))


def test_two_values_against_more_are_doubted() -> None:
    found = compare(Summary(1.0, low=0.0, high=2.0, n=2, boots=True), Summary(5.0, low=3.0, high=7.0, n=5, boots=True))
    assert found.doubts == (TWO_VALUES,)


def test_ranges_of_unequal_numbers_alone_must_be_disjoint() -> None:
    four = Summary(low=108.0, high=113.0, n=4, boots=True)
    overlapping = Summary(low=103.0, high=113.0, n=4, boots=True)
    assert compare(LOW, four) == compare(four, LOW) == disjoint(3, 4, boots=True)
    found = compare(LOW, overlapping)
    assert math.isnan(found.p)
    assert found.doubts == ("the ranges of 3 and 4 values overlap: both means, or as many values, are needed",)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        pytest.param(Summary(mean=1.0, n=3), Summary(mean=2.0, n=3), "the standard deviation, or the least", id="means alone"),
        pytest.param(Summary(low=1.0, n=3), Summary(low=2.0, n=3), "the standard deviation, or the least", id="minima alone"),
        pytest.param(Summary(low=1.0, high=2.0), Summary(low=3.0, high=4.0), "n is not stated", id="ranges without n"),
        pytest.param(
            Summary(1.0, low=1.0, high=1.0, n=1),
            Summary(2.0, low=1.0, high=3.0, n=5),
            "too few values (1 and 5)",
            id="a range of one",
        ),
    ],
)
def test_what_is_missing_for_any_test_is_said(first: Summary, second: Summary, said: str) -> None:
    found = compare(first, second)
    assert math.isnan(found.p)
    assert found.doubts[0].startswith(said)


def test_too_few_values_are_not_disjoint() -> None:
    assert math.isnan(disjoint(0, 5).p)


# ---- boots or runs in one boot ----


@pytest.mark.parametrize(
    ("first", "second", "doubts"),
    [
        (True, True, ()),
        (True, False, (ONE_BOOT,)),
        (None, False, (ONE_BOOT,)),
        (None, None, (NOT_SAID_OF_WHAT,)),
        (True, None, (NOT_SAID_OF_WHAT,)),
    ],
)
def test_every_result_says_what_the_numbers_are_of(first: bool | None, second: bool | None, doubts: tuple[str, ...]) -> None:
    left, right = Summary(100.0, 1.2, n=5, ddof=1, boots=first), Summary(102.0, 1.5, n=5, ddof=1, boots=second)
    assert compare(left, right).doubts == doubts
    ranges = Summary(low=1.0, high=2.0, n=4, boots=first), Summary(low=5.0, high=6.0, n=4, boots=second)
    assert compare(*ranges).doubts == doubts


@pytest.mark.parametrize(
    "test",
    [
        lambda boots: lord(1.0, 1.0, 2.0, 1.0, 3, boots=boots),
        lambda boots: midrange(1.0, 2.0, 2.0, 3.0, 3, boots=boots),
        lambda boots: minimum(1.0, 2.0, 2.0, 3.0, 3, boots=boots),
        lambda boots: disjoint(3, 3, boots=boots),
    ],
    ids=["lord", "midrange", "minimum", "disjoint"],
)
def test_one_boot_is_assumed_unless_stated(test: Callable[[bool | None], PublishedTest]) -> None:
    assert [test(boots).doubts for boots in (None, False, True)] == [(NOT_SAID_OF_WHAT,), (ONE_BOOT,), ()]


VALUES = st.floats(-100.0, 100.0)
SUMMARIES = st.builds(
    Summary,
    mean=st.none() | VALUES,
    sd=st.none() | st.floats(0.0, 10.0),
    low=st.none() | VALUES,
    high=st.none() | VALUES.map(lambda value: value + 200.0),
    n=st.none() | st.integers(0, 20),
    ddof=st.sampled_from([None, 0, 1]),
    boots=st.sampled_from([None, True, False]),
)


@given(SUMMARIES, SUMMARIES)
def test_any_summaries_can_be_compared_and_without_a_p_there_is_a_reason(first: Summary, second: Summary) -> None:
    found = compare(first, second)
    assert math.isnan(found.p) or 0.0 <= found.p <= 1.0
    assert found.doubts or not math.isnan(found.p)
    assert compare(second, first).p == pytest.approx(found.p, nan_ok=True)


# ---- the constants ----


def range_chances(n: int, width: Array) -> Array:
    """Of the range of n normal values (Tippett 1925), by the trapezium rule."""
    x = np.linspace(-8.0, 8.0, 801)
    inside = stats.norm.cdf(x + width[:, np.newaxis]) - stats.norm.cdf(x)
    density = stats.norm.pdf(x) * stats.norm.pdf(x + width[:, np.newaxis]) * inside ** (n - 2)
    chances = np.asarray(density.sum(-1))
    chances[0] /= 2.0
    return np.asarray(chances / chances.sum())


def chance_of_means(n: int, critical: float) -> float:
    """P(|difference of means| >= critical x mean range): a mean and the range of its values are independent."""
    width = np.linspace(0.0, 11.0, 331)
    chances = range_chances(n, width)
    both = (width[:, np.newaxis] + width) / 2.0
    return float((chances[:, np.newaxis] * chances * 2.0 * stats.norm.cdf(-critical * both * math.sqrt(n / 2.0))).sum())


@pytest.mark.parametrize("n", MEANS)
def test_the_critical_values_of_means_are_those_of_integration(n: int) -> None:
    assert [chance_of_means(n, critical) for critical in MEANS[n]] == pytest.approx(LEVELS, rel=0.01)


@pytest.mark.parametrize(("n", "lord_1947"), [(2, 3.427), (3, 1.272), (4, 0.813), (5, 0.613), (6, 0.499)])
def test_the_critical_values_of_means_are_lords(n: int, lord_1947: float) -> None:
    assert MEANS[n][0] == pytest.approx(lord_1947, abs=1.5e-3)


@pytest.mark.parametrize("n", D2)
def test_mean_and_spread_of_a_range_are_those_of_integration(n: int) -> None:
    width = np.linspace(0.0, 11.0, 551)
    chances = range_chances(n, width)
    mean, square = float((width * chances).sum()), float((width**2 * chances).sum())
    assert D2[n] == pytest.approx(mean, abs=1e-3)
    assert RANGE_DF[n] == pytest.approx(mean**2 / (square - mean**2) / 2.0, rel=0.01)


def test_with_two_values_midrange_and_mean_are_one() -> None:
    assert MIDRANGES[2] == MEANS[2]


@pytest.mark.parametrize("table", [MEANS, MIDRANGES, MINIMA, D2, RANGE_DF])
def test_every_table_has_the_numbers_of_the_script(table: dict[int, object]) -> None:
    assert tuple(table) == SIZES


SAMPLES = 20_000


@pytest.mark.parametrize("n", SIZES)
def test_the_script_finds_the_constants_that_are_here(n: int) -> None:
    apart, ranges = differences(np.random.default_rng(n), n, SAMPLES)
    for row, table in zip(apart, (MEANS, MIDRANGES, MINIMA), strict=True):
        for level, critical in zip(LEVELS, table[n], strict=True):
            assert float(np.mean(row >= critical)) == pytest.approx(level, abs=4.0 * math.sqrt(level * (1.0 - level) / SAMPLES))
    assert float(ranges.mean()) == pytest.approx(D2[n], abs=4.0 * ranges.std() / math.sqrt(SAMPLES))


def test_the_script_is_seeded_and_counts_all_samples() -> None:
    critical, mean, df = simulated_levels(3, 4000)
    assert critical.shape == (3, 2)
    assert (mean, df) == pytest.approx((D2[3], RANGE_DF[3]), abs=0.2)
    assert simulated_levels(3, 4000)[1] == mean


# ---- simulation ----

RUNS = 2500


def share(test: Callable[[Array, Array], PublishedTest], n1: int, n2: int, effect: float = 0.0) -> float:
    noise = np.random.default_rng(13)
    return float(np.mean([test(noise.normal(size=n1) + effect, noise.normal(size=n2)).p <= 0.05 for _ in range(RUNS)]))


def by_means(a: Array, b: Array) -> PublishedTest:
    return compare(summary(a, mean=True), summary(b, mean=True))


def by_ranges(a: Array, b: Array) -> PublishedTest:
    return compare(summary(a), summary(b))


def by_minima(a: Array, b: Array) -> PublishedTest:
    return minimum(a.min(), a.max(), b.min(), b.max(), a.size)


@pytest.mark.parametrize(
    ("test", "n1", "n2", "effect", "expected"),
    [
        pytest.param(by_means, 3, 3, 0.0, 0.05, id="means of 3"),
        pytest.param(by_ranges, 3, 3, 0.0, 0.05, id="midranges of 3"),
        pytest.param(by_minima, 3, 3, 0.0, 0.05, id="minima of 3"),
        pytest.param(by_means, 5, 5, 0.0, 0.05, id="means of 5"),
        pytest.param(by_ranges, 5, 5, 0.0, 0.05, id="midranges of 5"),
        pytest.param(by_means, 3, 5, 0.0, 0.032, id="means of 3 and 5"),
        pytest.param(by_ranges, 4, 5, 0.0, 2.0 / math.comb(9, 4), id="ranges of 4 and 5"),
        pytest.param(by_means, 3, 3, 2.0, 0.457, id="means of 3, an effect of 2"),
        pytest.param(by_ranges, 3, 3, 4.0, 0.932, id="midranges of 3, an effect of 4"),
        pytest.param(by_means, 5, 5, 2.0, 0.784, id="means of 5, an effect of 2"),
        pytest.param(by_ranges, 5, 5, 2.0, 0.707, id="midranges of 5, an effect of 2"),
    ],
)
def test_levels_and_power_are_as_measured(
    test: Callable[[Array, Array], PublishedTest], n1: int, n2: int, effect: float, expected: float
) -> None:
    assert share(test, n1, n2, effect) == pytest.approx(expected, abs=4.0 * math.sqrt(expected * (1.0 - expected) / RUNS))
