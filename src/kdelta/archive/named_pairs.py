"""Two numbers under a heading with a percentage, each behind the name of what it is of, as people write them in mails.

    sysbench test=threads threads=32 yields=100 lock=8 (+13.8%):
      queued_spinlock 0.5109/0.00
      ticket_spinlock 0.5814/0.00

A number is sysbench's mean and standard deviation of seconds, or one of perf bench with its relative error. Which of the two is the
base, and what is better, is said in headed.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kdelta.archive.headed import Heading, base_first, heading
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "named pair"

_SPREAD = re.compile(rf"\s*(?P<variant>\S{{1,60}})\s+(?P<value>{PLAIN})/(?P<sd>{PLAIN})\s*$")
_MEASURED = re.compile(
    rf"\s*(?P<variant>\S{{1,60}})\s+(?:[A-Za-z(][^\n]{{0,80}}? )?(?P<value>{PLAIN}) (?P<unit>[a-z]{{1,12}}(?:/[a-z]{{1,8}})?)"
    rf"(?: \(\+-\s?(?P<error>{PLAIN})%\))?\s*$"
)
_SETTING = re.compile(r"([a-z_]{1,20})=(\S{1,40})")


class _Member(NamedTuple):
    variant: str
    value: Number
    unit: str
    spread: tuple[str, Number] | None
    """The name of the figure, and it."""


def read(text: Text) -> Iterator[Block]:
    """A block for each heading with two numbers of one unit below it."""
    lines = text.lines
    for place, line in enumerate(lines):
        said = heading(line)
        if said and place + 2 < len(lines):
            pair = _pair(said, lines[place + 1 : place + 3])
            if pair:
                yield _block(said, pair, lines[place + 2])


def _pair(said: Heading, lines: Sequence[Line]) -> tuple[_Member, _Member] | None:
    if any(len(line.text) - len(line.text.lstrip()) <= said.indent for line in lines):
        return None
    first, second = (_member(said, line) for line in lines)
    if first is None or second is None or first.unit != second.unit or first.variant == second.variant:
        return None
    return first, second


def _member(said: Heading, line: Line) -> _Member | None:
    """A number of no unit is only known where sysbench ran."""
    try:
        if (match := _SPREAD.match(line.text)) and said.name.startswith("sysbench"):
            sd = number(match["sd"], line, match.start("sd"))
            return _Member(match["variant"], number(match["value"], line, match.start("value")), "s", ("sd", sd))
        if match := _MEASURED.match(line.text):
            return _measured(line, match)
    except ValueError:
        return None
    return None


def _measured(line: Line, match: re.Match[str]) -> _Member:
    value = number(match["value"], line, match.start("value"), base(match["unit"])[1])
    error = number(match["error"], line, match.start("error"), abs(value.value) / 100.0) if match["error"] else None
    return _Member(match["variant"], value, match["unit"], ("error", error) if error else None)


def _block(said: Heading, pair: tuple[_Member, _Member], last: Line) -> Block:
    better = Better.SMALLER if base(pair[0].unit)[0] == "s" else Better.LARGER
    old, new = base_first(said, pair, [one.value for one in pair], better)
    what = f"{said.name}, {new.variant} against {old.variant}"
    return Block(
        format=NAME,
        title=said.name,
        first=said.change.line,
        last=last.number,
        entries=tuple(_entry(said.name, one, better) for one in (old, new)),
        claims=(Claim(kind="change", what=what, printed=said.change, of=(old.value, new.value), better=better),),
        remarks=(
            Remark(said.change.line, f"plus is taken as better, and so {old.variant} as what {new.variant} is compared with"),
        ),
    )


def _entry(name: str, one: _Member, better: Better) -> Entry:
    parameters = dict(_SETTING.findall(name))
    plain = _SETTING.sub("", name) + f" {parameters.pop('test', '')}"
    return Entry(
        variant=one.variant,
        program=name.split()[0],
        benchmark=re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-"),
        metric="time" if better is Better.SMALLER else "throughput",
        unit=base(one.unit)[0],
        printed_unit=one.unit,
        better=better,
        parameters=parameters,
        figures={"mean": one.value} | (dict([one.spread]) if one.spread else {}),
    )


READER = Reader(
    NAME,
    ("%)",),
    read,
    "a heading with a percentage, `perf futex/hash (+6.7%):`, and two lines below it, further in: a name and a number with a unit",
)
