"""Tables as text: fields parted by one character, quoted or not, with the place of every field."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kdelta.archive.budget import spend
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.text import Line, Text
from kdelta.model.published import Number, Remark

SEPARATORS = (";", "\t", "|", ",")
"""In this order where two fit as well: a comma may be of numbers."""
_LOOKED_AT = 20
_PLAIN = re.compile(PLAIN)
_COMMA = re.compile(r"[-+]?\d+,\d+")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_RULE = re.compile(r"[\s|:+-]+")


@dataclass(frozen=True)
class Cell:
    """`text` without blanks around it, and where it begins in `line`, from 0."""

    text: str
    line: Line
    at: int

    def number(self, factor: float = 1.0, *, comma: bool = False) -> Number:
        """Raises ValueError where it is none."""
        return number(self.text, self.line, self.at, factor, comma=comma and "." not in self.text)


@dataclass(frozen=True)
class Rows:
    """A table: its names, and rows of as many cells. `first` is the line of the header, or of the first row where there is none."""

    names: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    first: int
    last: int
    remarks: tuple[Remark, ...]

    def column(self, name: str) -> int:
        return self.names.index(name)

    def comma(self, name: str) -> bool:
        """Whether the commas of a column are those of decimals: one of them stands where none of thousands can."""
        texts = [row[self.column(name)].text for row in self.rows]
        found = [one for one in texts if _COMMA.fullmatch(one)]
        return any(not _THOUSANDS.fullmatch(one) or one.lstrip("-+").startswith("0,") for one in found) and not any(
            "." in one for one in texts
        )

    def doubtful(self, name: str) -> bool:
        """Whether all commas of a column may be of thousands or of decimals."""
        texts = [row[self.column(name)].text for row in self.rows]
        found = [one for one in texts if "," in one]
        return bool(found) and not self.comma(name) and not any("." in one or one.count(",") > 1 for one in texts)


def is_number(text: str) -> bool:
    return bool(_PLAIN.fullmatch(text) or _COMMA.fullmatch(text))


def rows_of(text: Text) -> Rows | None:
    """The table that the text is; None where it has not two columns. What has no header gets its columns' numbers as names."""
    lines = [line for line in text.lines if line.text.strip() and not _RULE.fullmatch(line.text)]
    start = next((place for place, line in enumerate(lines) if not line.text.startswith("#")), 0)
    lines = lines[start:]
    separator = _separator([line.text for line in lines[:_LOOKED_AT]])
    if not separator:
        return None
    read, remarks = list(_cells(lines, separator)), list[Remark]()
    header = [cell.text for cell in read[0]] if read else []
    if not any(header):
        return None
    named = not all(is_number(one) for one in header)
    names = _unique(header if named else [str(place) for place in range(1, len(header) + 1)])
    rows = [row for row in read[1 if named else 0 :] if len(row) == len(names)]
    odd = [row for row in read if len(row) != len(names)]
    if odd:
        remarks.append(Remark(odd[0][0].line.number, f"{len(odd)} rows have not {len(names)} fields, and are not read"))
    if not rows:
        return None
    return Rows(names, tuple(rows), read[0][0].line.number, rows[-1][-1].line.number, tuple(remarks))


def _separator(lines: Sequence[str]) -> str:
    """The one with which most lines have as many fields as the first; empty where there is none."""

    def fits(separator: str) -> tuple[int, int]:
        counts = [len(_fields(one, separator)) for one in lines]
        return (sum(count == counts[0] for count in counts), counts[0]) if counts and counts[0] > 1 else (0, 0)

    best = max(SEPARATORS, key=fits)
    return best if fits(best)[0] else ""


def _fields(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return []


def _cells(lines: Sequence[Line], separator: str) -> Iterator[tuple[Cell, ...]]:
    """A row of each line: a quoted field that goes on in the next line is cut there."""
    for line in lines:
        at, row = 0, list[Cell]()
        for field in _fields(line.text, separator):
            text = field.strip()
            found = line.text.find(text, at) if text else at
            spend()  # a table of words is as large in memory as one of numbers
            row.append(Cell(text, line, max(found, at)))
            at = max(found, at) + len(text)
        if separator == "|" and len(row) > 2 and not row[0].text and not row[-1].text:
            row = row[1:-1]
        if row:
            yield tuple(row)


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    """Names, each once: a second `run` is `run (2)`."""
    seen, found = dict[str, int](), list[str]()
    for place, name in enumerate(names, 1):
        said = name or str(place)
        seen[said] = seen.get(said, 0) + 1
        found.append(said if seen[said] == 1 else f"{said} ({seen[said]})")
    return tuple(found)
