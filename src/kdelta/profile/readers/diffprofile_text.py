"""The reader of a diffprofile: `ticks percent function`, what grew on top, `...` where the list is cut, the total among the rows.

M. J. Bligh's tool of 2003 prints 0.0 % where the old profile lacks the function, and takes the percent of the old count; later ones
in Python 2 print whole percents. This project's own says `new` and `gone` instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kdelta.model.profile import UNKNOWN
from kdelta.profile.change import Change
from kdelta.profile.readers import naming
from kdelta.profile.readers.lines import Lines, Source, unquoted
from kdelta.profile.readers.readout import Reading, holding
from kdelta.profile.readers.readprofile import OUTSIDE, TOTAL
from kdelta.profile.readers.tables import MORE, numbered
from kdelta.profile.readers.tally import Room

FORMAT = "diffprofile"

ROW = re.compile(
    r"\s*(?P<delta>[+-]?\d{1,15})\s+(?P<percent>[+-]?\d{1,12}(?:\.\d{1,6})?%|new|gone|-)"
    r"\s+(?P<name>[^\s\d%]\S*(?: -> \S+)?(?: \[[\w.-]+\]| \([^()]+\))?)\s*"
)
_SIGNS = {"new": 1.0, "gone": -1.0, "-": 1.0}
CUT = re.compile(r"\s*(?:\.\.\.|\[\.\.\.\])\s*")


class Row(NamedTuple):
    """A difference in ticks; `percent` is a number, or one of the words in _SIGNS."""

    name: str
    delta: int
    percent: str


def row(line: str) -> Row | None:
    """The row that `line` is: nothing takes away more than there was, and both numbers have one sign."""
    match = ROW.fullmatch(line)
    if match is None:
        return None
    delta, percent = int(match["delta"]), match["percent"].rstrip("%")
    change = _SIGNS[percent] if percent in _SIGNS else float(percent)
    return Row(match["name"], delta, percent) if delta * change >= 0 and change >= -100 else None


def recognises(lines: Sequence[str]) -> bool:
    """Whether two rows stand below each other."""
    return any(numbered(map(row, _uncut(lines))))


def _uncut(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in map(unquoted, lines) if not CUT.fullmatch(line))


def read(source: Source) -> Reading:
    """The changes of the first table. Old counts follow from delta and percent, as well as its digits allow."""
    lines, table = Lines(source), _Table()
    for number, found in numbered(map(row, _uncut(lines.each()))):
        table.add(number, found)
    total = table.rows.pop(TOTAL, None)
    total_change = Change(name=TOTAL, old=(old := float(_old(total))), new=old + total.delta) if total else None
    return Reading(
        format=FORMAT,
        changes=tuple(_change(found) for found in table.rows.values()),
        total=total and total.delta,
        total_change=total_change,
        doubts=(*_doubts(table, total_change), *lines.doubts()),
    )


class _Table:
    """The rows of the first table by function; `more` is that another one was met, as after a second paste."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.more = self.full = False
        self._room = Room()

    def add(self, number: int, found: Row) -> None:
        self.more = self.more or number > 1 or found.name in self.rows
        self.full = self.full or not (self.more or self._room.take(found.name))
        if not (self.more or self.full):
            self.rows[found.name] = found


def _old(found: Row) -> int:
    """The old count: the delta / its percent. Of 0 % the least that a percent of so many digits can be of."""
    if found.percent in _SIGNS:
        return max(0, -found.delta)
    if percent := abs(float(found.percent)):
        return max(round(100 * abs(found.delta) / percent), -found.delta)
    return abs(found.delta) * (2000 if "." in found.percent else 100)


def _is_zero(found: Row) -> bool:
    return found.percent not in _SIGNS and float(found.percent) == 0.0


def _change(found: Row) -> Change:
    """0 % of an increase is what the old tool prints for a function that the old profile lacks."""
    name = UNKNOWN if found.name == OUTSIDE else naming.function(found.name, "")
    if found.percent == "new" or (found.delta > 0 and _is_zero(found)):
        return Change(name=name, old=None, new=float(found.delta))
    if found.percent == "gone" or (found.percent not in _SIGNS and float(found.percent) == -100.0):
        return Change(name=name, old=float(-found.delta), new=None)
    return Change(name=name, old=(old := float(_old(found))), new=old + found.delta)


def _doubts(table: _Table, total: Change | None) -> tuple[str, ...]:
    rows = list(table.rows.values())
    listed = sum(found.delta for found in rows)
    new = [found for found in rows if _is_zero(found) and found.delta > 0]
    unsure = [found.name for found in new if not total or _old(found) <= (total.old or 0.0)]
    least = [found.name for found in rows if _is_zero(found) and found.delta <= 0]
    percents = [found.percent for found in rows if found.percent not in _SIGNS]
    change = total.delta if total else 0.0
    said = {
        MORE: table.more,
        f"only the first {len(rows):,} rows are read": table.full,
        f"read as new, for which 0.0 % is printed: {_some([found.name for found in new])}": bool(new),
        f"of these, functions of which 0.0 % may be the percent: {_some(unsure)}": bool(unsure),
        f"of which the old count is not known, but the least that 0.0 % can be of: {_some(least)}": bool(least),
        f"the functions listed changed by {listed:+,}, all by {change:+,.0f}: the rest is not in the text": total
        and listed != change,
        "old counts follow from whole percents: they are rough": percents and not any("." in one for one in percents),
    }
    return holding(said)


def _some(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(naming.tidy(name) for name in names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
