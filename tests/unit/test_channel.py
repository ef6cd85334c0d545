"""The guest's side of the conversation: what is taken of it, and what is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.box.channel import Bulk, Start, Told, decode, listen
from kdelta.model.guest import ProgramRun
from kdelta.model.kernel import RunningKernel

HELLO = (
    '{"event": "hello", "virtual_ns": 1200000000, "cpus": 2, "release": "6.12.9", "version": "#1 SMP", "machine": "x86_64"'
    ', "build_id": "abcd", "command_line": "quiet nokaslr\\u000a", "clocksource": "tsc\\u000a", "memory": "MemTotal: 500 kB"}'
)
SETTLED = '{"event": "settled", "idle": true, "virtual_seconds": 7, "switches_per_second": 12, "virtual_ns": 8200000000}'
RESTLESS = '{"event": "settled", "idle": false, "virtual_seconds": 60, "switches_per_second": 900, "virtual_ns": 61000000000}'
BULK = '{"event": "bulk", "address": 140000000, "size": 6900000, "name": "kallsyms"}'
LOG = '{"event": "kernel_log", "text": "<6>[    0.0] Linux\\u000a"}'
DONE = '{"event": "done", "virtual_ns": 9000000000}'


def start(program: int) -> str:
    return f'{{"event": "start", "program": {program}, "virtual_ns": 1}}'


def line(program: int, text: str) -> str:
    return f'{{"event": "line", "program": {program}, "text": "{text}"}}'


def end(program: int, status: int = 0, signal: int = 0, timeout: str = "false", stderr: str = "") -> str:
    return (
        f'{{"event": "end", "program": {program}, "status": {status}, "signal": {signal}, "timeout": {timeout}'
        f', "virtual_ns": 5, "stderr": "{stderr}"}}'
    )


GOOD = [HELLO, SETTLED, start(0), line(0, "a"), line(0, "b"), end(0), start(1), end(1, -1, 9, "true", "slow"), BULK, LOG, DONE]


def test_a_whole_conversation_is_taken_without_a_warning() -> None:
    assert listen(GOOD).warnings == []


def test_programs_are_told_with_their_lines_and_endings_in_order() -> None:
    assert listen(GOOD).programs == [
        ProgramRun(lines=("a", "b"), ended=True, status=0),
        ProgramRun(ended=True, status=-1, signal=9, timeout=True, stderr="slow"),
    ]


def test_the_guest_says_which_kernel_it_runs() -> None:
    assert listen(GOOD).running() == RunningKernel("6.12.9", "#1 SMP", "x86_64", "abcd")


def test_a_guest_that_never_said_hello_runs_no_known_kernel() -> None:
    assert (listen(GOOD[1:]).running(), listen(GOOD[1:]).facts()) == (None, {})


def test_the_guests_facts_are_kept_without_the_line_breaks_of_their_files() -> None:
    assert listen(GOOD).facts() == {
        "guest command_line": "quiet nokaslr",
        "guest clocksource": "tsc",
        "guest memory": "MemTotal: 500 kB",
        "guest cpus": "2",
    }


def test_log_bulk_and_final_marker_are_kept() -> None:
    told = listen(GOOD)
    assert (told.kernel_log, told.bulks, told.done) == (
        "<6>[    0.0] Linux\n",
        {"kallsyms": Bulk(name="kallsyms", address=140000000, size=6900000)},
        True,
    )


def test_a_refusal_is_kept_with_its_reason() -> None:
    refused = listen([HELLO, '{"event": "refused", "what": "vm.x", "why": "No such file"}']).refused
    assert refused is not None
    assert (refused.what, refused.why) == ("vm.x", "No such file")


def test_a_kernel_that_did_not_become_idle_is_a_warning() -> None:
    assert listen([HELLO, RESTLESS, DONE]).warnings == ["the kernel was not idle after 60 virtual seconds"]


GARBAGE = {
    "empty": "",
    "console output": "[    1.0] Kernel panic - not syncing",
    "half an object": HELLO[:40],
    "two objects": DONE + DONE,
    "unknown event": '{"event": "goodbye"}',
    "no event": '{"program": 0}',
    "wrong type": '{"event": "start", "program": "0", "virtual_ns": 1}',
    "missing field": '{"event": "end", "program": 0, "status": 0}',
    "not an object": "17",
    "null": "null",
    "a control character": "\0",
    "half a character": "\ud800",
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
@pytest.mark.parametrize("place", [0, 4, len(GOOD)], ids=["first", "inside a program", "last"])
def test_garbage_between_good_lines_costs_nothing_but_a_warning(garbage: str, place: int) -> None:
    told = listen([*GOOD[:place], garbage, *GOOD[place:]])
    warnings, told.warnings = told.warnings, []
    assert told == listen(GOOD)
    assert warnings == [f"a line on the data channel is not the guest's: {garbage!r}"]


def test_an_object_nested_without_end_is_garbage_like_any_other() -> None:
    assert len(listen(['{"event": "done", "virtual_ns": 1, "more": ' + "[" * 100_000]).warnings) == 1


def test_a_warning_shows_the_beginning_of_a_long_line() -> None:
    assert listen(["x" * 5000]).warnings == [f"a line on the data channel is not the guest's: {'x' * 120!r}"]


MISPLACED = {
    "a program started out of order": ([], start(1)),
    "a program started twice": ([start(0)], start(0)),
    "a program started again after its end": ([start(0), end(0)], start(0)),
    "a line before any program": ([], line(0, "x")),
    "a line of an earlier program": ([start(0), end(0), start(1)], line(0, "x")),
    "a line of a later program": ([start(0)], line(1, "x")),
    "a line of program -1": ([start(0)], line(-1, "x")),
    "a line after the end": ([start(0), end(0)], line(0, "x")),
    "an end before any program": ([], end(0)),
    "an end of another program": ([start(0)], end(1)),
    "a second end": ([start(0), end(0)], end(0, 1)),
}


@pytest.mark.parametrize(("before", "misplaced"), MISPLACED.values(), ids=MISPLACED)
def test_an_event_in_the_wrong_place_changes_nothing_but_the_warnings(before: list[str], misplaced: str) -> None:
    told = listen([HELLO, *before, misplaced])
    assert told.programs == listen([HELLO, *before]).programs
    assert len(told.warnings) == 1


def test_a_conversation_cut_off_inside_a_program_leaves_it_not_ended() -> None:
    told = listen([HELLO, start(0), end(0), start(1), line(1, "a")])
    assert told.programs == [ProgramRun(ended=True, status=0), ProgramRun(lines=("a",), ended=False)]


def test_a_conversation_that_was_cut_off_has_no_final_marker() -> None:
    assert not listen(GOOD[:-1]).done


def test_a_lost_end_leaves_only_its_own_program_not_ended() -> None:
    assert [run.ended for run in listen([HELLO, start(0), start(1), end(1), DONE]).programs] == [False, True]


def test_an_event_is_decoded_by_its_name() -> None:
    assert decode(start(3)) == Start(program=3, virtual_ns=1)


@given(st.lists(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")), max_size=5))
def test_no_line_whatever_raises(lines: list[str]) -> None:
    told = listen(lines)
    assert told == Told(warnings=told.warnings)


EVENTS = st.fixed_dictionaries(
    {"event": st.sampled_from(["hello", "settled", "start", "line", "end", "bulk", "refused", "kernel_log", "done"])},
    optional={
        **{
            key: st.integers()
            for key in ("program", "status", "signal", "virtual_ns", "virtual_seconds", "address", "size", "cpus")
        },
        **{key: st.text(max_size=5) for key in ("text", "name", "what", "why", "stderr", "release", "version", "machine")},
        **{key: st.booleans() for key in ("idle", "timeout")},
    },
)


@given(st.lists(EVENTS.map(json.dumps), max_size=12))
def test_no_event_whatever_its_fields_raises_or_ends_a_program_that_was_not_started(lines: list[str]) -> None:
    told = listen(lines)
    assert len(told.programs) <= sum('"start"' in one for one in lines)
