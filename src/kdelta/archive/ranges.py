"""Nick Piggin's tables of ranges (LKML, 2007): the name of a box, a line of benchmarks, and for each kernel the least and the most.

    P4 Xeon
             pagefault   fork          exec
    2.6.21   1.67-1.69   140.7-142.0   449.5-460.8
    +patch   1.75-1.77   144.0-145.5   456.2-463.0

Of how many runs the ranges are, and in which unit, is not printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from kdelta.archive import ours
from kdelta.archive.apart import Apart
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Entry, Number, Remark

NAME = "table of ranges"

_VALUE = r"\d{1,15}(?:\.\d{1,15})?"
_RANGE = re.compile(rf"(?P<low>{_VALUE})\s?(?:-|\u2013|\.\.)\s?(?P<high>{_VALUE})(?=\s|$)")
_NONE = re.compile(r"(?:-+|n/?a)(?=\s|$)", re.IGNORECASE)
_ROW = re.compile(rf"\s*(?P<kernel>(?!-\s)\S+)(?P<cells>\s+(?:{_VALUE}\s?(?:-|\u2013|\.\.)|-|[nN]/?[aA]\s).*)$")
_BOX = re.compile(r"\s*(?P<box>[^\s.,;](?:[^.,;]{0,58}[^\s.,;:])?):?\s*$")
_BOUND = re.compile(r"\b(?:bound|pinned|affine) to\b|\btaskset\b|\bbind\b", re.IGNORECASE)
LONGEST_ROW = 1000
"""Characters: what is longer is no row, and not looked at."""

LATENCIES = ("pagefault", "page fault", "fork", "exec", "sh", "mmap", "ctx", "select", "open")
"""Benchmarks of which the less is the better, whoever measures them."""


def read(text: Text) -> Iterator[Block]:
    """A block for each table: at least two kernels, each with as many ranges as there are benchmarks."""
    lines, apart, bound, at = text.lines, Apart(), "", 0
    while at < len(lines):
        line = lines[at].text
        if "CPU" in line and len(line) < LONGEST_ROW and _BOUND.search(line):
            bound = line.strip().rstrip(":")
        rows = _rows(lines, at) if at and ("-" in line or ".." in line or "\u2013" in line) and _ROW.match(line) else []
        if len(rows) > 1:
            yield _block(lines, at - 1, rows, bound, apart)
        at += max(1, len(rows))


def _rows(lines: Sequence[Line], first: int) -> list[tuple[Line, str, list[re.Match[str]]]]:
    """As many as follow each other, under the line of names above `first`."""
    head = lines[first - 1].text
    if not head.strip()[:1].isalpha() or len(head) >= LONGEST_ROW:
        return []
    names = head.split()
    below = (lines[at] for at in range(first, len(lines)))
    return list(takewhile(lambda row: row[1], (_row(line, len(names)) for line in below)))


def _row(line: Line, columns: int) -> tuple[Line, str, list[re.Match[str]]]:
    """The kernel's name, empty where this is no row, and its cells."""
    match = _ROW.match(line.text) if len(line.text) < LONGEST_ROW else None
    if match is None:
        return line, "", []
    cells, place, text = list[re.Match[str]](), match.start("cells"), line.text.rstrip()
    while place < len(text) and len(cells) <= columns:
        place += len(text[place:]) - len(text[place:].lstrip())
        cell = _RANGE.match(text, place) or _NONE.match(text, place)
        if cell is None:
            return line, "", []
        cells.append(cell)
        place = cell.end()
    whole = len(cells) == columns and any(cell.re is _RANGE for cell in cells)
    return line, match["kernel"] if whole else "", cells


def _block(
    lines: Sequence[Line], head: int, rows: Sequence[tuple[Line, str, list[re.Match[str]]]], bound: str, apart: Apart
) -> Block:
    box = _BOX.match(lines[head - 1].text) if head else None
    title = box["box"] if box else ""
    names = lines[head].text.split()
    entries, remarks = list[Entry](), list[Remark]()
    for line, kernel, cells in rows:
        variant = apart.name(kernel, title, tuple(cell[0] for cell in cells), line.number)
        for name, cell in zip(names, cells, strict=True):
            figures = _figures(line, cell)
            if figures and figures["min"].value > figures["max"].value:
                remarks.append(Remark(line.number, f"the range {cell[0]} of {name} begins above its end"))
                figures = {}
            entries.append(_entry(variant, title, name, figures))
    return Block(
        format=NAME,
        title=title,
        first=lines[head - 1 if box else head].number,
        last=rows[-1][0].number,
        entries=tuple(entries),
        remarks=(*remarks, *apart.taken()),
        facts={"method": bound} if bound else {},
    )


def _figures(line: Line, cell: re.Match[str]) -> dict[str, Number]:
    if cell.re is not _RANGE:
        return {}
    return {"min": number(cell["low"], line, cell.start("low")), "max": number(cell["high"], line, cell.start("high"))}


def _entry(variant: str, box: str, name: str, figures: dict[str, Number]) -> Entry:
    program, parameters = ours.program(name)
    return Entry(
        variant=variant,
        box=box,
        program=program,
        benchmark=name,
        metric="time" if name.lower() in LATENCIES or program else "value",
        better=Better.SMALLER if name.lower() in LATENCIES or program else None,
        parameters=parameters,
        figures=figures,
        reason="" if figures else "not printed",
    )


READER = Reader(
    NAME,
    (*(f"{low}-{high}" for low in range(10) for high in range(10)), "..", "\u2013"),
    read,
    "a line of names of benchmarks, and below it at least two lines of a kernel's name and a range `1.67-1.69` for each of them",
)
