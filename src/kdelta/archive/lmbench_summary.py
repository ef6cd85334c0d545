"""Summaries of lmbench 2 and 3: a table for each kind of measurement, a row for each kernel, all of them or a few in a mail.

    Processor, Processes - times in microseconds - smaller is better
    ----------------------------------------------------------------
    Host                 OS  Mhz null null      open selct sig  sig  fork exec sh
                                 call  I/O stat clos TCP   inst hndl proc proc proc
    --------- ------------- ---- ---- ---- ---- ---- ----- ---- ---- ---- ---- ----
    frodo      Linux 2.4.18  797 0.40 0.56 3.18 3.97       1.00 3.18 115. 1231 13.K

A number is of the column under whose dashes it stands: cells may be empty. Rows of one kernel on one host are repeated results.
Tables that were written anew, with a column `OS` alone and one rule, are read where no cell is empty. MB are 10^6 bytes. getsummary
cuts hosts at 9 characters and kernels at 13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from kdelta.archive.lmbench_rows import Row, Table, tables
from kdelta.archive.lmbench_sections import MHZ, WORDS
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.rulers import Placed
from kdelta.archive.text import Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Entry, Number, Remark

NAME = "lmbench summary"

_WHOLE = re.compile(r"\d+\.0{4,}")
"""A whole number, whatever its zeros say."""
_LINUX = "Linux "


class _Key(NamedTuple):
    """Of a row: what tells it from others of its summary. `again` counts those of the same host and kernel, from 1."""

    host: str
    kernel: str
    again: int


def read(text: Text) -> Iterator[Block]:
    """A block for each table."""
    for group, summary in enumerate(_summaries(tables(text.lines)), 1):
        named = _variants(summary, group)
        done = dict[tuple[str, str], str]()
        for table in summary:
            yield _block(table, named, done)


def _summaries(found: Iterator[Table]) -> Iterator[list[Table]]:
    """A summary has each table once: where one comes again with other rows, another summary begins."""
    summary, seen = list[Table](), dict[str, list[str]]()
    for table in found:
        rows = [" ".join(word.text for word in row.words) for row in table.rows]
        if seen.get(table.section.title, rows) != rows:
            yield summary
            summary, seen = [], {}
        seen[table.section.title] = rows
        summary.append(table)
    if summary:
        yield summary


def _variants(summary: Sequence[Table], group: int) -> dict[tuple[str, str], tuple[str, str]]:
    """(Host, kernel) -> variant and box. Where the kernel is cut and all have the same, the host is what tells them apart."""
    pairs = dict.fromkeys((row.host, row.kernel) for table in summary for row in table.rows)
    is_by_host = len({kernel for _, kernel in pairs}) == 1 < len(pairs) and any(
        row.is_cut for table in summary for row in table.rows
    )
    later = f" ({group})" if group > 1 else ""
    if is_by_host:
        return {(host, kernel): (f"{host}{later}", "") for host, kernel in pairs}
    return {(host, kernel): (f"{kernel.removeprefix(_LINUX)}{later}", host) for host, kernel in pairs}


def _block(table: Table, named: dict[tuple[str, str], tuple[str, str]], done: dict[tuple[str, str], str]) -> Block:
    """`done` is in which section a row has a benchmark: two tables print the switch of two processes, and it is one result."""
    entries, remarks = list[Entry](), list(table.remarks)
    rows = _keyed(table.rows, remarks)
    for column, what in enumerate(table.layout.columns):
        if what in (MHZ, WORDS):
            continue
        cells = {key: [_cell(row, column) for row in same] for key, same in rows.items()}
        step = _whole(table, column, [cell for each in cells.values() for cell in each], remarks)
        for key, each in cells.items():
            variant, box = named[key.host, key.kernel]
            variant = f"{variant} ({key.again})" if key.again > 1 else variant
            if done.setdefault((f"{variant}@{box}", what.benchmark), table.section.title) == table.section.title:
                entries.append(_entry(table, column, variant, box, each, step))
    if table.rows[0].host and not all(box for _, box in named.values()):
        remarks.append(
            Remark(table.first, f"all rows are of {table.rows[0].kernel!r}, which may be cut: the hosts tell them apart")
        )
    return Block(
        format=NAME,
        title=table.title,
        first=table.first,
        last=table.last,
        entries=tuple(entries),
        remarks=tuple(remarks),
        facts=_facts(table),
    )


def _keyed(rows: Sequence[Row], remarks: list[Remark]) -> dict[_Key, list[Row]]:
    """Rows of one host and kernel together, but not where the kernel is cut: they may be of two."""
    found = dict[_Key, list[Row]]()
    times = dict[tuple[str, str], int]()
    for row in rows:
        pair = (row.host, row.kernel)
        times[pair] = times.get(pair, 0) + 1
        key = _Key(*pair, times[pair] if row.is_cut else 1)
        found.setdefault(key, []).append(row)
        if times[pair] > 1 and (row.is_cut or times[pair] == 2):
            remarks.append(Remark(row.line, _repeated(row, times[pair])))
    return found


def _repeated(row: Row, times: int) -> str:
    if row.is_cut:
        return (
            f"{row.host}, {row.kernel!r} has another row; the kernel may be cut, so this is {times} of them and no repeated result"
        )
    return f"{row.host}, {row.kernel} has several rows: repeated results"


def _cell(row: Row, column: int) -> Placed | None:
    return next((one for one in row.cells if one.column == column), None)


def _whole(table: Table, column: int, cells: Sequence[Placed | None], remarks: list[Remark]) -> float:
    """What its numbers are multiples of, where they are all whole: 0 where they are not."""
    found = [cell.word for cell in cells if cell]
    if not found or not all(_WHOLE.fullmatch(word.text) for word in found):
        return 0.0
    name = table.layout.columns[column].benchmark
    remarks.append(
        Remark(found[0].line.number, f"{name} is in whole {table.unit}, whatever its zeros say: small changes are not seen")
    )
    return base(table.unit)[1]


def _entry(table: Table, column: int, variant: str, box: str, cells: Sequence[Placed | None], step: float) -> Entry:
    what = table.layout.columns[column]
    unit, factor = base(table.unit)
    found = [_number(cell, factor, step) for cell in cells if cell]
    return Entry(
        variant=variant,
        box=box,
        program=what.program,
        benchmark=what.benchmark,
        metric=what.metric,
        unit=unit,
        printed_unit=table.unit,
        better=Better.LARGER if table.is_larger_better else Better.SMALLER,
        parameters=what.parameters,
        samples=tuple(found) if len(found) > 1 else (),
        figures={"value": found[0]} if len(found) == 1 else {},
        reason="" if found else "its cell is empty",
    )


def _number(cell: Placed, factor: float, step: float) -> Number:
    found = number(cell.word.text, cell.word.line, cell.word.where, factor)
    return msgspec.structs.replace(found, step=step) if step else found


def _facts(table: Table) -> dict[str, str]:
    """The clock of the processor."""
    if MHZ not in table.layout.columns:
        return {}
    column = table.layout.columns.index(MHZ)
    found = {cell.word.text for row in table.rows if (cell := _cell(row, column))}
    return {"MHz": ", ".join(sorted(found))} if found else {}


READER = Reader(
    NAME,
    ("is better", "in microseconds", "in nanoseconds", "in MB/s"),
    read,
    "lines `Processor, Processes - times in microseconds`, `Context switching - ...` and the other titles of lmbench's summaries, "
    "below each a ruler of dashes and a row for each host and kernel",
)
