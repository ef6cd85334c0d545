"""Profiles per operation, and the difference of two sides."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.model.errors import MisuseError
from kdelta.model.profile import INSTRUCTIONS, TICKS
from kdelta.profile.change import Change, Difference, Side
from kdelta.profile.clones import base_name
from kdelta.profile.difference import compare
from kdelta.profile.idle import is_idle


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


def difference(old: dict[str, int], new: dict[str, int]) -> list[Change]:
    """Of one profile a side, of one operation."""
    return list(compare(side("old", old, work=(1,)), side("new", new, work=(1,))).changes)


def test_a_function_that_only_the_new_side_has_is_new() -> None:
    (found,) = difference({}, {"f": 5})
    assert (found.old, found.new, found.delta, found.percent) == (None, 5.0, 5.0, None)


def test_a_function_that_only_the_old_side_has_is_gone() -> None:
    (found,) = difference({"f": 5}, {})
    assert (found.old, found.new, found.delta, found.percent) == (5.0, None, -5.0, -100.0)


def test_a_function_of_both_sides_has_a_delta_and_a_percentage_of_the_old_count() -> None:
    (found,) = difference({"f": 40}, {"f": 50})
    assert (found.delta, found.percent) == (10.0, 25.0)


def test_a_function_that_did_not_change_is_in_the_difference() -> None:
    assert [(one.name, one.old, one.new) for one in difference({"f": 5}, {"f": 5})] == [("f", 5.0, 5.0)]


def test_no_percentage_says_a_growth_from_0() -> None:
    assert Change(name="f", old=0.0, new=5.0).percent is None


def test_what_grew_most_comes_first() -> None:
    found = difference({"shrunk": 9, "same": 1, "grown": 1}, {"shrunk": 1, "same": 1, "grown": 3, "new": 8})
    assert [one.name for one in found] == ["new", "grown", "same", "shrunk"]


def test_ties_come_in_the_order_of_their_names() -> None:
    found = difference({"d": 1, "b": 1}, {"d": 2, "c": 1, "b": 2, "a": 1})
    assert [one.name for one in found] == ["a", "b", "c", "d"]


def test_nothing_against_nothing_is_no_difference() -> None:
    assert difference({}, {}) == []


SIDE = st.dictionaries(st.text("fg .[]", max_size=3), st.integers(0, 1 << 40), max_size=10)


@given(SIDE, SIDE)
def test_the_deltas_add_up_to_the_change_of_the_sums(old: dict[str, int], new: dict[str, int]) -> None:
    assert sum(one.delta for one in difference(old, new)) == sum(new.values()) - sum(old.values())


@given(SIDE, SIDE)
def test_every_function_of_either_side_is_in_the_difference_once(old: dict[str, int], new: dict[str, int]) -> None:
    assert sorted(one.name for one in difference(old, new)) == sorted(old.keys() | new.keys())


@given(SIDE, SIDE)
def test_the_way_back_has_the_opposite_deltas(old: dict[str, int], new: dict[str, int]) -> None:
    forth = {one.name: one.delta for one in difference(old, new)}
    assert {one.name: -one.delta for one in difference(new, old)} == forth


# ---- sides that are compared ----


def side(name: str, *counts: dict[str, int], work: tuple[float, ...] = (), unit: str = INSTRUCTIONS) -> Side:
    return Side(name=name, counts=counts, work=work, unit=unit)


def named(found: Difference) -> dict[str, Change]:
    return {one.name: one for one in found.changes}


def test_counts_of_a_side_are_those_of_all_its_profiles_by_all_its_work() -> None:
    found = compare(side("a", {"f": 10}, {"f": 50}, work=(1, 2)), side("b", {"f": 90, "g": 9}, work=(3,)))
    assert [(one.name, one.old, one.new) for one in found.changes] == [("f", 20.0, 30.0), ("g", None, 3.0)]
    assert (found.old, found.new, found.unit, found.per, found.profiles) == ("a", "b", INSTRUCTIONS, "operation", (2, 1))


def test_a_function_that_was_listed_without_counts_is_no_new_one() -> None:
    found = compare(side("a", {"f": 1, "g": 0}, work=(1,)), side("b", {"f": 1, "g": 2}, work=(1,)))
    assert named(found)["g"].old == 0.0


def test_clones_of_both_sides_are_joined_or_kept_apart() -> None:
    sides = side("a", {"f.isra.0": 3, "f": 1}, work=(1,)), side("b", {"f.constprop.1": 6}, work=(1,))
    assert [(one.name, one.old, one.new) for one in compare(*sides).changes] == [("f", 4.0, 6.0)]
    assert {one.name for one in compare(*sides, keep_clones=True).changes} == {"f", "f.isra.0", "f.constprop.1"}


def test_the_unit_of_the_work_is_the_callers() -> None:
    assert compare(side("a", {"f": 1}, work=(1,)), side("b", {"f": 1}, work=(1,)), per="build").per == "build"


def test_idle_functions_are_apart_and_not_in_the_total() -> None:
    old, new = {"schedule": 50, "default_idle": 900, "intel_idle.llvm.7": 3}, {"schedule": 70, "default_idle": 800}
    found = compare(side("a", old, work=(1,), unit=TICKS), side("b", new, work=(1,), unit=TICKS))
    assert [one.name for one in found.changes] == ["schedule"]
    assert [(one.name, one.delta, one.real) for one in found.idle] == [("intel_idle", -3.0, False), ("default_idle", -100.0, False)]
    assert (found.total.old, found.total.new) == (50.0, 70.0)


@pytest.mark.parametrize(
    "name",
    [
        *("default_idle", "poll_idle", "mwait_idle_with_hints.constprop.0", "acpi_idle_do_entry [processor]"),
        *("ia64_pal_call_static", "pv_native_safe_halt", "cpu_idle", "psw_idle"),
    ],
)
def test_a_function_that_waits_for_work_is_idle(name: str) -> None:
    assert is_idle(name)


@pytest.mark.parametrize(
    "name", ["do_idle", "idle_cpu", "tick_nohz_idle_enter", "schedule_idle", "worker_enter_idle", "", "[user]"]
)
def test_a_function_that_works_is_not_idle(name: str) -> None:
    assert not is_idle(name)


# ---- work that is not known ----

STEADY = {f"f{i}": 100 * (i + 1) for i in range(9)}


def times(factor: int, counts: dict[str, int]) -> dict[str, int]:
    return {name: factor * count for name, count in counts.items()}


@pytest.mark.parametrize("profiles", [(1, 1), (2, 2), (1, 3), (3, 1)])
def test_without_work_the_median_function_is_the_same_on_both_sides(profiles: tuple[int, int]) -> None:
    old = side("a", *[STEADY | {"hot": 500}] * profiles[0], unit=TICKS)
    new = side("b", *[times(3, STEADY) | {"hot": 3000}] * profiles[1], unit=TICKS)
    found = compare(old, new)
    changes = named(found)
    assert (changes["hot"].old, changes["hot"].new) == pytest.approx((500.0, 1000.0))
    assert [one.delta for name, one in changes.items() if name != "hot"] == pytest.approx([0.0] * 9)
    assert (found.per, found.doubts[0]) == (
        "old profile",
        "how much work the profiles stand for is not known: taken from the median ratio of 10 functions, which is right as long as"
        " fewer than half of them changed",
    )


def test_work_that_one_side_does_not_know_is_not_known() -> None:
    assert compare(side("a", STEADY, work=(7,), unit=TICKS), side("b", STEADY, unit=TICKS)).per == "old profile"


def test_profiles_of_a_side_that_differ_in_length_are_put_to_one() -> None:
    old = side("a", STEADY, times(4, STEADY), unit=TICKS)
    found = compare(old, side("b", *[times(2, STEADY)] * 2, unit=TICKS))
    assert [one.delta for one in found.changes] == pytest.approx([0.0] * 9)
    assert found.total.old == pytest.approx(4500 * 2.5)


def test_idle_time_does_not_say_how_much_work_was_done() -> None:
    old, new = STEADY | {"default_idle": 10}, STEADY | {"default_idle": 10**6}
    assert {one.delta for one in compare(side("a", old, unit=TICKS), side("b", new, unit=TICKS)).changes} == {0.0}


def test_profiles_with_few_functions_are_compared_by_their_totals_and_not_tested() -> None:
    found = compare(side("a", {"f": 300, "g": 100}, unit=TICKS), side("b", {"f": 150, "g": 50}, unit=TICKS))
    assert [(one.delta, math.isnan(one.q), one.real) for one in found.changes] == [(0.0, True, False)] * 2
    assert [doubt.split(":")[0].split(",")[0] for doubt in found.doubts] == [
        "2 functions have 20 ticks on both sides",
        "the totals are set equal instead",
    ]


@pytest.mark.parametrize("counts", [({}, {}), ({}, {"f": 5}), ({"f": 5}, {}), ({"f": 0}, {"g": 0})])
def test_an_empty_profile_has_a_difference_too(counts: tuple[dict[str, int], dict[str, int]]) -> None:
    for unit in (TICKS, INSTRUCTIONS):
        found = compare(side("a", counts[0], unit=unit), side("b", counts[1], unit=unit))
        assert found.total.delta == sum(counts[1].values()) - sum(counts[0].values())


# ---- what cannot be compared ----

REFUSED = {
    "no profiles": (side("a"), side("b", {"f": 1}), "the profiles of a cannot be compared: there are none"),
    "work for one of two": (side("a", {}, {}, work=(1,)), side("b", {}), "2 profiles stand for 1 amounts of work"),
    "no work": (side("a", {}, work=(0,)), side("b", {}), "one stands for no work"),
    "unknown work": (
        side("a", {}),
        side("b", {}, work=(math.nan,)),
        "the profiles of b cannot be compared: one stands for no work",
    ),
    "endless work": (side("a", {}), side("b", {}, work=(math.inf,)), "one stands for no work"),
    "below 0": (side("a", {"f": 1}), side("b", {"f": 1}, {"g": -1}), "profile 2 has a count below 0"),
    "beyond all": (side("a", {"f": 10**30}), side("b", {"f": 1}), "profile 1 counts more than 9007199254740992"),
    "two kinds": (side("a", {"f": 1}), side("b", {"f": 1}, unit=TICKS), "a counts instructions and b ticks"),
}


@pytest.mark.parametrize(("old", "new", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_compared_is_refused_with_the_reason(old: Side, new: Side, message: str) -> None:
    with pytest.raises(MisuseError, match=message) as refused:
        compare(old, new)
    assert refused.value.advice


MAPPING = st.dictionaries(NAME, st.integers(0, 1 << 40), max_size=6)
MAPPINGS = st.lists(MAPPING, min_size=1, max_size=3)


@given(MAPPINGS, MAPPINGS, st.booleans(), st.sampled_from([TICKS, INSTRUCTIONS]), st.booleans())
def test_nothing_is_lost_or_added_by_comparing(
    old: list[dict[str, int]], new: list[dict[str, int]], keep_clones: bool, unit: str, known: bool
) -> None:
    works = ((2.0,) * len(old), (0.5,) * len(new)) if known else ((), ())
    found = compare(side("a", *old, work=works[0], unit=unit), side("b", *new, work=works[1], unit=unit), keep_clones=keep_clones)
    if known:
        expected = [sum(map(sum, map(dict.values, each))) / sum(work) for each, work in zip((old, new), works, strict=True)]
        assert (found.total.old, found.total.new) == pytest.approx(tuple(expected))
    names = [one.name for one in (*found.changes, *found.idle)]
    assert len(names) == len(set(names))
    assert all(one.low <= one.delta <= one.high for one in found.changes if not math.isnan(one.low))
    assert list(found.changes) == sorted(found.changes, key=lambda one: (-one.delta, one.name))
