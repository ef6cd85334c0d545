"""Counts of profiles: by reference values, by properties, and by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from tests.validation.later import any_shown, composition, profiles, replicated, shares, shown, single_function

from kdelta.stats.counts import Counts, Rates, binomial, median_ratio, quasi_poisson
from kdelta.stats.multiplicity import benjamini_hochberg

Array = NDArray[np.float64]

TICKS = st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), min_size=1, max_size=12)


def ticks(*of_functions: int | Sequence[int]) -> Counts:
    return np.array(of_functions, dtype=np.int64)


def one(old: int, new: int, exposure_old: float = 1.0, exposure_new: float = 1.0) -> Rates:
    return binomial(ticks(old), ticks(new), exposure_old, exposure_new)


# ---- the median ratio ----


def test_the_scale_is_the_median_ratio_of_functions_with_enough_ticks_on_both_sides() -> None:
    scale = median_ratio(ticks(20, 100, 100, 100, 100, 19, 1000), ticks(40, 200, 210, 900, 190, 100, 19))
    assert scale.ratio == pytest.approx(2.0)
    assert scale.functions == 5
    assert scale.doubts == ()


def test_one_function_that_doubles_does_not_move_the_scale() -> None:
    assert median_ratio(ticks(100, 100, 100, 100, 9000), ticks(100, 100, 100, 100, 18000)).ratio == pytest.approx(1.0)


def test_few_functions_give_no_scale() -> None:
    scale = median_ratio(ticks(100, 100, 100, 100), ticks(100, 100, 100, 100))
    assert (math.isnan(scale.ratio), scale.doubts) == (
        True,
        ("4 functions have 20 ticks on both sides, and 5 are needed: profile for longer, or count the work that was done",),
    )


def test_the_error_of_the_scale_is_how_far_it_lies_off() -> None:
    rng, mean = np.random.default_rng(9), np.full(101, 400.0)
    found = [median_ratio(rng.poisson(mean), rng.poisson(2.0 * mean)) for _ in range(300)]
    assert np.std([math.log(scale.ratio) for scale in found]) == pytest.approx(np.mean([scale.error for scale in found]), rel=0.15)


def test_a_scale_that_is_not_known_has_no_error() -> None:
    assert math.isnan(median_ratio(ticks(100), ticks(100)).error)


# ---- one profile a side ----


def test_the_ratio_has_the_interval_of_rs_poisson_test() -> None:
    """Its example: 11 cases in 800 years against 21 in 3011."""
    rates = one(21, 11, 3011.0, 800.0)
    assert (rates.ratio[0], rates.low[0], rates.high[0]) == pytest.approx((1.971488, 0.858426, 4.277266), rel=1e-6)


@given(st.integers(0, 400), st.integers(0, 400), st.sampled_from([0.5, 1.0, 3.7]))
def test_p_is_twice_the_lesser_tail_of_the_binomial(old: int, new: int, exposure: float) -> None:
    share = exposure / (1.0 + exposure)
    tails = [stats.binomtest(new, old + new, share, alternative=side).pvalue for side in ("less", "greater")] if old + new else []
    expected = min(1.0, 2.0 * min(tails)) if old + new >= 10 else math.nan
    assert one(old, new, 1.0, exposure).p[0] == pytest.approx(expected, nan_ok=True, rel=1e-6)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_interval_holds_1_where_p_is_above_its_level(old: int, new: int) -> None:
    rates = one(old, new)
    if not math.isnan(rates.p[0]) and abs(rates.p[0] - 0.05) > 1e-6:
        assert (rates.low[0] <= 1.0 <= rates.high[0]) == (rates.p[0] > 0.05)


def test_functions_with_few_ticks_are_not_tested_and_do_not_count_among_the_tests() -> None:
    rates = binomial(ticks(4, 5, 100), ticks(5, 5, 150))
    assert (math.isnan(rates.p[0]), rates.ratio[0]) == (True, 1.25)
    assert rates.adjusted == pytest.approx(benjamini_hochberg(rates.p), nan_ok=True)
    assert rates.adjusted[2] == pytest.approx(2.0 * rates.p[2])


# As odds: the share of which 12 ticks are all on the other side with a probability of .025.
MOST = 0.025 ** (-1 / 12) - 1.0


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [(12, 0, (0.0, 0.0, MOST)), (0, 12, (math.inf, 1.0 / MOST, math.inf)), (0, 0, (math.nan, math.nan, math.nan))],
    ids=["gone", "come", "never met"],
)
def test_a_function_with_no_ticks_on_one_side_has_an_exact_interval(old: int, new: int, expected: tuple[float, ...]) -> None:
    rates = one(old, new)
    assert (rates.ratio[0], rates.low[0], rates.high[0]) == pytest.approx(expected, nan_ok=True)


def test_the_difference_of_a_function_without_ticks_on_one_side_ends_where_its_count_does() -> None:
    """12 ticks are those of 6.2 to 20.96 at most, by Garwood; the side without has 3.69 at most, which the lower end loses."""
    rates = binomial(ticks(12, 0), ticks(0, 12))
    assert rates.most[1] == pytest.approx(20.96, abs=0.005)
    assert rates.least[1] == pytest.approx(12.0 - math.hypot(12.0 - 6.201, 3.689), abs=0.005)
    assert (rates.least[0], rates.most[0]) == pytest.approx((-rates.most[1], -rates.least[1]))


EXPOSURE_ERRORS = st.sampled_from([0.0, 0.03, 0.2])


@given(TICKS, EXPOSURE_ERRORS)
def test_the_interval_of_the_difference_holds_0_where_that_of_the_ratio_holds_1(pairs: list[tuple[int, int]], error: float) -> None:
    old, new = (ticks(*(pair[side] for pair in pairs)) for side in (0, 1))
    both = (binomial(old, new, 1.0, 1.3, error=error), quasi_poisson(np.stack([old, old]), np.stack([new, new]), np.ones(4)))
    for rates in both:
        met = ~np.isnan(rates.low)
        assert ((rates.least <= 0.0) & (rates.most >= 0.0))[met].tolist() == ((rates.low <= 1.0) & (rates.high >= 1.0))[
            met
        ].tolist()
        assert np.isnan(rates.least).tolist() == (~met).tolist()


def test_where_the_two_intervals_disagree_that_of_the_ratio_decides() -> None:
    """Of the differences alone, 3 and 11 would be told apart; in two profiles 9 and 17 would not."""
    single = binomial(ticks(3, 11), ticks(11, 3))
    assert (single.least[0], single.most[1]) == (0.0, 0.0)
    old, new = (np.tile([[*hot, *[100] * 20]], (2, 1)) for hot in ((9, 17), (17, 9)))
    several = quasi_poisson(old, new, np.ones(4))
    assert (several.least[0], several.most[1]) == (0.0, 0.0)
    assert several.low[0] > 1.0 > single.low[0]


@pytest.mark.parametrize(("cv", "old", "new"), [(0.0, 0.0, 15.0), (0.1, 3.0, 15.0), (0.1, 100.0, 150.0), (0.2, 2000.0, 2500.0)])
def test_the_interval_of_the_difference_holds_the_true_one_in_95_of_100(cv: float, old: float, new: float) -> None:
    rng = np.random.default_rng(10)
    means = (np.append(np.full(60, each), np.full(60, 500.0)) for each in (old, new))
    before, after = (profiles(np.tile(mean, 10), cv, 3, rng) for mean in means)
    rates = quasi_poisson(before, after, np.ones(6))
    held = ((rates.least <= new - old) & (rates.most >= new - old))[np.tile(np.arange(120) < 60, 10)]
    assert 0.94 <= np.mean(held) <= 0.99


def test_a_ratio_within_two_errors_of_that_of_the_exposures_is_no_change() -> None:
    rates = binomial(ticks(100000, 100000), ticks(103000, 120000), error=0.02)
    assert (rates.p[0] > 0.9, rates.p[1] < 1e-9) == (True, True)
    assert rates.low[0] < 1.0 < rates.high[0]


def test_the_error_of_the_exposures_widens_the_interval_of_the_ratio_by_two_of_it() -> None:
    exact, wide = one(400, 500), binomial(ticks(400), ticks(500), error=0.1)
    assert np.log(wide.high / exact.high) == pytest.approx([0.2])
    assert np.log(exact.low / wide.low) == pytest.approx([0.2])
    assert (wide.least[0] < exact.least[0], wide.most[0] > exact.most[0]) == (True, True)


def test_that_ticks_are_taken_to_be_poisson_is_said() -> None:
    (doubt,) = one(20, 20).doubts
    assert doubt == "optimistic: assumes Poisson ticks, and boots differ by more; profile each kernel in 3 boots or more"


@pytest.mark.parametrize("exposures", [(0.0, 1.0), (1.0, 0.0), (math.nan, 1.0), (1.0, math.nan)])
def test_exposures_that_are_not_known_give_no_ratio(exposures: tuple[float, float]) -> None:
    rates = one(20, 20, *exposures)
    assert np.isnan([rates.ratio, rates.low, rates.high, rates.p, rates.adjusted]).all()
    assert rates.doubts[1] == "the exposures are not all known: nothing can be compared"


# ---- several profiles a side ----

OLD = ticks([100, 1000, 50, 40, 30, 21], [110, 1100, 45, 44, 33, 25], [90, 900, 55, 36, 27, 20])
NEW = ticks([150, 1000, 50, 40, 30, 0], [140, 1050, 45, 44, 33, 0], [160, 950, 55, 36, 27, 0])


def test_the_ratio_is_that_of_all_ticks_per_exposure() -> None:
    assert quasi_poisson(OLD, NEW, [1, 1, 1, 2, 2, 2]).ratio == pytest.approx([0.75, 0.5, 0.5, 0.5, 0.5, 0.0])


def test_with_poisson_ticks_the_error_is_that_of_the_log_ratio_of_two_sums() -> None:
    rates = quasi_poisson(OLD[:, 2:5], NEW[:, 2:5], np.ones(6))
    expected = stats.t.ppf(0.975, 8 + 4) * np.sqrt(2.0 / np.array([150, 120, 90]))
    assert rates.dispersion == pytest.approx([1.0, 1.0, 1.0])
    assert np.log(rates.high) == pytest.approx(expected)
    assert np.log(rates.low) == pytest.approx(-expected)


def test_a_function_alone_has_the_dispersion_of_its_own_profiles() -> None:
    old, new = np.array([1000, 1200, 1100]), np.array([1500, 1300, 1400])
    rates = quasi_poisson(ticks(*old)[:, None], ticks(*new)[:, None], np.ones(6))
    phi = (((old - 1100) ** 2).sum() / 1100 + ((new - 1400) ** 2).sum() / 1400) / 4
    t = math.log(1400 / 1100) / math.sqrt(phi * (1 / 3300 + 1 / 4200))
    assert (rates.dispersion[0], rates.p[0]) == pytest.approx((phi, 2.0 * stats.t.sf(t, 4)))
    assert rates.doubts == ("1 functions have enough ticks to say how much profiles vary: only great changes can be shown",)


def test_the_dispersion_is_averaged_with_what_the_common_variation_predicts() -> None:
    rng = np.random.default_rng(1)
    mean = np.full(30, 2000.0)
    old, new = profiles(mean, 0.1, 3, rng), profiles(mean, 0.1, 3, rng)
    rates = quasi_poisson(old, new, np.ones(6))
    own = sum(((side - side.mean(0)) ** 2 / side.mean(0)).sum(0) for side in (old, new))
    predicted = 1.0 + rates.extra_cv**2 * (old.sum(0) + new.sum(0)) / 6
    assert rates.dispersion == pytest.approx((10.0 * predicted + own) / 14.0)
    assert rates.doubts == ()


@pytest.mark.parametrize("cv", [0.05, 0.1, 0.2])
def test_the_extra_variation_of_a_heavy_tailed_profile_is_found(cv: float) -> None:
    rng, mean = np.random.default_rng(2), 30000 * shares(1)
    found = [quasi_poisson(profiles(mean, cv, 3, rng), profiles(mean, cv, 3, rng), np.ones(6)).extra_cv for _ in range(40)]
    assert np.mean(found) == pytest.approx(cv, rel=0.05)
    assert np.std(found) < 0.2 * cv


def test_a_function_that_vanished_is_shown_with_the_greatest_ratio_it_may_have() -> None:
    rates = quasi_poisson(OLD, NEW, [1, 1, 1, 2, 2, 2])
    phi, df, deviance = rates.dispersion[5], 10 + 2, 2.0 * 66 * math.log((3 + 6) / 3)
    assert (rates.ratio[5], rates.low[5]) == (0.0, 0.0)
    assert rates.p[5] == pytest.approx(2.0 * stats.t.sf(math.sqrt(deviance / phi), df))
    # The deviance of a ratio is that of 66 ticks which are all on the old side.
    most = 2.0 * 66 * math.log((3 + 6 * rates.high[5]) / 3)
    assert most == pytest.approx(phi * stats.t.ppf(0.975, df) ** 2)


@given(TICKS)
def test_exchanging_the_sides_inverts_the_ratio_and_keeps_p(pairs: list[tuple[int, int]]) -> None:
    old, new = (ticks([pair[side] for pair in pairs], [pair[side] + 7 * bool(pair[side]) for pair in pairs]) for side in (0, 1))
    there, back = quasi_poisson(old, new, [1, 2, 3, 4]), quasi_poisson(new, old, [3, 4, 1, 2])
    assert there.p == pytest.approx(back.p, nan_ok=True)
    with np.errstate(divide="ignore"):
        assert there.low == pytest.approx(1.0 / back.high, nan_ok=True)
        assert there.ratio == pytest.approx(1.0 / back.ratio, nan_ok=True)


@given(TICKS, st.sampled_from([0.01, 1000.0]))
def test_the_unit_of_exposure_does_not_matter(pairs: list[tuple[int, int]], unit: float) -> None:
    old, new = (ticks([pair[side] for pair in pairs], [pair[side] for pair in pairs]) for side in (0, 1))
    exposures = np.array([1.0, 2.0, 3.0, 4.0])
    assert quasi_poisson(old, new, unit * exposures).p == pytest.approx(quasi_poisson(old, new, exposures).p, nan_ok=True)


def test_rare_functions_are_not_tested() -> None:
    rates = quasi_poisson(ticks([5, 5], [5, 4]), ticks([5, 5], [5, 5]), np.ones(4))
    assert np.isnan(rates.p).tolist() == [False, True]


def test_without_functions_there_is_nothing_to_say_but_that() -> None:
    rates = quasi_poisson(np.zeros((2, 0), dtype=np.int64), np.zeros((2, 0), dtype=np.int64), np.ones(4))
    assert (len(rates.p), rates.doubts[0][:11]) == (0, "0 functions")


@pytest.mark.parametrize(("old", "new"), [(1, 3), (3, 1), (0, 2)])
def test_a_single_profile_on_a_side_is_not_enough(old: int, new: int) -> None:
    rates = quasi_poisson(OLD[:old], NEW[:new], np.ones(old + new))
    assert np.isnan([rates.low, rates.high, rates.p, rates.dispersion]).all()
    assert rates.doubts == (f"{old} old and {new} new profiles: 2 of each are needed, and 3 or more say much more",)


@pytest.mark.parametrize("lost", [0.0, math.nan])
def test_a_profile_of_unknown_exposure_leaves_nothing_to_compare(lost: float) -> None:
    rates = quasi_poisson(OLD, NEW, [1, 1, 1, 1, lost, 1])
    assert np.isnan([rates.ratio, rates.low, rates.high, rates.p]).all()
    assert "the exposures are not all known: nothing can be compared" in rates.doubts


# ---- simulation ----


@pytest.mark.parametrize("size", [3000, 30000])
def test_of_unchanged_poisson_profiles_one_in_twenty_at_most_shows_a_function(size: int) -> None:
    rng = np.random.default_rng(3)
    assert np.mean([any_shown(size, 0.0, rng, seed) for seed in range(200)]) <= 0.05


def test_profiles_that_vary_by_more_than_poisson_show_functions_that_did_not_change() -> None:
    """The reason of the doubt."""
    rng = np.random.default_rng(4)
    assert np.mean([any_shown(30000, 0.1, rng, seed) for seed in range(60)]) >= 0.9


def test_a_doubled_function_of_30_percent_hides_in_totals_and_not_in_the_median_ratio() -> None:
    rng = np.random.default_rng(5)
    by_total, by_median, changed = np.mean([composition(rng, seed) for seed in range(60)], axis=0)
    assert (by_total, changed) == (pytest.approx(0.10, abs=0.05), 1.0)
    assert by_median <= 0.005


@pytest.mark.parametrize(("repeats", "power"), [(3, 0.62), (5, 0.86)])
def test_of_profiles_that_vary_by_10_percent_few_unchanged_functions_are_shown_and_most_changed_ones(
    repeats: int, power: float
) -> None:
    rng = np.random.default_rng(6)
    flags = [replicated(repeats, 0.1, rng, seed) for seed in range(60)]
    assert np.mean([flag.unchanged for flag in flags]) <= 0.06
    assert np.mean([flag.hot for flag in flags]) == pytest.approx(power, abs=0.07)


def test_the_function_with_most_ticks_is_not_shown_more_often_than_others() -> None:
    rng = np.random.default_rng(7)
    mean = np.sort(30000 * shares(1))[::-1]
    pairs = [(profiles(mean, 0.1, 2, rng), profiles(mean, 0.1, 2, rng)) for _ in range(400)]
    first = [shown(quasi_poisson(old, new, np.ones(4)).p[:1]) for old, new in pairs]
    assert np.mean(first) <= 0.06


def test_a_function_that_is_alone_is_shown_as_seldom() -> None:
    rng = np.random.default_rng(8)
    assert np.mean([single_function(rng) for _ in range(1500)]) <= 0.06
