"""A gate's result as JUnit XML, which test systems read: a suite per box, a test case per contrast."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree

from kdelta.model.finding import names
from kdelta.model.gate import Checked, Gate, Standing
from kdelta.model.verdict import Answer, Axis, Judgement, Verdict
from kdelta.report.figures import BLANK, amount, change, excluded, probability
from kdelta.report.text import counted

Element = ElementTree.Element

UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold in any form (section 2.2, Char)."""
REPLACEMENT = "\ufffd"
OUTPUT = "system-out"
# What becomes of a test case: the element that says so, and its type.
ELEMENTS = {
    Standing.BREACH: ("failure", "slower"),
    Standing.TOLERATED: (OUTPUT, ""),
    Standing.PASSED: (OUTPUT, ""),
    Standing.UNDECIDED: ("skipped", "undecided"),
    Standing.MISSING: ("error", "no value"),
}
COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}
"""Attribute of a suite -> the element whose test cases it counts."""


def junit(judgement: Judgement, gate: Gate, run: str) -> str:
    """`run` names the whole. `gate` must be that of `judgement`.

    A breach is a failure; what is undecided is skipped, with what could have been seen; what has no value is an error, and so is a
    threshold for a benchmark that no contrast is of: it guards nothing. What was not compared is skipped.
    """
    boxes: dict[str, list[Element]] = {}
    for checked in gate.checked:
        boxes.setdefault(checked.verdict.new.box.name, []).append(_case(judgement, checked))
    suites = [_suite(box, cases) for box, cases in boxes.items()]
    refused = (_ended(_testcase("not compared", reason), "skipped", "not compared", reason) for reason in judgement.refused)
    unused = (_ended(_testcase("threshold", name), "error", "threshold", f"no contrast is of {name}") for name in gate.unused)
    suites += [_suite(name, cases) for name, cases in (("not compared", [*refused]), ("thresholds", [*unused])) if cases]
    whole = _element("testsuites", name=run, **_counts(suites))
    whole.extend(suites)
    ElementTree.indent(whole)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(whole, encoding="unicode")}\n'


def _suite(name: str, cases: Iterable[Element]) -> Element:
    suite = _element("testsuite", name=name)
    suite.extend(cases)
    for attribute, count in _counts([suite]).items():
        suite.set(attribute, count)
    return suite


def _counts(suites: Iterable[Element]) -> dict[str, str]:
    cases = [case for suite in suites for case in suite.iter("testcase")]
    counts = {attribute: str(sum(case.find(tag) is not None for case in cases)) for attribute, tag in COUNTED.items()}
    return {"tests": str(len(cases)), **counts}


def _case(judgement: Judgement, checked: Checked) -> Element:
    """Where a column has one base only, the benchmark alone is its name."""
    called = names(judgement.axis, checked.verdict)
    new = checked.verdict.new
    name = called.row if judgement.axis is Axis.COLUMNS else f"{called.row}: {called.new} against {called.base}"
    tag, kind = ELEMENTS[checked.standing]
    return _ended(_testcase(f"{new.box.name}.{new.variant}", name), tag, kind, sentence(judgement, checked))


def sentence(judgement: Judgement, checked: Checked) -> str:
    """What the gate says of a contrast, with all its figures."""
    verdict, called = checked.verdict, names(judgement.axis, checked.verdict)
    limits = {
        Standing.BREACH: f"slower by {_share(checked.slowdown)}, and {_share(checked.threshold)} or more is a breach",
        Standing.TOLERATED: f"slower by {_share(checked.slowdown)}, which is below {_share(checked.threshold)}",
    }
    parts = [*_figures(verdict, judgement.alpha), limits.get(checked.standing, ""), verdict.why, *verdict.doubts]
    return f"{called.row}, {called.new} against {called.base}: {'; '.join(part for part in parts if part)}".replace(BLANK, " ")


def _share(share: float | None) -> str:
    """With digits enough to see on which side of a threshold it lies."""
    return "an unknown share" if share is None else f"{100.0 * share:.4g}%"


def _figures(verdict: Verdict, alpha: float) -> Iterator[str]:
    boots = f"{verdict.boots[0]} and {verdict.boots[1]} boots"
    if verdict.ratio is None:
        yield f"{'no value' if 0 in verdict.boots else verdict.answer.value}, {boots}"
        return
    rounds = counted(verdict.rounds, "round") if verdict.rounds else boots
    p = f"p {probability(verdict.p_adjusted, alpha)}"
    yield f"{verdict.answer.value} {change(verdict)}, {p}, {rounds}, sd {amount(verdict.sd)}"
    if verdict.answer is Answer.UNDECIDED:
        yield excluded(verdict)
        yield f"the smallest change that could have been seen is {amount(verdict.visible)}" if verdict.visible is not None else ""
        yield f"about {counted(verdict.needed, 'round')} would be needed" if verdict.needed else ""


def _testcase(group: str, name: str) -> Element:
    return _element("testcase", classname=group, name=name)


def _ended(case: Element, tag: str, kind: str, said: str) -> Element:
    """`case` with its ending. Test systems show the message of an attribute, or the text, or both."""
    ending = _element(tag) if tag == OUTPUT else _element(tag, message=said, type=kind)
    ending.text = _fit(said)
    case.append(ending)
    return case


def _element(tag: str, **attributes: str) -> Element:
    return Element(tag, {name: _fit(value) for name, value in attributes.items()})


def _fit(text: str) -> str:
    return UNFIT.sub(REPLACEMENT, text)
