"""Least and greatest value, a line per variant and a column per benchmark, as Nick Piggin posted lmbench's (LKML, 2007)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain

from kdelta.model.cpus import cpu_list
from kdelta.model.plan import BoxSpec
from kdelta.model.sheet import Block, Line, Sheet
from kdelta.model.variant import Variant
from kdelta.report.basis import basis, notes
from kdelta.report.heading import heading
from kdelta.report.scale import INSTRUCTIONS, scale
from kdelta.report.text import WIDTH, absent, key, labelled, wrapped

GAP = 3
WHAT = "Ranges"
HUNDREDTHS = 2
MOST_DECIMALS = 9
LONGEST = 20
"""Characters of a name, where room is short."""


def render(sheet: Sheet, variants: Sequence[Variant], width: int = WIDTH) -> str:
    """Ranges; a single value is no range. Columns that do not fit beside each other go below."""
    benchmarks = [block.benchmark for block in sheet.blocks]
    title = heading(sheet.box, benchmarks, bound(variants), width=width)
    return "\n".join([wrapped(basis(sheet, WHAT), width=width), "", *title, body(sheet, variants, width)])


def body(sheet: Sheet, variants: Sequence[Variant], width: int = WIDTH) -> str:
    """What stands below the title. Long names stand below, where not even one column fits beside the variants."""
    names = [variant.name for variant in variants]
    columns = [[block.benchmark.name, *_ranges(block, sheet.box)] for block in sheet.blocks]
    labels = {}
    if _width(names) + max(map(_width, columns)) - GAP > width:
        labels = labelled([*names, *(name for name, *_ in columns)], LONGEST)
    first = ["", *(labels.get(name, name) for name in names)]
    lines = []
    for group in _fitting([[labels.get(name, name), *column] for name, *column in columns], width - _width(first)):
        lines += [*_grid([first, *group]), ""]
    lines[-1:] = [*key(labels, width), *chain.from_iterable(notes(block, width) for block in sheet.blocks)]
    return "\n".join(lines) + "\n"


def bound(variants: Sequence[Variant]) -> str:
    """Which CPUs tasks are bound to, where that is the same for all variants; empty where they are not bound."""
    binds = {variant.bind for variant in variants}
    cpus = cpu_list(binds.pop()) if len(binds) == 1 else ()
    return f", tasks bound to {len(cpus)} CPU{'' if len(cpus) == 1 else 's'}" if cpus else ""


def _ranges(block: Block, box: BoxSpec) -> list[str]:
    """One column: all of its values have the same number of decimals."""
    unit = scale(block.benchmark, box)
    metric = block.benchmark.metric.name
    most = max((unit.factor * abs(line.figures[metric].most) for line in block.lines if line.figures), default=0.0)
    decimals = HUNDREDTHS if unit is INSTRUCTIONS else _decimals(most)
    return [_range(line, metric, unit.factor, decimals) for line in block.lines]


def _range(line: Line, metric: str, factor: float, decimals: int) -> str:
    if metric not in line.figures:
        return absent(line.state)
    ends = (line.figures[metric].least, line.figures[metric].most)
    least, most = (f"{factor * end:.{decimals}f}" for end in ends)
    return least if ends[0] == ends[1] else f"{least}-{most}"


def _decimals(most: float) -> int:
    """Three or four digits in all, as in the model: 1.67, 140.7."""
    if most == 0.0:
        return 0
    return min(MOST_DECIMALS, max(0, (3 if most >= 100.0 else 2) - math.floor(math.log10(most))))


def _fitting(columns: Sequence[list[str]], room: int) -> Iterator[list[list[str]]]:
    group: list[list[str]] = []
    for column in columns:
        if group and sum(map(_width, [*group, column])) - GAP > room:
            yield group
            group = []
        group.append(column)
    yield group


def _width(column: Sequence[str]) -> int:
    return max(map(len, column)) + GAP


def _grid(columns: Sequence[Sequence[str]]) -> Iterator[str]:
    """Flush left."""
    widths = [_width(column) for column in columns]
    for row in zip(*columns, strict=True):
        yield "".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
