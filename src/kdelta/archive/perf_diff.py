"""What `perf diff` prints, in a mail or alone: shares of the old profile, and how they changed.

    # Baseline  Delta Abs  Shared Object      Symbol
    # ........  .........  .................  ..........................
          0.55%     +2.58%  [kernel.kallsyms]  [k] sock_wfree
                    +5.43%  [kernel.kallsyms]  [k] __update_freelist_slow

A delta is in points of the profile's percent, no percentage of the baseline: the new share of sock_wfree is 3.13 %. A function
without a baseline is new; one of 0.00 % is not. With `-c cycles` the rows are basic blocks, and their cycles are no share of
anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.cells import percent
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Function, Listing, Remark
from kdelta.profile.readers import perf_diff
from kdelta.profile.readers.columns import Columns, headed
from kdelta.profile.readers.readout import PERCENT

NAME = "perf diff"

CYCLES = "cycles of a basic block; its percentages are standard deviations"
LONGEST_ROW = 1000
MOST_NAMED = 5


@dataclass
class _Table:
    """The rows under one head. `deltas` is the column of changes, empty without one."""

    head: Line
    columns: Columns
    deltas: str
    last: int
    before: list[Function] = field(default_factory=list)
    changes: list[Function] = field(default_factory=list)
    cycles: list[Function] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each table."""
    table: _Table | None = None
    for line, (_, columns) in zip(text.lines, headed(line.text for line in text.lines), strict=True):
        if columns is not None and columns.has("Baseline"):
            if table:
                yield from _block(table)
            deltas = next((name for name in columns.names if name.startswith("Delta")), "")
            table = _Table(line, columns, deltas, line.number)
        elif table and len(line.text) < LONGEST_ROW:
            _add(table, line)
    if table:
        yield from _block(table)


def _add(table: _Table, line: Line) -> None:
    found = perf_diff.row(table.columns, line.text)
    if found is None:
        return
    table.last = line.number
    cells = table.columns.cells(line.text)
    base = percent(line, cells.get(next(name for name in table.columns.names if name.startswith("Baseline"))))
    if block := perf_diff.BLOCK.search(line.text):
        deviation = number(block["deviation"], line, block.start("deviation")) if block["deviation"] else None
        table.cycles.append(
            Function(f"{found.name} {block['block']}", number(block["cycles"], line, block.start("cycles")), percent=deviation)
        )
        return
    if base is not None:
        table.before.append(Function(found.name, base))
    delta = percent(line, cells.get(table.deltas))
    if delta is None:
        return
    table.changes.append(Function(found.name, delta))
    if base is None:
        table.new.append(found.name)


def _block(table: _Table) -> Iterator[Block]:
    """Beside cycles of blocks the baseline is left out: it stands there once for each block."""
    changes, before = tuple(table.cycles or table.changes), () if table.cycles else tuple(table.before)
    listings = [
        Listing(benchmark="", difference=True, unit=CYCLES if table.cycles else PERCENT, rows=changes),
        Listing(benchmark="", new="baseline", difference=False, unit=PERCENT, rows=before),
    ]
    found = tuple(one for one in listings if one.rows)
    if found:
        yield Block(
            format=NAME,
            title=NAME,
            first=table.head.number,
            last=table.last,
            listings=found,
            remarks=tuple(_remarks(table)),
            facts={"deltas": "points of the profile's percent, no percentages of the baseline"} if table.changes else {},
        )


def _remarks(table: _Table) -> Iterator[Remark]:
    if table.new:
        yield Remark(table.head.number, f"functions of the new profile alone, without a baseline: {_some(table.new)}")
    if not table.deltas and not table.cycles:
        yield Remark(table.head.number, "there are no deltas, but other columns: only the baseline is read")


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


READER = Reader(NAME, ("Baseline",), read, "a head `# Baseline Delta Symbol` with dots below it, and the rows under it")
