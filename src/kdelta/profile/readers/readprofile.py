"""The reader of what `readprofile` prints: `ticks function load`, sorted or not, cut or not, with or without load and total.

Source: sys-utils/readprofile.c of util-linux 2.11 to 2.40; with -v the address comes first. The load is ticks per byte of code. The
rate of the ticks is not printed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kdelta.model.profile import UNKNOWN
from kdelta.profile.readers import naming
from kdelta.profile.readers.lines import Lines, Source, unquoted
from kdelta.profile.readers.readout import Reading, holding
from kdelta.profile.readers.tables import MORE, numbered
from kdelta.profile.readers.tally import Tally

FORMAT = "readprofile"

TOTAL = "total"
OUTSIDE = "*unknown*"
"""Ticks outside of the kernel's own text, as in its modules."""

_NAME = r"(?P<name>[A-Za-z_.$*][\w.$*@]*)"
_PLAIN = re.compile(rf"\s*(?P<ticks>\d{{1,15}})\s+{_NAME}(?:\s+\d+\.\d+)?\s*")
_VERBOSE = re.compile(rf"\s*[0-9a-f]{{8,16}}\s+{_NAME}\s+(?P<ticks>\d{{1,15}})\s+\d+\.\d+\s*")


class Row(NamedTuple):
    name: str
    ticks: int


def row(line: str) -> Row | None:
    match = _PLAIN.fullmatch(line) or _VERBOSE.fullmatch(line)
    return match and Row(match["name"], int(match["ticks"]))


def recognises(lines: Sequence[str]) -> bool:
    """Whether two rows stand below each other."""
    return any(numbered(map(row, map(unquoted, lines))))


def read(source: Source) -> Reading:
    """The functions of the first table: rows without other lines between."""
    lines, table = Lines(source), _Table()
    for number, found in numbered(map(row, map(unquoted, lines.each()))):
        table.add(number, found)
    stacks = table.tally.result()
    return Reading(
        format=FORMAT,
        stacks=stacks,
        total=table.total,
        samples=sum(stacks.values()),
        doubts=(*table.doubts(), *table.tally.doubts(), *lines.doubts()),
    )


class _Table:
    """The first table of a text; `more` is that another one was met."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.total: int | None = None
        self._first = ""
        self._more = False

    def add(self, number: int, found: Row) -> None:
        self._more = self._more or number > 1 or self._begins_again(found)
        if self._more:
            return
        self._first = self._first or found.name
        if found.name == TOTAL:
            self.total = found.ticks
        elif found.ticks:
            self.tally.add(UNKNOWN if found.name == OUTSIDE else naming.function(found.name, ""), found.ticks)

    def _begins_again(self, found: Row) -> bool:
        """Whether a table that was pasted behind this one begins: functions of one name may be several, totals may not."""
        return self.total is not None and found.name in (TOTAL, self._first)

    def doubts(self) -> tuple[str, ...]:
        listed, total = sum(self.tally.result().values()), self.total or 0
        said = {
            MORE: self._more,
            f"the functions listed have {listed:,} of {total:,} ticks: the rest is not in the text": total and listed < total,
            f"the functions listed have {listed:,} ticks, more than the total of {total:,} that is printed": total
            and listed > total,
        }
        return holding(said)
