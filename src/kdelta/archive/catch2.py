"""Catch2's table of benchmarks: three lines for each.

    benchmark name                                  samples       iterations    estimated
                                                    mean          low mean      high mean
                                                    std dev       low std dev   high std dev
    -------------------------------------------------------------------------------
    Fibonacci 20                                              100         75814     7.1265 ms
                                                             1 ns          0 ns          2 ns
                                                             0 ns          0 ns          0 ns

A sample is the mean of its iterations; low and high bound a 95 % interval. Names too long for their column take more lines
(src/catch2/reporters/catch_reporter_console.cpp, 2.11 and 3). Whole units are all that 2.11 prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Entry, Number, Remark

NAME = "catch2"
PROGRAM = "catch2"

_HEADER = re.compile(r"\s*benchmark name\s+samples\s+iterations\s+estimated\s*$")
_RULE = re.compile(r"\s*[-.]{10,}\s*$")
_END = re.compile(r"\s*[=~]{10,}\s*$")
_N = r"-?\d{1,15}(?:\.\d{1,9})?(?:e[-+]?\d{1,2})?"
_UNIT = r"(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h)"
_TIME = rf"{_N} {_UNIT}"
_FIRST = re.compile(rf"\s*(?P<name>\S[^\n]{{0,300}}?)?\s+(?P<samples>\d{{1,9}})\s+(?P<iterations>\d{{1,15}})\s+{_TIME}\s*$")
_THREE = re.compile(rf"\s*(?P<value>{_N}) (?P<unit>{_UNIT})\s+(?P<low>{_TIME})\s+(?P<high>{_TIME})\s*$")
_FAILED = re.compile(r"\s*(?P<name>\S[^\n]{0,300}?)?\s*Benchmark failed \((?P<said>[^\n]{0,300}?)\)?\s*$")


def read(text: Text) -> Iterator[Block]:
    """A block for each header."""
    lines = text.lines
    for place, line in enumerate(lines):
        if "benchmark name" in line.text and _HEADER.match(line.text):
            entries, remarks, last = _table(lines, place + 1)
            if entries:
                yield Block(
                    format=NAME,
                    title=_title(lines, place),
                    first=line.number,
                    last=last,
                    entries=tuple(entries),
                    remarks=tuple(remarks),
                )


def _title(lines: Sequence[Line], place: int) -> str:
    """The test case: what stands between two rules of dashes above the header."""
    above = lines[max(0, place - 8) : place]
    for one, two, three in zip(above, above[1:], above[2:], strict=False):
        if _RULE.match(one.text) and _RULE.match(three.text) and two.text.strip() and "-" in one.text:
            return two.text.strip()
    return ""


def _table(lines: Sequence[Line], place: int) -> tuple[list[Entry], list[Remark], int]:
    entries, remarks, name, last = list[Entry](), list[Remark](), list[str](), lines[place - 1].number
    while place < len(lines):
        line = lines[place]
        place += 1
        if _END.match(line.text) or _HEADER.match(line.text):
            break
        if _RULE.match(line.text) or not line.text.strip() or line.text.split()[0] in ("mean", "std"):
            name = []
            continue
        if match := _FAILED.match(line.text):
            said = " ".join([*name, match["name"] or ""]).strip()
            entries.append(_entry(said, {}, None, "", CellState.FAILED, match["said"]))
            name, last = [], line.number
        elif match := _FIRST.match(line.text):
            said = " ".join([*name, match["name"] or ""]).strip()
            if name:
                remarks.append(Remark(line.number, f"{said}: its name takes {len(name) + 1} lines"))
            entry, doubts = _three(said, int(match["samples"]), lines[place : place + 2], line)
            entries.append(entry)
            remarks += doubts
            place += sum(1 for one in lines[place : place + 2] if _THREE.match(one.text))
            name, last = [], lines[place - 1].number
        else:
            name.append(line.text.strip())
            if len(name) > 20:
                break
    return entries, remarks, last


def _three(name: str, samples: int, below: Sequence[Line], line: Line) -> tuple[Entry, list[Remark]]:
    """The two lines below a name: means, and standard deviations."""
    figures, shown, remarks = dict[str, Number](), "", list[Remark]()
    for figure, one in zip(("mean", "sd"), below, strict=False):
        match = _THREE.match(one.text)
        if match is None:
            break
        figures[figure] = number(match["value"], one, match.start("value"), base(match["unit"])[1])
        shown = shown or match["unit"]
    if not figures:
        return _entry(name, {}, samples, "", CellState.FAILED, "no times are printed"), [Remark(line.number, f"{name}: cut")]
    if figures["mean"].value == 0.0:
        said = f"{name}: a mean of 0 {shown} is below what is printed: no percentage can be taken of it"
        remarks.append(Remark(figures["mean"].line, said))
    if "sd" not in figures:
        remarks.append(Remark(figures["mean"].line, f"{name}: cut behind the mean"))
    elif figures["sd"].value == 0.0:
        remarks.append(Remark(figures["sd"].line, f"{name}: a standard deviation of 0 is one below what is printed"))
    return _entry(name, figures, samples, shown, CellState.OK, ""), remarks


def _entry(name: str, figures: dict[str, Number], samples: int | None, printed: str, state: CellState, reason: str) -> Entry:
    return Entry(
        program=PROGRAM,
        benchmark=name,
        metric="time",
        unit="s" if printed else "",
        printed_unit=printed,
        better=Better.SMALLER,
        figures=figures,
        count=samples if figures else None,
        boots=False if figures else None,
        state=state,
        reason=reason,
    )


READER = Reader(
    NAME,
    ("benchmark name",),
    read,
    "a header `benchmark name  samples  iterations  estimated`, and below it three lines for each benchmark",
)
