"""Findings in the words of a mail."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from kdelta.model.benchmark import Better
from kdelta.model.finding import Finding, Pattern, cost, missing, names
from kdelta.model.plan import BoxSpec
from kdelta.model.verdict import Agreement, Answer, Axis, Mean, Verdict
from kdelta.model.words import alike, called
from kdelta.report.figures import BLANK, amount, bound, change, excluded, interval, kinds, value
from kdelta.report.text import WIDTH, counted, wrapped

MOST_NAMED = 2
# Axis -> the word before a row, and for one.
ROWS = {axis: ("in", "column") if axis is Axis.LOADS else ("on", "benchmark") for axis in Axis}

Verdicts = Sequence[Verdict]
Text = Callable[[Verdict], str]
Call = Callable[[BoxSpec], str]


def sentences(findings: Iterable[Finding], width: int = WIDTH, call: Call = called) -> str:
    """What there is to say of each box, below its name, with what it is in doubt for; and then of all of them.

    `call` is what a box is called.
    """
    said = by_box(findings, call)
    return "\n".join(f"{title}:\n{''.join(_line(text, width) for text in texts)}" for title, texts in said.items())


def by_box(findings: Iterable[Finding], call: Call = called) -> dict[str, list[str]]:
    """The same in sentences, each one line: by the title of the box, all boxes last."""
    blocks: dict[str, list[Finding]] = {}
    for finding in findings:
        blocks.setdefault(call(finding.box) if finding.box else "All boxes", []).append(finding)
    return {title: list(_lines(found)) for title, found in blocks.items()}


def _line(text: str, width: int) -> str:
    return wrapped(f"  {text}", "    ", width=width).replace(BLANK, " ") + "\n"


def _lines(found: Sequence[Finding]) -> Iterator[str]:
    said = [f"{SENTENCES[finding.pattern](finding)}." for finding in found]
    verdicts = {id(verdict): verdict for finding in found for verdict in finding.verdicts}.values()
    doubts: dict[str, list[str]] = {}
    for doubt in (doubt for verdict in verdicts for doubt in verdict.doubts):
        doubts.setdefault(alike(doubt), []).append(doubt)
    shares = (f"{kind[0]}{' and the like' if len(set(kind)) > 1 else ''} ({len(kind)})" for kind in doubts.values())
    said += [f"Doubts, of {counted(len(verdicts), 'contrast')}: {'; '.join(shares)}."] if doubts else []
    yield from said


# ---- one side against its base ----


def _unmeasured(finding: Finding) -> str:
    whys = kinds(verdict.why for verdict in finding.verdicts)
    return "; ".join([f"{_sides(finding)}: nothing was measured", *whys]) if finding.news else "Nothing was compared"


def _equivalent(finding: Finding) -> str:
    """What has one CPU is said to show no effect; loads go as fast as each other."""
    news, base = _list(finding.news), finding.base
    real, are = sum(verdict.tiny for verdict in finding.verdicts), "is" if len(finding.news) == 1 else "are"
    but = f"; real, though so small: {real} of {counted(len(finding.verdicts), 'change')}" if real else ""
    within = f"{_within(finding)} {_all(finding, finding.verdicts)}{but}"
    beyond = f" beyond {amount(finding.margin)}" if real else ""
    alone = finding.axis is Axis.COLUMNS and finding.box is not None and finding.box.cpus == 1
    others = {Axis.LOADS: f"{news} {are} as fast as {base}: equivalent", Axis.PAIRS: f"{base} and {news} are equivalent"}
    start = others.get(finding.axis, f"{news} {are} equivalent to {base}")
    return f"{f'No effect{beyond} on one CPU: ' if alone else ''}{start} {within}"


def _undecided(finding: Finding) -> str:
    """What was not found, what is excluded all the same, and what it would take to know."""
    found = [verdict for verdict in finding.verdicts if not missing(verdict)]
    gone, whys = list(filter(missing, finding.verdicts)), kinds(verdict.why for verdict in found)
    without = "".join(f"; {clause}" for clause in _clause(finding, "without a value", gone, lambda verdict: verdict.why))
    parts = [
        "; ".join([f"{_sides(finding)}: cannot tell {_all(finding, found, 'any of')}", *whys]) + without + _whole(finding),
        _bounded(found),
        _wanted(finding, found),
    ]
    return ". ".join(part for part in parts if part)


def _bounded(found: Verdicts) -> str:
    """The largest slowdown that is excluded on each of them that excludes any, as cost."""
    highs = [cost(verdict.ratio, verdict.new.benchmark.metric.better).high for verdict in found if verdict.ratio]
    known = [high for high in highs if high < math.inf]
    if not known:
        return "No slowdown is shown, and none is excluded"
    on = "" if len(found) == 1 else " on each" if len(known) == len(found) else f" on {len(known)} of {len(found)}"
    return f"No slowdown is shown, and one of more than {bound(max(*known, 1.0) - 1.0)}{_as_cost(found)} is excluded{on}"


def _wanted(finding: Finding, found: Verdicts) -> str:
    """The range of what could have been seen, and the rounds that all would need for which that is known."""
    seen = sorted((verdict.visible, names(finding.axis, verdict).row) for verdict in found if verdict.visible is not None)
    needed = [verdict.needed for verdict in found if verdict.needed]
    if not seen:
        return ""
    ends = dict.fromkeys(amount(least) + (f" ({row})" if len(found) > 1 else "") for least, row in (seen[0], seen[-1]))
    of = "" if len(needed) == len(found) else f" for {len(needed)} of them"
    rounds = f"; about {counted(max(needed), 'round')} would be needed{of}" if needed else ""
    return f"The smallest change that could have been seen is {' to '.join(ends)}{rounds}"


def _mixed(finding: Finding) -> str:
    """How many of each answer, and which. What contradicts each other stands together."""
    clauses: list[str] = []
    for word, holds, text in CLAUSES:
        total = 0 if clauses else len(finding.verdicts)
        clauses += _clause(finding, word.format(_within(finding)), list(filter(holds, finding.verdicts)), text, total)
    return f"{_sides(finding)}: {'; '.join(clauses)}{_whole(finding)}"


def _whole(finding: Finding) -> str:
    """The verdict of the geometric mean, where there is one of several."""
    mean = finding.mean
    if mean is None or mean.answer is Answer.UNDECIDED or len(mean.benchmarks) < 2:
        return ""
    within = f" {_within(finding)}" if mean.answer is Answer.EQUIVALENT else ""
    return f"; on the whole {mean.answer.value}{within}: {_mean(mean, finding.verdicts)}"


def _mean(mean: Mean, found: Verdicts) -> str:
    of = f" of {len(mean.benchmarks) + len(mean.left_out)}" if mean.left_out else ""
    return f"{interval(mean.ratio)}, the geometric mean of {len(mean.benchmarks)}{of}{_as_cost(found)}"


# ---- columns among themselves, and boxes ----


def _recovered(finding: Finding) -> str:
    """Whose slowdown it was, what became of it where, and where the later column alone is slower."""
    found = finding.recovery
    if found is None:
        return ""
    start = f"{AMOUNTS[finding.pattern]} {found.of} slowdown is gone in {_list(finding.news)}"
    but = "".join(f"; but {clause}" for clause in _clause(finding, "slower", found.elsewhere, change))
    slow = len(found.gone) + len(found.less) + len(found.worse) + len(found.left)
    which = f" on which {found.of} is slower" if slow > 1 else ""
    if slow == len(found.gone):
        return f"{start}: {_as_good(finding, found.gone)} {_all(finding, found.gone)}{which}{but}"
    clauses = [
        *_clause(finding, _as_good(finding, found.gone), found.gone, lambda verdict: ""),
        *_instead(finding, f"faster than {found.of}", found.less),
        *_instead(finding, f"slower still than {found.of}", found.worse),
    ]
    for word, holds, _ in CLAUSES:
        clauses += _clause(finding, f"still {word}", list(filter(holds, found.left)), value)
    return f"{start}: {f'of the {slow} benchmarks{which} it is ' if which else 'it is '}{', '.join(clauses)}{but}"


def _instead(finding: Finding, words: str, pairs: Sequence[tuple[Verdict, Verdict]]) -> list[str]:
    had = {now.new.benchmark.name: value(before) for before, now in pairs}
    return _clause(finding, words, [now for _, now in pairs], lambda now: f"{value(now)} instead of {had[now.new.benchmark.name]}")


def _as_good(finding: Finding, found: Verdicts) -> str:
    answers = {verdict.answer for verdict in found}
    equivalent = f"equivalent to {finding.base} {_within(finding)}{' or faster' if Answer.FASTER in answers else ''}"
    return f"faster than {finding.base}" if answers == {Answer.FASTER} else equivalent


def _net(finding: Finding) -> str:
    """The mean's verdict, with every contrast that says the opposite."""
    if finding.mean is None:
        return ""
    wins = finding.mean.answer is Answer.FASTER
    opposite, net = (Answer.SLOWER, "win over") if wins else (Answer.FASTER, "loss against")
    against = [verdict for verdict in finding.verdicts if verdict.answer is opposite]
    but = "".join(f"; but {clause}" for clause in _clause(finding, opposite.value, against, change))
    return f"{_list(finding.news)} is a net {net} {finding.base}: {_mean(finding.mean, finding.verdicts)}{but}"


def _across(finding: Finding) -> str:
    """What all boxes agree on, and who dissents, with those benchmarks together of which the same is said."""
    said: dict[str, list[str]] = {}
    for agreement in finding.agreements:
        said.setdefault(_agreed(agreement, _within(finding)), []).append(agreement.benchmark)
    return f"{_sides(finding)}: " + "; ".join(f"{', '.join(benchmarks)} {where}" for where, benchmarks in said.items())


def _agreed(agreement: Agreement, within: str) -> str:
    words = {answer: f"{answer.value} {within}" if answer is Answer.EQUIVALENT else answer.value for answer in Answer}
    count = len(agreement.boxes) + len(agreement.dissents)
    if not agreement.dissents:
        return f"{words[agreement.answer]} on {_every(count)}"
    others = {one: f"dissents: {', '.join([words[one.answer], *one.facts])}" for one in agreement.dissents}
    dissents = [f"{one.box} {'undecided' if one.answer is Answer.UNDECIDED else other}" for one, other in others.items()]
    return f"{words[agreement.answer]} on {len(agreement.boxes)} of {count} ({'; '.join(dissents)})"


def _list(names: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _every(count: int) -> str:
    return "both" if count == 2 else f"all {count}"


def _sides(finding: Finding) -> str:
    return f"{_list(finding.news)} against {finding.base}"


def _within(finding: Finding) -> str:
    return f"within {amount(finding.margin)}"


def _as_cost(found: Verdicts) -> str:
    return " as cost" if any(verdict.new.benchmark.metric.better is Better.LARGER for verdict in found) else ""


def _all(finding: Finding, found: Verdicts, which: str = "") -> str:
    """`on all 12 benchmarks`, or `on ctx-2` where it is alone."""
    on, row = ROWS[finding.axis]
    rows = list(dict.fromkeys(names(finding.axis, verdict).row for verdict in found))
    return f"{on} {rows[0]}" if len(rows) == 1 else f"{on} {f'{which} {len(rows)}' if which else _every(len(rows))} {row}s"


def _clause(finding: Finding, words: str, found: Verdicts, text: Text | None, total: int = 0) -> list[str]:
    """`slower on 3 of 12 (ctx-2 +17.7%, ...)`, the largest first, each with its `text`, without which they are only counted; where
    it is alone `slower on ctx-2 (+17.7%)`. No clause where there is none.
    """
    ordered = sorted(found, key=_size, reverse=True)
    rows = [(names(finding.axis, verdict).row, text(verdict) if text else "") for verdict in ordered]
    where = _every(total) if len(rows) == total else f"{len(rows)} of {total}" if total else f"{len(rows)}"
    if len(rows) == 1 and total < 2:
        where, rows = rows[0][0], [("", rows[0][1])]
    most = len(rows) if len(rows) <= MOST_NAMED + 1 else MOST_NAMED
    shown = [" ".join(filter(None, row)) for row in rows[:most]] + ([f"{len(rows) - most} more"] if most < len(rows) else [])
    behind = ", ".join(filter(None, shown)) if text else ""
    return [f"{words} {ROWS[finding.axis][0]} {where}{behind and f' ({behind})'}"] if found else []


def _size(verdict: Verdict) -> float:
    return abs(math.log(min(max(verdict.ratio.value, 1e-300), 1e300))) if verdict.ratio else 0.0


# Answer, with room for the margin; whose it is; and what is said of each that has it; None where they are only counted.
CLAUSES: tuple[tuple[str, Callable[[Verdict], bool], Text | None], ...] = (
    ("slower", lambda verdict: verdict.answer is Answer.SLOWER, change),
    ("faster", lambda verdict: verdict.answer is Answer.FASTER, change),
    ("equivalent {}", lambda verdict: verdict.answer is Answer.EQUIVALENT, None),
    ("undecided", lambda verdict: verdict.answer is Answer.UNDECIDED and not missing(verdict), excluded),
    ("without a value", missing, lambda verdict: verdict.why),
)
AMOUNTS = {Pattern.GONE: "The", Pattern.MOSTLY_GONE: "Most of the", Pattern.PARTLY_GONE: "Part of the"}
SENTENCES: dict[Pattern, Callable[[Finding], str]] = {
    Pattern.UNMEASURED: _unmeasured,
    Pattern.EQUIVALENT: _equivalent,
    Pattern.UNDECIDED: _undecided,
    Pattern.MIXED: _mixed,
    **dict.fromkeys(AMOUNTS, _recovered),
    Pattern.NET: _net,
    Pattern.ACROSS: _across,
}
