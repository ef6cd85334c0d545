"""The reader of the file that the profile plugin writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.model.guest import Window
from kdelta.model.profile import USER
from kdelta.profile.readers.exact import read

NAMES = {0xFFFFFFFF81000000: "sys_open", 0xFFFFFFFF81000040: "sys_open", 0xFFFFFFFF81000100: "do_work"}
FIRST = ["window 0 0", "user 100", "ffffffff81000000 20", "ffffffff81000040 3", "ffffffff81000100 7", "end 130"]
SECOND = ["window 0 1", "user 11", "ffffffff81000100 5", "end 16"]


def name_of(address: int) -> str:
    return NAMES.get(address, "[unknown]")


def windows(*lines: str) -> list[Window]:
    return list(read(lines, name_of))


def counted(*lines: str) -> list[dict[str, int]]:
    return [window.counts for window in windows(*lines)]


def test_a_complete_window_is_read_with_its_place() -> None:
    counts = {"[user]": 100, "do_work": 7, "sys_open": 23}
    assert windows(*FIRST) == [Window(benchmark=0, iteration=0, counts=counts)]


CALLS = (
    *("window 0 0", "user 100", "ffffffff81000000 1", "chain 1 0 ffffffff81000000", "in 1", "ffffffff81000100 20"),
    *("chain 2 1 ffffffff81000100", "in 2", "ffffffff81000040 3", "ffffffff81000100 4", "end 128"),
)


def test_counts_are_by_the_calls_that_lead_to_them() -> None:
    assert windows(*CALLS)[0].chains == {
        "[user]": 100,
        "sys_open": 1,
        "sys_open;do_work": 20,
        "sys_open;do_work;do_work": 4,
        "sys_open;do_work;sys_open": 3,
    }


def test_counts_of_a_function_are_those_of_all_its_chains() -> None:
    assert windows(*CALLS)[0].counts == {"[user]": 100, "do_work": 24, "sys_open": 4}


def test_a_chain_is_known_to_the_end_of_the_file() -> None:
    later = windows(*CALLS, "window 0 1", "user 0", "in 2", "ffffffff81000040 5", "end 5")[1]
    assert later.chains == {"[user]": 0, "sys_open;do_work;sys_open": 5}


def test_a_window_in_a_chain_that_is_not_known_is_left_out_and_the_next_is_not() -> None:
    found = windows("window 0 0", "user 1", "in 7", "ffffffff81000040 5", "end 6", *CALLS)
    assert [window.counts["[user]"] for window in found] == [100]


def test_blocks_of_one_function_are_added_up() -> None:
    assert counted("window 0 0", "user 0", "ffffffff81000000 20", "ffffffff81000040 3", "end 23") == [{USER: 0, "sys_open": 23}]


def test_functions_come_in_the_order_of_their_names() -> None:
    assert list(windows(*FIRST)[0].counts) == ["[user]", "do_work", "sys_open"]


def test_an_address_without_a_name_is_counted_all_the_same() -> None:
    assert counted("window 0 0", "user 1", "ffffffffc0000000 2", "ffffffffc0000100 3", "end 6") == [{USER: 1, "[unknown]": 5}]


def test_windows_come_in_the_order_of_the_file() -> None:
    found = windows(*FIRST, *SECOND, "window 1 0", "user 9", "end 9")
    assert [(window.benchmark, window.iteration) for window in found] == [(0, 0), (0, 1), (1, 0)]


def test_a_window_starts_from_nothing() -> None:
    assert counted(*FIRST, *SECOND)[1] == {USER: 11, "do_work": 5}


def test_no_lines_are_no_windows() -> None:
    assert windows() == []


def test_a_window_of_nothing_is_a_window() -> None:
    assert counted("window 0 0", "user 0", "end 0") == [{USER: 0}]


@pytest.mark.parametrize("length", range(len(SECOND)))
def test_a_window_without_its_end_is_left_out(length: int) -> None:
    assert len(windows(*FIRST, *SECOND[:length])) == 1


def test_a_window_that_was_cut_off_by_the_next_is_left_out() -> None:
    assert [window.iteration for window in windows(*FIRST[:-1], *SECOND)] == [1]


def test_a_file_that_was_cut_off_anywhere_holds_the_windows_before_that() -> None:
    whole = "\n".join(SECOND)
    cut = [windows(*FIRST, *whole[:length].splitlines()) for length in range(len(whole))]
    assert cut == [windows(*FIRST)] * len(whole)


@pytest.mark.parametrize("total", ["13", "0", "129", "131"], ids=["cut off", "nothing", "too little", "too much"])
def test_a_window_that_does_not_add_up_is_left_out(total: str) -> None:
    assert windows(*FIRST[:-1], f"end {total}") == []


def test_the_windows_around_one_that_does_not_add_up_are_kept() -> None:
    found = windows(*FIRST, "window 0 1", "user 5", "end 6", "window 0 2", "user 5", "end 5")
    assert [window.iteration for window in found] == [0, 2]


def test_an_end_without_a_window_is_left_out() -> None:
    assert windows("user 5", "end 5", *FIRST, "end 130") == windows(*FIRST)


@pytest.mark.parametrize("line", ["", "   ", "window", "window 0", "end", "user", "ffffffff81000000", "one two three four"])
def test_a_line_between_windows_that_says_nothing_is_passed_over(line: str) -> None:
    assert windows(*FIRST, line, *SECOND) == windows(*FIRST, *SECOND)


WORD = st.sampled_from(["window", "user", "end", "0", "7", "-1", "ffffffff81000000", "zz", "1.5", "\u0663"]) | st.text(max_size=6)
LINE = st.lists(WORD, max_size=4).map(" ".join) | st.text(max_size=20)


@pytest.mark.parametrize("line", ["window x 1", "window 1 x", "user x", "zz 1", "ffffffff81000000 x", "end x", "window 0"])
def test_a_line_within_a_window_that_cannot_be_does_not_raise(line: str) -> None:
    assert counted(*FIRST[:2], line, *SECOND) == counted(*SECOND)


@given(st.lists(LINE, max_size=6))
def test_arbitrary_lines_leave_the_windows_around_them(lines: list[str]) -> None:
    found = windows(*FIRST, *lines, *SECOND)
    assert (found[0], found[-1]) == (windows(*FIRST)[0], windows(*SECOND)[0])


COUNTS = st.dictionaries(st.integers(1 << 63, (1 << 64) - 1), st.integers(1, 1 << 40), max_size=12)


@given(COUNTS, st.integers(0, 1 << 40))
def test_no_instruction_is_lost(counts: dict[int, int], user: int) -> None:
    blocks = [f"{address:x} {count}" for address, count in sorted(counts.items())]
    total = user + sum(counts.values())
    (window,) = windows("window 3 4", f"user {user}", *blocks, f"end {total}")
    assert sum(window.counts.values()) == total
