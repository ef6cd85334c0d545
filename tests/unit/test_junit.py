"""JUnit XML that test systems can read, and the same as plain data."""

from __future__ import annotations

import json
import math
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit import verdicts as made
from tests.unit.golden import check
from tests.unit.verdicts import FASTER, SLOWER, UNDECIDED, failed, judgement, verdict

from kdelta.judge.gate import gate
from kdelta.model.benchmark import SCRIPTS_PER_HOUR
from kdelta.model.gate import Threshold
from kdelta.model.verdict import Judgement, Verdict
from kdelta.report.junit import junit, sentence
from kdelta.report.verdict_json import as_json

SLOW = verdict(SLOWER, (5.0, 4.0, 6.0))
THRESHOLDS = [Threshold(None, 0.05), Threshold("mmpa", 0.2)]


def read(of: Judgement, run: str = "run 7") -> ElementTree.Element:
    """What a reader makes of the bytes."""
    return ElementTree.fromstring(junit(of, gate(of, THRESHOLDS), run).encode())


def test_a_gate_s_result_reads_as_kept() -> None:
    of = made.with_a_failure()
    check("verdict_junit", junit(of, gate(of, THRESHOLDS), "run 7"))


def test_a_box_is_a_suite_and_a_contrast_a_case_of_its_column() -> None:
    found = read(made.smpnice()[0])
    assert [suite.get("name") for suite in found] == ["HT P4-Xeon", "Athlon64", "P4", "thresholds"]
    assert [suite.get("tests") for suite in found] == ["36", "36", "36", "1"]
    case = found[0][0]
    assert (case.get("classname"), case.get("name")) == ("HT P4-Xeon.-rc2", "ctx-2")


ENDINGS = {
    "a breach": (SLOW, "failure", "slower"),
    "slower by less": (verdict(SLOWER, (4.9, 4.0, 6.0)), "system-out", None),
    "faster": (verdict(FASTER, (-5.0, -6.0, -4.0)), "system-out", None),
    "undecided": (verdict(UNDECIDED, (5.0, -4.0, 16.0)), "skipped", "undecided"),
    "without a value": (failed(), "error", "no value"),
}


@pytest.mark.parametrize(("one", "tag", "kind"), ENDINGS.values(), ids=ENDINGS)
def test_a_case_ends_as_the_gate_has_it(one: Verdict, tag: str, kind: str | None) -> None:
    (ending,) = read(judgement(one))[0][0]
    assert (ending.tag, ending.get("type")) == (tag, kind)
    assert kind is None or ending.get("message") == ending.text


def test_suites_count_their_cases_and_the_whole_counts_all() -> None:
    boxes = [SLOW, failed(box=made.UP), verdict(UNDECIDED, (5.0, -4.0, 16.0), box=made.UP)]
    found = read(judgement(*boxes))
    counts = [[one.get(key) for key in ("tests", "failures", "errors", "skipped")] for one in (found, *found)]
    assert counts == [["4", "1", "2", "1"], ["1", "1", "0", "0"], ["2", "0", "1", "1"], ["1", "0", "1", "0"]]


def test_a_threshold_that_guards_nothing_is_an_error() -> None:
    assert read(judgement(SLOW)).findall("testsuite[@name='thresholds']/testcase[@name='mmpa']/error")


def test_what_was_not_compared_is_skipped_and_said() -> None:
    reason = "old and new on athlon: counted under QEMU 7.2 and 8.0"
    assert read(judgement(SLOW, refused=[reason])).findall("testsuite[@name='not compared']/testcase/skipped")[0].text == reason


def test_cases_of_other_axes_say_what_is_compared() -> None:
    names = [case.get("name") for case in read(made.loads())[0]]
    assert names[0] == "2.6.7: kernbench-2x against kernbench-16x"
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("text", ["\x00\x1b[31m\x0b", "\ud800", "\ufffe", "<&\"'>]]>", "a\r\n\tb"])
def test_what_xml_cannot_hold_is_replaced_and_all_else_comes_back(text: str) -> None:
    (ending,) = read(judgement(msgspec.structs.replace(failed(), why=text)), run=text)[0][0]
    kept = "".join(" " if one == "\xa0" else one if one.isprintable() or one in "\r\n\t" else "\ufffd" for one in text)
    assert (ending.get("message") or "").endswith(f"; {kept}")
    assert read(judgement(SLOW), run=text).get("name") == kept


@given(made.ANY_JUDGEMENT, st.text(max_size=9))
@settings(max_examples=100, deadline=None)
def test_any_judgement_gives_xml_with_a_case_for_each_contrast(of: Judgement, run: str) -> None:
    cases = [case for suite in read(of, run) if suite.get("name") not in ("thresholds", "not compared") for case in suite]
    assert len(cases) == len(of.verdicts)
    assert all(len(case) == 1 for case in cases)


# ---- what is said of a case ----

SENTENCES = {
    "a breach": (SLOW, "slower +5.0% [+4.0, +6.0], p .002, 5 rounds, sd 0.6%; slower by 5%, and 5% or more is a breach"),
    "slower by less": (
        verdict(SLOWER, (4.996, 4.0, 6.0)),
        "slower +5.0% [+4.0, +6.0], p .002, 5 rounds, sd 0.6%; slower by 4.996%, which is below 5%",
    ),
    "a rate": (
        verdict(SLOWER, (-50.0, -52.0, -48.0), metric=SCRIPTS_PER_HOUR, rounds=0, boots=(5, 4)),
        "slower -50.0% throughput [-52.0, -48.0], p .002, 5 and 4 boots, sd 0.6%; slower by 100%, and 5% or more is a breach",
    ),
    "undecided": (
        verdict(UNDECIDED, (2.0, -1.0, 5.0), visible=0.042, needed=34, doubts=["round 3 far from the others"]),
        "undecided +2.0% [-1.0, +5.0], p .300, 5 rounds, sd 0.6%; not slower than 5.0%; the smallest change that could have been"
        " seen is 4.2%; about 34 rounds would be needed; round 3 far from the others",
    ),
    "slower by what": (
        verdict(SLOWER),
        "slower, 5 and 5 boots; slower by an unknown share, and 5% or more is a breach",
    ),
    "too few": (verdict(boots=(2, 1), why="too few visits"), "undecided, 2 and 1 boots; too few visits"),
    "without a value": (failed(), "no value, 5 and 0 boots; too few visits: 5 and 0, 3 of each in common rounds are needed"),
}


@pytest.mark.parametrize(("one", "text"), SENTENCES.values(), ids=SENTENCES)
def test_a_case_says_all_its_figures(one: Verdict, text: str) -> None:
    of = judgement(one)
    assert sentence(of, gate(of, THRESHOLDS).checked[0]) == f"{one.new.benchmark.name}, new against old: {text}"


# ---- plain data ----


def data(of: Judgement) -> Any:
    """As a program reads it."""
    return json.loads(json.dumps(as_json(of, gate(of, THRESHOLDS)), allow_nan=False))


def contrasts(of: Judgement) -> list[dict[str, Any]]:
    return list(data(of)["contrasts"])


def test_data_reads_as_kept() -> None:
    posted = made.smpnice()[0]
    of = judgement(SLOW, refused=["a reason"], means=posted.means[:1], agreements=posted.agreements[:1], looks=None)
    check("verdict_json", json.dumps(data(of), indent=1) + "\n")


@given(made.ANY_JUDGEMENT)
@settings(max_examples=100, deadline=None)
def test_any_judgement_is_data_without_numbers_that_json_has_not(of: Judgement) -> None:
    assert len(contrasts(of)) == len(of.verdicts)


def test_an_end_that_an_interval_does_not_have_is_null() -> None:
    keys = ("ratio", "ratio_low", "ratio_high", "change_percent", "change_low_percent", "change_high_percent")
    of = judgement(verdict(UNDECIDED, (50.0, -100.0, math.inf)), verdict())
    assert [[one[key] for key in keys] for one in contrasts(of)] == [[1.5, None, None, 50.0, None, None], [None] * 6]


def test_the_looks_are_told_where_there_were_some() -> None:
    found = [data(judgement(looks=looks)) for looks in ((3, 10), None)]
    assert [(one["first_look_rounds"], one["last_look_rounds"]) for one in found] == [(3, 10), (None, None)]


def test_percentages_have_no_digits_of_binary_fractions() -> None:
    (one,) = contrasts(judgement(verdict(SLOWER, (2.1, 1.3, 2.9))))
    assert (one["change_percent"], one["threshold_percent"], one["slowdown_percent"]) == (2.1, 5.0, 2.1)
