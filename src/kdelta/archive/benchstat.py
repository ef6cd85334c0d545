"""benchstat's tables: a row for each benchmark, a column for each file or value of a key, and the change from the first.

            │   before    │                after                │
            │   sec/op    │   sec/op     vs base                │
    A         100.0n ± 0%   100.0n ± 0%       ~ (p=1.000 n=6) ¹
    B         10.00µ ± 0%
    geomean   1.000µ        1.000µ       +0.00%               ²
    ¹ all samples are equal

Values are medians, behind ± is the half width of a 95 % interval for them in percent, ∞ where there are too few samples. `~` is no
difference that the test found (cmd/benchstat of golang.org/x/perf, 2023).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from msgspec import structs

from kdelta.archive.go_bench import LARGER, PROGRAM, base_of
from kdelta.archive.labels import below
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "benchstat"
BAR = "│"
GEOMEAN = "geomean"

_PREFIXES = {
    **{"": 1.0, "n": 1e-9, "\u00b5": 1e-6, "\u03bc": 1e-6, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12},
    **{"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40},
}
_PREFIX = "Ki|Mi|Gi|Ti|[numkMGT\u00b5\u03bc]"
_MARK = r"(?:\s+(?P<mark>[\u00b9\u00b2\u00b3\u2070-\u2079](?:[\u00b9\u00b2\u00b3\u2070-\u2079\s]*)))?"
_VALUE = re.compile(
    rf"(?P<value>-?\d{{1,18}}(?:\.\d{{1,9}})?)(?P<prefix>{_PREFIX})?(?![\w.%])(?:\s*±\s*(?P<spread>\d{{1,6}}%|∞))?{_MARK}"
)
_CHANGE = re.compile(
    r"(?P<change>~|\?|[-+]?\d{1,9}\.\d{2}%)"
    rf"(?:\s*\((?:p=(?P<p>\d\.\d{{3}}) )?n=(?P<n>\d{{1,6}})(?:\+(?P<m>\d{{1,6}}))?\))?{_MARK}"
)
_NOTE = re.compile(r"\s*(?P<mark>[\u00b9\u00b2\u00b3\u2070-\u2079]+)\s+(?P<said>\S[^\n]{0,200}?)\s*$")
_KEY = re.compile(r"\s*(?P<key>[a-z][^\sA-Z:]{0,60}):\s+(?P<value>[^\n]{1,300}?)\s*$")
_VERSUS = "vs base"


@dataclass(frozen=True)
class Column:
    """Of one variant: what stands from `start` to `end` of a row; from `change` on the change, where there is one."""

    variant: str
    unit: str
    start: int
    end: int
    change: int | None


@dataclass
class Table:
    """One table, as it is collected."""

    columns: Sequence[Column]
    first: int
    last: int
    title: str = ""
    entries: list[Entry] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    compared: dict[str, int] = field(default_factory=dict)
    marked: dict[str, tuple[int, str]] = field(default_factory=dict)


def read(text: Text) -> Iterator[Block]:
    """A block for each table: two lines of a header with bars, rows, and notes."""
    lines = text.lines
    for place, line in enumerate(lines[:-1]):
        second = lines[place + 1]
        if BAR in line.text and BAR in second.text and (columns := _columns(line.text, second.text)):
            table = Table(columns, line.number, second.number, _title(lines, place))
            _rows(table, below(lines, place + 1))
            if table.entries:
                yield made(table)


def made(table: Table) -> Block:
    """As it was collected: the first variant's entries first."""
    order = {column.variant: place for place, column in enumerate(table.columns)}
    return Block(
        format=NAME,
        title=table.title,
        first=table.first,
        last=table.last,
        entries=tuple(sorted(table.entries, key=lambda one: order[one.variant])),
        claims=tuple(table.claims),
        remarks=tuple(table.remarks),
        facts={"error": "half of a 95 % interval for the median, printed in percent of it"},
    )


def _title(lines: Sequence[Line], place: int) -> str:
    """Of lines `key: value` above the header."""
    found = list[str]()
    for line in reversed(lines[max(0, place - 10) : place]):
        match = _KEY.match(line.text)
        if match is None:
            break
        found.append(f"{match['key']}: {match['value']}")
    return ", ".join(reversed(found))


def _columns(above: str, under: str) -> list[Column]:
    """Between the bars: the variants above, and below them the unit, and where the change begins."""
    bars = [match.start() for match in re.finditer(BAR, above)]
    if bars != [match.start() for match in re.finditer(BAR, under)]:
        return []
    found = list[Column]()
    for place, (start, end) in enumerate(pairwise(bars)):
        unit, _, _ = under[start + 1 : end].partition(_VERSUS)
        versus = under.find(_VERSUS, start, end)
        stop = bars[place + 1] if place + 2 < len(bars) else len(under) + 80
        variant = above[start + 1 : end].strip()
        same = sum(one.variant.partition(" (")[0] == variant for one in found)
        found.append(
            Column(f"{variant} ({same + 1})" if same else variant, unit.strip(), start, stop, versus if versus >= 0 else None)
        )
    return found if all(one.unit for one in found) else []


def _rows(table: Table, lines: Iterable[Line]) -> None:
    ended = False
    for line in lines:
        if match := _NOTE.match(line.text):
            if match["mark"] in table.marked:
                where, name = table.marked[match["mark"]]
                table.remarks.append(Remark(where, f"{name}: {match['said']}"))
            table.last = line.number
            continue
        name = line.text[: table.columns[0].start].strip()
        if ended or not name or BAR in line.text or not _row(table, line, name):
            return
        ended = name == GEOMEAN
        table.last = line.number


def _row(table: Table, line: Line, name: str) -> bool:
    """Whether it is one. What is blank on one side is missing there."""
    first, blank = dict[str, Number](), list[Column]()
    found = False
    for column in table.columns:
        # A change is no value: it ends in a percent sign, or is `~`.
        match = _VALUE.search(line.text, min(column.start, len(line.text)), min(column.end, len(line.text)))
        if match:
            _value(table, column, line, name, match, first)
            found = True
        else:
            blank.append(column)
    for column in blank if found and name != GEOMEAN else ():
        table.remarks.append(Remark(line.number, f"{name}: nothing is printed under {column.variant}"))
        metric, unit, _ = base_of(column.unit)
        table.entries.append(
            Entry(
                variant=column.variant,
                program=PROGRAM,
                benchmark=name,
                metric=metric,
                unit=unit,
                better=_better(column.unit),
                state=CellState.NOT_HERE,
                reason="nothing is printed",
            )
        )
    return found or name == GEOMEAN


def _value(table: Table, column: Column, line: Line, name: str, match: re.Match[str], first: dict[str, Number]) -> None:
    metric, unit, factor = base_of(column.unit)
    scaled = factor * _PREFIXES[match["prefix"] or ""]
    value = number(match["value"], line, match.start("value"), scaled)
    _mark(table, match["mark"], line, name)
    change = _CHANGE.search(line.text, match.end(), min(column.end, len(line.text))) if column.change is not None else None
    if name == GEOMEAN:
        _geomean(table, column, line, value, change)
        return
    figures = {"median": value}
    if match["spread"] and match["spread"] != "∞":
        spread = match["spread"].rstrip("%")
        figures["error"] = number(spread, line, match.start("spread"), abs(value.value) / 100.0)
    entry = Entry(
        variant=column.variant,
        program=PROGRAM,
        benchmark=name,
        metric=metric,
        unit=unit,
        printed_unit=f"{match['prefix'] or ''}{column.unit}",
        better=_better(column.unit),
        figures=figures,
    )
    if column is table.columns[0]:
        first[name], table.compared[name] = value, len(table.entries)
    elif change:
        entry = _compared(table, line, entry, change, first.get(name), value)
    table.entries.append(entry)


def _better(unit: str) -> Better | None:
    return Better.LARGER if unit in LARGER else Better.SMALLER if unit.endswith("/op") else None


def _compared(table: Table, line: Line, entry: Entry, match: re.Match[str], before: Number | None, after: Number) -> Entry:
    """The entry with its change and number of samples, which are also those of the first column."""
    _mark(table, match["mark"], line, entry.benchmark)
    count = int(match["m"] or match["n"]) if match["n"] else None
    told = f"{entry.benchmark}, {entry.variant} against {table.columns[0].variant}"
    if match["n"]:
        place = table.compared.get(entry.benchmark)
        if place is not None:
            table.entries[place] = structs.replace(table.entries[place], count=int(match["n"]))
        if count == 1:
            table.remarks.append(Remark(line.number, f"{entry.benchmark}: one sample a side, of which no spread is known"))
    if match["p"]:
        table.remarks.append(Remark(line.number, f"{told}: U test, p = {match['p']}, {match['n']} samples"))
    figures = entry.figures
    if "%" in match["change"]:
        change = number(match["change"].rstrip("%"), line, match.start("change"))
        figures = {**figures, "change": change}
        of = (before, after) if before else ()
        table.claims.append(Claim(kind="change", what=told, printed=change, of=of, better=entry.better, count=count))
        if match["p"]:
            p = number(match["p"], line, match.start("p"))
            table.claims.append(Claim(kind="significant", what=told, printed=p, count=count))
    return structs.replace(entry, count=count, figures=figures)


def _geomean(table: Table, column: Column, line: Line, value: Number, change: re.Match[str] | None) -> None:
    """Of the medians above; where the rows of the columns differ, the change compares different benchmarks."""
    of = tuple(one.figures["median"] for one in table.entries if one.variant == column.variant and one.figures)
    table.claims.append(Claim(kind="gmean", what=f"geomean, {column.variant}", printed=value, of=of))
    if column is table.columns[0] or change is None or "%" not in change["change"]:
        return
    _mark(table, change["mark"], line, "geomean")
    printed = number(change["change"].rstrip("%"), line, change.start("change"))
    same = _named(table, table.columns[0].variant) == _named(table, column.variant)
    first = next((claim.printed for claim in table.claims if claim.what == f"geomean, {table.columns[0].variant}"), None)
    table.claims.append(
        Claim(
            kind="change",
            what=f"geomean, {column.variant} against {table.columns[0].variant}",
            printed=printed,
            of=(first, value) if first and same else (),
            better=_better(column.unit),
            missing="" if same else "the geometric means are of different benchmarks",
        )
    )
    if not same:
        table.remarks.append(Remark(line.number, "geomean: the columns have different benchmarks, so their means compare nothing"))


def _named(table: Table, variant: str) -> set[str]:
    return {one.benchmark for one in table.entries if one.variant == variant and one.figures}


def _mark(table: Table, marks: str | None, line: Line, name: str) -> None:
    for mark in (marks or "").split():
        table.marked.setdefault(mark, (line.number, name))


READER = Reader(
    NAME,
    (BAR,),
    read,
    "a table of benchstat: two lines of a header with bars │, the variants and `sec/op`, and rows of values with ±",
)
