"""The table that kernel people post: per box, baseline first, value and percent.

The shape is that of Ingo Molnar's smpnice comparison on LKML (2006).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kdelta.model.boot import CellState
from kdelta.model.table import Entry, Table

NAME, VALUE, PERCENT = 13, 10, 7
"""Widths of the benchmark's name, a value, and a percentage in brackets."""
NOTE_COLUMN = 39
DIRECTION_NOTE = "({} is better)"


def render(table: Table) -> str:
    """The table with its title, and notes below for cells that are not whole."""
    directions = {row.benchmark.metric.better.value for row in table.rows}
    note = DIRECTION_NOTE.format(directions.pop()) if len(directions) == 1 else ""
    title = f"{table.box.cpus}-way {table.box.name} box, {unit(table)}:"
    lines = [f"{title:<{NOTE_COLUMN}}{note}" if len(title) < NOTE_COLUMN else f"{title}  {note}", "=" * len(title)]
    lines += _grid(table, table.statistic.upper(), _base_value, _other_value)
    return "\n".join([*lines, *_notes(table)]) + "\n"


def render_spread(table: Table) -> str:
    """The same grid with the standard deviation over the boots, in percent of their mean."""
    head = f"SD of {table.boots}"
    return "\n".join(_grid(table, head, _spread, _spread)) + "\n"


def unit(table: Table) -> str:
    """In the exact lab a nanosecond is an instruction, and saying so is clearer."""
    units = {row.benchmark.metric.unit for row in table.rows}
    if table.box.kind == "exact" and units == {"ns/op"}:
        return "instructions per operation"
    return ", ".join(sorted(units))


def _grid(table: Table, head: str, base: Callable[[Entry], str], other: Callable[[Entry], str]) -> Iterator[str]:
    """Columns as wide as in the model, wider where a name or a value needs it; two blanks before each."""
    names = max(NAME, *(len(row.benchmark.name) for row in table.rows), len(head) + 3)
    cells = [[base(row.entries[0]), *map(other, row.entries[1:])] for row in table.rows]
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


def _base_value(entry: Entry) -> str:
    return _missing(entry) or f"{entry.value:.2f}"


def _other_value(entry: Entry) -> str:
    return (_missing(entry) or f"{entry.value:.2f}") + percent(entry.percent)


def percent(value: float | None) -> str:
    """As in " ( 17%)": truncated toward zero, a plus sign left out, as wide when there is none."""
    return f" ({int(value):3d}%)" if value is not None else " " * PERCENT


def _missing(entry: Entry) -> str:
    """What stands in the place of a value; never 0. Empty where there is one."""
    if entry.value is not None:
        return ""
    return "-" if entry.state in (None, CellState.NOT_HERE) else "failed"


def _spread(entry: Entry) -> str:
    return _missing(entry) or ("-" if entry.sd_percent is None else f"{entry.sd_percent:.2f}%")


def _notes(table: Table) -> Iterator[str]:
    for row in table.rows:
        for entry in row.entries:
            for note in entry.notes:
                yield f"  {row.benchmark.name}, {entry.variant}: {note}"
