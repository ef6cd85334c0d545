"""Tables of two or more kernels between lines: reStructuredText grids, and those of Markdown and of databases.

    +---------+----------+----------+-------+       | Threads | Baseline | Patched | Change |
    | # tasks | vanilla  | dirty    | %diff |       |---------|----------|---------|--------|
    +=========+==========+==========+=======+       | 1       | 12.3 ms  | 11.9 ms | -3.3%  |
    | 2       | 46718565 | 48751350 | 4.35  |
    +---------+----------+----------+-------+

The first column has the labels. A column is of a kernel, or says by how much the kernel left of it differs from the first, or how
its values spread. Which direction is better is not said; what the sign of a percentage means is found by computing it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kdelta.archive.comparing import FAILED, MISSING, benchmark, compares, is_change, is_ratio, spread, unit
from kdelta.archive.mmtests_header import title
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import base
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "grid table"
_GRID = re.compile(r"\s*[+|][-=+:| ]+[+|]\s*$")
_VALUE = re.compile(rf"(?P<value>{PLAIN}[KMG]?)(?: *(?P<unit>%|[A-Za-z\u00b5\u03bc][A-Za-z/\u00b5\u03bc]{{0,11}}))?$")
_STRONG = re.compile(r"\*{1,2}|`")
_LONGEST = 2000
_MOST_COLUMNS = 32
VALUE, CHANGE, RATIO, LABEL = "value", "change", "ratio", "label"


@dataclass(frozen=True)
class _Cell:
    """What stands between two lines, and where it begins, from 0."""

    text: str
    at: int


@dataclass(frozen=True)
class _Column:
    """`kind` is VALUE, CHANGE, RATIO, LABEL, or the figure that it is of the kernel left of it."""

    name: str
    kind: str
    printed: str
    unit: str
    factor: float


def read(text: Text) -> Iterator[Block]:
    """A block for each table: rows of as many cells, below a header and a rule."""
    lines = text.lines
    start = -1
    for at in range(len(lines) + 1):
        inside = at < len(lines) and len(lines[at].text) <= _LONGEST and _is_of_table(lines[at].text)
        if inside and start < 0:
            start = at
        elif not inside and start >= 0:
            yield from _table(lines, start, at)
            start = -1


def _is_of_table(text: str) -> bool:
    stripped = text.strip()
    return stripped.startswith(("|", "+")) and len(stripped) > 2 and (stripped.endswith("|") or bool(_GRID.match(text)))


def _table(lines: Sequence[Line], start: int, end: int) -> Iterator[Block]:
    found = [(line, _cells(line)) for line in lines[start:end] if not _is_rule(line.text)]
    if len(found) == end - start or len(found) < 2:
        return
    head = found[0][1]
    columns = _columns([cell.text for cell in head])
    if not columns:
        return
    rows = [(line, cells) for line, cells in found[1:] if len(cells) == len(columns)]
    about = title(lines, start - 1, gap=False)
    entries, claims = list[Entry](), list[Claim]()
    odd = [line.number for line, cells in found[1:] if len(cells) != len(columns)]
    remarks = [Remark(number, "it has not as many cells as the header, and is left out") for number in odd]
    for line, cells in rows:
        if cells[0].text:
            _row(line, cells, columns, about, entries, claims)
    if 2 * sum(bool(one.figures) for one in entries) <= len(entries):
        return
    yield Block(
        format=NAME,
        title=about,
        first=found[0][0].number,
        last=lines[end - 1].number,
        entries=tuple(entries),
        claims=tuple(claims),
        remarks=tuple(remarks),
    )


def _is_rule(text: str) -> bool:
    return bool(_GRID.match(text)) and not any(map(str.isalnum, text))


def _cells(line: Line) -> list[_Cell]:
    found, at = list[_Cell](), line.text.find("|") + 1
    while 0 < at < len(line.text) and len(found) < _MOST_COLUMNS:
        end = line.text.find("|", at)
        if end < 0:
            break
        piece = line.text[at:end]
        found.append(_Cell(piece.strip(), at + len(piece) - len(piece.lstrip())))
        at = end + 1
    return found


def _columns(names: Sequence[str]) -> list[_Column]:
    """What each column is; none where the table does not compare."""
    found = list[_Column]()
    for place, written in enumerate(names):
        bare = _STRONG.sub("", written).strip()
        name, printed, known, factor = unit(bare)
        kind = LABEL if place == 0 else CHANGE if is_change(bare) else RATIO if is_ratio(bare) else spread(bare) or VALUE
        found.append(_Column(name, kind, printed, known, factor))
    kernels = [column.name for column in found if column.kind == VALUE]
    changes = any(column.kind in (CHANGE, RATIO) for column in found)
    if len(set(kernels)) < len(kernels) or len(kernels) < 2 or not all(kernels):
        return []
    return found if compares(kernels) or (changes and len(kernels) == 2) else []


def _row(
    line: Line, cells: Sequence[_Cell], columns: Sequence[_Column], about: str, entries: list[Entry], claims: list[Claim]
) -> None:
    """An entry for each kernel, with what stands right of its value, and a claim for each change."""
    name, parameters = benchmark(about, columns[0].name.strip("# "), _STRONG.sub("", cells[0].text).strip())
    values, entry = list[Number | None](), None
    for cell, column in zip(cells[1:], columns[1:], strict=True):
        said, at = _plain(cell)
        if column.kind == VALUE:
            entry, value = _entry(line, said, at, column, name, parameters)
            entries.append(entry)
            values.append(value)
        elif entry is not None and (beside := _number(line, said, at, _factor(entry) if column.kind == "sd" else 1.0)):
            what = f"{name}, {entry.variant}"
            if column.kind != RATIO:
                entry.figures.setdefault(column.kind, beside)
            if column.kind == CHANGE:
                claims += _claim("change", what, beside, values[0], values[-1])
            elif column.kind == RATIO:
                claims += _ratio(what, beside, values[0], values[-1])


def _ratio(what: str, printed: Number, one: Number | None, other: Number | None) -> list[Claim]:
    """Of times it is the first by the other, of rates the other by the first: it is taken to be the one that is nearer."""
    if one and other and one.value > 0.0 and other.value > 0.0:
        growth = other.value / one.value
        if abs(printed.value - growth) > abs(printed.value - 1.0 / growth):
            one, other = other, one
    return _claim("quotient", what, printed, other, one)


def _claim(kind: str, what: str, printed: Number, one: Number | None, other: Number | None) -> list[Claim]:
    if one is None or other is None or one is other:
        return []
    return [Claim(kind=kind, what=what, printed=printed, of=(one, other))]


def _plain(cell: _Cell) -> tuple[str, int]:
    """Without the stars of strong text, which stand before it."""
    bare = _STRONG.sub("", cell.text).strip()
    return bare, cell.at + max(0, cell.text.find(bare))


def _number(line: Line, said: str, at: int, factor: float) -> Number | None:
    match = _VALUE.match(said)
    if match is None:
        return None
    try:
        return number(match["value"], line, at, factor)
    except ValueError:
        return None


def _factor(entry: Entry) -> float:
    return base(entry.printed_unit)[1] if entry.printed_unit else 1.0


def _entry(line: Line, said: str, at: int, column: _Column, name: str, parameters: dict[str, str]) -> tuple[Entry, Number | None]:
    """The value with its own unit, else the header's. What is none is said as it is printed."""
    match = _VALUE.match(said)
    printed = (match["unit"] if match else "") or column.printed
    known, factor = base(printed) if match and match["unit"] else (column.unit, column.factor)
    value = _number(line, said, at, factor)
    state, reason = CellState.OK, ""
    if value is None:
        state = CellState.FAILED if FAILED.match(said) else CellState.NOT_HERE
        reason = "nothing is printed" if said.lower() in MISSING else f"it says {said[:60]!r}"
    entry = Entry(
        variant=column.name,
        benchmark=name,
        metric="result",
        unit=known,
        printed_unit=printed,
        parameters=parameters,
        figures={} if value is None else {"value": value},
        state=state,
        reason=reason,
    )
    return entry, value


READER = Reader(
    NAME,
    ("---+", "===+", "--|", "-- |", "-:|", "-: |"),
    read,
    "a table between `|`, with rules of `+---+` or `|---|`: labels, two or more kernels, and what says how much they differ",
)
