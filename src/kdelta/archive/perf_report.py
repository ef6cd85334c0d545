"""What `perf report --stdio` prints, in a mail or alone: the share of each function in a profile.

    # Samples: 8K of event 'cycles:pp'
    # Children      Self  Shared Object      Symbol
    # ........  ........  .................  .....................
        82.61%     0.42%  [kernel.kallsyms]  [k] cpu_startup_entry
    81.41% cpu_startup_entry;start_secondary

`Self` and `Overhead` are of a function alone, `Children` is with all that it calls, and adds up to more than 100 %. Call chains are
passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kdelta.archive.cells import percent
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Function, Listing
from kdelta.profile.readers import perf_report
from kdelta.profile.readers.columns import Columns, headed
from kdelta.profile.readers.readout import PERCENT

NAME = "perf report"

CALLEES = "% of the profile, with all that is called"
LONGEST_ROW = 1000

_FACTS = {
    "samples": re.compile(r"\s*# Samples: (.{1,200})"),
    "event count": re.compile(r"\s*# Event count \(approx\.\): (\d{1,18})"),
    "os release": re.compile(r"\s*# os release : (\S{1,200})"),
    "cpus": re.compile(r"\s*# nrcpus online : (\d{1,6})"),
    "cpu": re.compile(r"\s*# cpudesc : (.{1,200})"),
}


@dataclass
class _Table:
    """The rows under one head, and what the lines above it say."""

    head: Line
    columns: Columns
    facts: dict[str, str]
    last: int
    own: list[Function] = field(default_factory=list)
    callees: list[Function] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each event."""
    facts: dict[str, str] = {}
    table: _Table | None = None
    for line, (said, columns) in zip(text.lines, headed(line.text for line in text.lines), strict=True):
        if columns is not None and any(name in columns.names for name in ("Self", "Overhead")):
            yield from _block(table)
            table = _Table(line, columns, dict(facts), line.number)
        elif said.lstrip().startswith("#"):
            facts |= {name: match[1].strip() for name, pattern in _FACTS.items() if (match := pattern.match(said))}
        elif table and len(said) < LONGEST_ROW:
            _add(table, line)
    yield from _block(table)


def _add(table: _Table, line: Line) -> None:
    found = perf_report.row(table.columns, line.text)
    if found is None:
        return
    table.last = line.number
    cells = table.columns.cells(line.text)
    callees = percent(line, cells.get("Children"))
    start = 0 if callees is None else callees.column - line.offset + len(callees.text)
    own = percent(line, cells.get("Self", cells.get("Overhead")), start)
    if callees is not None:
        table.callees.append(Function(found.name, callees))
    if own is not None:
        table.own.append(Function(found.name, own))


def _block(table: _Table | None) -> Iterator[Block]:
    if table is None or not (table.own or table.callees):
        return
    new = table.facts.get("os release", "")
    units = ((PERCENT, table.own), (CALLEES, table.callees))
    yield Block(
        format=NAME,
        title=table.facts.get("samples", NAME),
        first=table.head.number,
        last=table.last,
        listings=tuple(
            Listing(benchmark="", new=new, difference=False, unit=unit, rows=tuple(rows)) for unit, rows in units if rows
        ),
        facts=table.facts,
    )


READER = Reader(
    NAME,
    ("Overhead", "Self"),
    read,
    "a head `# Overhead Symbol`, or `# Children Self Symbol`, with dots below it, and the rows that perf prints under it",
)
