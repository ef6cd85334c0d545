"""How often to repeat at each level: against the worked examples of the method's authors, by properties, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from kdelta.stats.iterations import (
    Array,
    autocorrelation,
    effective,
    half_width,
    iterations_per_boot,
    repetitions,
    variance_components,
)

# Of the authors' library: two compilations, two executions of each, three measurements of each.
LIBRARY = np.array([[[3, 4, 3], [1.2, 3.1, 3]], [[0.2, 1, 1.5], [1, 2, 3]]])
LIBRARY_COSTS = (100.0, 20.0, 3.0)

# Of their paper: three, two, two.
PAPER = np.array([[[9.0, 5], [8, 3]], [[10, 6], [7, 11]], [[1, 12], [2, 4]]])

# Quarters: sums and squares of a few are exact.
QUARTERS = arrays(np.float64, st.tuples(st.integers(2, 4), st.integers(2, 4)), elements=st.integers(-400, 400).map(lambda n: n / 4))
VARIANCES = st.floats(1e-6, 1e6)


# ---- variances by level ----


def test_the_example_of_the_library_gives_its_variances() -> None:
    found = variance_components(LIBRARY)
    assert found.s2[2] == pytest.approx(0.7266667, abs=1e-7)
    assert found.t2 == pytest.approx((0.7747222, 0.2627778, 0.7266667), abs=1e-7)


def test_the_example_of_the_paper_gives_its_variances() -> None:
    found = variance_components(PAPER)
    assert (found.mean, found.counts) == (6.5, (3, 2, 2))
    assert found.s2 == pytest.approx((3.5625, 2.58333, 16.5), abs=1e-5)


def test_a_negative_variance_is_reported_as_it_came_out() -> None:
    assert variance_components(PAPER).t2[1] == pytest.approx(-5.66667, abs=1e-5)


def test_the_interval_of_the_paper_comes_from_the_outermost_means_alone() -> None:
    assert half_width(variance_components(PAPER)) == pytest.approx(4.68871, abs=1e-5)


def test_one_level_has_the_interval_of_students_t() -> None:
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    interval = stats.ttest_1samp(values, 0.0).confidence_interval(0.99)
    assert half_width(variance_components(values), 0.99) == pytest.approx((interval.high - interval.low) / 2.0)


def test_a_level_that_was_not_repeated_is_named_and_the_others_are_still_known() -> None:
    found = variance_components(np.array([[1.0, 2.0, 3.0]]))
    assert found.doubts == ("level 1 has one repetition: two or more are needed to see how it varies",)
    assert found.s2 == pytest.approx((math.nan, 1.0), nan_ok=True)
    assert math.isnan(half_width(found))


def test_iterations_that_were_not_repeated_leave_the_boots_own_variance_unknown_but_not_the_interval() -> None:
    found = variance_components(np.array([[1.0], [2.0], [3.0]]))
    assert np.isnan(found.t2).all()
    assert half_width(found) == pytest.approx(4.302653 / math.sqrt(3.0))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), ()])
def test_no_values_are_said_and_do_not_raise(shape: tuple[int, ...]) -> None:
    found = variance_components(np.zeros(shape) if shape else np.array(0.0))
    assert found.doubts == ("there are no values",)
    assert math.isnan(half_width(found))


@given(QUARTERS)
def test_the_variances_do_not_depend_on_what_all_values_have_in_common(values: Array) -> None:
    assert variance_components(values + 1000.0).t2 == pytest.approx(variance_components(values).t2, abs=1e-6)


@given(QUARTERS)
def test_the_variances_grow_with_the_square_of_the_unit(values: Array) -> None:
    assert variance_components(2.0 * values).s2 == pytest.approx(tuple(4.0 * one for one in variance_components(values).s2))


@given(QUARTERS)
def test_a_levels_own_variance_is_its_means_less_what_those_inside_bring(values: Array) -> None:
    found = variance_components(values)
    assert found.t2 == pytest.approx((found.s2[0] - found.s2[1] / values.shape[1], found.s2[1]), abs=1e-9)


def test_the_variances_are_right_on_average() -> None:
    noise = np.random.default_rng(2013)
    values = noise.normal(0, 2, (2000, 4, 1, 1)) + noise.normal(0, 1, (2000, 4, 3, 1)) + noise.normal(0, 3, (2000, 4, 3, 2))
    found = np.array([variance_components(each).t2 for each in values])
    assert found.mean(0) == pytest.approx((4.0, 1.0, 9.0), abs=4.0 * float((found.std(0) / math.sqrt(2000)).max()))


# ---- repetitions ----


def test_the_example_of_the_library_gives_its_repetitions() -> None:
    middle, inner = repetitions(variance_components(LIBRARY), LIBRARY_COSTS)
    assert (middle.real, inner.real) == pytest.approx((1.3023, 4.2937), abs=5e-5)
    assert (middle.count, inner.count) == (2, 5)


def test_a_level_around_without_variance_of_its_own_is_not_worth_repeating() -> None:
    middle, inner = repetitions(variance_components(PAPER), (1.0, 1.0, 1.0))
    assert (middle.real, middle.count, middle.doubts) == (0.0, 1, ())
    assert (inner.real, inner.count) == (math.inf, None)
    assert inner.doubts == (
        "level-2 repetitions differ by no more than level-3 repetitions inside them explain: more level-3 repetitions are always"
        " better than more level-2 repetitions",
    )


def test_where_a_level_was_not_repeated_nothing_is_advised() -> None:
    (inner,) = repetitions(variance_components(np.array([[1.0, 2.0, 3.0]])), (10.0, 1.0))
    assert (math.isnan(inner.real), inner.count) == (True, None)
    assert inner.doubts == ("how level-1 repetitions and level-2 repetitions vary is not known: repeat each twice or more",)


def test_a_whole_number_is_not_rounded_up_for_an_error_of_its_last_digit() -> None:
    alternating = np.array([[0.0, 2.0], [2.0, 4.0]])
    found = variance_components(alternating)
    assert found.t2 == (1.0, 2.0)
    assert [each.count for each in repetitions(found, (4.5 * (1.0 + 1e-12), 1.0))] == [3]


@pytest.mark.parametrize(
    ("sds", "seconds", "count"),
    [
        pytest.param((0.5, 1.0), (120.0, 30.0), 4, id="boots of two minutes, iterations of half a minute"),
        pytest.param((1.0, 0.5), (120.0, 30.0), 1, id="iterations vary less than boots"),
        pytest.param((0.5, 2.0), (300.0, 10.0), 22, id="dear boots, cheap and noisy iterations"),
        pytest.param((1.0, 0.1), (10.0, 10.0), 1, id="never fewer than one"),
        pytest.param((0.5, 1.1), (120.0, 30.0), 4, id="4.4 is nearer to 4"),
    ],
)
def test_iterations_per_boot_weigh_noise_against_time(sds: tuple[float, float], seconds: tuple[float, float], count: int) -> None:
    assert iterations_per_boot(sds[0] ** 2, sds[1] ** 2, *seconds).count == count


@given(VARIANCES, VARIANCES, VARIANCES, VARIANCES)
def test_no_other_number_of_iterations_is_more_precise_for_the_time(boot: float, inside: float, dear: float, cheap: float) -> None:
    """The variance of a mean over boots, times what they cost."""

    def price(count: float) -> float:
        return (boot + inside / count) * (dear + count * cheap)

    best = iterations_per_boot(boot, inside, dear, cheap).real
    assert price(best) <= min(price(0.9 * best), price(1.1 * best))


@pytest.mark.parametrize("var_boot", [0.0, -0.5])
def test_boots_that_do_not_differ_make_any_number_of_iterations_too_few(var_boot: float) -> None:
    found = iterations_per_boot(var_boot, 1.0, 120.0, 30.0)
    assert (found.real, found.count) == (math.inf, None)
    assert found.doubts == (
        "boots differ by no more than iterations inside them explain: more iterations are always better than more boots",
    )


def test_without_any_noise_one_iteration_is_enough() -> None:
    assert iterations_per_boot(0.0, 0.0, 120.0, 30.0).count == 1


def test_iterations_that_cost_nothing_are_never_enough() -> None:
    found = iterations_per_boot(1.0, 1.0, 120.0, 0.0)
    assert (found.count, found.doubts) == (None, ("iterations cost nothing: more iterations are always better than more boots",))


def test_no_variances_are_too_far_apart() -> None:
    assert iterations_per_boot(1e-300, 1e300, 1.0, 1.0).count is None


# ---- successive values ----


@pytest.mark.parametrize(
    ("rho", "worth"), [(0.0, 10.0), (0.5, 10.0 / 3.0), (1.0, 0.0), (-0.5, 30.0), (-1.0, math.inf), (math.nan, math.nan)]
)
def test_values_that_resemble_their_neighbours_are_worth_fewer(rho: float, worth: float) -> None:
    assert effective(10.0, rho) == pytest.approx(worth, nan_ok=True)


def test_the_worth_of_successive_values_is_that_of_their_mean() -> None:
    noise = np.random.default_rng(7)
    shocks = noise.normal(size=(4000, 200))
    series = np.empty_like(shocks)
    series[:, 0] = shocks[:, 0] / math.sqrt(1 - 0.6**2)
    for place in range(1, 200):
        series[:, place] = 0.6 * series[:, place - 1] + shocks[:, place]
    worth = float(series.var() / series.mean(1).var())
    assert worth == pytest.approx(effective(200, 0.6), rel=0.1)


@pytest.mark.parametrize(
    ("values", "rho"),
    [([1.0, 2.0, 3.0, 4.0, 5.0], 0.4), ([1.0, -1.0, 1.0, -1.0], -0.75), ([0.0, 0.0, 3.0], -1.0 / 6.0)],
    ids=["rising", "alternating", "an outlier at the end"],
)
def test_the_autocorrelation_is_that_of_each_value_with_the_next(values: list[float], rho: float) -> None:
    assert autocorrelation(values) == pytest.approx(rho)


@pytest.mark.parametrize("values", [[], [1.0, 2.0], [3.0, 3.0, 3.0]])
def test_few_or_equal_values_have_no_autocorrelation(values: list[float]) -> None:
    assert math.isnan(autocorrelation(values))


@given(st.lists(st.integers(-1000, 1000).map(float), min_size=3, max_size=30))
def test_an_autocorrelation_lies_between_minus_one_and_one(values: list[float]) -> None:
    found = autocorrelation(values)
    assert math.isnan(found) or -1.0 <= found <= 1.0


def test_of_independent_values_it_is_minus_one_over_their_number() -> None:
    noise = np.random.default_rng(3)
    found = [autocorrelation(each) for each in noise.normal(size=(3000, 10))]
    assert np.mean(found) == pytest.approx(-0.1, abs=0.02)
