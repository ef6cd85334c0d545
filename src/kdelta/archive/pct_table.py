"""Tables of scheduler tests with `pct` (LKML, AMD, since 2021): by how many percent a kernel is better than the first.

    ~ hackbench ~
    o NPS1
    Test:                   tip                     SIS_NODE
     1-groups:         3.92 (0.00 pct)         4.05 (-3.31 pct)

Plus is better whatever the metric, and so the signs of a table say which direction that is. Digits behind the last are cut, not
rounded. What the values are means of, and of how many runs, is not printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.mmtests_header import header, variants
from kdelta.archive.mmtests_rows import Cell, Row
from kdelta.archive.numbers import PLAIN, number, parsed
from kdelta.archive.reader import Reader
from kdelta.archive.sched_context import UNITS, Context, benchmark, seen
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "pct table"
_CELL = re.compile(rf"\s*(?:[*^]\s+)?(?P<value>{PLAIN})(?: *\[ *(?P<cv>{PLAIN}) *\])? *\( *(?P<percent>{PLAIN}) *pct *\)")
_LABEL = re.compile(r"\s*(?P<label>#?[^\s(\[][^(\[\t]{0,40}?):?(?=\s+[-+]?[\d.])")
_REST = re.compile(r"\s*(?:[*^](?:\s+[A-Za-z(~][^|]{0,60})?|\[[\w ]{1,40}\]|<-.{0,60})?\s*$")
_LONGEST = 1000
NO_UNIT = "result", "", "", 1.0
"""Of a program that is not known, and of what is called a time and is better the more it is."""
COARSE = 0.02
"""A digit that is a larger share of its value than this one hides small differences."""


@dataclass(frozen=True)
class _Read:
    """A row: its label, and for each kernel value, spread if any, and percentage."""

    line: Line
    label: str
    cells: list[re.Match[str]]
    note: str


@dataclass
class _Table:
    """Where its rows begin, and below what they stand."""

    at: int
    context: Context
    rows: list[_Read] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each group of rows."""
    context, table, met = Context(), None, dict[tuple[str, ...], dict[str, int]]()
    for at, line in enumerate(text.lines):
        row = _row(line) if "pct" in line.text else None
        if row:
            table = table or _Table(at, context)
            table.rows.append(row)
            continue
        if table:
            yield _block(text.lines, table, met)
            table = None
        context = seen(context, line.text)
    if table:
        yield _block(text.lines, table, met)


def _row(line: Line) -> _Read | None:
    said = line.text
    label = _LABEL.match(said) if len(said) <= _LONGEST else None
    if label is None:
        return None
    at, cells = label.end(), list[re.Match[str]]()
    while match := _CELL.match(said, at):
        cells.append(match)
        at = match.end()
    if not cells or not _REST.match(said, at) or not _is_sane(cells):
        return None
    return _Read(line, label["label"], cells, said[at:].strip(" \t[]"))


def _is_sane(cells: Sequence[re.Match[str]]) -> bool:
    """Whether all of it are numbers, and the first kernel is what the others are compared with."""
    try:
        found = [(parsed(cell["value"])[0], parsed(cell["percent"])[0]) for cell in cells]
    except ValueError:
        return False
    return found[0][1] == 0.0


def _names(lines: Sequence[Line], table: _Table, columns: int) -> tuple[tuple[str, ...], str, int, str]:
    """Of the kernels, what the header calls the labels, the header's line, and what is common to all names."""
    first = table.rows[0]
    cells = [Cell(first.line, cell["value"], cell.start("value"), end=cell.end()) for cell in first.cells]
    found = header(lines, table.at, Row(first.line, "", first.label, cells), columns, ())
    if not found.names:
        return tuple(f"column {number}" for number in range(1, columns + 1)), "", first.line.number, ""
    names, common = variants(found.names)
    head = lines[table.at - 1].text.split() if table.at else []
    return names, head[0].rstrip(":") if head and head[0].endswith(":") else "", found.first, common


def _block(lines: Sequence[Line], table: _Table, met: dict[tuple[str, ...], dict[str, int]]) -> Block:
    columns = max(len(row.cells) for row in table.rows)
    names, kind, first, common = _names(lines, table, columns)
    better = _direction(table.rows)
    entries, claims, remarks = list[Entry](), list[Claim](), list[Remark]()
    if names[0] == "column 1":
        remarks.append(Remark(first, "no line above the table names its kernels"))
    again = _again(table, names, met)
    if again > 1:
        remarks.append(Remark(first, f"a table above has the same names and other values: this one is called table {again}"))
    elif table.context.machine:
        remarks.append(Remark(first, f"the words above it say of which machine it is: {table.context.machine}"))
    seen_labels = dict[str, int]()
    for row in table.rows:
        count = seen_labels[row.label] = seen_labels.get(row.label, 0) + 1
        name, parameters = benchmark(table.context, row.label, kind)
        name = name if again == 1 else f"{name}-table-{again}"
        if count > 1:
            name = f"{name}-{count}"
            remarks.append(Remark(row.line.number, f"{row.label} is measured again, {row.note or 'for no reason given'}: {name}"))
        elif row.note:
            remarks.append(Remark(row.line.number, f"{name} is marked {row.note!r}"))
        _file(_Filed(table.context, names, name, parameters, better), row, entries, claims)
    remarks += _coarse(entries)
    return Block(
        format=NAME,
        title=" ".join(filter(None, (table.context.title, table.context.machine))),
        first=first,
        last=table.rows[-1].line.number,
        entries=tuple(entries),
        claims=tuple(claims),
        remarks=tuple(remarks),
        facts={"kernel": common} if common else {},
    )


@dataclass(frozen=True)
class _Filed:
    context: Context
    names: tuple[str, ...]
    benchmark: str
    parameters: dict[str, str]
    better: Better | None


def _file(of: _Filed, row: _Read, entries: list[Entry], claims: list[Claim]) -> None:
    metric, printed, unit, factor = UNITS.get(of.context.program, NO_UNIT)
    if unit == "s" and of.better is Better.LARGER:
        metric, printed, unit, factor = NO_UNIT
    base: Number | None = None
    for variant, cell in zip(of.names, row.cells, strict=False):
        try:
            value = number(cell["value"], row.line, cell.start("value"), factor)
            change = number(cell["percent"], row.line, cell.start("percent"))
            cv = {"cv": number(cell["cv"], row.line, cell.start("cv"))} if cell["cv"] else {}
        except ValueError:
            continue
        entries.append(
            Entry(
                variant=variant,
                box=of.context.machine,
                program=of.context.program,
                benchmark=of.benchmark,
                metric=metric,
                unit=unit,
                printed_unit=printed,
                better=of.better,
                parameters=of.parameters,
                figures={"value": value, "change": change} | cv,
            )
        )
        if base is not None:
            what = f"{of.benchmark} {of.context.machine} {metric}, {variant} against {of.names[0]}".replace("  ", " ")
            claims.append(Claim(kind="change", what=what, printed=change, of=(base, value), better=of.better))
        base = base or value


def _direction(rows: Sequence[_Read]) -> Better | None:
    """What plus is of, in most of the rows."""
    votes = 0
    for row in rows:
        for cell in row.cells[1:]:
            base, new, percent = (parsed(one)[0] for one in (row.cells[0]["value"], cell["value"], cell["percent"]))
            if percent and new != base:
                votes += 1 if (percent > 0) == (new > base) else -1
    return None if not votes else Better.LARGER if votes > 0 else Better.SMALLER


def _again(table: _Table, names: tuple[str, ...], met: dict[tuple[str, ...], dict[str, int]]) -> int:
    """Which table of this test, these kernels and this machine it is: 1 for the first, and for what says the same as it."""
    said = " ".join(cell.group() for row in table.rows for cell in row.cells)
    texts = met.setdefault((table.context.test, table.context.machine, *names), {})
    return texts.setdefault(said, len(texts) + 1)


def _coarse(entries: Sequence[Entry]) -> list[Remark]:
    """Values whose digits are few, or end in .00, so that they step by whole units."""
    values = [one.figures["value"] for one in entries]
    worst = min(values, key=lambda one: one.value, default=None)
    if worst is None or not all(one.text.endswith(".00") for one in values):
        return []
    printed = parsed(worst.text)[0]
    if not 0.0 < printed < 1.0 / COARSE:
        return []
    return [Remark(worst.line, f"all values are whole: one more of {worst.text} is {100.0 / printed:.2g} % of it")]


READER = Reader(
    NAME,
    (" pct)",),
    read,
    "rows of a label and for each kernel `3.92 (0.00 pct)`, below a line of their names",
)
