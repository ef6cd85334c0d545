"""The table that kernel people post: per box, baseline first, value and percent.

The shape is that of Ingo Molnar's smpnice comparison on LKML (2006).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kdelta.model.table import Entry, Row, Table
from kdelta.report.heading import LARGER, heading
from kdelta.report.scale import scale
from kdelta.report.text import WIDTH, absent, folded, key, labelled, room

NAME, VALUE, PERCENT = 13, 10, 7
"""Widths of the benchmark's name, a value, and a percentage in brackets."""
GAP = 2
READABLE = 1e12
"""Percent: what is more is written as a power of ten."""
MIXED = ". Percentages say how a value changed, whichever direction is better."


def render(table: Table, width: int = WIDTH) -> str:
    """The table with its title, and notes below for cells that are not whole. Columns that do not fit beside each other go
    below, beside the baseline's.
    """
    lines = heading(table.box, [row.benchmark for row in table.rows], larger=larger(table), mixed=MIXED, width=width)
    return "\n".join([*lines, body(table, width)])


def body(table: Table, width: int = WIDTH) -> str:
    """What stands below the title."""
    cells = [_cells(row, scale(row.benchmark, table.box)) for row in table.rows]
    return "\n".join([*_grids(table, _head(table).upper(), cells, width), *_notes(table, width)]) + "\n"


def larger(table: Table) -> str:
    """How rows are told of which a larger value is better, with their statistic where it is not that of the others."""
    others = [f", {name.upper()}" for name in dict.fromkeys(row.statistic for row in table.rows) if name != _head(table)]
    return LARGER + "".join(others)


def _head(table: Table) -> str:
    statistics = {row.statistic for row in table.rows}
    return statistics.pop() if len(statistics) == 1 else table.statistic


def render_spread(table: Table, width: int = WIDTH) -> str:
    """The same grid with the standard deviation over the boots, in percent of their mean."""
    cells = [[_spread(entry) for entry in row.entries] for row in table.rows]
    return "\n".join(_grids(table, f"SD of {table.boots}", cells, width)) + "\n"


def _cells(row: Row, text: Callable[[float], str]) -> list[str]:
    """The baseline's is its value alone."""
    values = [absent(entry.state) if entry.value is None else entry.printed or text(entry.value) for entry in row.entries]
    return [values[0], *(value + percent(entry.percent) for value, entry in zip(values[1:], row.entries[1:], strict=True))]


def _spread(entry: Entry) -> str:
    if entry.value is None:
        return absent(entry.state)
    return "-" if entry.sd_percent is None else f"{entry.sd_percent:.2f}%"


def _grids(table: Table, head: str, cells: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """As few as fit. Long names of columns stand below, where not even two of them fit beside each other."""
    rows = [row.benchmark.name for row in table.rows]
    left = room(width) - max(NAME, *map(len, rows), len(head) + 3) - 1
    columns = [list(column) for column in zip(table.variants, *cells, strict=True)]
    base, *others = _widths(columns)
    labels = labelled(table.variants, VALUE + PERCENT - GAP) if base + max(others, default=0) > left else {}
    columns = [[labels.get(name, name), *column] for name, *column in columns]
    for place, group in enumerate(_groups(_widths(columns), left)):
        yield from [""] if place else []
        yield from _grid(head, rows, [columns[index] for index in (0, *group)])
    yield from key(labels, width)


def _widths(columns: Sequence[Sequence[str]]) -> list[int]:
    """Columns as wide as in the model, wider where a name or a value needs it; two blanks before each."""
    least = [VALUE, *[VALUE + PERCENT] * (len(columns) - 1)]
    return [max(width, *(len(cell) + GAP for cell in column)) for width, column in zip(least, columns, strict=True)]


def _groups(widths: Sequence[int], left: float) -> Iterator[list[int]]:
    """Places of the columns that stand beside the first."""
    group: list[int] = []
    for place in range(1, len(widths)):
        if group and widths[0] + sum(widths[one] for one in (*group, place)) > left:
            yield group
            group = []
        group.append(place)
    yield group


def _grid(head: str, rows: Sequence[str], columns: Sequence[Sequence[str]]) -> Iterator[str]:
    names, widths = max(NAME, *map(len, rows), len(head) + 3), _widths(columns)
    titles, *lines = (_line(cells, widths) for cells in zip(*columns, strict=True))
    first = f"{'   ' + head:<{names + 1}}{titles}"
    yield first
    yield "-" * len(first)
    for name, line in zip(rows, lines, strict=True):
        yield f"{name:>{names}}:{line}".rstrip()


def _line(cells: Iterable[str], widths: Iterable[int]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def percent(value: float | None) -> str:
    """As in " ( 17%)": truncated toward zero, a plus sign left out, as wide when there is none."""
    if value is None:
        return " " * PERCENT
    return f" ({int(value):3d}%)" if abs(value) < READABLE else f" ({value:.0e}%)"


def _notes(table: Table, width: int) -> Iterator[str]:
    for row in table.rows:
        for entry in row.entries:
            for note in entry.notes:
                yield folded(f"  {row.benchmark.name}, {entry.variant}: {note}", width=width)
