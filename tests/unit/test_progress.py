"""How a run is going: what is counted, and how long it takes by that."""

from __future__ import annotations

import pytest
from tests.unit.builders import boot, slot

from kdelta.cli import progress
from kdelta.cli.progress import RunProgress

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
