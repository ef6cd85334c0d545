"""What differences of profiles say of chance, by simulation at a small size; and by which noise they are judged."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.validation.later import shares
from tests.validation.profiles import (
    HOTTEST,
    SIZE,
    any_real,
    away,
    between,
    doubled,
    exact,
    grown,
    kernel,
    planted,
    side,
)

from kdelta.model.profile import INSTRUCTIONS, TICKS
from kdelta.profile.change import Difference
from kdelta.profile.difference import compare
from kdelta.profile.noise import Noise, noise


@pytest.mark.parametrize(
    ("unit", "profiles", "kind"),
    [
        (INSTRUCTIONS, (3, 3), Noise.SPREAD),
        (INSTRUCTIONS, (1, 3), Noise.UNKNOWN),
        (TICKS, (2, 2), Noise.EXTRA_POISSON),
        (TICKS, (3, 1), Noise.POISSON),
        (TICKS, (1, 1), Noise.POISSON),
    ],
)
def test_noise_is_that_of_the_unit_and_of_as_many_profiles(unit: str, profiles: tuple[int, int], kind: Noise) -> None:
    assert noise(unit, profiles) is kind


# ---- by time ----


@pytest.mark.parametrize("known", [True, False], ids=["work known", "work not known"])
@pytest.mark.parametrize("cv", [0.05, 0.10, 0.20])
def test_of_profiles_that_did_not_change_one_in_twenty_at_most_shows_a_function(cv: float, known: bool) -> None:
    rng = np.random.default_rng(30)
    made = [between(SIZE * shares(seed), SIZE * shares(seed), cv, known, rng) for seed in range(60)]
    assert np.mean([any_real(one) for one in made]) <= 0.05
    assert np.mean([away(one) for one in made]) <= 0.06


def test_a_doubled_function_of_30_percent_shows_no_other_where_the_work_is_not_known() -> None:
    rng = np.random.default_rng(31)
    made = [doubled(0.10, rng, seed) for seed in range(60)]
    assert np.mean([any_real(one, HOTTEST) for one in made]) <= 0.05
    assert np.mean([any(change.real for change in one.changes if change.name == HOTTEST) for one in made]) >= 0.9


def test_five_profiles_a_side_find_most_hot_functions_that_grew_by_a_quarter() -> None:
    rng = np.random.default_rng(32)
    made = [grown(0.05, 5, rng, seed) for seed in range(20)]
    assert np.mean([one.found for one in made]) >= 0.7
    assert np.mean([one.false for one in made]) <= 0.05
    assert np.mean([one.held for one in made]) >= 0.94


def test_a_single_profile_is_not_surer_of_its_hottest_function_than_of_its_work() -> None:
    rng, mean = np.random.default_rng(33), 300000 * np.append(0.2 * shares(1), 0.8)
    assert np.mean([any_real(between(mean, mean, 0.0, False, rng, boots=1)) for _ in range(100)]) <= 0.05


@pytest.mark.parametrize(("old", "new"), [(1, 1), (1, 3), (3, 1)])
def test_a_single_profile_of_a_side_is_said_to_be_optimistic(old: int, new: int) -> None:
    rng, mean = np.random.default_rng(34), SIZE * shares(2)
    (doubt,) = compare(side("a", rng.poisson(mean, (old, 300))), side("b", rng.poisson(mean, (new, 300)))).doubts
    assert doubt.startswith("optimistic: assumes Poisson ticks")


def test_functions_that_are_new_and_gone_have_intervals() -> None:
    rng, mean = np.random.default_rng(35), np.full(40, 500.0)
    old, new = rng.poisson(mean, (3, 40)), rng.poisson(mean, (3, 40))
    new[:, 0], old[:, 1] = 0, 0
    for boots in (1, 3):
        found = {one.name: one for one in compare(side("a", old[:boots]), side("b", new[:boots])).changes}
        gone, come = found["f0"], found["f1"]
        assert (gone.real, come.real, gone.new, come.old) == (True, True, None, None)
        assert gone.low < gone.delta < gone.high < 0.0 < come.low < come.delta < come.high


# ---- by instructions ----


@pytest.mark.parametrize("layouts", [1, 8])
def test_of_boots_of_one_kernel_one_comparison_in_twenty_at_most_shows_a_function(layouts: int) -> None:
    rng = np.random.default_rng(36)
    assert np.mean([any_real(exact(kernel(layouts, rng), rng)) for _ in range(150)]) <= 0.05


def test_a_function_that_grew_is_found_where_layout_moves_few() -> None:
    rng = np.random.default_rng(37)
    assert np.mean([planted(1, rng) for _ in range(40)]) >= 0.9


def test_more_boots_find_a_function_that_grew_where_layout_moves_many() -> None:
    rng = np.random.default_rng(38)
    assert np.mean([planted(8, rng, boots=8) for _ in range(40)]) >= 0.9


# Four functions of a system call, instructions per call in 3 boots: all as they were seen, and where they lie two differ.
OPEN = np.array([[62.0, 299.0, 72.0, 840.0, 8.124], [62.0, 297.0, 71.0, 840.0, 0.0], [62.0, 299.0, 72.0, 840.0, 3.475]])


def counted(boots: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Difference:
    """`OPEN` against `boots`, each beside 40 functions of 100 instructions that do not vary."""
    steady = np.full((3, 40), 100.0)
    counts = [np.rint(18000 * np.append(each, steady, axis=1)).astype(np.int64) for each in (OPEN, boots)]
    return compare(side("a", counts[0], 18000.0, INSTRUCTIONS), side("b", counts[1], 18000.0, INSTRUCTIONS))


def test_a_few_instructions_more_in_a_function_that_layout_leaves_alone_are_found() -> None:
    found = counted(OPEN[[1, 2, 0]] + [4.0, 0.0, 0.0, 0.0, 0.0])
    assert [(one.name, one.real) for one in found.changes if one.real] == [("f0", True)]
    (change,) = (one for one in found.changes if one.real)
    assert (change.low, change.high) == pytest.approx((4.0, 4.0), abs=0.1)


def test_a_change_of_less_than_a_twentieth_of_a_percent_is_not_real_however_sure() -> None:
    found = {one.name: one for one in counted(OPEN[[1, 2, 0]] + [1.0, 0.0, 0.0, 0.0, 0.0]).changes}
    assert (found["f0"].low > 0.0, found["f0"].q < 0.001, found["f0"].real) == (True, True, False)


def test_what_layout_moves_is_not_found_nor_is_a_burst() -> None:
    assert not any_real(counted(OPEN[[1, 1, 0]] * [1.0, 1.0, 1.0, 1.0, 0.0]))


def test_one_boot_a_side_has_sizes_alone() -> None:
    rng = np.random.default_rng(39)
    found = exact(kernel(1, rng), rng, {0: 50.0}, boots=1)
    assert all(math.isnan(one.low) and math.isnan(one.q) and not one.real for one in found.changes)
    assert found.doubts == ("one boot on a side: nothing is known of chance, only sizes; boot each kernel with 3 seeds or more",)
