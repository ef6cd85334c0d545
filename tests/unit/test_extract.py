"""The metric in what a user's command printed."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.model.benchmark import Better, Command, Metric
from kdelta.model.errors import MisuseError
from kdelta.workload.command import command
from kdelta.workload.extract import metric

PERF = """# Running 'sched/messaging' benchmark:
# 20 sender and receiver processes per group
# 10 groups == 400 processes run

     Total time: 0.126 [sec]
"""
JSON = '{"results": [{"command": "x", "mean": 0.25, "times": [0.2, 0.3]}], "ok": true, "name": "12ms", "text": "7.5"}'


def by(*, regex: str = "", json: str = "") -> Command:
    return Command(words=("x",), regex=regex, json=json)


@pytest.mark.parametrize(
    ("how", "text", "value"),
    [
        pytest.param(by(regex=r"Total time: ([\d.]+)"), PERF, 0.126, id="perf bench"),
        pytest.param(by(regex=r"^([\d.]+)$"), "12\n", 12.0, id="a line"),
        pytest.param(by(regex=r"x=(\S+)"), "x=-1.5e-3", -0.0015, id="an exponent"),
        pytest.param(by(json="$.results[0].mean"), JSON, 0.25, id="JSON"),
        pytest.param(by(json="$.results[*].mean"), JSON, 0.25, id="JSON, one of all"),
        pytest.param(by(json="$.text"), JSON, 7.5, id="JSON, a number as text"),
    ],
)
def test_the_metric_is_found(how: Command, text: str, value: float) -> None:
    assert metric(how, text) == value


@pytest.mark.parametrize(
    ("how", "text", "why"),
    [
        pytest.param(by(regex=r"Time: ([\d.]+)"), "fork: no memory", "is missing", id="absent"),
        pytest.param(by(regex=r"t=(\d+)"), "t=1\nt=2", "is there 2 times", id="several"),
        pytest.param(by(regex=r"t=(\S+)"), "t=1,234", "is no number", id="decimal comma"),
        pytest.param(by(regex=r"t=(\S+)"), "t=12ms", "is no number", id="unit"),
        pytest.param(by(regex=r"t=(\S+)"), "t=nan", "is no number", id="nan"),
        pytest.param(by(regex=r"t=(\S+)"), "t=1e999", "is inf", id="too large"),
        pytest.param(by(json="$.mean"), JSON, "is missing", id="JSON, absent"),
        pytest.param(by(json="$.results[0].times[*]"), JSON, "is there 2 times", id="JSON, several"),
        pytest.param(by(json="$.ok"), JSON, "is no number", id="JSON, a truth"),
        pytest.param(by(json="$.results"), JSON, "is no number", id="JSON, a list"),
        pytest.param(by(json="$.name"), JSON, "is no number", id="JSON, a text with a unit"),
        pytest.param(by(json="$.x"), "<html>", "printed no JSON", id="not JSON"),
    ],
)
def test_a_metric_that_is_not_one_number_is_none(how: Command, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        metric(how, text)


def test_an_expression_looks_into_both_streams_and_a_path_into_one() -> None:
    assert metric(by(regex=r"syscall: ([\d.]+)"), "", "Simple syscall: 0.3263 microseconds\n") == 0.3263
    assert metric(by(json="$.mean"), '{"mean": 1}', "warning: clock is coarse") == 1.0
    with pytest.raises(ValueError, match="is there 2 times"):
        metric(by(regex=r"t=(\d)"), "t=1", "t=1")


@given(st.text())
def test_whatever_a_command_prints_is_a_number_or_an_error(text: str) -> None:
    for how in (by(regex=r"(\S+)"), by(json="$..*")):
        with contextlib.suppress(ValueError):
            assert isinstance(metric(how, text), float)


MS = Metric("metric", "ms", Better.SMALLER)


def test_a_command_is_split_as_a_shell_would() -> None:
    made = command("mine", "perf bench 'a b' --x", by(regex="(x)"), MS)
    assert made.command is not None
    assert made.command.words == ("perf", "bench", "a b", "--x")
    assert (made.name, made.program, made.operation, made.metric) == ("mine", "perf", "perf bench 'a b' --x", MS)


@pytest.mark.parametrize(
    ("name", "words", "how", "unit", "why"),
    [
        pytest.param("mine", "", by(regex="(x)"), "ms", "is empty", id="no words"),
        pytest.param("mine", "perf 'bench", by(regex="(x)"), "ms", "cannot be split", id="open quotation"),
        pytest.param("null", "perf", by(regex="(x)"), "ms", "is a benchmark of kdelta", id="a name of ours"),
        pytest.param("mine", "perf", by(), "ms", "either `regex` or `json`", id="no place"),
        pytest.param("mine", "perf", by(regex="(x)", json="$.x"), "ms", "either `regex` or `json`", id="two places"),
        pytest.param("mine", "perf", by(regex="(x"), "ms", "cannot be read", id="no regular expression"),
        pytest.param("mine", "perf", by(regex="x"), "ms", "has 0 groups", id="no group"),
        pytest.param("mine", "perf", by(regex="(x)(y)"), "ms", "has 2 groups", id="two groups"),
        pytest.param("mine", "perf", by(json="$.["), "ms", "cannot be read", id="no path"),
        pytest.param("mine", "perf", by(regex="(x)"), " ", "unit of benchmark 'mine' is empty", id="no unit"),
    ],
)
def test_a_command_that_cannot_be_run_or_read_is_refused(name: str, words: str, how: Command, unit: str, why: str) -> None:
    with pytest.raises(MisuseError, match=why) as caught:
        command(name, words, how, Metric("metric", unit))
    assert caught.value.advice
