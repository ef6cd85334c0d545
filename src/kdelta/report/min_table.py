"""The table that kernel people post: per box, baseline first, value and percent.

The shape is that of Ingo Molnar's smpnice comparison on LKML (2006).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kdelta.model.table import Entry, Row, Table
from kdelta.report.heading import LARGER, heading
from kdelta.report.scale import scale
from kdelta.report.text import absent

NAME, VALUE, PERCENT = 13, 10, 7
"""Widths of the benchmark's name, a value, and a percentage in brackets."""
MIXED = ". Percentages say how a value changed, whichever direction is better."


def render(table: Table) -> str:
    """The table with its title, and notes below for cells that are not whole."""
    statistics = {row.statistic: None for row in table.rows}
    head = next(iter(statistics)) if len(statistics) == 1 else table.statistic
    others = [f", {name.upper()}" for name in statistics if name != head]
    lines = heading(table.box, [row.benchmark for row in table.rows], larger=LARGER + "".join(others), mixed=MIXED)
    cells = [_cells(row, scale(row.benchmark, table.box)) for row in table.rows]
    return "\n".join([*lines, *_grid(table, head.upper(), cells), *_notes(table)]) + "\n"


def render_spread(table: Table) -> str:
    """The same grid with the standard deviation over the boots, in percent of their mean."""
    cells = [[_spread(entry) for entry in row.entries] for row in table.rows]
    return "\n".join(_grid(table, f"SD of {table.boots}", cells)) + "\n"


def _cells(row: Row, text: Callable[[float], str]) -> list[str]:
    """The baseline's is its value alone."""
    values = [absent(entry.state) if entry.value is None else text(entry.value) for entry in row.entries]
    return [values[0], *(value + percent(entry.percent) for value, entry in zip(values[1:], row.entries[1:], strict=True))]


def _spread(entry: Entry) -> str:
    if entry.value is None:
        return absent(entry.state)
    return "-" if entry.sd_percent is None else f"{entry.sd_percent:.2f}%"


def _grid(table: Table, head: str, cells: list[list[str]]) -> Iterator[str]:
    """Columns as wide as in the model, wider where a name or a value needs it; two blanks before each."""
    names = max(NAME, *(len(row.benchmark.name) for row in table.rows), len(head) + 3)
    least = [VALUE, *[VALUE + PERCENT] * (len(table.variants) - 1)]
    columns = zip(least, table.variants, *cells, strict=True)
    widths = [max(width, *(len(cell) + 2 for cell in column)) for width, *column in columns]
    titles = f"{'   ' + head:<{names + 1}}" + _line(table.variants, widths)
    yield titles
    yield "-" * len(titles)
    for row, line in zip(table.rows, cells, strict=True):
        yield (f"{row.benchmark.name:>{names}}:" + _line(line, widths)).rstrip()


def _line(cells: Iterable[str], widths: Iterable[int]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def percent(value: float | None) -> str:
    """As in " ( 17%)": truncated toward zero, a plus sign left out, as wide when there is none."""
    return f" ({int(value):3d}%)" if value is not None else " " * PERCENT


def _notes(table: Table) -> Iterator[str]:
    for row in table.rows:
        for entry in row.entries:
            for note in entry.notes:
                yield f"  {row.benchmark.name}, {entry.variant}: {note}"
