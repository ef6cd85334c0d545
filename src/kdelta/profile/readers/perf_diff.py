"""The reader of what `perf diff` prints: shares of the old profile, and how much larger those of the new one are.

Source: tools/perf/builtin-diff.c of Linux 3.13 to 6.12: deltas in points of percent (-c delta, delta-abs), ratios (-c ratio), and
cycles of basic blocks (-c cycles), which are a change of something else and stand apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kdelta.model.errors import MisuseError
from kdelta.profile.change import Change
from kdelta.profile.readers import naming
from kdelta.profile.readers.columns import Columns, headed
from kdelta.profile.readers.lines import Lines, Source, unquoted
from kdelta.profile.readers.readout import PERCENT, BlockChange, Reading, holding
from kdelta.profile.readers.tally import Room

FORMAT = "perf diff"

LEAST = 0.005
"""Percent: what is less is printed as 0.00 %."""

_NUMBER = r"[+-]?\d{1,9}(?:\.\d{1,9})?"
_DELTA = re.compile(rf"({_NUMBER})%")
_RATIO = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)")
_EVENT = re.compile(r"\s*# Event '(.*)'")
_MARK = re.compile(r"\[([k.guH?])\] (\S.*)$")
BLOCK = re.compile(
    r"(?P<block>\[[^\[\]]{1,200} -> [^\[\]]{1,200}\])\s+(?P<cycles>[+-]?\d{1,15})\b(?:\s+\u00b1\s*(?P<deviation>\d{1,6}\.\d+)%)?"
)


class Row(NamedTuple):
    """Shares in percent of each profile, None where it has no such function."""

    name: str
    old: float | None
    new: float | None


def recognises(lines: Sequence[str]) -> bool:
    return any(columns and columns.has("Baseline") for _, columns in headed(map(unquoted, lines)))


def read(source: Source) -> Reading:
    """The changes of the first table, and of its first two profiles; what grew most comes first, as in a difference of our own."""
    lines, diff = Lines(source), _Diff()
    for line, head in headed(map(unquoted, lines.each())):
        if head is not None and head.has("Baseline"):
            diff.begin(head)
        else:
            diff.add(line)
    changes = (Change(**row._asdict()) for row in diff.rows.values() if row.old is not None or row.new is not None)
    return Reading(
        format=FORMAT,
        unit=PERCENT,
        event=diff.event,
        changes=tuple(sorted(changes, key=lambda change: (-change.delta, change.name))),
        blocks=tuple(diff.blocks),
        doubts=(*diff.doubts(), *lines.doubts()),
    )


class _Diff:
    """What was met of the first table."""

    def __init__(self) -> None:
        self.event = ""
        self.rows: dict[str, Row] = {}
        self.blocks: list[BlockChange] = []
        self._columns: Columns | None = None
        self._tables = self._left_out = 0
        self._room = Room()

    def begin(self, columns: Columns) -> None:
        self._tables += 1
        self._columns = self._columns or _checked(columns)

    def add(self, line: str) -> None:
        if self._tables == 0:
            event = _EVENT.match(line)
            self.event = naming.tidy(event[1]) if event else self.event
        elif self._tables == 1 and self._columns and (found := row(self._columns, line)):
            self._add(found, BLOCK.search(line))

    def _add(self, row: Row, block: re.Match[str] | None) -> None:
        if row.name not in self.rows and not self._room.take(row.name):
            self._left_out += 1
        elif block:
            self.blocks.append(_block(row.name, block))
        elif self._columns and _deltas(self._columns):
            self.rows[row.name] = _sum(self.rows[row.name], row) if row.name in self.rows else row

    def doubts(self) -> tuple[str, ...]:
        names = self._columns.names if self._columns else ()
        empty = sum(row.old is None and row.new is None for row in self.rows.values())
        said = {
            f"only the first of {self._tables} tables is read": self._tables > 1,
            "only the first two profiles are compared": sum(name.startswith(("Delta", "Ratio")) for name in names) > 1,
            "by their ratios, new counts are percents of the old profile": _deltas_are_ratios(self._columns),
            "changes of cycles in basic blocks are not changes of where time went: `perf diff -c delta` has these": bool(
                self.blocks
            ),
            f"functions without a number on either side are left out: {empty:,}": empty > 0,
            f"rows left out, as there are too many: {self._left_out:,}": self._left_out > 0,
        }
        return holding(said)


def _deltas(columns: Columns) -> str:
    """The column that says how the new profile differs."""
    return next((name for name in columns.names if name.startswith(("Delta", "Ratio"))), "")


def _deltas_are_ratios(columns: Columns | None) -> bool:
    return columns is not None and _deltas(columns).startswith("Ratio")


def _checked(columns: Columns) -> Columns:
    if not (_deltas(columns) or any("Block" in name for name in columns.names)):
        raise MisuseError(
            f"this perf diff has no deltas, but the columns {', '.join(columns.names)}", "`perf diff -c delta` has them"
        )
    return columns


def row(columns: Columns, line: str) -> Row | None:
    """The function that `line` is a row of, with its shares in both profiles. None for a line that has no symbol."""
    cells = columns.cells(line)
    mark = _MARK.search(next((text for name, text in cells.items() if name.startswith("Symbol")), ""))
    if mark is None:
        return None
    place = naming.place(cells.get("Shared Object", ""), kernel=mark[1] in "kH")
    old = _share(next((text for name, text in cells.items() if name.startswith("Baseline")), ""))
    return Row(naming.function(mark[2], place), old, _new(old, cells.get(_deltas(columns), "")))


def _share(text: str) -> float | None:
    match = _DELTA.fullmatch(text)
    return float(match[1]) if match and text[0].isdigit() else None


def _new(old: float | None, text: str) -> float | None:
    """The share in the new profile, None where that has no such function: then a delta is missing, or takes all away."""
    if delta := _DELTA.fullmatch(text):
        new = (old or 0.0) + float(delta[1])
        return None if new < (LEAST if old else 0.0) else round(new, 6)
    ratio = _RATIO.fullmatch(text)
    return round(old * float(ratio[1]), 6) if ratio and old is not None else None


def _sum(one: Row, other: Row) -> Row:
    """Of one function in two commands or files."""
    pairs = ((one.old, other.old), (one.new, other.new))
    old, new = (None if a is None and b is None else (a or 0.0) + (b or 0.0) for a, b in pairs)
    return Row(one.name, old, new)


def _block(name: str, match: re.Match[str]) -> BlockChange:
    deviation = match["deviation"]
    return BlockChange(name, match["block"], int(match["cycles"]), float(deviation) if deviation else None)
