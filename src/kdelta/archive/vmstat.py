"""vmstat's rows, with or without time stamps.

    procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
     r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 PST
     2  0      0 224636  33636 6760228    0    0    54   141  129   23  1  1 98  0  0 2015-01-11 20:18:35
     0  0      0 224752  33636 6760180    0    0     0     4  753 2187  2  1 98  0  0 2015-01-11 20:18:36

The first row of vmstat's is of all the time since the machine booted: it is kept, and not judged. It says what a machine did, not
how well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Discarded, Entry, Number, Remark

NAME = "vmstat"

COLUMNS = {
    "r": ("runnable", "tasks"),
    "b": ("blocked", "tasks"),
    "swpd": ("swapped", ""),
    "free": ("free", ""),
    "buff": ("buffers", ""),
    "cache": ("cache", ""),
    "inact": ("inactive", ""),
    "active": ("active", ""),
    "si": ("swap_in", ""),
    "so": ("swap_out", ""),
    "bi": ("blocks_in", "blocks/s"),
    "bo": ("blocks_out", "blocks/s"),
    "in": ("interrupts", "interrupts/s"),
    "cs": ("context_switches", "switches/s"),
    "us": ("user", "%"),
    "sy": ("system", "%"),
    "id": ("idle", "%"),
    "wa": ("iowait", "%"),
    "st": ("steal", "%"),
    "gu": ("guest", "%"),
}
"""As printed -> metric and unit. That of memory and swapping depends on an option (KiB, or -S), so none is known."""

_FIRST = ("r", "b")
_NEEDED = frozenset({"free", "cs", "us", "id"})
_WORD = re.compile(r"\S+")
_VALUE = re.compile(r"\d{1,15}")
SINCE_BOOT = "the first row is of all the time since boot"


class _Cell(NamedTuple):
    column: str
    number: Number


def read(text: Text) -> Iterator[Block]:
    """A block for each run: vmstat prints its header again and again, and that begins no other."""
    lines, place = text.lines, 0
    runs = dict[tuple[str, ...], int]()
    while place < len(lines):
        header = _header(lines[place])
        place += 1
        if header:
            rows, place = _rows(lines, place, header)
            if rows:
                printed = tuple(cell.number.text for row in rows for cell in row)
                yield _block(rows, runs.setdefault(printed, len(runs) + 1))


def _header(line: Line) -> list[str]:
    """Its columns; none where the line is no header."""
    words = line.text.split(maxsplit=40)
    return words if tuple(words[:2]) == _FIRST and set(words) >= _NEEDED else []


def _rows(lines: Sequence[Line], place: int, header: Sequence[str]) -> tuple[list[list[_Cell]], int]:
    """Those below `header`, until the first line that is neither row nor header again; and where to go on."""
    rows = list[list[_Cell]]()
    known = [word for word in header if word in COLUMNS]
    while place < len(lines):
        row = _row(lines[place], known)
        if row:
            rows.append(row)
        elif not (lines[place].text.lstrip().startswith("procs ") or _header(lines[place]) == header):
            break
        place += 1
    return rows, place


def _row(line: Line, columns: Sequence[str]) -> list[_Cell]:
    """None of its numbers are empty, so they are in order; stamps of time stand behind them."""
    words = [match for _, match in zip(columns, _WORD.finditer(line.text), strict=False)]
    if len(words) < len(columns) or not all(_VALUE.fullmatch(word.group()) for word in words):
        return []
    return [_Cell(column, number(word.group(), line, word.start())) for column, word in zip(columns, words, strict=True)]


def _block(rows: Sequence[Sequence[_Cell]], run: int) -> Block:
    """`run` counts those of the text: nothing says of what they are, so each is a variant of its own."""
    first = rows[0][0].number.line
    variant = f"({run})" if run > 1 else ""
    return Block(
        format=NAME,
        first=first,
        last=max(row[0].number.line for row in rows),
        entries=tuple(_entry(variant, [row[place] for row in rows]) for place in range(len(rows[0]))),
        remarks=(Remark(first, f"{SINCE_BOOT}, and not judged"),),
    )


def _entry(variant: str, cells: Sequence[_Cell]) -> Entry:
    metric, unit = COLUMNS[cells[0].column]
    return Entry(
        variant=variant,
        program=NAME,
        benchmark=NAME,
        metric=metric,
        unit=unit,
        printed_unit=unit,
        samples=tuple(cell.number for cell in cells[1:]),
        discarded=(Discarded(cells[0].number, SINCE_BOOT),),
        boots=False,
    )


READER = Reader(
    NAME,
    ("swpd",),
    read,
    "vmstat's header ` r  b   swpd   free ...` and the rows of numbers below it",
)
