"""Student's t: by values that R, Go and Java tools print, by properties, and by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.stats.t import (
    NO_SPREAD,
    NOT_FINITE,
    TWO_VALUES,
    Array,
    Comparison,
    lopsided,
    one_sample,
    paired,
    pooled,
    satterthwaite,
    welch,
    welch_from_summaries,
)

# R's data set `sleep`: extra hours by two drugs.
FIRST_DRUG = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND_DRUG = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

# Those of go-moremath's tests.
LOW, HIGH = [2.0, 1.0, 3.0, 4.0], [6.0, 5.0, 7.0, 9.0]

WHOLE = st.integers(-1000, 1000).map(float)
SAMPLES = st.lists(WHOLE, min_size=2, max_size=12)
TWO_SAMPLE_TESTS: list[Callable[[list[float], list[float]], Comparison]] = [pooled, welch]


@pytest.mark.parametrize(
    ("found", "t", "df", "p"),
    [
        pytest.param(welch(FIRST_DRUG, SECOND_DRUG), -1.8608, 17.776, 0.07939, id="Welch, R"),
        pytest.param(paired(FIRST_DRUG, SECOND_DRUG), -4.0621, 9, 0.002833, id="paired, R"),
        pytest.param(pooled(FIRST_DRUG, SECOND_DRUG), -1.8608, 18, 0.07919, id="pooled, R"),
        pytest.param(pooled(LOW, HIGH), -3.9703446, 6, 0.0073640592, id="pooled, Go"),
        pytest.param(welch(LOW, HIGH), -3.9703446, 5.5846154, 0.0085128631, id="Welch, Go"),
        pytest.param(paired(LOW, HIGH), -17, 3, 0.00044334, id="paired, Go"),
        pytest.param(one_sample(LOW), 3.8729833, 3, 0.0304663, id="one sample, Go"),
        pytest.param(welch_from_summaries(100.0, 1.2, 5, 102.0, 1.5, 5), -2.3281, 7.63, 0.0498006, id="Welch from summaries"),
    ],
)
def test_t_df_and_p_are_those_of_other_programs(found: Comparison, t: float, df: float, p: float) -> None:
    assert found.t == pytest.approx(t, abs=5e-5)
    assert found.df == pytest.approx(df, abs=5e-3)
    assert found.p == pytest.approx(p, rel=1.5e-4)
    assert found.doubts == ()


@pytest.mark.parametrize(
    ("found", "level", "low", "high"),
    [
        pytest.param(welch(FIRST_DRUG, SECOND_DRUG), 0.95, -3.3655, 0.2055, id="Welch, R"),
        pytest.param(paired(FIRST_DRUG, SECOND_DRUG), 0.95, -2.4599, -0.7001, id="paired, R"),
        pytest.param(one_sample([-8.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 0.95, -3.3510928, 7.3510928, id="one sample, benchstat"),
        pytest.param(Comparison(51.0331695, 28.58287 / 5, 24, 0, 0), 0.999, 29.62232, 72.44402, id="25 values, JMH"),
    ],
)
def test_the_interval_is_that_of_other_programs(found: Comparison, level: float, low: float, high: float) -> None:
    assert found.interval(level) == pytest.approx((low, high), abs=5e-5)


def test_one_mean_is_the_estimate_whatever_it_is_compared_with() -> None:
    found = one_sample(LOW, mu=2.5)
    assert (found.estimate, found.t, found.p) == (2.5, 0.0, 1.0)


# ---- no spread ----


@pytest.mark.parametrize(
    ("found", "t", "p"),
    [
        pytest.param(welch([115.0] * 4, [78.8] * 5), math.inf, 0.0, id="two values, each repeated"),
        pytest.param(pooled([1.0, 1.0], [2.0, 2.0]), -math.inf, 0.0, id="pooled"),
        pytest.param(paired([1.0, 2.0], [1.0, 2.0]), 0.0, 1.0, id="the same values"),
        pytest.param(one_sample([0.1] * 3, mu=0.1), 0.0, 1.0, id="whose mean is not one of them when computed"),
        pytest.param(one_sample([0.1] * 3), math.inf, 0.0, id="against 0"),
    ],
)
def test_without_spread_p_is_0_or_1_and_doubted(found: Comparison, t: float, p: float) -> None:
    assert (found.se, found.t, found.p, found.doubts) == (0.0, t, p, (NO_SPREAD,))


def test_without_spread_the_interval_is_the_estimate() -> None:
    found = welch([3.0] * 5, [1.0] * 5)
    assert (found.df, found.interval(0.95)) == (8.0, (2.0, 2.0))


def test_spread_on_one_side_alone_is_enough_for_welch() -> None:
    found = welch([115.0, 114.0, 115.0, 115.0, 115.0], [78.8] * 5)
    assert found.df == pytest.approx(4.0)
    assert found.doubts == ()
    assert found.p < 1e-6


# ---- too few ----


@pytest.mark.parametrize(
    ("found", "said"),
    [
        pytest.param(one_sample([]), "too few values (0): 2 or more are needed", id="none"),
        pytest.param(one_sample([5.0]), "too few values (1): 2 or more are needed", id="one"),
        pytest.param(paired([5.0], [6.0]), "too few values (1): 2 or more are needed", id="one pair"),
        pytest.param(pooled([5.0], [6.0, 7.0]), "too few values (1 and 2): 2 or more are needed on each side", id="one and two"),
        pytest.param(welch([5.0, 6.0], []), "too few values (2 and 0): 2 or more are needed on each side", id="two and none"),
        pytest.param(welch_from_summaries(1.0, 0.0, 1, 1.0, 0.1, 9), "too few values (1 and 9): 2 or more", id="of a summary"),
    ],
)
def test_too_few_values_leave_nothing_but_what_is_needed(found: Comparison, said: str) -> None:
    assert all(math.isnan(field) for field in (found.estimate, found.se, found.df, found.t, found.p, *found.interval(0.95)))
    assert len(found.doubts) == 1
    assert found.doubts[0].startswith(said)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_missing_value_is_said_and_not_passed_over(bad: float) -> None:
    found = welch([1.0, 2.0, bad], [1.0, 2.0, 4.0])
    assert math.isnan(found.p)
    assert found.doubts == (NOT_FINITE,)


def test_pairs_must_be_pairs() -> None:
    with pytest.raises(ValueError, match="shorter"):
        paired([1.0, 2.0, 3.0], [1.0, 2.0])


@pytest.mark.parametrize(("n1", "n2", "doubted"), [(2, 3, True), (10, 2, True), (2, 2, False), (3, 10, False)])
def test_two_values_against_more_are_doubted(n1: int, n2: int, doubted: bool) -> None:
    assert lopsided(n1, n2) == doubted
    assert (TWO_VALUES in welch_from_summaries(1.0, 1.0, n1, 2.0, 1.0, n2).doubts) == doubted


# ---- properties ----


@pytest.mark.parametrize("test", TWO_SAMPLE_TESTS)
@given(a=SAMPLES, b=SAMPLES)
def test_to_exchange_the_sides_changes_the_sign_alone(
    test: Callable[[list[float], list[float]], Comparison], a: list[float], b: list[float]
) -> None:
    one, other = test(a, b), test(b, a)
    assert (one.estimate, one.t, one.p) == pytest.approx((-other.estimate, -other.t, other.p))


@given(a=SAMPLES, b=SAMPLES, level=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_zero_lies_outside_the_interval_where_p_is_below_its_complement(a: list[float], b: list[float], level: float) -> None:
    found = welch(a, b)
    low, high = found.interval(level)
    if abs(found.p - (1.0 - level)) > 1e-9:
        assert (low <= 0.0 <= high) == (found.p > 1.0 - level)


@given(SAMPLES, st.integers(-(10**6), 10**6), st.sampled_from([0.5, 4.0]))
def test_shift_and_unit_of_all_values_change_no_p(a: list[float], shift: int, factor: float) -> None:
    b = [value + 1.0 for value in a[1:]] + [a[0]]
    moved = welch([factor * value + shift for value in a], [factor * value + shift for value in b])
    assert moved.p == pytest.approx(welch(a, b).p, abs=1e-6)


@given(SAMPLES, SAMPLES)
def test_a_summary_says_what_the_values_say(a: list[float], b: list[float]) -> None:
    x, y = np.array(a), np.array(b)
    found = welch_from_summaries(x.mean(), x.std(ddof=1), x.size, y.mean(), y.std(ddof=1), y.size)
    assert found.p == pytest.approx(welch(a, b).p, abs=1e-6)


def test_degrees_of_freedom_lie_between_the_lesser_and_the_sum() -> None:
    assert satterthwaite(1.0, 1.0, 4.0, 0.0, 9.0).df == pytest.approx(4.0)
    assert satterthwaite(1.0, 4.0, 4.0, 9.0, 9.0).df == pytest.approx(13.0)


# ---- simulation ----

RUNS = 2500


def false_positives(test: Callable[[Array, Array], Comparison], n1: int, n2: int, effect: float = 0.0) -> float:
    noise = np.random.default_rng(20)
    return float(np.mean([test(noise.normal(size=n1) + effect, noise.normal(size=n2)).p <= 0.05 for _ in range(RUNS)]))


@pytest.mark.parametrize(
    ("test", "n", "effect", "share"),
    [
        pytest.param(welch, (3, 3), 0.0, 0.035, id="Welch, 3 against 3"),
        pytest.param(pooled, (3, 3), 0.0, 0.050, id="pooled, 3 against 3"),
        pytest.param(paired, (3, 3), 0.0, 0.050, id="paired, 3 against 3"),
        pytest.param(welch, (3, 5), 0.0, 0.048, id="Welch, 3 against 5"),
        pytest.param(welch, (2, 10), 0.0, 0.101, id="Welch, 2 against 10, which is doubted"),
        pytest.param(welch, (3, 3), 4.0, 0.886, id="Welch, an effect of 4 standard deviations"),
        pytest.param(pooled, (5, 5), 2.0, 0.793, id="pooled, an effect of 2"),
    ],
)
def test_p_is_at_most_5_percent_as_often_as_measured(
    test: Callable[[Array, Array], Comparison], n: tuple[int, int], effect: float, share: float
) -> None:
    assert false_positives(test, *n, effect) == pytest.approx(share, abs=4.0 * math.sqrt(share * (1.0 - share) / RUNS))
