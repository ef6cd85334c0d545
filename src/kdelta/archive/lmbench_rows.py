"""Where the tables of lmbench's summaries stand in a text, their rulers repaired, and each number in its column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from kdelta.archive.lmbench_sections import MHZ, WORDS, Layout, Section, section_of
from kdelta.archive.rulers import Placed, Span, Word, is_ruler, placed, shifted, spans, words
from kdelta.archive.text import Line
from kdelta.model.published import Remark

_NEAR = 9
"""Lines below its title in which a table's ruler stands; it has eight above it at most."""
_LEAST = 3
"""Columns of a ruler: the host, the kernel, and one more."""
_PAIR = re.compile(r"\s*(\S+)\s+([A-Za-z]\S* +\S+)")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)[KMG]?")
"""In a cell: 115.  .90  13.K"""
_NUMBERS = re.compile(r"\s*(?:[-+]?[\d.]+[KMG]?(?:\s+|$))+$")
_MOST_WORDS = 16
_PARTS = 2
"""Of a kernel's name: "Linux 2.4.19"."""
_SYSTEM = re.compile(r"\s*OS\s+\S")
_SYSTEM_AND_MHZ = re.compile(r"\s*OS\s+Mhz\b")
_RULE = re.compile(r"\s*-{20,}\s*$")


class Row(NamedTuple):
    """`is_cut` says that the kernel's name fills its column, so that more of it may be missing."""

    line: int
    last: int
    host: str
    kernel: str
    is_cut: bool
    words: tuple[Word, ...]
    cells: tuple[Placed, ...]


class Table(NamedTuple):
    section: Section
    layout: Layout
    title: str
    unit: str
    is_larger_better: bool
    first: int
    last: int
    rows: tuple[Row, ...]
    remarks: tuple[Remark, ...]


class _Columns(NamedTuple):
    host: Span
    kernel: Span
    others: list[Span]
    layout: Layout


def tables(lines: Sequence[Line]) -> Iterator[Table]:
    """Each table that has rows."""
    for place, line in enumerate(lines):
        found = section_of(line.text)
        if found and (table := _table(lines, place, *found)):
            yield table


def _table(lines: Sequence[Line], place: int, section: Section, unit: str) -> Table | None:
    remarks = list[Remark]()
    at = next((n for n in range(place + 1, min(place + _NEAR, len(lines))) if is_ruler(lines[n].text, _LEAST)), 0)
    if not at:
        return _unruled(lines, place, section, unit)
    ruler, after = lines[at].text.rstrip(), at + 1
    if after < len(lines) and is_ruler(lines[after].text):
        remarks.append(Remark(lines[after].number, "the ruler was wrapped: its two lines are joined"))
        ruler, after = f"{ruler} {lines[after].text.strip()}", after + 1
    columns = _columns(section, spans(ruler), lines[at].number, remarks)
    rows = list(_rows(lines, after, columns, remarks)) if columns else []
    if columns is None or not rows:
        return None
    return _of(lines[place], section, columns.layout, unit, rows, remarks)


def _of(title: Line, section: Section, layout: Layout, unit: str, rows: Sequence[Row], remarks: Sequence[Remark]) -> Table:
    text = title.text.strip()
    return Table(
        section,
        layout,
        text,
        "us" if unit == "microseconds" else "ns" if unit == "nanoseconds" else unit,
        "bigger is better" in text or (unit == "MB/s" and "smaller is better" not in text),
        title.number,
        rows[-1].last,
        tuple(rows),
        tuple(remarks),
    )


def _unruled(lines: Sequence[Line], place: int, section: Section, unit: str) -> Table | None:
    """A table that was written anew, without hosts, with one rule in place of a ruler: its rows have a number in each column."""
    near = range(place + 1, min(place + _NEAR, len(lines)))
    head = next((at for at in near if _SYSTEM.match(lines[at].text)), 0)
    rule = next((at for at in near if head and at > head and _RULE.match(lines[at].text)), 0)
    if not rule:
        return None
    first = 0 if _SYSTEM_AND_MHZ.match(lines[head].text) else 1
    rows, layout, at = list[Row](), None, rule + 1
    while at < len(lines) and not _RULE.match(lines[at].text):
        if lines[at].text.strip():
            found = _whole_row(lines[at], section, first)
            if found is None or layout not in (None, found[1]):
                break
            layout = found[1]
            rows.append(found[0])
        at += 1
    return _of(lines[place], section, layout, unit, rows, []) if layout else None


def _whole_row(line: Line, section: Section, first: int) -> tuple[Row, Layout] | None:
    """The row, and the layout that has as many columns; `first` is 1 where that of the processor's MHz is left out."""
    found = list(words(line, 0))
    count = sum(1 for _ in takewhile(lambda word: NUMBER.fullmatch(word.text), reversed(found)))
    numbers, name = found[len(found) - count :], found[: len(found) - count]
    if not name or len(name) > _PARTS or len(found) > _MOST_WORDS:
        return None
    for layout in section.layouts:
        at = [place for place, what in enumerate(layout.columns) if what is not WORDS and not (first and what is MHZ)]
        if len(at) == count:
            kernel = line.text[name[0].where : name[-1].where + len(name[-1].text)]
            cells = tuple(Placed(word, column, is_moved=False) for word, column in zip(numbers, at, strict=True))
            return Row(line.number, line.number, "", kernel, False, tuple(found), cells), layout
    return None


def _columns(section: Section, found: Sequence[Span], line: int, remarks: list[Remark]) -> _Columns | None:
    """As the ruler has them; as the nearest layout has them where it lost dashes or blanks."""
    host, kernel, *others = found
    as_many = [one for one in section.layouts if len(one.columns) == len(others)]
    if as_many:
        return _Columns(host, kernel, others, max(as_many, key=lambda one: _alike(one, others)))
    nearest = max(section.layouts, key=lambda one: _alike(one, others))
    if not _alike(nearest, others):
        return None
    remarks.append(
        Remark(line, f"the ruler has {len(found)} columns in place of {len(nearest.columns) + 2}: it is that of lmbench")
    )
    return _Columns(host, kernel, shifted(spans(nearest.ruler), kernel.end + 1), nearest)


def _alike(layout: Layout, found: Sequence[Span]) -> int:
    """How many columns from the first on are as wide."""
    pairs = zip(spans(layout.ruler), found, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].width == pair[1].width, pairs))


def _rows(lines: Sequence[Line], first: int, columns: _Columns, remarks: list[Remark]) -> Iterator[Row]:
    """Until the first line that is none. Numbers alone on a line are the end of a row that was wrapped."""
    place = first
    while place < len(lines) and (start := _start(lines[place], columns)):
        host, kernel, behind = start
        line, last = lines[place], place
        row = list(words(line, behind))
        if place + 1 < len(lines) and _NUMBERS.match(lines[place + 1].text):
            last = place + 1
            row += words(lines[last], 0, len(line.text.rstrip()) + 1)
            remarks.append(Remark(lines[last].number, "the row was wrapped: its two lines are joined"))
        if len(row) > _MOST_WORDS:
            return
        cells = _cells(row, columns, remarks)
        yield Row(line.number, lines[last].number, host, kernel, len(kernel) >= columns.kernel.width, tuple(row), cells)
        place = last + 1


def _start(line: Line, columns: _Columns) -> tuple[str, str, int] | None:
    """Host, kernel, and where the numbers begin; None where the line is no row."""
    text, (start, end) = line.text, columns.kernel
    host, kernel = text[:start].strip(), text[start:end].strip()
    if host and " " not in host and kernel[:1].isalpha() and text[end : end + 1] in ("", " "):
        return host, kernel, end
    match = _PAIR.match(text)
    return (match[1], match[2], match.end()) if match and _NUMBERS.match(text, match.end()) else None


def _cells(row: Sequence[Word], columns: _Columns, remarks: list[Remark]) -> tuple[Placed, ...]:
    """Of its numbers; what is guessed of caches behind them is in words."""
    layout = columns.layout
    own = [span for span, what in zip(columns.others, layout.columns, strict=True) if what is not WORDS]
    widest = [layout.widest.get(number, max(span.width, 6) + 2) for number, span in enumerate(own)]
    cells = placed([word for word in row if NUMBER.fullmatch(word.text)], own, widest)
    for cell in cells:
        if cell.is_moved and len(cells) < len(own):
            name = layout.columns[cell.column].benchmark
            remarks.append(Remark(cell.word.line.number, f"{cell.word.text} is not under its column: taken as {name}"))
    return tuple(cells)
