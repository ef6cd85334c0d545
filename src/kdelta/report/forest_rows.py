"""The rows of a forest plot as values: contrasts and geometric means in groups, each with its words and where it lies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kdelta.model.benchmark import Better
from kdelta.model.finding import missing, names
from kdelta.model.plan import BoxSpec
from kdelta.model.table import Table
from kdelta.model.verdict import Answer, Judgement, Mean, Ratio, Side, Verdict
from kdelta.report.contrasts import UP, Group, common, groups, rounds, said
from kdelta.report.figures import BLANK, UNKNOWN, amount, change, interval, probability
from kdelta.report.svg import listed
from kdelta.report.text import absent, counted

NO_VALUE = "no value"
Bounds = tuple[float, float, float]
"""A ratio and both ends of its interval as logarithms: infinite where there is no end, NaN for what is not known."""


@dataclass(frozen=True)
class Row:
    """One contrast or mean. `word` is the verdict's; `why` stands where a ratio would be drawn. `keys` are the row's data-*."""

    name: str
    keys: dict[str, str]
    answer: Answer
    word: str
    figures: str
    bounds: Bounds | None
    about: str
    why: str = ""
    is_mean: bool = False


@dataclass(frozen=True)
class Section:
    """Contrasts of the same sides, and their mean."""

    title: str
    rows: tuple[Row, ...]


def sections(judgement: Judgement, box: BoxSpec, table: Table | None = None) -> list[Section]:
    """Of `box`, in the order in which sides are first met. Keys count names from 0 in that order too."""
    grouped = {(one.new, one.base): one for one in groups(judgement, of_box(judgement, box))}
    means: dict[tuple[str, str], list[Mean]] = {}
    for mean in judgement.means:
        if mean.box.name == box.name:
            means.setdefault((mean.new, mean.base), []).append(mean)
            grouped.setdefault((mean.new, mean.base), Group(mean.new, mean.base, mean.new, []))
    named = _places(names(judgement.axis, one).row for group in grouped.values() for one in group.verdicts)
    news, bases = _places(new for new, _ in grouped), _places(base for _, base in grouped)
    made = []
    for (new, base), group in grouped.items():
        keys = {"base": str(bases[base]), "new": str(news[new])}
        rows = [_contrast(judgement, one, keys, named, table) for one in group.verdicts]
        rows += [_mean(one, keys) for one in means.get((new, base), ())]
        made.append(Section(group.title, tuple(rows)))
    return made


def of_box(judgement: Judgement, box: BoxSpec) -> list[Verdict]:
    """The contrasts whose new side is on `box`."""
    return [verdict for verdict in judgement.verdicts if verdict.new.box.name == box.name]


def _places(met: Iterable[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(dict.fromkeys(met))}


def _contrast(judgement: Judgement, verdict: Verdict, keys: dict[str, str], named: dict[str, int], table: Table | None) -> Row:
    name, bounds = names(judgement.axis, verdict).row, logs(verdict.ratio)
    word = NO_VALUE if missing(verdict) else verdict.answer.value
    mark = f" {UP}" if verdict.new.benchmark.metric.better is Better.LARGER else ""
    return Row(
        name=f"{name}{mark}",
        keys={"row": str(named[name]), **keys, "answer": word},
        answer=verdict.answer,
        word=word,
        figures=_plain(interval(verdict.ratio)) if verdict.ratio else UNKNOWN,
        bounds=bounds,
        about=_about(judgement, verdict, name, word),
        why="" if bounds else _why(verdict, table),
    )


def logs(ratio: Ratio | None) -> Bounds | None:
    """None where the ratio itself is no number."""
    if ratio is None or math.isnan(ratio.value):
        return None
    return _log(ratio.value), _log(ratio.low), _log(ratio.high)


def _log(bound: float) -> float:
    return math.log(bound) if bound > 0.0 else bound if math.isnan(bound) else -math.inf


def _plain(words: str) -> str:
    return words.replace(BLANK, " ")


def _why(verdict: Verdict, table: Table | None) -> str:
    """Which side has no value, else why there is no ratio."""
    if table and missing(verdict):
        ends = [(side.variant, _state(side, table)) for side in (verdict.base, verdict.new)]
        told = [f"{variant} {state}" if state != UNKNOWN else f"{variant} not measured" for variant, state in ends if state]
        if told:
            return ", ".join(dict.fromkeys(told))
    return verdict.why or UNKNOWN


def _state(side: Side, table: Table) -> str:
    """How a side of the table ended that has no value: "failed" or "-"; empty for one that has a value, or is not in it."""
    entries = (entry for row in table.rows if row.benchmark.name == side.benchmark.name for entry in row.entries)
    found = next((entry for entry in entries if entry.variant == side.variant and side.box.name == table.box.name), None)
    return absent(found.state) if found and found.value is None else ""


def _about(judgement: Judgement, verdict: Verdict, name: str, word: str) -> str:
    called = names(judgement.axis, verdict)
    figures = [
        f"p {probability(verdict.p_adjusted, judgement.alpha)}",
        f"{'rounds' if common(verdict) else 'boots'} {rounds(verdict)}",
        f"sd {amount(verdict.sd)}",
        f"visible {amount(verdict.visible)}",
    ]
    margin = amount(judgement.margin)
    extent = f", real, but below {margin}" if verdict.tiny else f", by at least {margin}" if verdict.beyond else ""
    found = f"{_plain(change(verdict))} {word}{extent}" if verdict.ratio else word
    return listed([f"{name}, {called.new} against {called.base}: {found}", ", ".join(figures), *said(verdict)])


def _mean(mean: Mean, keys: dict[str, str]) -> Row:
    size = len(mean.benchmarks)
    told = [f"left out: {one}" for one in mean.left_out]
    figures = _plain(interval(mean.ratio)) if mean.ratio else UNKNOWN
    head = f"geometric mean of {size} as cost, {mean.new} against {mean.base}: {figures} {mean.answer.value}"
    return Row(
        name=f"mean of {size}",
        keys={"mean": "", **keys, "answer": mean.answer.value},
        answer=mean.answer,
        word=mean.answer.value,
        figures=figures,
        bounds=logs(mean.ratio),
        about=listed([head, counted(mean.rounds, "round"), *told]),
        why=UNKNOWN,
        is_mean=True,
    )


def is_mixed(verdicts: Sequence[Verdict]) -> bool:
    """Whether larger is better for some, and smaller for others."""
    return len({verdict.new.benchmark.metric.better for verdict in verdicts}) > 1
