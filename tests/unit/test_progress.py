"""How a run is going: what is counted, and how long it takes by that."""

from __future__ import annotations

import io
import re
import sys

import pytest
from tests.unit.builders import boot, failed_boot, slot

from kdelta.cli import progress
from kdelta.cli.progress import RunProgress
from kdelta.model.boot import Outcome

CROWD = slot(0, names=("ctx-2", "ctx-20", "ctx-200"))


@pytest.mark.parametrize(
    ("words", "ended"),
    [
        ("settings", 0),
        ("ctx-2", 0),
        ("ctx-2: result 3, the last 3 within 0.20%", 0),
        ("ctx-20", 1),
        ("ctx-200 (3 of 3)", 2),
    ],
)
def test_a_benchmark_that_is_named_means_that_those_before_it_have_ended(words: str, ended: int) -> None:
    assert progress._place(CROWD, words, 0) == ended


def test_what_has_ended_stays_ended_whatever_is_said() -> None:
    assert progress._place(CROWD, "settling", 2) == 2


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3600, "1 h 0 min"), (7384, "2 h 3 min")]
)
def test_a_duration_is_told_as_people_do(seconds: float, text: str) -> None:
    assert progress._duration(seconds) == text


def test_the_time_left_follows_from_the_benchmarks_that_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("kdelta.cli.progress.time.monotonic", lambda: now[0])
    shown = RunProgress([CROWD, slot(1, names=("ctx-2", "ctx-20", "ctx-200"))], 1)
    assert shown._time_left() == ""
    shown.started(CROWD)
    now[0] += 20.0
    shown.said(CROWD, "ctx-200: result 1")
    assert shown._time_left() == "about 40 s left"
    now[0] += 10.0
    shown.ended(CROWD, boot({"ctx-2": [1.0]}))
    assert shown._time_left() == "about 30 s left"


# ---- where it is shown ----

# environment -> whether lines move on a terminal, and whether in colour
SHOWN = {
    "nothing": ({}, True, True),
    "NO_COLOR": ({"NO_COLOR": "1"}, True, False),
    "a dumb terminal": ({"TERM": "dumb"}, False, False),
}


class Terminal(io.StringIO):
    """A stream that says that it is one."""

    def isatty(self) -> bool:
        return True


def written(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], reason: str = "gone") -> str:
    """What of a run with a lost boot goes to standard error, which is `stream`."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in {"TERM": "xterm", "FORCE_COLOR": "1", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", stream)
    with RunProgress([CROWD], 1) as shown:
        shown.started(CROWD)
        shown.said(CROWD, f"ctx-2: {reason}")
        shown._progress.refresh()
        shown.ended(CROWD, failed_boot([], Outcome.LOST, reason))
        shown.note("after 1 round decided: null faster")
    return stream.getvalue()


@pytest.mark.parametrize(("environment", "moves", "coloured"), SHOWN.values(), ids=SHOWN)
def test_lines_move_on_a_terminal_that_can_and_have_colour_where_it_is_wanted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], environment: dict[str, str], moves: bool, coloured: bool
) -> None:
    text = written(Terminal(), monkeypatch, environment)
    assert ("\x1b[?25l" in text, bool(re.search(r"\x1b\[[0-9;]*3[0-9]", text))) == (moves, coloured)
    assert capsys.readouterr().out == ""


def test_in_a_file_are_the_lines_that_stay_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert written(io.StringIO(), monkeypatch, {}) == "old round 1: lost: gone\nafter 1 round decided: null faster\n"


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_what_a_guest_said_is_shown_as_text(monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO]) -> None:
    text = written(stream(), monkeypatch, {}, "\x1b]0;title\x07 [/red] \u202e")
    assert "lost: \\x1b]0;title\\x07 [/red] \\u202e\n" in text
    assert "\x07" not in text
    assert "\u202e" not in text
