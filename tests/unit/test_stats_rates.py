"""Two rates of events: by what R and SciPy print, by properties, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kdelta.stats.rates import NO_EVENTS, NO_EXPOSURE, POISSON, e_test, rate_ratio

COUNTS = st.integers(0, 60)
EXPOSURES = st.sampled_from([0.3, 1.0, 7.0, 100.0])


def test_the_example_of_rs_poisson_test_is_reproduced() -> None:
    found = rate_ratio(11, 800, 21, 3011)
    assert found.p == pytest.approx(0.0796686, abs=5e-8)
    assert found.ratio == pytest.approx(1.97149, abs=5e-6)
    assert found.interval(0.95) == pytest.approx((0.858426, 4.277266), abs=5e-7)
    assert found.doubts == (POISSON,)


@given(COUNTS, EXPOSURES, COUNTS, EXPOSURES)
def test_p_is_that_of_scipys_binomial_test(count1: int, exposure1: float, count2: int, exposure2: float) -> None:
    if count1 + count2:
        expected = stats.binomtest(count1, count1 + count2, exposure1 / (exposure1 + exposure2)).pvalue
        assert rate_ratio(count1, exposure1, count2, exposure2).p == pytest.approx(expected, rel=1e-9)


@given(COUNTS, EXPOSURES, COUNTS, EXPOSURES, st.sampled_from([0.5, 0.95, 0.99]))
def test_to_exchange_the_sides_inverts_ratio_and_interval(c1: int, e1: float, c2: int, e2: float, level: float) -> None:
    one, other = rate_ratio(c1, e1, c2, e2), rate_ratio(c2, e2, c1, e1)
    low, high = other.interval(level)
    assert one.p == pytest.approx(other.p, rel=1e-9)
    assert one.interval(level) == pytest.approx((1.0 / high if high else math.inf, 1.0 / low if low else math.inf), rel=1e-9)


@given(COUNTS, EXPOSURES, COUNTS, EXPOSURES)
def test_the_ratio_lies_inside_its_interval(c1: int, e1: float, c2: int, e2: float) -> None:
    found = rate_ratio(c1, e1, c2, e2)
    low, high = found.interval(0.5)
    assert math.isnan(found.ratio) or low <= found.ratio <= high


@pytest.mark.parametrize(
    ("count1", "count2", "ratio", "low", "high"),
    [
        # 1 - (a / 2)^(1 / n) is the end of Clopper & Pearson's interval where none of n is seen.
        pytest.param(0, 4, 0.0, 0.0, 1.0 / 0.025**0.25 - 1.0, id="none of the first"),
        pytest.param(4, 0, math.inf, 1.0 / (1.0 / 0.025**0.25 - 1.0), math.inf, id="none of the second"),
    ],
)
def test_a_count_of_0_has_an_interval_to_one_side(count1: int, count2: int, ratio: float, low: float, high: float) -> None:
    found = rate_ratio(count1, 10.0, count2, 10.0)
    assert (found.ratio, found.p) == (ratio, 0.125)
    assert found.interval(0.95) == pytest.approx((low, high))


def test_without_events_nothing_is_said_of_the_ratio() -> None:
    found = rate_ratio(0, 10.0, 0, 20.0)
    assert (found.p, found.interval(0.95), found.doubts) == (1.0, (0.0, math.inf), (NO_EVENTS,))
    assert math.isnan(found.ratio)


@pytest.mark.parametrize(
    "arguments", [(3, 0.0, 4, 1.0), (3, 1.0, 4, 0.0), (3, -1.0, 4, 1.0), (3, math.nan, 4, 1.0), (-3, 1.0, 4, 1.0)]
)
def test_without_exposure_there_is_no_rate(arguments: tuple[int, float, int, float]) -> None:
    found = rate_ratio(*arguments)
    assert found.doubts == (NO_EXPOSURE,)
    assert all(math.isnan(one) for one in (found.p, found.ratio, *found.interval(0.95), e_test(*arguments)))


@pytest.mark.parametrize("count", [10**6, 10**9])
def test_large_counts_come_near_to_the_normal_approximation(count: int) -> None:
    more = round(2.5 * math.sqrt(2 * count))
    expected = 2.0 * stats.norm.sf((more - 1) / math.sqrt(2 * count + more))
    assert rate_ratio(count, 1.0, count + more, 1.0).p == pytest.approx(expected, rel=5e-3)


def test_outcomes_that_are_equally_likely_but_for_rounding_both_count() -> None:
    assert rate_ratio(4, 1.0, 10, 1.0).p == pytest.approx(2 * (1 + 14 + 91 + 364 + 1001) / 2**14, rel=1e-12)


@pytest.mark.parametrize(("count", "p"), [(0, 1.0), (1, 0.0)])
def test_an_event_in_next_to_no_exposure_is_no_chance(count: int, p: float) -> None:
    assert rate_ratio(50, 1.0, count, 1e-300).p == p


def test_counts_that_are_equal_are_no_evidence_however_large() -> None:
    assert rate_ratio(10**9, 1.0, 10**9, 1.0).p == 1.0


# ---- the E-test ----


def test_the_example_of_the_e_test_is_reproduced() -> None:
    assert e_test(0, 100, 3, 100) == pytest.approx(0.0883790, abs=5e-8)


@given(st.integers(0, 15), st.sampled_from([1, 2, 7]), st.integers(0, 15), st.sampled_from([1, 2, 7]))
def test_the_e_test_is_what_going_through_all_outcomes_finds(count1: int, n1: int, count2: int, n2: int) -> None:
    x1, x2 = np.arange(250)[:, np.newaxis], np.arange(250)
    # The square of the statistic as a fraction of whole numbers: outcomes as far out as the one seen are so exactly.
    square, variance = (x1 * n2 - x2 * n1) ** 2, x1 * n2**2 + x2 * n1**2
    seen = square[count1, count2], variance[count1, count2]
    as_far = (square * seen[1] >= seen[0] * variance) & ((variance > 0) | (seen[0] == 0))
    rate = (count1 + count2) / (n1 + n2)
    chance = stats.poisson.pmf(x1, n1 * rate) * stats.poisson.pmf(x2, n2 * rate)
    assert e_test(count1, n1, count2, n2) == pytest.approx(float(chance[as_far].sum()), rel=1e-9)


def test_rounding_of_exposures_excludes_no_outcome() -> None:
    # SciPy 1.17 finds .478 for exposures of .3: it leaves out outcomes that are exactly as far from equal as the one seen.
    assert e_test(0, 0.3, 1, 0.3) == pytest.approx(e_test(0, 1, 1, 1), rel=1e-12)


@pytest.mark.parametrize(("count1", "count2"), [(0, 0), (7, 7), (3, 6)])
def test_equal_rates_are_no_evidence(count1: int, count2: int) -> None:
    assert e_test(count1, 1.0, count2, 1.0 if count1 == count2 else 2.0) == 1.0


def test_for_many_events_the_e_test_and_the_binomial_agree() -> None:
    assert e_test(10**5, 1.0, 10**5 + 900, 1.0) == pytest.approx(rate_ratio(10**5, 1.0, 10**5 + 900, 1.0).p, rel=0.01)


# ---- simulation ----


@pytest.mark.parametrize(("mean", "least"), [(2.0, 0.02), (10.0, 0.035)])
def test_the_e_test_is_false_in_at_most_5_percent_and_less_careful_than_the_binomial(mean: float, least: float) -> None:
    runs = 3000
    counts = np.random.default_rng(11).poisson(mean, (runs, 2)).tolist()
    exact = np.mean([rate_ratio(a, 1.0, b, 1.0).p <= 0.05 for a, b in counts])
    e = float(np.mean([e_test(a, 1.0, b, 1.0) <= 0.05 for a, b in counts]))
    assert exact <= e
    assert least < e <= 0.05 + 4.0 * math.sqrt(0.05 * 0.95 / runs)
