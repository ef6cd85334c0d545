"""Ingo Molnar's tables of the fastest results (LKML, 2005 and 2006): a column for each kernel, a row for each benchmark.

    2/4-way HT P4-Xeon box:                (smaller is better)
    ======================
       MIN           v2.6.15             -rc2   -rc2-nosmpnice    -rc2-smpnice2
    ---------------------------------------------------------------------------
            ctx-2:      3.51      4.13 ( 17%)      4.68 ( 33%)      3.65 (  3%)

The word in front of the kernels is the statistic. Percentages are of the first column, cut to whole ones towards zero, and computed
from results that had more digits than are printed. Units are not printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kdelta.archive import ours
from kdelta.archive.apart import Apart
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "table of minima"

STATISTICS = {
    "MIN": "min",
    "AVG": "mean",
    "AVERAGE": "mean",
    "MEAN": "mean",
    "MEDIAN": "median",
    "MED": "median",
    "MAX": "max",
}
"""The word in front of the kernels -> the figure that it is."""

_HEADER = re.compile(rf"\s*(?P<statistic>{'|'.join(STATISTICS)})\s+(?P<kernels>\S.*)$")
_RULER = re.compile(r"\s*-{10,}\s*$")
_UNDERLINE = re.compile(r"\s*={4,}\s*$")
_ROW = re.compile(r"\s*(?P<name>[^\s:]{1,80}):(?P<cells>\s.*)$")
_CELL = re.compile(
    rf"(?P<value>{PLAIN}|-+|n/?a|failed|crash(?:ed)?|hung)(?:\s*\(\s*(?P<change>{PLAIN})\s*%\s*\))?(?=\s|$)", re.IGNORECASE
)
_BETTER = re.compile(r"\(?\s*(?P<which>smaller|lower|less|larger|bigger|higher|more)\s+is\s+better\s*\)?", re.IGNORECASE)
_SMALLER = ("smaller", "lower", "less")
_TIMES = re.compile(r"(?:running|ran) each \w+ (?P<times>(?:at least )?\d{1,6}) times", re.IGNORECASE)
_BOOTUPS = re.compile(r"(?P<bootups>\d{1,6}) (?:separate )?boot-?ups?\b", re.IGNORECASE)
LONGEST_ROW = 1000
"""Characters: what is longer is no row, and not looked at."""


@dataclass(frozen=True)
class _Head:
    """A column's name stands at the right end of its values."""

    title: Line | None
    line: Line
    figure: str
    kernels: tuple[str, ...]
    ends: tuple[int, ...]


def read(text: Text) -> Iterator[Block]:
    """A block for each table."""
    lines, apart = text.lines, Apart()
    heads = [(place, head) for place, line in enumerate(lines) if (head := _head(lines, place, line))]
    facts = _facts(text) if heads else {}
    cells = sum(len(head.kernels) for _, head in heads)
    boots = False if facts.get("bootups") == str(cells) else None
    for place, head in heads:
        table = _Table(head, facts, boots, apart)
        for at in range(place + 2, len(lines)):
            if not table.add(lines[at]):
                break
        if table.entries:
            yield table.block()


def _facts(text: Text) -> dict[str, str]:
    """What the words around the tables say of how often all was measured."""
    joined = text.joined
    times, bootups = _TIMES.search(joined), _BOOTUPS.search(joined)
    said = {"runs of each": times and times["times"], "bootups": bootups and bootups["bootups"]}
    return {name: what for name, what in said.items() if what}


def _head(lines: Sequence[Line], place: int, line: Line) -> _Head | None:
    match = _HEADER.match(line.text) if "M" in line.text[:40] or "A" in line.text[:40] else None
    if match is None or len(line.text) > LONGEST_ROW or place + 1 >= len(lines) or not _RULER.match(lines[place + 1].text):
        return None
    names = list(re.finditer(r"\S+", match["kernels"]))
    start = match.start("kernels")
    title = next((lines[at - 1] for at in (place - 1, place - 2) if at > 0 and _UNDERLINE.match(lines[at].text)), None)
    return _Head(
        title, line, STATISTICS[match["statistic"]], tuple(one[0] for one in names), tuple(start + one.end() for one in names)
    )


class _Table:
    """The rows of one table, as they come."""

    def __init__(self, head: _Head, facts: dict[str, str], boots: bool | None, apart: Apart) -> None:
        self._head, self._facts, self._boots, self._apart = head, facts, boots, apart
        title = head.title.text if head.title else ""
        note = _BETTER.search(title)
        self._better = None if note is None else Better.SMALLER if note["which"].lower() in _SMALLER else Better.LARGER
        self._title = (title[: note.start()] if note else title).strip()
        self._box = re.sub(r"(?:\s*box)?\s*:?\s*$", "", self._title)
        self._last = head.line.number + 1
        self.entries: list[Entry] = []
        self._claims: list[Claim] = []
        self._remarks: list[Remark] = []

    def add(self, line: Line) -> bool:
        """Whether `line` is a row of the table: the first that is none ends it."""
        match = _ROW.match(line.text) if len(line.text) < LONGEST_ROW else None
        cells = list(_CELL.finditer(line.text, match.start("cells"))) if match else []
        rest = "" if match is None else _CELL.sub("", match["cells"]).strip()
        if match is None or rest or not cells or len(cells) > len(self._head.kernels):
            return False
        self._last = line.number
        placed = self._placed(cells)
        if len(placed) < len(self._head.kernels):
            self._remarks.append(Remark(line.number, f"{match['name']} has no result for some kernels"))
        said = tuple(cell[0] for cell in cells)
        names = [
            self._apart.name(name, (self._box, match["name"], self._head.figure), said, line.number) for name in self._head.kernels
        ]
        base: Number | None = None
        for place, kernel in enumerate(names):
            entry = self._entry(match["name"], kernel, line, placed.get(place))
            self.entries.append(entry)
            base = entry.figures.get(self._head.figure) if place == 0 else base
            self._claim(entry, names[0], base)
        return True

    def _placed(self, cells: Sequence[re.Match[str]]) -> dict[int, re.Match[str]]:
        """By the number of their column: each cell ends where the name of its kernel does, when some are empty."""
        if len(cells) == len(self._head.kernels):
            return dict(enumerate(cells))
        ends = self._head.ends
        return {min(range(len(ends)), key=lambda place: abs(ends[place] - cell.end())): cell for cell in cells}

    def _entry(self, name: str, kernel: str, line: Line, cell: re.Match[str] | None) -> Entry:
        program, parameters = ours.program(name)
        figures, state = _figures(self._head.figure, line, cell)
        return Entry(
            variant=kernel,
            box=self._box,
            program=program,
            benchmark=name,
            metric="time" if program else "value",
            better=self._better,
            parameters=parameters,
            figures=figures,
            boots=self._boots,
            state=state,
            reason="" if figures else (cell["value"] if cell else "not printed"),
        )

    def _claim(self, entry: Entry, first: str, base: Number | None) -> None:
        change, value = entry.figures.get("change"), entry.figures.get(self._head.figure)
        if change is None or value is None:
            return
        self._claims.append(
            Claim(
                kind="change",
                what=f"{entry.benchmark}, {entry.variant} against {first}",
                printed=change,
                of=(base, value) if base else (),
                better=entry.better,
                missing="" if base else "the first column is empty",
            )
        )

    def block(self) -> Block:
        return Block(
            format=NAME,
            title=self._title,
            first=(self._head.title or self._head.line).number,
            last=self._last,
            entries=tuple(self.entries),
            claims=tuple(self._claims),
            remarks=(*self._remarks, *self._apart.taken()),
            facts={**({"box title": self._title} if self._title else {}), **self._facts},
        )


def _figures(figure: str, line: Line, cell: re.Match[str] | None) -> tuple[dict[str, Number], CellState]:
    """What a cell holds; a word in place of a number says how that ended."""
    if cell is None or not cell["value"][-1].isdigit():
        failed = cell is not None and cell["value"].lower().startswith(("fail", "crash", "hung"))
        return {}, CellState.FAILED if failed else CellState.OK
    try:
        found = {figure: number(cell["value"], line, cell.start("value"))}
        if cell["change"]:
            found["change"] = number(cell["change"], line, cell.start("change"))
    except ValueError:
        return {}, CellState.OK
    return found, CellState.OK


READER = Reader(
    NAME,
    tuple(STATISTICS),
    read,
    "a line of a statistic (MIN, AVG, MEDIAN, MAX) and names of kernels, a line of dashes, lines `benchmark: value  value (n%)`",
)
