"""The shape of a table of lkp-tests' `ncompare`: which column is of which kernel, and the figures of its rows, still as words.

    8c81f3eeb3365677 5507231dd04d3d68796bafe83e6
    ---------------- ---------------------------
             %stddev     %change         %stddev
                 \\          |                \\
       8360618 ± 14%     +37.6%   11502592 ±  9%  meminfo.DirectMap2M
          0.52 ±  4%      +0.2        0.68 ±  2%  mpstat.cpu.all.irq%

Widths are those of lib/compare.rb: 10 for a value, 6 for what is behind it, 10 for a change. A value below 1,000 has two
decimals, one above is cut to a whole number, one above 1e8 has four digits. A standard deviation of 2 percent or less is not
printed. More kernels are more columns, each compared with the first. Mails wrap such rows. In 2014 `~` stood for ±, and `TOTAL`
before the metric.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kdelta.archive.text import Line

MOST_COLUMNS = 16
MOST_JOINED = 5
"""Lines that one row is wrapped over, at most."""
MOST_HEADS = 12
"""Lines of words above the columns: two, and as many more as they are wrapped over."""
MOST_ODD = 4
"""Lines after each other that are like rows and are none."""

_PLUS_MINUS = r"(?:±|~|\+/?-|\u0105|Â±|\ufffd{1,2}|=C2=B1|=C4=85)"
"""With what mails have made of it."""
_VALUE = re.compile(rf"\s*(?P<value>-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?:\s*{_PLUS_MINUS}\s*(?P<sd>\d+)%)?(?=\s|$)")
_CHANGE = re.compile(r"\s+(?P<change>[-+](?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|[Ii]nf))(?P<percent>%?)(?=\s)")
_METRIC = re.compile(r"\s+(?P<total>TOTAL\s+)?(?P<metric>[^\s\d|][^\s|]*)")
_FAILS = re.compile(r"\s*(?P<fails>\d*):(?P<runs>\d+)(?=\s)")
_REPRODUCTION = re.compile(r"\s+(?P<change>-?\d+)%(?=\s)")

_DASHES = re.compile(r"\s*-{12,}(?:\s+-{12,})*\s*$")
_MEASURED = re.compile(r"\s*%stddev\s+%change(?:\s+%stddev|\s*$)")
_FAILED = re.compile(r"\s*fail:runs(?:\s+%reproduction|\s*$)")
_HEAD = re.compile(r"(?:\s*(?:%stddev|%change|fail:runs|%reproduction|[\\|]))+\s*$")
_CUT = re.compile(r"\s*(?:\.\.\.|\[\.\.\.\]|\[snip\]|<snip>|\u2026)\s*$", re.IGNORECASE)
_BEGINS = re.compile(r"\s*(?:-?\d|:\d)")
_LIKE_ROW = re.compile(rf"\s*(?:-?\d|:\d|{_PLUS_MINUS}\s*\d+%)")


class Word(NamedTuple):
    """What stands in `line` at `at`, from 0."""

    text: str
    line: Line
    at: int


class Row(NamedTuple):
    """`values`, the spreads behind them (in percent), and the changes of all but the first. `change.text` of a row whose changes
    are `absolute` is a difference. Of failures `values` are "5:6", and `changes` in percent of the runs.
    """

    metric: str
    line: Line
    values: tuple[Word, ...]
    spreads: tuple[Word | None, ...]
    changes: tuple[Word, ...]
    percent: tuple[bool, ...]
    total: bool = False
    joined: int = 1


@dataclass
class Table:
    """`heads` are the names above the columns, none where there are none; `start` and `end` are its lines, by place."""

    start: int
    heads: tuple[str, ...]
    columns: int
    rows: list[Row] = field(default_factory=list)
    failures: list[Row] = field(default_factory=list)
    remarks: list[tuple[int, str]] = field(default_factory=list)
    end: int = 0


def tables(lines: Sequence[Line]) -> Iterator[Table]:
    """Each table, in their order. A rule of dashes or the words above the columns begin one; rows make it one."""
    place = 0
    while place < len(lines):
        text = lines[place].text
        opened = None
        if "---" in text and _DASHES.match(text):
            opened = _below_rule(lines, place)
        elif "%change" in text or "fail:runs" in text:
            opened = _below_words(lines, place)
        if opened is not None and (opened.rows or opened.failures):
            yield opened
            place = max(opened.end, place + 1)
        else:
            place += 1


def _below_rule(lines: Sequence[Line], place: int) -> Table | None:
    after, columns = place, 0
    while after < len(lines) and after < place + MOST_JOINED and _DASHES.match(lines[after].text):
        columns += len(lines[after].text.split())
        after += 1
    if not 2 <= columns <= MOST_COLUMNS:
        return None
    heads, start = _heads(lines, place, columns)
    table = Table(start, heads, columns)
    said = _words(lines, after)
    _read(lines, after, table)
    if not said and not any(spread for row in table.rows for spread in row.spreads):
        return None  # a rule above another's rows
    return table


def _below_words(lines: Sequence[Line], place: int) -> Table | None:
    text = lines[place].text
    if not (_MEASURED.match(text) or _FAILED.match(text)):
        return None
    columns = 1 + text.count("%change") + text.count("%reproduction")
    table = Table(place, (), min(columns, MOST_COLUMNS))
    _read(lines, place, table)
    return table


def _heads(lines: Sequence[Line], rule: int, columns: int) -> tuple[tuple[str, ...], int]:
    """The names above a rule, which may be wrapped, and the place of the first."""
    names: list[str] = []
    for place in range(rule - 1, max(-1, rule - 1 - MOST_JOINED), -1):
        words = lines[place].text.split()
        if not words or len(words) > columns:
            break
        names[:0] = words
        if len(names) >= columns:
            return (tuple(names), place) if len(names) == columns else ((), rule)
    return (), rule


def _words(lines: Sequence[Line], place: int) -> bool:
    """Whether the next lines say what the columns are."""
    return any(_MEASURED.match(line.text) or _FAILED.match(line.text) for line in lines[place : place + 2])


def _read(lines: Sequence[Line], place: int, table: Table) -> None:
    """All rows from `place` on; an empty line between them is passed over, and a few that are none."""
    table.end = place
    empty = odd = heads = 0
    while place < len(lines) and empty < 2 and odd < MOST_ODD and heads < MOST_HEADS:
        line = lines[place]
        row = _row(lines, place, table.columns) if _BEGINS.match(line.text) else None
        if row is not None:
            (table.failures if ":" in row.values[0].text else table.rows).append(row)
            place += row.joined
            table.end, empty, odd, heads = place, 0, 0, 0
            continue
        if not line.text.strip():
            empty += 1
        elif _CUT.match(line.text):
            table.remarks.append((line.number, "rows were left out here"))
        elif _HEAD.match(line.text):
            heads += 1
        else:
            if not _LIKE_ROW.match(line.text) or _is_rule(lines, place + 1):
                return
            table.remarks.append((line.number, f"no row of {table.columns} values, and passed over: {line.text.strip()[:60]}"))
            odd += 1
        place += 1


def _is_rule(lines: Sequence[Line], place: int) -> bool:
    """So that what stands above is the head of another table."""
    return place < len(lines) and _DASHES.match(lines[place].text) is not None


def _row(lines: Sequence[Line], place: int, columns: int) -> Row | None:
    """The row that begins at `place`, wrapped over as few lines as give all columns."""
    joined: list[Line] = []
    for line in lines[place : place + MOST_JOINED]:
        if joined and not line.text.strip():
            return None
        joined.append(line)
        if row := _parsed(joined, columns):
            return row
        if len(joined) == 1 and _parsed(joined, None):
            return None  # whole, with other columns
    return None


def _parsed(lines: Sequence[Line], columns: int | None) -> Row | None:
    text = " ".join(line.text.rstrip() for line in lines)
    found = _measured(text) or _failures(text)
    if found is None:
        return None
    values, spreads, changes, at = found
    if columns is not None and len(values) != columns:
        return None
    metric = _METRIC.match(text, at)
    if metric is None:
        return None
    place = _Places(lines)
    return Row(
        metric["metric"],
        lines[0],
        tuple(place.word(match, "value" if "value" in match.re.groupindex else 0) for match in values),
        tuple(place.word(match, "sd") if match is not None else None for match in spreads),
        tuple(place.word(match, "change") for match in changes),
        tuple((match.re is _CHANGE and match["percent"] == "%") or match.re is _REPRODUCTION for match in changes),
        metric["total"] is not None,
        len(lines),
    )


Matches = list[re.Match[str]]
Found = tuple[Matches, list[re.Match[str] | None], Matches, int]


def _measured(text: str) -> Found | None:
    return _alternating(text, _VALUE, _CHANGE)


def _failures(text: str) -> Found | None:
    return _alternating(text, _FAILS, _REPRODUCTION)


def _alternating(text: str, value: re.Pattern[str], change: re.Pattern[str]) -> Found | None:
    """A value, and as often as there are any a change and another value; behind them is the metric."""
    first = value.match(text)
    if first is None:
        return None
    values, changes, at = [first], list[re.Match[str]](), first.end()
    while len(values) < MOST_COLUMNS and (step := change.match(text, at)) and (after := value.match(text, step.end())):
        changes.append(step)
        values.append(after)
        at = after.end()
    if not changes:
        return None
    spreads = [one if value is _VALUE and one["sd"] is not None else None for one in values]
    return values, spreads, changes, at


class _Places:
    """Where what was joined stands in its lines."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._starts: list[tuple[int, Line]] = []
        at = 0
        for line in lines:
            self._starts.append((at, line))
            at += len(line.text.rstrip()) + 1

    def word(self, match: re.Match[str], group: str | int) -> Word:
        start = match.start(group)
        text = match[group]
        start += len(text) - len(text.lstrip())
        first, line = self._starts[0]
        if len(self._starts) > 1:
            first, line = next((first, line) for first, line in reversed(self._starts) if first <= start)
        return Word(text.strip(), line, start - first)
