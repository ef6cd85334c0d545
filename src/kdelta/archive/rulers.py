"""Tables whose columns are those of a ruler of dashes: an empty cell is seen only by where the others stand.

Host                 OS  Pipe AF    TCP  File
                             UNIX      reread
--------- ------------- ---- ---- ---- ------
frodo      Linux 2.4.18 810. 650.       181.7
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kdelta.archive.text import Line

_RUN = re.compile(r"-+")
_WORD = re.compile(r"\S+")


class Span(NamedTuple):
    """Of a column: from its first character to behind its last, from 0."""

    start: int
    end: int

    @property
    def width(self) -> int:
        return self.end - self.start


class Word(NamedTuple):
    """`at` is where it stands in the table; `line` and `where` is that in the text, where a line was wrapped."""

    text: str
    at: int
    line: Line
    where: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)


class Placed(NamedTuple):
    """`column` is the number of the column; `is_moved` says that the word does not stand under it."""

    word: Word
    column: int
    is_moved: bool


def is_ruler(text: str, least: int = 1) -> bool:
    """Whether it is nothing but dashes and blanks, in at least so many columns."""
    return bool(text.strip()) and not text.strip("- \t") and len(spans(text)) >= least


def spans(ruler: str) -> list[Span]:
    return [Span(*run.span()) for run in _RUN.finditer(ruler)]


def shifted(columns: Sequence[Span], by: int) -> list[Span]:
    return [Span(one.start + by, one.end + by) for one in columns]


def words(line: Line, start: int, at: int = 0) -> Iterator[Word]:
    """Those from `start` on; `at` is where the line's beginning stands in the table."""
    for match in _WORD.finditer(line.text, start):
        yield Word(match.group(), match.start() + at, line, match.start())


def placed(row: Sequence[Word], columns: Sequence[Span], widest: Sequence[int]) -> list[Placed]:
    """Each word with its column: in order where there are as many, else the one under which most of it stands, or the nearest.

    No column gets two, none what is wider than its entry of `widest`, and words stay in their order. A word that fits nowhere is
    left out.
    """
    if len(row) == len(columns):
        return [Placed(word, number, _overlap(word, columns[number]) <= 0) for number, word in enumerate(row)]
    found, first = list[Placed](), 0
    for word in row:
        allowed = [number for number in range(first, len(columns)) if len(word.text) <= widest[number]]
        if allowed:
            nearest = max(allowed, key=lambda number: _overlap(word, columns[number]))
            under = max(range(len(columns)), key=lambda number: _overlap(word, columns[number]))
            found.append(Placed(word, nearest, nearest != under))
            first = nearest + 1
    return found


def _overlap(word: Word, column: Span) -> int:
    """Characters that stand in both; what is between them, negative, where there are none."""
    return min(word.end, column.end) - max(word.at, column.start)
