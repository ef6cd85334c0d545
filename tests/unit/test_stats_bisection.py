"""The first bad kernel: by worked examples, by properties, and by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from tests.validation.later import KERNELS, bisect

from kdelta.stats.bisection import Culprit, Posterior, credible, ends_apart, found, next_kernel, posterior

Array = NDArray[np.float64]
Boots = list[tuple[int, float]]

LAST = 8

# Both ends, and any others.
ENDS: Boots = [(0, 1.0), (0, 3.0), (LAST, 10.0), (LAST, 13.0)]
BOOTS = st.lists(st.tuples(st.integers(0, LAST), st.integers(-50, 50).map(float)), max_size=12).map(lambda more: [*ENDS, *more])


def of(boots: Boots, prior: Sequence[float] | None = None, d0: float = 0.0, s0: float = 0.0) -> Array:
    return posterior([kernel for kernel, _ in boots], [value for _, value in boots], LAST, prior, d0, s0).first_bad


def known(*first_bad: float) -> Posterior:
    """Of kernels 1 and on."""
    return Posterior(np.array([0.0, *first_bad]), ())


def flags(*kernels: int, size: int) -> NDArray[np.bool_]:
    return np.isin(np.arange(size), kernels)


# ---- the ends ----


@pytest.mark.parametrize("boots", [0, 1, 2])
def test_ends_of_few_boots_are_not_tested(boots: int) -> None:
    ends = ends_apart([1.0] * boots, [2.0] * boots)
    assert (ends.apart, math.isnan(ends.p), ends.doubts) == (
        None,
        True,
        (f"the ends have {boots} and {boots} boots: 3 of each are needed",),
    )


def test_a_failed_boot_is_no_boot() -> None:
    assert ends_apart([1.0, 1.1, math.nan], [2.0, 2.1, 2.2]).doubts == ("the ends have 2 and 3 boots: 3 of each are needed",)


def test_p_of_the_ends_is_that_of_students_t_test() -> None:
    good, bad = [1.0, 2.0, 4.0], [3.0, 6.0, 5.0]
    assert ends_apart(good, bad).p == pytest.approx(stats.ttest_ind(good, bad).pvalue)


@pytest.mark.parametrize(("bad", "apart"), [([9.0, 9.1, 9.2], True), ([1.3, 1.4, 1.5], None)], ids=["far", "near"])
def test_ends_are_apart_or_boot_on(bad: list[float], apart: bool | None) -> None:
    assert ends_apart([1.0, 1.1, 1.2], bad).apart is apart


def test_after_fifteen_boots_of_each_the_ends_are_refused() -> None:
    good = [float(boot % 5) for boot in range(15)]
    assert ends_apart(good[:14], good[:14]).apart is None
    refused = ends_apart(good, good)
    assert (refused.apart, refused.doubts) == (
        False,
        ("the ends are not apart after 15 boots each (p 1): choose ends that differ more, or quiet the machine",),
    )


@pytest.mark.parametrize(("bad", "apart"), [([2.0] * 3, True), ([1.0] * 3, None)], ids=["different", "equal"])
def test_ends_without_any_noise_are_apart_where_they_differ(bad: list[float], apart: bool | None) -> None:
    assert ends_apart([1.0] * 3, bad).apart is apart


# ---- the posterior ----


def by_hand(boots: Boots, d0: float = 0.0, s0: float = 0.0) -> Array:
    """The formula, place by place."""
    weights = []
    for place in range(1, LAST + 1):
        left = [value for kernel, value in boots if kernel < place]
        right = [value for kernel, value in boots if kernel >= place]
        squares = np.var(left) * len(left) + np.var(right) * len(right) + d0 * s0**2
        weights.append(-0.5 * math.log(len(left) * len(right)) - (len(boots) - 2 + d0) / 2.0 * math.log(squares))
    likely = np.exp(np.array(weights) - max(weights))
    return np.array([0.0, *likely / likely.sum()])


@given(BOOTS, st.sampled_from([0.0, 4.0, 30.0]))
def test_the_posterior_is_what_the_formula_says(boots: Boots, d0: float) -> None:
    assert of(boots, d0=d0, s0=2.0) == pytest.approx(by_hand(boots, d0=d0, s0=2.0), rel=1e-6, abs=1e-9)


def test_the_formula_is_the_likelihood_averaged_over_levels_and_noise() -> None:
    """By adding up over a grid of both levels and of the logarithm of the standard deviation."""
    boots = [*ENDS, (2, 2.5), (4, 2.0), (5, 9.0), (3, 6.0), (6, 12.0)]
    level, noise = np.linspace(-40.0, 60.0, 401), np.exp(np.linspace(-1.5, 4.0, 80))

    def likelihood(values: list[float]) -> Array:
        """Of one level, added up over its grid, for each noise."""
        squares = ((np.array(values)[:, None] - level) ** 2).sum(axis=0)
        return np.asarray((np.exp(-squares / (2.0 * noise[:, None] ** 2)) / noise[:, None] ** len(values)).sum(axis=1))

    sides = [([v for k, v in boots if k < place], [v for k, v in boots if k >= place]) for place in range(1, LAST + 1)]
    weights = np.array([(likelihood(left) * likelihood(right)).sum() for left, right in sides])
    assert of(boots)[1:] == pytest.approx(weights / weights.sum(), rel=0.01)


@given(BOOTS)
def test_the_posterior_is_a_distribution_over_all_but_the_good_kernel(boots: Boots) -> None:
    first_bad = of(boots)
    assert (first_bad[0], first_bad.sum(), len(first_bad)) == (0.0, pytest.approx(1.0), LAST + 1)


@given(BOOTS, st.sampled_from([-4.0, 0.5]), st.integers(-100, 100))
def test_neither_unit_nor_offset_nor_direction_changes_the_posterior(boots: Boots, factor: float, more: int) -> None:
    moved = [(kernel, factor * value + more) for kernel, value in boots]
    assert of(moved) == pytest.approx(of(boots), rel=1e-6, abs=1e-9)


@given(BOOTS)
def test_read_from_the_other_end_the_posterior_is_the_same(boots: Boots) -> None:
    mirrored = [(LAST - kernel, value) for kernel, value in boots]
    assert of(mirrored)[1:] == pytest.approx(of(boots)[:0:-1], rel=1e-6, abs=1e-9)


def test_kernels_that_no_boot_tells_apart_are_equally_likely() -> None:
    first_bad = of([*ENDS, (3, 2.0)])
    assert first_bad == pytest.approx([0.0, *[first_bad[1]] * 3, *[first_bad[4]] * 5])


def test_a_prior_weighs_the_kernels_and_0_excludes_them() -> None:
    assert of(ENDS, prior=[9.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]) == pytest.approx([0, 0, 0.75, 0.25, 0, 0, 0, 0, 0])


def test_a_noise_known_from_earlier_runs_is_counted_in() -> None:
    """Two levels half a unit apart: clear where earlier boots hardly varied, unclear where they did."""
    boots = [(0, 1.0), (0, 1.1), (4, 1.5), (LAST, 1.6)]
    sure, unsure = (of(boots, d0=30.0, s0=s0)[1:5].sum() for s0 in (0.1, 2.0))
    assert (sure > 0.97, unsure) == (True, pytest.approx(0.5, abs=0.1))


def test_levels_without_any_noise_leave_only_the_places_between_them() -> None:
    assert of([(0, 1.0), (0, 1.0), (3, 1.0), (5, 2.0), (LAST, 2.0)]) == pytest.approx([0, 0, 0, 0, 0.5, 0.5, 0, 0, 0], abs=1e-6)


def test_equal_values_everywhere_are_no_error() -> None:
    assert np.isfinite(of([(kernel, 1.0) for kernel in range(LAST + 1)])).all()


def test_a_failed_boot_says_nothing() -> None:
    assert of([*ENDS, (4, math.nan)]) == pytest.approx(of(ENDS))


@pytest.mark.parametrize(
    ("boots", "prior", "doubt"),
    [
        ([], None, "no boot of both ends: the good and the bad kernel are booted first"),
        ([(0, 1.0), (4, 2.0)], None, "no boot of both ends: the good and the bad kernel are booted first"),
        ([(0, 1.0), (LAST, 2.0)], None, "2 boots say nothing of the noise: 3 are needed"),
        (ENDS, [1.0, *[0.0] * LAST], "the prior leaves no kernel"),
    ],
)
def test_where_nothing_can_be_said_all_is_nan_and_there_is_no_next_kernel(
    boots: Boots, prior: list[float] | None, doubt: str
) -> None:
    nothing = posterior([kernel for kernel, _ in boots], [value for _, value in boots], LAST, prior)
    assert (nothing.doubts, bool(np.isnan(nothing.first_bad).all())) == ((doubt,), True)
    assert (next_kernel(nothing), found(nothing), credible(nothing).tolist()) == (None, None, [])


# ---- which kernel is next ----


def test_the_next_kernel_is_the_one_that_is_bad_with_a_chance_nearest_to_half() -> None:
    assert next_kernel(known(0.1, 0.2, 0.3, 0.4)) == 3


def test_an_end_is_never_next() -> None:
    assert next_kernel(known(0.02, 0.02, 0.96)) == 2


@pytest.mark.parametrize(("testable", "expected"), [((0, 1, 2, 4), 2), ((1, 4), 1), ((0, 4), None)])
def test_of_kernels_that_cannot_be_booted_the_nearest_takes_the_place(testable: tuple[int, ...], expected: int | None) -> None:
    assert next_kernel(known(0.1, 0.2, 0.3, 0.4), flags(*testable, size=5)) == expected


@pytest.mark.parametrize(("built", "expected"), [((3,), 3), ((1,), 2), ((1, 3), 3), ((), 2)])
def test_a_kernel_that_is_built_is_taken_where_it_says_nearly_as_much(built: tuple[int, ...], expected: int) -> None:
    assert next_kernel(known(0.3, 0.2, 0.04, 0.46), built=flags(*built, size=5)) == expected


# ---- the answer ----


@pytest.mark.parametrize(("level", "expected"), [(0.95, Culprit(2, 2, 0.95)), (0.96, None)])
def test_a_kernel_is_named_as_soon_as_its_probability_reaches_the_level(level: float, expected: Culprit | None) -> None:
    assert found(known(0.03, 0.95, 0.02), level) == expected


def test_kernels_between_which_none_can_be_booted_are_one_answer() -> None:
    assert found(known(0.25, 0.375, 0.25, 0.125), 0.75, flags(0, 1, 4, size=5)) == Culprit(2, 4, 0.75)


def test_a_kernel_that_cannot_be_booted_is_not_told_from_its_successor() -> None:
    assert found(known(0.125, 0.375, 0.375, 0.125), 0.75, flags(0, 1, 3, 4, size=5)) == Culprit(2, 3, 0.75)


@pytest.mark.parametrize(("level", "expected"), [(0.5, [3]), (0.8, [2, 3]), (0.85, [2, 3, 4])])
def test_the_credible_kernels_are_the_fewest_that_hold_the_level(level: float, expected: list[int]) -> None:
    assert credible(known(0.05, 0.25, 0.56, 0.14), level).tolist() == expected


# ---- simulation ----


def test_of_1024_kernels_the_first_bad_one_is_found_at_three_deviations_in_thirty_boots() -> None:
    rng = np.random.default_rng(1)
    searches = [bisect(KERNELS, 3.0, rng) for _ in range(100)]
    assert np.mean([search.right is True for search in searches]) >= 0.95
    assert np.mean([search.boots for search in searches]) <= 30.0


def test_equal_ends_are_refused() -> None:
    rng = np.random.default_rng(2)
    assert np.mean([bisect(KERNELS, 0.0, rng).right is None for _ in range(150)]) >= 0.95


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_what_is_named_at_a_level_is_right_as_often(level: float) -> None:
    rng = np.random.default_rng(3)
    named = [search.right for search in (bisect(64, 2.0, rng, level) for _ in range(150)) if search.right is not None]
    assert np.mean(named) >= level - 3.0 * math.sqrt(level * (1.0 - level) / len(named))
