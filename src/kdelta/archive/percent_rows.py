"""Rows of scheduler tests that are no table of values: one for each kernel with its variation, or percentages alone (LKML, AMD).

    Test          : ycsb-mongodb                    Test          : DeathStarBench
    Units         : Throughput                      Units         : %diff of Throughput

    base     303129.00 (var: 0.68%)                        base    eevdf     eevdf_curb
    eevdf    309589.33 (var: 1.41%)  (+2.13%)       1CCD   0%      -15.15%   -16.55%

`var` is the coefficient of variation. Plus is better, as the lines above say by `Interpretation`. Of percentages alone nothing can
be computed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.mmtests_header import header
from kdelta.archive.mmtests_names import slug
from kdelta.archive.mmtests_rows import Cell, Row
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.sched_context import Context, seen
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Claim, Entry, Number

NAME = "percent rows"
_VALUE = re.compile(
    rf"\s*(?P<name>[\w.+-]{{1,60}})(?:[:;]\s*|\s+)(?P<value>{PLAIN})\s+\(var: *(?P<cv>{PLAIN}) ?%\)"
    rf"(?:\s+\((?:%diff: *)?(?P<change>{PLAIN}) ?%\))?\s*$"
)
_PERCENTS = re.compile(rf"\s*(?P<label>[\w.+/-]{{1,40}}):?(?P<cells>(?:\s+{PLAIN} ?%){{2,64}})(?:\s+\*[^|]{{0,60}})?\s*$")
_PERCENT = re.compile(rf"\s+(?P<value>{PLAIN}) ?%")
_LONGEST = 500


@dataclass
class _Group:
    """What is made of rows that stand below each other."""

    context: Context
    first: int
    last: int = 0
    names: tuple[str, ...] = ()
    base: Number | None = None
    entries: list[Entry] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each group of rows."""
    context, group = Context(), None
    for at, line in enumerate(text.lines):
        said = line.text if len(line.text) <= _LONGEST else ""
        value = _VALUE.match(said) if "(var:" in said else None
        percents = _PERCENTS.match(said) if "%" in said and "diff" in context.fields.get("units", "").lower() else None
        if value or percents:
            group = group or _Group(context, line.number)
            filed = _value(group, line, value) if value else percents and _percents(group, text.lines, at, percents)
            group.last = line.number if filed else group.last
        elif said.strip():
            yield from _block(group)
            group = None
            context = seen(context, said)
    yield from _block(group)


def _value(group: _Group, line: Line, match: re.Match[str]) -> bool:
    """One kernel; the first is what the others are compared with."""
    try:
        found = {name: number(match[name], line, match.start(name)) for name in ("value", "cv", "change") if match[name]}
    except ValueError:
        return False
    context, name = group.context, group.context.test or "test"
    figures = {context.figure: found["value"], **{each: one for each, one in found.items() if each != "value"}}
    if group.base is not None and "change" in found:
        what = f"{name}, {match['name']} against {group.names[0]}"
        group.claims.append(
            Claim(kind="change", what=what, printed=found["change"], of=(group.base, found["value"]), better=context.better)
        )
    group.entries.append(_entry(context, match["name"], name, figures))
    group.base = group.base or found["value"]
    group.names = group.names or (match["name"],)
    return True


def _percents(group: _Group, lines: Sequence[Line], at: int, match: re.Match[str]) -> bool:
    """Percentages of each kernel: those of the first are 0."""
    line, start = lines[at], match.start("cells")
    cells = list(_PERCENT.finditer(line.text, start, match.end("cells")))
    if not group.names:
        row = Row(line, "", match["label"], [Cell(line, cell["value"], cell.start("value"), end=cell.end()) for cell in cells])
        above = header(lines, at, row, len(cells), ())
        group.names = above.names[-1] if above.names else tuple(f"column {place}" for place in range(1, len(cells) + 1))
        group.first = above.first
    if len(cells) != len(group.names):
        return False
    name = "-".join(filter(None, (group.context.test, slug(match["label"]))))
    why = "the values of which it is the change are not printed"
    for variant, cell in zip(group.names, cells, strict=True):
        try:
            change = number(cell["value"], line, cell.start("value"))
        except ValueError:
            continue
        relative = f"% difference from {group.names[0]}"
        group.entries.append(_entry(group.context, variant, name, {"change": change}, relative))
        if variant != group.names[0]:
            what = f"{name}, {variant} against {group.names[0]}"
            group.claims.append(Claim(kind="change", what=what, printed=change, missing=why))
    return True


def _entry(context: Context, variant: str, name: str, figures: dict[str, Number], relative: str = "") -> Entry:
    units = context.fields.get("units", "").lower()
    return Entry(
        variant=variant,
        program=context.program,
        benchmark=name,
        metric="throughput" if "throughput" in units else context.metric,
        unit="%" if relative else "",
        better=context.better,
        relative=relative,
        figures=figures,
    )


def _block(group: _Group | None) -> Iterator[Block]:
    if group and group.entries:
        yield Block(
            format=NAME,
            title=group.context.title,
            first=group.first,
            last=group.last,
            entries=tuple(group.entries),
            claims=tuple(group.claims),
            facts=dict(group.context.fields),
        )


READER = Reader(
    NAME,
    ("(var:", "%diff", "% diff"),
    read,
    "rows of a kernel's name and `303129.00 (var: 0.68%) (+2.13%)`; or, below `Units: %diff ...`, rows of percentages alone",
)
