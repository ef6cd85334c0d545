"""What the change of a benchmark is made of: amounts that add up, and the text that says so."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit import golden

from kdelta.model.errors import MisuseError
from kdelta.model.profile import TICKS
from kdelta.profile.accounting import account, grouped, newest_name
from kdelta.profile.breakdown import Account, Breakdown
from kdelta.profile.change import Change, Difference, Side
from kdelta.profile.difference import compare
from kdelta.profile.subsystem import table
from kdelta.profile.timescale import TimeScale, cpu_time
from kdelta.report.accounting_text import render


def change(name: str, old: float | None, new: float | None, real: bool = True, reach: float = 1.0) -> Change:
    """With an interval of `reach` on either side."""
    delta = (new or 0.0) - (old or 0.0)
    return Change(name=name, old=old, new=new, low=delta - reach, high=delta + reach, q=0.001 if real else 0.9, real=real)


def difference(*changes: Change, unit: str = "instructions", per: str = "operation") -> Difference:
    return Difference(old="6.1", new="6.12", changes=changes, unit=unit, per=per, profiles=(3, 3))


def first_letter(name: str) -> str:
    return name[:1]


def accounted(*changes: Change, old: float = 1000.0, new: float = 1100.0, most: int = 8) -> Account:
    return account(difference(*changes), first_letter, old, new, most=most)


def amounts(parts: Breakdown) -> dict[str, float]:
    return {item.name: item.amount for item in parts.items}


def total(parts: Breakdown) -> float:
    listed = [item.amount for item in parts.items]
    return math.fsum([*listed, parts.rest.amount, parts.within_noise.amount, parts.outside])


# ---- which contributions ----


def test_what_changed_beyond_noise_is_a_contribution_and_the_rest_is_one_sum() -> None:
    found = accounted(
        change("grown", 10, 90), change("shrunk", 20, None), change("a", 5, 9, real=False), change("b", 5, 4, real=False)
    )
    assert amounts(found.functions) == {"grown": 80.0, "shrunk": -20.0}
    assert (found.functions.within_noise.amount, found.functions.within_noise.functions) == (3.0, 2)


def test_what_the_profiles_did_not_see_is_said() -> None:
    found = accounted(change("grown", 10, 90), change("a", 5, 9, real=False))
    assert (found.functions.explained, found.functions.outside, found.functions.unexplained) == (80.0, 16.0, 20.0)


def test_the_largest_come_first_whatever_their_sign() -> None:
    found = accounted(change("b", 0, 5), change("a", 0, 5), change("less", 90, 0), change("more", 0, 50))
    assert list(amounts(found.functions)) == ["less", "more", "a", "b"]


def test_what_there_is_no_room_for_is_summed() -> None:
    found = accounted(change("a", 0, 50), change("b", 0, 40), change("c", 30, 0), change("d", 0, 20), most=2)
    assert amounts(found.functions) == {"a": 50.0, "b": 40.0}
    assert (found.functions.rest.amount, found.functions.rest.functions) == (-10.0, 2)


def test_a_subsystem_is_the_sum_of_its_functions() -> None:
    found = accounted(change("af", 0, 50), change("ag", 30, 0), change("ah", 0, 9, real=False), change("bf", 0, 7))
    assert amounts(found.subsystems) == {"a": 20.0, "b": 7.0}
    assert [item.functions for item in found.subsystems.items] == [2, 1]
    assert (found.subsystems.items[0].low, found.subsystems.items[0].high) == (18.0, 22.0)


@pytest.mark.parametrize(
    ("name", "newest"),
    [
        ("f", "f"),
        ("kmem_cache_alloc -> kmem_cache_alloc_noprof", "kmem_cache_alloc_noprof"),
        ("f + g -> h", "h"),
        ("f -> g + h", "g"),
        ("f -> g -> h", "h"),
    ],
)
def test_functions_that_were_folded_are_of_the_subsystem_of_the_new_one(name: str, newest: str) -> None:
    assert newest_name(name) == newest
    assert [item.name for item in accounted(change(name, 1, 9)).subsystems.items] == [newest[0]]


def test_where_nothing_is_known_of_chance_every_change_counts() -> None:
    found = accounted(Change(name="f", old=1.0, new=9.0), Change(name="g", old=3.0, new=3.0))
    assert (found.judged, amounts(found.functions), found.functions.within_noise.amount) == (False, {"f": 8.0}, 0.0)


def test_nothing_changed_is_an_account_without_contributions() -> None:
    found = accounted(old=5.0, new=5.0)
    assert (found.functions.items, found.functions.outside, found.functions.share) == ((), 0.0, None)


# ---- adding up ----

COUNT = st.integers(0, 1 << 40).map(float) | st.floats(0.0, 1e9)
CHANGES = st.lists(
    st.builds(change, st.text("abc -+>", min_size=1, max_size=6), st.none() | COUNT, st.none() | COUNT, st.booleans()), max_size=12
)


@given(CHANGES, COUNT, COUNT, st.integers(0, 5), st.sampled_from(["instructions", TICKS]))
def test_the_parts_add_up_to_the_change(changes: list[Change], old: float, new: float, most: int, unit: str) -> None:
    found = account(difference(*changes, unit=unit), first_letter, old, new, most=most)
    largest = max([old, new, *(one.old or 0.0 for one in changes), *(one.new or 0.0 for one in changes)])
    for parts in (found.functions, found.subsystems):
        assert total(parts) == pytest.approx(new - old, rel=1e-12, abs=1e-12 * largest)
        assert parts.explained + parts.unexplained == pytest.approx(new - old, rel=1e-12, abs=1e-12 * largest)


WHOLE = st.none() | st.integers(0, 1 << 40).map(float)


@given(
    st.lists(st.builds(change, st.text(min_size=1, max_size=3), WHOLE, WHOLE, st.booleans()), max_size=12), st.integers(0, 1 << 40)
)
def test_whole_counts_add_up_to_the_last_digit(changes: list[Change], metric: int) -> None:
    found = accounted(*changes, old=0.0, new=float(metric), most=3)
    assert total(found.functions) == total(found.subsystems) == metric


# ---- how much is explained ----


@pytest.mark.parametrize(
    ("contributions", "noise", "metric", "share"),
    [
        pytest.param([100], 0, 100, 1.0, id="all"),
        pytest.param([-100], 0, -100, 1.0, id="all of a fall"),
        pytest.param([60], 40, 100, 0.6, id="some is within noise"),
        pytest.param([60], 0, 100, 0.6, id="some is outside"),
        pytest.param([150], 0, 100, 0.5, id="more than there is"),
        pytest.param([60], 50, 100, 0.4, id="noise and what is outside do not make up for each other"),
        pytest.param([1000, -995], 0, 10, 0.5, id="large contributions that cancel"),
        pytest.param([1000, -1000], 0, 100, 0.0, id="none of the net change"),
        pytest.param([300], 0, 100, 0.0, id="never below 0"),
        pytest.param([], 0, 100, 0.0, id="no contribution"),
        pytest.param([5, -5], 0, 0, None, id="no change"),
    ],
)
def test_the_share_that_is_explained(contributions: list[float], noise: float, metric: float, share: float | None) -> None:
    real = [change(f"f{i}", 2000, 2000 + delta) for i, delta in enumerate(contributions)]
    found = accounted(*real, change("n", 2000, 2000 + noise, real=False), old=0.0, new=metric)
    assert found.functions.share == (None if share is None else pytest.approx(share))


@pytest.mark.parametrize(
    ("interval", "within"), [((-1.0, 201.0), True), ((1.0, 201.0), False), ((math.nan, math.nan), False), (None, False)]
)
def test_a_benchmark_within_noise_leaves_nothing_to_explain(interval: tuple[float, float] | None, within: bool) -> None:
    found = account(difference(change("f", 0, 100)), first_letter, 1000.0, 1100.0, interval=interval)
    assert found.within_noise is within
    assert ("nothing to explain" in render(found, "fork")) is within
    assert ("100% explained" in render(found, "fork")) is not within


# ---- ticks ----


def ticks(*changes: Change, per: str = "operation") -> Difference:
    return difference(*changes, unit=TICKS, per=per)


def test_a_function_has_its_share_of_the_seconds_of_its_side() -> None:
    found = account(ticks(change("f", 25, 60), change("g", 75, 40)), first_letter, 2.0, 3.0)
    assert amounts(found.functions) == pytest.approx({"f": 3.0 * 0.6 - 2.0 * 0.25, "g": 3.0 * 0.4 - 2.0 * 0.75})
    assert found.unit == "s"
    assert found.functions.outside == pytest.approx(0.0, abs=1e-12)


def test_a_tick_is_a_period_of_a_cpu() -> None:
    counted = ticks(change("f", 20, 70))
    found = account(counted, first_letter, 1.0, 1.6, scale=cpu_time(counted, 100.0))
    assert amounts(found.functions) == {"f": pytest.approx(0.5)}
    assert [found.functions.items[0].low, found.functions.items[0].high] == pytest.approx([0.49, 0.51])
    assert found.functions.outside == pytest.approx(0.1)


def test_on_scales_that_differ_the_longer_seconds_reach_furthest() -> None:
    found = account(ticks(change("f", 100, 300, reach=10.0)), first_letter, 0.0, 1.0, scale=TimeScale(0.02, 0.01))
    (item,) = found.functions.items
    assert [item.amount, item.low, item.high] == pytest.approx([1.0, 0.8, 1.2])


def test_what_scales_that_differ_put_within_noise_is_no_contribution() -> None:
    """More ticks of fewer seconds each."""
    found = account(ticks(change("f", 100, 190, reach=20.0)), first_letter, 2.0, 1.9, scale=TimeScale(0.02, 0.01))
    assert found.functions.items == ()
    assert found.functions.within_noise.amount == pytest.approx(-0.1)


def test_a_side_without_ticks_takes_no_time() -> None:
    found = account(ticks(change("f", None, 50)), first_letter, 0.0, 2.0)
    assert amounts(found.functions) == {"f": 2.0}


def test_profiles_of_unknown_work_have_no_time_per_tick() -> None:
    with pytest.raises(MisuseError, match="how much work was done"):
        cpu_time(ticks(change("f", 1, 2), per="old profile"), 100.0)


@pytest.mark.parametrize(
    ("unit", "old", "scale", "message"),
    [
        ("instructions", math.nan, None, "the benchmark has no value on 6.1"),
        (TICKS, math.inf, None, "the benchmark has no value on 6.1"),
        ("events", 1.0, None, "events cannot be turned into"),
        ("instructions", 1.0, TimeScale(1.0, 1.0), "no time scale"),
    ],
)
def test_what_cannot_be_accounted_for_is_said(unit: str, old: float, scale: TimeScale | None, message: str) -> None:
    with pytest.raises(MisuseError, match=message):
        account(difference(change("f", 1, 2), unit=unit), first_letter, old, 2.0, scale=scale)


# ---- subsystems tested as a whole ----


def side(name: str, *counts: dict[str, int], unit: str = "instructions") -> Side:
    return Side(name=name, counts=counts, work=(1.0,) * len(counts), unit=unit)


def test_grouped_sides_hold_the_same_counts_by_subsystem() -> None:
    found = grouped(side("6.1", {"af": 1, "ag": 2, "b": 4}, {"b": 8}), first_letter)
    assert found == side("6.1", {"a": 3, "b": 4}, {"b": 8})


def test_functions_that_idle_are_in_no_group() -> None:
    assert grouped(side("6.1", {"default_idle": 5, "do_x": 1}), first_letter).counts == ({"default_idle": 5, "d": 1},)


def test_many_small_changes_that_add_up_are_found_where_subsystems_are_tested() -> None:
    old = side("6.1", *({f"a{i}": 100 for i in range(200)} for _ in range(3)), unit=TICKS)
    new = side("6.12", *({f"a{i}": 104 for i in range(200)} for _ in range(3)), unit=TICKS)
    whole = compare(grouped(old, first_letter), grouped(new, first_letter))
    found = account(compare(old, new), first_letter, 20000.0, 20800.0, scale=TimeScale(1.0, 1.0), subsystems=whole)
    assert found.functions.items == ()
    assert amounts(found.subsystems) == {"a": pytest.approx(800.0)}


# ---- the text ----

FORK = (
    change("memcpy_orig", None, 10206),
    change("memset_orig", 12031, 18426),
    change("mas_next_entry", 5301, None),
    change("kmem_cache_alloc -> kmem_cache_alloc_noprof", 3410.5, 3580.25),
    change("mas_next_slot", None, 4549),
    change("copy_page_range", 900, 1400),
    change("down_write", 310, 190),
    change("schedule", 700, 704, real=False),
    change("ext4_getblk [ext4]", 20, 23, real=False),
)


def fork(low: float, high: float) -> Account:
    return account(difference(*FORK), table().of, 148_856.0, 165_340.0, most=4, interval=(low, high))


def test_the_text_of_an_exact_account() -> None:
    golden.check("accounting", render(fork(15_900.5, 17_020.0), "proc-fork", "fork"))


def test_the_text_of_a_benchmark_within_noise() -> None:
    golden.check("accounting_within_noise", render(fork(-100.0, 33_000.0), "proc-fork", "fork"))


def test_the_text_of_an_account_in_time() -> None:
    counted = ticks(*(msgspec.structs.replace(one, low=one.delta - 150.0, high=one.delta + 180.0) for one in FORK))
    counted = msgspec.structs.replace(counted, doubts=("profiles of 997 ticks a second",))
    found = account(counted, table().of, 210.3e-6, 227.1e-6, scale=cpu_time(counted, 997e6))
    golden.check("accounting_time", render(found, "proc-fork"))


def test_the_text_of_single_boots_says_that_nothing_is_known_of_chance() -> None:
    plain = [Change(name=one.name, old=one.old, new=one.new) for one in FORK]
    golden.check("accounting_one_boot", render(account(difference(*plain), table().of, 148_856.0, 165_340.0, most=3), "proc-fork"))


def test_the_text_of_subsystems_that_were_tested_says_what_each_leaves() -> None:
    whole = difference(change("mm/slab", 4000, 4200), change("maple tree", 5301, 4549), change("sched/core", 3, 9, real=False))
    found = account(difference(*FORK), table().of, 148_856.0, 165_340.0, subsystems=whole)
    golden.check("accounting_grouped", render(found, "proc-fork"))


def test_nothing_to_list_is_said() -> None:
    text = render(accounted(change("f", 5, 6, real=False)), "open")
    assert text.splitlines()[1:3] == ["  by subsystem: nothing beyond noise", "  by function: nothing beyond noise"]


def test_an_end_without_a_bound_is_a_dash() -> None:
    counted = ticks(msgspec.structs.replace(change("f", None, 5), high=math.inf))
    assert "f +5.00 [+4.00, -]" in render(account(counted, first_letter, 1.0, 6.0, scale=TimeScale(1.0, 1.0)), "open")


@pytest.mark.parametrize(
    ("old", "new", "heading"),
    [
        (2.0, 2.5, "x +25.0%: +0.500 s per operation (2.000 -> 2.500)"),
        (2e-3, 1e-3, "x -50.0%: -1.00 ms per operation (2.00 -> 1.00)"),
        (5e-9, 5.001e-9, "x +0.02%: +0.00100 ns per operation (5.00000 -> 5.00100)"),
        (5e-13, 6e-13, "x +20.0%: +0.000100 ns per operation (0.000500 -> 0.000600)"),
        (0.0, 4000.0, "x: +4,000 s per operation (0 -> 4,000)"),
    ],
)
def test_seconds_have_a_unit_in_which_they_can_be_read(old: float, new: float, heading: str) -> None:
    assert render(account(ticks(), first_letter, old, new), "x").splitlines()[0] == heading


NUMBER = st.floats(0.0, 1e15)


@given(
    st.lists(st.builds(change, st.text(min_size=1, max_size=80), NUMBER, NUMBER, st.booleans()), max_size=12),
    st.text(max_size=60),
    NUMBER,
    NUMBER,
    st.sampled_from(["instructions", TICKS]),
)
def test_the_text_is_plain_and_narrow(changes: list[Change], name: str, old: float, new: float, unit: str) -> None:
    text = render(account(difference(*changes, unit=unit), first_letter, old, new, interval=(0.1 * old, 2.0 * new)), name)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 78
