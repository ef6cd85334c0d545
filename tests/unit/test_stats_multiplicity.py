"""Many tests at once: by published examples, by properties, and by simulated tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from kdelta.stats.multiplicity import Array, benjamini_hochberg, benjamini_yekutieli, e_bh, fcr_level, holm

Adjust = Callable[[ArrayLike], Array]

ADJUSTMENTS: list[Adjust] = [holm, benjamini_hochberg, benjamini_yekutieli]
EACH_ADJUSTMENT = pytest.mark.parametrize("adjust", ADJUSTMENTS)

FIVE = [0.01, 0.02, 0.03, 0.04, 0.05]
# The example of Benjamini & Hochberg (1995).
FIFTEEN = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
]

P = st.lists(st.floats(0.0, 1.0) | st.just(math.nan), max_size=20)


@pytest.mark.parametrize(
    ("adjust", "expected"),
    [(holm, [0.05, 0.08, 0.09, 0.09, 0.09]), (benjamini_hochberg, [0.05] * 5), (benjamini_yekutieli, [0.1141667] * 5)],
)
def test_five_p_in_equal_steps_are_adjusted_as_by_r(adjust: Adjust, expected: Sequence[float]) -> None:
    assert adjust(FIVE) == pytest.approx(expected, abs=5e-8)


@pytest.mark.parametrize(("adjust", "rejected"), [(holm, 3), (benjamini_hochberg, 4)])
def test_of_the_example_of_1995_as_many_are_rejected_as_its_authors_say(adjust: Adjust, rejected: int) -> None:
    assert np.flatnonzero(adjust(FIFTEEN) <= 0.05).tolist() == list(range(rejected))


def test_the_first_five_of_the_example_of_1995_are_adjusted_as_known() -> None:
    assert benjamini_hochberg(FIFTEEN)[:5] == pytest.approx([0.0015, 0.003, 0.0095, 0.035625, 0.0603], abs=1e-12)


@EACH_ADJUSTMENT
def test_results_come_in_the_order_of_the_p(adjust: Adjust) -> None:
    order = np.random.default_rng(1).permutation(15)
    assert adjust(np.array(FIFTEEN)[order]).tolist() == adjust(FIFTEEN)[order].tolist()


@EACH_ADJUSTMENT
def test_what_was_not_tested_stays_so_and_does_not_count(adjust: Adjust) -> None:
    found = adjust([math.nan, *FIVE[:2], math.nan, *FIVE[2:]])
    assert np.isnan(found).tolist() == [True, False, False, True, False, False, False]
    assert found[~np.isnan(found)].tolist() == adjust(FIVE).tolist()


@EACH_ADJUSTMENT
@pytest.mark.parametrize("p", [[], [math.nan]])
def test_no_tests_need_no_adjustment(adjust: Adjust, p: list[float]) -> None:
    assert adjust(p).shape == (len(p),)


@EACH_ADJUSTMENT
@given(p=P)
def test_adjusted_p_are_ordered_as_the_p_and_lie_between_them_and_1(adjust: Adjust, p: list[float]) -> None:
    given_p = np.array(p)[~np.isnan(p)] if p else np.array([])
    found = adjust(p)[~np.isnan(p)] if p else np.array([])
    assert (found >= given_p - 1e-15).all()
    assert (found <= 1.0).all()
    assert (np.diff(found[np.argsort(given_p, kind="stable")]) >= 0.0).all()


@given(p=P)
def test_holm_is_stricter_than_benjamini_hochberg_and_laxer_than_bonferroni(p: list[float]) -> None:
    known = np.array([one for one in p if not math.isnan(one)])
    assert (benjamini_hochberg(known) <= holm(known) + 1e-15).all()
    assert (holm(known) <= np.minimum(1.0, known * known.size) + 1e-15).all()


@given(p=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
def test_the_two_of_the_false_share_agree_with_scipy(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p, method="bh"), abs=1e-14)
    assert benjamini_yekutieli(p) == pytest.approx(stats.false_discovery_control(p, method="by"), abs=1e-14)


# ---- e-values and intervals ----


@pytest.mark.parametrize(
    ("e", "rejected"),
    [
        pytest.param([100.0, 1.0, 1.0, 1.0, 1.0], [0], id="the first by itself: 5 / .05"),
        pytest.param([99.9, 1.0, 1.0, 1.0, 1.0], [], id="and just not"),
        pytest.param([1.0, 51.0, 0.0, 50.0, 1.0], [1, 3], id="two that need each other: 5 / (2 x .05)"),
        pytest.param([49.0, 34.0, 33.5, 1.0, 1.0], [0, 1, 2], id="three, of which the greatest alone would not"),
        pytest.param([math.nan, 1.0, 80.0, 1.0, 1.0], [2], id="what was not tested does not count: 4 / .05"),
        pytest.param([math.inf, 0.0], [0], id="infinite"),
        pytest.param([math.nan], [], id="nothing tested"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_e_values_are_rejected_where_the_kth_greatest_is_large_enough_for_k(e: list[float], rejected: list[int]) -> None:
    found = e_bh(e, 0.05)
    assert (found.shape, np.flatnonzero(found).tolist()) == ((len(e),), rejected)


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=15), st.sampled_from([0.01, 0.05, 0.1]))
def test_e_values_reject_what_benjamini_hochberg_rejects_by_their_inverses(e: list[float], alpha: float) -> None:
    adjusted = benjamini_hochberg(1.0 / np.array(e))
    if (np.abs(adjusted - alpha) > 1e-9).all():
        assert e_bh(e, alpha).tolist() == (adjusted <= alpha).tolist()


def test_intervals_of_selected_rows_are_as_much_wider_as_few_were_selected() -> None:
    assert fcr_level(0.05, 60, 60) == pytest.approx(0.95)
    assert fcr_level(0.05, 6, 60) == pytest.approx(0.995)
    assert fcr_level(0.05, 0, 60) == 1.0
    assert math.isnan(fcr_level(0.05, 0, 0))


# ---- simulation: tables of 60 comparisons, 12 of which changed by 3.5 standard errors ----

TABLES = 2000
CHANGED = 12


def false_and_true(reject: Callable[[Array], NDArray[np.bool_]], changed: int = CHANGED) -> tuple[float, float, float]:
    """Shares of tables with something false; expected share of false ones among the rejected; power."""
    z = np.random.default_rng(7).normal(size=(TABLES, 60))
    z[:, :changed] += 3.5
    rejected = np.array([reject(row) for row in 2.0 * stats.norm.sf(np.abs(z))])
    false = rejected[:, changed:].sum(-1)
    share = false / np.maximum(rejected.sum(-1), 1)
    return float(np.mean(false > 0)), float(np.mean(share)), float(rejected[:, :changed].sum() / TABLES / max(changed, 1))


def bound(share: float) -> float:
    return share + 4.0 * math.sqrt(share * (1.0 - share) / TABLES)


def test_without_adjustment_nine_tables_of_ten_have_something_false() -> None:
    any_false, _, _ = false_and_true(lambda p: p <= 0.05)
    assert any_false == pytest.approx(1.0 - 0.95**48, abs=0.03)


@pytest.mark.parametrize("changed", [0, CHANGED])
def test_holm_keeps_the_chance_of_anything_false(changed: int) -> None:
    any_false, _, _ = false_and_true(lambda p: holm(p) <= 0.05, changed)
    assert 0.02 < any_false <= bound(0.05)


def test_benjamini_hochberg_keeps_the_share_of_false_ones_and_more_power_than_holm() -> None:
    _, share, power = false_and_true(lambda p: benjamini_hochberg(p) <= 0.05)
    # Exactly .05 x 48 / 60; the share of one table varies less than a coin of that chance.
    assert share == pytest.approx(0.04, abs=4.0 * math.sqrt(0.04 * 0.96 / TABLES))
    assert power > false_and_true(lambda p: holm(p) <= 0.05)[2] + 0.15


def test_benjamini_yekutieli_pays_for_any_dependence() -> None:
    _, share, power = false_and_true(lambda p: benjamini_yekutieli(p) <= 0.05)
    assert share <= bound(0.01)
    assert power < false_and_true(lambda p: benjamini_hochberg(p) <= 0.05)[2]


def test_e_values_keep_the_share_of_false_ones_where_all_depend_on_one() -> None:
    rng = np.random.default_rng(9)
    common = rng.normal(size=(TABLES, 1))
    # Likelihood ratios of a shift by 3: e-values, as their mean is 1.
    e = np.exp(3.0 * (0.8 * common + 0.6 * rng.normal(size=(TABLES, 60))) - 4.5)
    assert float(np.mean([e_bh(row, 0.05).any() for row in e])) <= bound(0.05)
