"""The reader of what oprofile's `opreport -l` prints: samples by function, under a head that names the columns.

Source: libpp/format_output.cpp of oprofile 0.4 to 1.4. Before the function may stand its address, the line in the source, the image
and the application, or behind it the image; with several events there are as many pairs of samples and percents, of which the first
is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kdelta.profile.chains import added
from kdelta.profile.readers import naming
from kdelta.profile.readers.lines import Lines, Source, unquoted
from kdelta.profile.readers.readout import Reading, holding
from kdelta.profile.readers.tally import Tally, renamed

FORMAT = "opreport"

MOST_EVENTS = 9
"""That are told."""
LONGEST_HEAD = 1000
"""Characters of the line that names the columns."""

_HEAD = re.compile(r"\s*(?:vma\s+)?(?:samples\|?\s+%\|?\s+)+(?=\S)(?=.*\bsymbol)")
_COLUMN = re.compile(r"linenr info|image name|app name|symbol name|image|app|symbol")
_ROW = re.compile(r"(?:(?P<vma>[0-9a-f]{8,16})\s+)?(?P<samples>\d{1,15})\s+(?P<percent>\d{1,3}(?:\.\d{1,9})?(?:e-\d\d)?)%?\s+")
_PAIR = re.compile(r"\d{1,15}\s+\d{1,3}(?:\.\d{1,9})?(?:e-\d\d)?%?\s+")
_EVENT = re.compile(r"Counted (\S{1,100}) events|Profiling through (timer) interrupt")
_NO_SYMBOL = re.compile(r"\(no symbols?\)|anonymous symbol from section .*|/.*")
_DELETED = " (deleted)"
_ANONYMOUS = re.compile(r"anon \(tgid:\S+ range:\S+\)")
_NO_LINE = "(no location information)"


class Head(NamedTuple):
    """The columns of text behind the numbers: their names and where they begin; `pairs` of samples and percents come before them,
    `indent` blanks before all."""

    names: tuple[str, ...]
    starts: tuple[int, ...]
    pairs: int
    indent: int


class Row(NamedTuple):
    """`high` is whether the address is in the upper half, where a kernel is; None where it is not printed."""

    symbol: str
    image: str
    samples: int
    percent: float
    high: bool | None


def head(line: str) -> Head | None:
    """The columns that `line` names, if it is the head of a table with a column of symbols."""
    match = _HEAD.match(line) if len(line) <= LONGEST_HEAD else None
    if match is None:
        return None
    columns = list(_COLUMN.finditer(line, match.end()))
    names = tuple(column[0].split()[0] for column in columns)
    starts = tuple(column.start() for column in columns)
    return Head(names, starts, match[0].count("%"), len(line) - len(line.lstrip()))


def row(columns: Head, line: str) -> Row | None:
    """The row that `line` is. One that begins further right is a detail of the row above it."""
    if len(line) - len(line.lstrip()) > columns.indent:
        return None
    match = _ROW.match(line, min(columns.indent, len(line) - len(line.lstrip())))
    if match is None:
        return None
    end = match.end()
    for _ in range(columns.pairs - 1):
        other = _PAIR.match(line, end)
        end = other.end() if other else end
    texts = dict(zip(columns.names, _texts(columns, line.rstrip(), end), strict=False))
    high = int(match["vma"][0], 16) >= 8 if match["vma"] else None
    symbol, image = texts.get("symbol", ""), texts.get("image", texts.get("app", ""))
    return Row(symbol, image, int(match["samples"]), float(match["percent"]), high) if symbol else None


def _texts(columns: Head, line: str, end: int) -> list[str]:
    """What is in the columns of text: where they begin; or in a row that is too wide word by word, as only symbols have blanks."""
    places = list(zip(columns.starts, (*columns.starts[1:], len(line)), strict=True))
    if all(line[start - 1 : start] == " " and line[start : start + 1].strip() for start, _ in places):
        return [line[start:stop].strip() for start, stop in places]
    text = _ANONYMOUS.sub("anon", line[end:].replace(_NO_LINE, "?").replace(_DELETED, ""))
    more = len(columns.names) - 1
    return text.split(None, more) if columns.names[-1] == "symbol" else text.rsplit(None, more)


def recognises(lines: Sequence[str]) -> bool:
    return any(map(head, map(unquoted, lines)))


def read(source: Source) -> Reading:
    """The functions of the first table."""
    lines, report = Lines(source), _Report()
    for line in map(unquoted, lines.each()):
        report.add(line)
    return report.reading(lines)


class _Report:
    """What was met of the first table."""

    def __init__(self) -> None:
        self._head: Head | None = None
        self._tables = 0
        self._events: list[str] = []
        self._tally, self._low = Tally(), Tally()
        self._high = False
        self._largest = (0, 0.0)

    def add(self, line: str) -> None:
        if found := _EVENT.search(line):
            self._events.append(naming.tidy(found[1] or found[2]))
            del self._events[MOST_EVENTS:]
        elif columns := head(line):
            self._tables += 1
            self._head = self._head or columns
        elif self._head and self._tables == 1 and (each := row(self._head, line)) and each.samples:
            self._row(each)

    def _row(self, found: Row) -> None:
        """An image is known by its name alone, also that of a module; old releases booked user code under the kernel's."""
        place = naming.place(_ANONYMOUS.sub("anon", found.image)) if found.image else ""
        symbol = "" if _NO_SYMBOL.fullmatch(found.symbol) else found.symbol
        self._largest = max(self._largest, (found.samples, found.percent))
        low = found.high is False and not place and bool(symbol)
        self._high = self._high or (found.high is True and not place)
        (self._low if low else self._tally).add(naming.function(symbol, place), found.samples)

    def reading(self, lines: Lines) -> Reading:
        booked = self._low.result()
        user = renamed(booked, lambda name: name + naming.NOWHERE) if self._high else booked
        stacks = added([self._tally.result(), user])
        samples, percent = self._largest
        total = max(round(100 * samples / percent), sum(stacks.values())) if percent else None
        return Reading(
            format=FORMAT,
            stacks=stacks,
            event=self._events[0] if self._events else "",
            total=total,
            samples=sum(stacks.values()),
            doubts=(*self._doubts(sum(stacks.values()), total, user if self._high else {}), *lines.doubts()),
        )

    def _doubts(self, listed: int, total: int | None, booked: dict[str, int]) -> tuple[str, ...]:
        events = ", ".join(self._events[1:])
        pairs = self._head.pairs if self._head else 1
        cut = total is not None and listed < 0.99 * total
        said = {
            f"only the first of {self._tables} tables is read": self._tables > 1,
            f"only samples of the first event are read, not those of {events}": pairs > 1,
            f"the functions listed have {listed:,} of about {total or 0:,} samples: the rest is not in the text": cut,
            f"read as of programs by their addresses, though under the kernel's image: {', '.join([*booked][:5])}": bool(booked),
        }
        return (*holding(said), *self._tally.doubts())
