"""AIM9, the suite of single tasks: a line for each test, which mailers wrap.

     Test        Test        Elapsed  Iteration    Iteration          Operation
    Number       Name      Time (sec)   Count   Rate (loops/sec)    Rate (ops/sec)
         1 add_double           2.02        123   60.89109      1096039.60 Thousand Double Precision Additions/second

Some releases have user and system time behind the elapsed time. A test runs for a fixed time: its rate is the result.
Source: osdl-aim-9 (singleuser.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.apart import Apart
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "AIM9"

LONGEST_ROW = 300

_FLOAT = r"\d{1,15}\.\d{1,6}"
_BEGINS = re.compile(rf"\s*\d{{1,3}}\s+[a-z][\w-]{{1,30}}\s+{_FLOAT}\s+\d")
_ROW = re.compile(
    rf"\s*\d{{1,3}}\s+(?P<name>[a-z][\w-]{{1,30}})\s+(?P<elapsed>{_FLOAT})\s+(?:{_FLOAT}\s+{_FLOAT}\s+)?"
    rf"(?P<count>\d{{1,15}})\s+(?P<loops>{_FLOAT})\s+(?P<rate>{_FLOAT})\s+(?P<unit>[A-Z][^/]{{2,80}}(?:/[^/]{{1,80}}){{0,2}}/second)\b"
)
_TITLE = re.compile(r"\s*(?P<name>[^\s:][^:]{0,60}):\s*$")


@dataclass
class _Run:
    """The tests of one kernel, in their order."""

    variant: str
    lines: list[int] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each run: it ends where a test comes again."""
    lines, apart, run, variant, at = text.lines, Apart(), _Run(""), "", 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if len(line.text) > LONGEST_ROW:
            continue
        if not _BEGINS.match(line.text):
            title = _TITLE.match(line.text)
            variant = title["name"].strip() if title else variant
            continue
        found = _row(lines, at - 1)
        if found is None:
            continue
        match, used = found
        at += used - 1
        if any(one.benchmark == f"aim9-{match['name']}" for one in run.entries[-1:] + run.entries[:1]):
            yield from _block(run)
            run = _Run(variant)
        run.variant = run.variant if run.entries else variant
        _add(run, lines[at - used : at], match, apart)
    yield from _block(run)


def _row(lines: Sequence[Line], at: int) -> tuple[re.Match[str], int] | None:
    """The row that begins at a line, and of how many lines it is: up to two more."""
    joined = ""
    for used in (1, 2, 3):
        if at + used > len(lines) or len(lines[at + used - 1].text) > LONGEST_ROW:
            return None
        joined += lines[at + used - 1].text + " "
        if match := _ROW.match(joined):
            return match, used
    return None


def _number(match: re.Match[str], name: str, lines: Sequence[Line]) -> Number:
    """That of a group, at its place in the line in which it stands."""
    at = match.start(name)
    for line in lines:
        if at < len(line.text):
            return number(match[name], line, at)
        at -= len(line.text) + 1
    raise ValueError(f"{name} stands in no line")


def _add(run: _Run, lines: Sequence[Line], match: re.Match[str], apart: Apart) -> None:
    benchmark, unit = f"aim9-{match['name']}", match["unit"].removesuffix("/second").strip()
    found = {name: _number(match, name, lines) for name in ("elapsed", "count", "loops", "rate")}
    variant = apart.name(run.variant, benchmark, (found["rate"].text, found["count"].text), lines[0].number)
    run.entries.append(
        Entry(
            variant=variant,
            program="aim9",
            benchmark=benchmark,
            metric="throughput",
            unit=f"{unit}/s",
            printed_unit=match["unit"],
            better=Better.LARGER,
            figures={"value": found["rate"]},
        )
    )
    what = f"{benchmark} loops in a second"
    run.claims.append(Claim(kind="quotient", what=what, printed=found["loops"], of=(found["count"], found["elapsed"])))
    run.lines += [lines[0].number, lines[-1].number]
    run.remarks += apart.taken()
    if len(lines) > 1:
        run.remarks.append(Remark(lines[0].number, "the row goes on in the next line: both are read as one"))


def _block(run: _Run) -> Iterator[Block]:
    if run.entries:
        yield Block(
            format=NAME,
            title=run.variant or "AIM9",
            first=run.lines[0],
            last=run.lines[-1],
            entries=tuple(run.entries),
            claims=tuple(run.claims),
            remarks=tuple(run.remarks),
        )


READER = Reader(
    NAME, ("/second",), read, "lines `1 add_double 2.02 123 60.89109 1096039.60 Thousand ... Additions/second`, also wrapped"
)
