"""Erich Focht's NUMA schedbench in Martin J. Bligh's tables (LKML, early 2003): tasks in a title, four times for each kernel.

    NUMA schedbench 16:
                                       AvgUser     Elapsed   TotalUser    TotalSys
                            2.5.59        0.00       57.37      843.12        3.77
                   2.5.59-sched4-2           0           0           0           0

Seconds. Of how many runs they are is not printed. Whole zeros in all columns stand where a kernel has no results.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from kdelta.archive.apart import Apart
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Entry

NAME = "NUMA schedbench"

METRICS = ("average_user_s", "elapsed_s", "user_s", "system_s")
"""Of the columns, in their order."""
_TITLE = re.compile(r"\s*NUMA schedbench (?P<tasks>\d{1,6}):?\s*$")
_HEADER = re.compile(r"\s*AvgUser\s+Elapsed\s+TotalUser\s+TotalSys\s*$")
_NUMBER = rf"\s+({PLAIN})"
_ROW = re.compile(rf"\s*(\S+){_NUMBER}{_NUMBER}{_NUMBER}{_NUMBER}\s*$")
_NONE = ("0",) * len(METRICS)


def read(text: Text) -> Iterator[Block]:
    """A block for each table."""
    lines, apart = text.lines, Apart()
    for place, line in enumerate(lines[:-2]):
        title = _TITLE.match(line.text)
        if title and _HEADER.match(lines[place + 1].text):
            rows = list(_rows(lines, place + 2))
            entries = [entry for row in rows for entry in _entries(title["tasks"], *row, apart)]
            if entries:
                yield Block(
                    format=NAME,
                    title=line.text.strip().rstrip(":"),
                    first=line.number,
                    last=rows[-1][0].number,
                    entries=tuple(entries),
                    remarks=apart.taken(),
                )


def _rows(lines: Sequence[Line], first: int) -> Iterator[tuple[Line, re.Match[str]]]:
    for place in range(first, len(lines)):
        match = _ROW.match(lines[place].text)
        if match is None or not all(math.isfinite(float(one.replace(",", ""))) for one in match.groups()[1:]):
            return
        yield lines[place], match


def _entries(tasks: str, line: Line, match: re.Match[str], apart: Apart) -> Iterator[Entry]:
    name = f"numa-schedbench-{tasks}"
    said = match.groups()[1:]
    is_missing = said == _NONE
    variant = apart.name(match[1], name, said, line.number)
    for column, metric in enumerate(METRICS, 2):
        yield Entry(
            variant=variant,
            program="numa-schedbench",
            benchmark=name,
            metric=metric,
            unit="s",
            printed_unit="s",
            better=Better.SMALLER,
            parameters={"tasks": tasks},
            figures={} if is_missing else {"mean": number(match[column], line, match.start(column))},
            state=CellState.FAILED if is_missing else CellState.OK,
            reason="all its figures are 0: it has no results" if is_missing else "",
        )


READER = Reader(
    NAME,
    ("NUMA schedbench",),
    read,
    "a line `NUMA schedbench 16:`, below it `AvgUser Elapsed TotalUser TotalSys`, then lines of a kernel's name and four numbers",
)
