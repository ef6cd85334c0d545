"""Profiles per operation, and the difference of two."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.model.profile import Profile
from kdelta.profile.change import Change
from kdelta.profile.clones import base_name
from kdelta.profile.difference import difference, per_operation


def profile(operations: int = 1, **counts: int) -> Profile:
    return Profile(benchmark="null", iteration=0, operations=operations, counts=counts)


@pytest.mark.parametrize(
    ("name", "base"),
    [
        pytest.param("do_work.isra.0", "do_work", id="isra"),
        pytest.param("do_work.constprop.12", "do_work", id="constprop"),
        pytest.param("do_work.part.3", "do_work", id="part"),
        pytest.param("do_work.cold", "do_work", id="cold"),
        pytest.param("do_work.llvm.1234567890", "do_work", id="llvm"),
        pytest.param("do_work.constprop.0.isra.1", "do_work", id="two at once"),
        pytest.param("do_work.isra.0.part.1.cold", "do_work", id="three at once"),
        pytest.param("do_work.isra.0.cold [ext4]", "do_work [ext4]", id="clone in a module"),
        pytest.param("do_work.cold [ext4]", "do_work [ext4]", id="cold part in a module"),
        pytest.param("__x64_sys_open.part.0", "__x64_sys_open", id="underscores"),
        pytest.param("f.isra.0", "f", id="one letter"),
    ],
)
def test_a_clone_is_called_by_its_function(name: str, base: str) -> None:
    assert base_name(name) == base


@pytest.mark.parametrize(
    "name",
    [
        "do_work",
        "do_work [ext4]",
        "[user]",
        "[unknown]",
        "do_work.0",
        "do_work.isra_helper",
        "do_work.coldest",
        "isra",
        ".isra.0",
        "bpf_prog_6deef7357e7b4530 [bpf]",
        "",
    ],
)
def test_what_is_no_clone_keeps_its_name(name: str) -> None:
    assert base_name(name) == name


NAME = st.text(st.sampled_from("ab_.0 []"), max_size=8) | st.sampled_from(
    ["f", "f.isra.0", "f.cold", "f.part.1 [m]", "f [m]", "[user]"]
)


@given(NAME)
def test_the_name_of_a_function_is_that_of_no_clone(name: str) -> None:
    assert base_name(base_name(name)) == base_name(name)


def test_counts_are_per_operation() -> None:
    assert per_operation([profile(4, f=20, g=2)]) == {"f": 5.0, "g": 0.5}


def test_counts_are_the_mean_over_all_loops() -> None:
    assert per_operation([profile(1, f=10), profile(2, f=40)]) == {"f": 15.0}


def test_a_loop_that_never_ran_a_function_counts_0_for_it() -> None:
    assert per_operation([profile(1, f=10), profile(1, g=4)]) == {"f": 5.0, "g": 2.0}


def test_no_profiles_have_no_functions() -> None:
    assert per_operation([]) == {}


def clones() -> Profile:
    counts = {"f": 1, "f.isra.0": 2, "f.constprop.0.cold": 4, "f [m]": 8, "f.part.0 [m]": 16}
    return Profile(benchmark="null", iteration=0, operations=1, counts=counts)


def test_clones_are_joined_under_their_function_within_their_module() -> None:
    assert per_operation([clones()]) == {"f": 7.0, "f [m]": 24.0}


def test_clones_are_kept_apart_where_that_is_asked_for() -> None:
    assert per_operation([clones()], keep_clones=True) == clones().counts


PROFILES = st.lists(
    st.builds(
        lambda operations, counts: Profile(benchmark="null", iteration=0, operations=operations, counts=counts),
        st.integers(1, 1000),
        st.dictionaries(NAME, st.integers(0, 1 << 40), max_size=8),
    ),
    min_size=1,
    max_size=4,
)


@given(PROFILES, st.booleans())
def test_sums_stay_sums(profiles: list[Profile], keep_clones: bool) -> None:
    found = sum(per_operation(profiles, keep_clones).values())
    expected = sum(profile.total() / profile.operations for profile in profiles) / len(profiles)
    assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)


def change(name: str, old: float | None, new: float | None) -> Change:
    return Change(name=name, old=old, new=new)


def test_a_function_that_only_the_new_side_has_is_new() -> None:
    (found,) = difference({}, {"f": 5.0})
    assert (found.old, found.new, found.delta, found.percent) == (None, 5.0, 5.0, None)


def test_a_function_that_only_the_old_side_has_is_gone() -> None:
    (found,) = difference({"f": 5.0}, {})
    assert (found.old, found.new, found.delta, found.percent) == (5.0, None, -5.0, -100.0)


def test_a_function_of_both_sides_has_a_delta_and_a_percentage_of_the_old_count() -> None:
    (found,) = difference({"f": 40.0}, {"f": 50.0})
    assert (found.delta, found.percent) == (10.0, 25.0)


def test_a_function_that_did_not_change_is_in_the_difference() -> None:
    assert difference({"f": 5.0}, {"f": 5.0}) == [change("f", 5.0, 5.0)]


def test_no_percentage_says_a_growth_from_0() -> None:
    assert change("f", 0.0, 5.0).percent is None


def test_what_grew_most_comes_first() -> None:
    found = difference({"shrunk": 9.0, "same": 1.0, "grown": 1.0}, {"shrunk": 1.0, "same": 1.0, "grown": 3.0, "new": 8.0})
    assert [one.name for one in found] == ["new", "grown", "same", "shrunk"]


def test_ties_come_in_the_order_of_their_names() -> None:
    found = difference({"d": 1.0, "b": 1.0}, {"d": 2.0, "c": 1.0, "b": 2.0, "a": 1.0})
    assert [one.name for one in found] == ["a", "b", "c", "d"]


def test_nothing_against_nothing_is_no_difference() -> None:
    assert difference({}, {}) == []


SIDE = st.dictionaries(st.text(max_size=3), st.integers(0, 1 << 40).map(float), max_size=10)


@given(SIDE, SIDE)
def test_the_deltas_add_up_to_the_change_of_the_sums(old: dict[str, float], new: dict[str, float]) -> None:
    assert sum(one.delta for one in difference(old, new)) == sum(new.values()) - sum(old.values())


@given(SIDE, SIDE)
def test_every_function_of_either_side_is_in_the_difference_once(old: dict[str, float], new: dict[str, float]) -> None:
    assert sorted(one.name for one in difference(old, new)) == sorted(old.keys() | new.keys())


@given(SIDE, SIDE)
def test_the_way_back_has_the_opposite_deltas(old: dict[str, float], new: dict[str, float]) -> None:
    forth = {one.name: one.delta for one in difference(old, new)}
    assert {one.name: -one.delta for one in difference(new, old)} == forth
