"""K Prateek Nayak's tables of scheduler tests (LKML, since 2022): values in multiples of the first kernel's.

    Test          : hackbench
    Units         : Normalized time in seconds
    Interpretation: Lower is better
    Statistic     : AMean
    ==================================================================
    Case:          base[pct imp](CV)         eevdf[pct imp](CV)
     2-groups     1.00 [ -0.00]( 1.63)     1.05 [ -4.68]( 2.04)  *

and Chen Yu's, which print no value of the second kernel but by how many percent it is better:

    case                    load            baseline(std%)  compare%( std%)
    process-pipe            1-groups         1.00 (  5.61)   -4.69 (  1.48)

Plus is better, whichever direction that is; percentages are of figures before they were divided. CV is in percent of the mean. A
mark behind a row is the author's: `* - Regression`, `^ - Improvement`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kdelta.archive.mmtests_names import slug
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.sched_context import Context, benchmark, seen
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "normalised table"
UNIT = "x"
"""Of a value that is a multiple of another."""
_NAME = re.compile(r"(?P<name>[^\s\[\]]{1,60}) *\[ *(?:pct imp|%imp|pct|imp) *\] *\( *(?:CV|std%?|SD) *\)", re.IGNORECASE)
_CELL = re.compile(rf" *(?P<value>{PLAIN}) *\[ *(?P<change>{PLAIN}) *%?\] *\( *(?P<cv>{PLAIN}) *%?\)")
_LABEL = re.compile(r"\s*(?P<label>[^\s\[\]][^\[\]\t]{0,40}?):?(?=\s+[-+]?\d)")
_MARK = re.compile(r"\s*(?P<mark>[*^])\s*$")
_LEGEND = re.compile(r"\s*(?P<mark>[*^])\s+-\s+(?P<said>\w[\w ]{0,30})$")
_COMPARED = re.compile(
    r"\s*case\s+load\s+(?P<base>[^\s(]{1,60}) *\( *std% *\)\s+(?P<new>[^\s(%]{1,60})%? *\( *std% *\)\s*$", re.IGNORECASE
)
_COMPARED_ROW = re.compile(
    rf"\s*(?P<case>[^\s(]{{1,40}})\s+(?P<load>[^\s(](?:[^\s(]| (?! )){{0,30}}?)\s+(?P<base>{PLAIN}) *\( *(?P<base_cv>{PLAIN}) *\)"
    rf"\s*(?P<change>[-+]{PLAIN}) *\( *(?P<cv>{PLAIN}) *\)\s*$"
)
_LONGEST = 1000


@dataclass
class _Table:
    names: tuple[str, ...]
    context: Context
    kind: str
    first: int
    last: int = 0
    compared: bool = False
    entries: list[Entry] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each header with rows below it."""
    context, legend, table = Context(), dict[str, str](), None
    for line in text.lines:
        said = line.text[:_LONGEST]
        if opened := _opened(line, said, context):
            yield from _block(table)
            table = opened
        elif table and (_compared(table, line, said) if table.compared else _row(table, line, said, legend)):
            table.last = line.number
        elif said.strip():
            yield from _block(table)
            table = None
            if match := _LEGEND.match(said):
                legend[match["mark"]] = match["said"].strip()
            context = seen(context, said)
        else:
            context = seen(context, said)
    yield from _block(table)


def _opened(line: Line, said: str, context: Context) -> _Table | None:
    """The table that a header begins."""
    if match := _COMPARED.match(said):
        return _Table((match["base"], match["new"]), context, "load", line.number, compared=True)
    if "](" not in said and "] (" not in said:
        return None
    found = list(_NAME.finditer(said))
    if len(found) < 2:
        return None
    names = [match["name"] for match in found]
    head = said[: found[0].start()].strip()
    if not head and ":" in names[0]:
        head, _, names[0] = names[0].partition(":")
    return _Table(tuple(names), context, head.rstrip(":"), line.number)


def _row(table: _Table, line: Line, said: str, legend: dict[str, str]) -> bool:
    """Files the values of a row; false where the line is none of the table."""
    label = _LABEL.match(said)
    if label is None:
        return False
    at, cells = label.end(), list[re.Match[str]]()
    while match := _CELL.match(said.replace("\t", " "), at):
        cells.append(match)
        at = match.end()
    mark = _MARK.match(said, at)
    if not cells or (said[at:].strip() and not mark):
        return False
    if len(cells) != len(table.names):
        table.remarks.append(Remark(line.number, f"{len(cells)} values for {len(table.names)} kernels: the row is passed over"))
        return True
    name, parameters = benchmark(table.context, label["label"], table.kind)
    try:
        found = [{each: number(cell[each], line, cell.start(each)) for each in ("value", "change", "cv")} for cell in cells]
    except ValueError:
        return False
    for variant, one in zip(table.names, found, strict=True):
        figures = {table.context.figure: one["value"], "change": one["change"], "cv": one["cv"]}
        table.entries.append(_entry(table, variant, name, parameters, figures, found[0]["value"]))
        if one is not found[0]:
            what = f"{name}, {variant} against {table.names[0]}"
            claim = Claim(
                kind="change", what=what, printed=one["change"], of=(found[0]["value"], one["value"]), better=_better(table)
            )
            table.claims.append(claim)
    if mark:
        table.claims.append(_marked(line, mark, name, legend))
    return True


def _entry(table: _Table, variant: str, name: str, parameters: dict[str, str], figures: dict[str, Number], base: Number) -> Entry:
    """Values are multiples where the text says so, or where the first kernel has 1.00."""
    relative = table.compared or table.context.is_relative or base.value == 1.0
    return Entry(
        variant=variant,
        program=table.context.program,
        benchmark=name,
        metric=table.context.metric,
        unit=UNIT if relative else "",
        printed_unit="" if relative else table.context.fields.get("units", ""),
        better=_better(table),
        relative=f"multiples of {table.names[0]}" if relative else "",
        parameters=parameters,
        figures=figures,
    )


def _better(table: _Table) -> Better | None:
    return table.context.better


def _marked(line: Line, mark: re.Match[str], name: str, legend: dict[str, str]) -> Claim:
    printed = Number(mark["mark"], 1.0, 0.0, line.number, line.column(mark.start("mark")))
    said = legend.get(mark["mark"], "what the mark means is not said")
    return Claim(
        kind="significant", what=f"{name}: {said}", printed=printed, missing="it is the author's mark: by which rule is not said"
    )


def _compared(table: _Table, line: Line, said: str) -> bool:
    """A row of which the second value is a percentage, and no value."""
    match = _COMPARED_ROW.match(said)
    if match is None:
        return False
    try:
        base, base_cv, change, cv = (number(match[name], line, match.start(name)) for name in ("base", "base_cv", "change", "cv"))
    except ValueError:
        return False
    name, parameters = benchmark(table.context, match["load"], "")
    name = f"{name.rpartition('-')[0] or name}-{slug(match['case'])}-{name.rpartition('-')[2]}"
    table.entries += [
        _entry(table, table.names[0], name, parameters, {"value": base, "cv": base_cv}, base),
        _entry(table, table.names[1], name, parameters, {"change": change, "cv": cv}, base),
    ]
    why = "the value of which it is the change is not printed"
    what = f"{name}, {table.names[1]} against {table.names[0]}"
    table.claims.append(Claim(kind="change", what=what, printed=change, missing=why))
    return True


def _block(table: _Table | None) -> Iterator[Block]:
    if table and table.entries:
        yield Block(
            format=NAME,
            title=table.context.title,
            first=table.first,
            last=table.last,
            entries=tuple(table.entries),
            claims=tuple(table.claims),
            remarks=tuple(table.remarks),
            facts=dict(table.context.fields),
        )


READER = Reader(
    NAME,
    ("pct imp]", "compare%", "std%)"),
    read,
    "a header of names with `[pct imp]` and `(CV)` behind them, and rows `1.00`, `[ -0.00]`, `( 1.63)`;"
    " or `case load baseline(std%) compare%( std%)` and rows below it",
)
