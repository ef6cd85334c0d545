"""AIM's benchmarks of several tasks: AIM7, and its successor reaim, as they print to a terminal and to a log.

    Tasks    jobs/min  jti  jobs/min/task      real       cpu
      100   178784.27   94      1787.8427      3.36      7.08   Mon Sep  4 10:17:58 2006

    Num     Parent   Child   Child  Jobs per   Jobs/min/  Std_dev  Std_dev  JTI
    Forked  Time     SysTime UTime   Minute     Child      Time     Percent
    4000    119.97   432.86  47.17   204051.01  51.01      11.52    9.99     90

A number of tasks stands in its line before it runs: alone there, it did not end. Source: osdl-aim-7 (multitask.c) and reaim
(print_header_line).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kdelta.archive.apart import Apart
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "AIM"

LONGEST_ROW = 300
AHEAD = 12
"""Lines below a run that failed in which it says why."""


class Column(NamedTuple):
    """What one column holds."""

    metric: str
    unit: str
    better: Better | None


TASKS = "tasks"
RATE, EACH = "throughput", "throughput_per_task"
COLUMNS = {
    RATE: Column(RATE, "jobs/min", Better.LARGER),
    EACH: Column(EACH, "jobs/min/task", Better.LARGER),
    "per_task_s": Column("throughput_per_task_s", "jobs/s/task", Better.LARGER),
    "jti": Column("jti", "%", Better.LARGER),
    "real": Column("elapsed_s", "s", Better.SMALLER),
    "cpu": Column("cpu_s", "s", Better.SMALLER),
    "user": Column("user_s", "s", Better.SMALLER),
    "system": Column("system_s", "s", Better.SMALLER),
    "sd": Column("elapsed_sd_s", "s", Better.SMALLER),
    "cv": Column("elapsed_sd_percent", "%", Better.SMALLER),
    "longest": Column("longest_child_s", "s", Better.SMALLER),
    "shortest": Column("shortest_child_s", "s", None),
}
WORDS = {
    "tasks": TASKS,
    "jobs/min": RATE,
    "jobs/min/task": EACH,
    "jobs/sec/task": "per_task_s",
    "jti": "jti",
    "real": "real",
    "cpu": "cpu",
}
"""Of AIM7's head, in any order."""
FORKED = (TASKS, "real", "system", "user", RATE, EACH, "sd", "cv", "jti")
LOGGED = (TASKS, RATE, EACH, "per_task_s", "real", "user", "system", "sd", "jti", "longest", "shortest")

_FORKED = re.compile(r"\s*Forked\s+Time\s+SysTime\s+UTime\s+Minute\s+Child\s+Time\s+Percent\s*$")
_LOGGED = re.compile(r"\s*Forks\s+Jobs/min\s+child\s+child\s+parent\s+childU\s+childS\s+std_dev\s+JTI\s+:max\s+:min\s*$")
_BEGINNING = re.compile(r"\s*(?:AIM Multiuser|REAIM Workload|Times are in|Num\s+Parent|Jobs/min/)")
_NUMBER = re.compile(rf"\s*(?P<number>{PLAIN})(?=\s|$)")
_REST = re.compile(r"\s*(?:[A-Z][a-z]{2}\b.*)?$")
_CLOCK = re.compile(r"\s*\d{1,2}:\d\d(?::\d\d)?(?:\s+\d{4})?:?\s*$")
_ALONE = re.compile(r"\s*\d{1,6}\s*$")
_ITEM = re.compile(r"(?:\d{1,2}[.)] (?=\S)|(?=v?\d\.\d{1,2}[\w.+-]{0,40}[A-Za-z][\w.+-]{0,40} ))(?P<name>[^:]{1,80}?)[:.!]?$")
_MOST_WORDS = 10
"""Of a heading: "1. 16k vmm page size", "2.6.18-rc4 with slabifier alone"."""
_END = re.compile(r"\s*(?:Max Jobs per Minute|Crossover achieved)")
_MOST = re.compile(rf"\s*Max Jobs per Minute\s+(?P<most>{PLAIN})\s*$")
_WHY = re.compile(r"\s*(?:Fatal error|Failed to|Child (?:process|#)|fork|core dumped)", re.IGNORECASE)


@dataclass
class _Run:
    """One table. `program` is aim7 or reaim, `columns` what its numbers are."""

    program: str
    columns: Sequence[str]
    variant: str
    first: int
    last: int
    entries: list[Entry] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    rates: list[Number] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each table."""
    lines, apart, at = text.lines, Apart(), 0
    while at < len(lines):
        head = _head(lines[at]) if len(lines[at].text) < LONGEST_ROW else None
        at += 1
        if head is not None:
            run = _Run(*head, _variant(lines, at - 1), lines[at - 1].number, lines[at - 1].number)
            at = _rows(lines, at, run, apart)
            if run.entries:
                yield _block(run, apart.taken())


def _head(line: Line) -> tuple[str, Sequence[str]] | None:
    """The program and its columns, where `line` is the last one of a table's head."""
    words = line.text.lower().split()
    if words[:1] == ["tasks"] and "jobs/min" in words and all(word in WORDS for word in words):
        return "aim7", [WORDS[word] for word in words]
    if _FORKED.match(line.text):
        return "reaim", FORKED
    return ("reaim", LOGGED) if _LOGGED.match(line.text) else None


def _variant(lines: Sequence[Line], head: int) -> str:
    """What the lines above the head call it: words with a colon behind them, or a few alone. No sentence about the machine."""
    for at in range(head - 1, max(-1, head - 8), -1):
        said = lines[at].text.strip()
        if (item := _ITEM.match(said)) and len(said.split()) <= _MOST_WORDS:
            return item["name"].strip()
        if _NUMBER.match(said):
            return ""
        if said and not _BEGINNING.match(said):
            short = len(said.split()) <= 3 and said[-1].isalnum()
            return said.rstrip(": ") if len(said) <= 80 and (said.endswith(":") or short) else ""
    return ""


def _rows(lines: Sequence[Line], at: int, run: _Run, apart: Apart) -> int:
    """The line behind the table."""
    while at < len(lines):
        line = lines[at]
        found = _numbers(line, len(run.columns))
        if not (found or _END.match(line.text)):
            break
        at += 1
        if not found:
            _most(run, line)
            continue
        below = lines[at].text if at < len(lines) else ""
        if _ALONE.match(line.text):
            _failed(run, line, lines[at : at + AHEAD], apart)
            continue
        if len(found) == len(run.columns) - 1 and _ALONE.match(below):
            found += _numbers(lines[at], 1)
        if found[-1].line != line.number or _CLOCK.match(below):
            run.remarks.append(Remark(line.number, "the row goes on in the next line: both are read as one"))
            at += 1
        if len(found) == len(run.columns):
            _add(run, line, found, apart)
        else:
            run.remarks.append(Remark(line.number, "the row is cut, and left out"))
    return at


def _numbers(line: Line, most: int, at: int = 0) -> list[Number]:
    """Up to `most` numbers that stand in the line from `at` on; none where something else follows them than a date."""
    if len(line.text) >= LONGEST_ROW:
        return []
    found = list[Number]()
    while len(found) < most and (match := _NUMBER.match(line.text, at)):
        try:
            found.append(number(match["number"], line, match.start("number")))
        except ValueError:
            return []
        at = match.end()
    return found if _REST.match(line.text, at) else []


def _add(run: _Run, line: Line, found: Sequence[Number], apart: Apart) -> None:
    cells = dict(zip(run.columns, found, strict=True))
    tasks = cells.pop(TASKS)
    variant = apart.name(run.variant, (run.program, tasks.text), tuple(one.text for one in found), line.number)
    for name, one in cells.items():
        column = COLUMNS[name]
        run.entries.append(_entry(run, variant, tasks.text, column, {"value": one}))
    run.rates.append(cells[RATE])
    if EACH in cells:
        what = f"{run.program}-{tasks.text} jobs/min/task"
        run.claims.append(Claim(kind="quotient", what=what, printed=cells[EACH], of=(cells[RATE], tasks)))
    run.last = found[-1].line


def _entry(run: _Run, variant: str, tasks: str, column: Column, figures: dict[str, Number], failed: str = "") -> Entry:
    return Entry(
        variant=variant,
        program=run.program,
        benchmark=f"{run.program}-{tasks}",
        metric=column.metric,
        unit=column.unit,
        printed_unit=column.unit,
        better=column.better,
        parameters={TASKS: tasks},
        figures=figures,
        state=CellState.FAILED if failed else CellState.OK,
        reason=failed,
    )


def _failed(run: _Run, line: Line, below: Sequence[Line], apart: Apart) -> None:
    """A number of tasks with nothing behind it."""
    tasks = line.text.strip()
    why = next((place for place, one in enumerate(below) if _WHY.match(one.text)), len(below))
    said = " ".join(" ".join(one.text for one in below[why : why + 2]).split())[:LONGEST_ROW]
    variant = apart.name(run.variant, (run.program, tasks), ("",), line.number)
    run.entries.append(_entry(run, variant, tasks, COLUMNS[RATE], {}, said or "it did not end"))
    run.remarks.append(Remark(line.number, f"{tasks} tasks have no result: {said or 'it did not end'}"))
    run.last = line.number


def _most(run: _Run, line: Line) -> None:
    match = _MOST.match(line.text)
    found = _numbers(line, 1, match.start("most")) if match else []
    if found and run.rates:
        run.claims.append(Claim(kind="max", what="jobs per minute", printed=found[0], of=tuple(run.rates)))
        run.last = line.number


def _block(run: _Run, told: tuple[Remark, ...]) -> Block:
    return Block(
        format=NAME,
        title=run.variant or run.program,
        first=run.first,
        last=run.last,
        entries=tuple(run.entries),
        claims=tuple(run.claims),
        remarks=(*run.remarks, *told),
    )


READER = Reader(
    NAME,
    ("jobs/min", "Jobs/Min", "Forked", "Jobs/min"),
    read,
    "a head `Tasks jobs/min jti ...` of AIM7, or `Forked Time SysTime UTime ...` of reaim, and the lines of numbers below it",
)
