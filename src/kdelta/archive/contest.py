"""Con Kolivas's contest (LKML, 2002 and 2003): how long a kernel takes to compile beside a load, a table for each load.

    no_load:
    Kernel         [runs]	Time	CPU%	Loads	LCPU%	Ratio
    2.5.68-mm2          1	80	93.8	0.0	0.0	1.00
    cacherun:
    Kernel [runs]           Time    CPU%    Loads   LCPU%   Ratio
    2.4.18 [3]              65.9    99      0       0       0.99

A ratio is Time to that of the same kernel without load. In older mails it is to another kernel's, of which no table shows the time:
there no ratio without load is 1.00. A star behind the last number is a mark of its author's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.apart import Apart
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "contest"

LONGEST_ROW = 300
METRICS: dict[str, tuple[str, str, Better | None]] = {
    "time": ("elapsed_s", "s", Better.SMALLER),
    "cpu": ("percent_cpu", "%", None),
    "loads": ("loads", "loads", None),
    "lcpu": ("load_percent_cpu", "%", None),
    "ratio": ("ratio", "", Better.SMALLER),
}
"""Column -> metric, unit and direction. Loads are how often the load was done beside the compile."""
NO_LOAD = ("no_load", "noload", "no load", "null_load")

_HEADER = re.compile(r"\s*Kernel\s*(?P<runs>\[runs\])?(?P<columns>(?:\s+(?:Time|CPU%?|Loads|LCPU%?|Ratio))+)\s*$", re.IGNORECASE)
_ROW = re.compile(rf"\s*(?P<kernel>[^\s\[]\S*?)\s*(?:\[(?P<runs>\d{{1,6}})\])?(?P<cells>(?:\s+{PLAIN}%?)+) ?(?P<star>\*?)\s*$")
_CELL = re.compile(rf"(?P<value>{PLAIN})%?")
_TITLE = re.compile(r"\s*(?P<title>[A-Za-z][\w /.+-]{0,60}):\s*$")


@dataclass
class _Table:
    """The rows of one load: the kernel, how many runs, and the number in each column."""

    load: str
    first: int
    rows: list[tuple[str, Number | None, dict[str, Number]]] = field(default_factory=list)
    starred: list[int] = field(default_factory=list)
    """Lines of rows with a star."""

    @property
    def last(self) -> int:
        return max((one.line for _, _, cells in self.rows for one in cells.values()), default=self.first)


@dataclass
class _Run:
    """Tables of one run of contest: no load is in it twice. `box` is a line above them, "SMP"."""

    box: str
    tables: list[_Table] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each table; ratios follow from the table without load of the same run."""
    apart = Apart()
    for run in _runs(text.lines):
        base = _base(run)
        for table in run.tables:
            yield _block(run, table, base, apart)


def _runs(lines: Sequence[Line]) -> Iterator[_Run]:
    run, at = _Run(""), 0
    while at < len(lines):
        header = _HEADER.match(lines[at].text) if len(lines[at].text) < LONGEST_ROW else None
        at += 1
        if header is None:
            continue
        load, box = _titles(lines, at - 1)
        if box or load in {table.load for table in run.tables}:
            yield run
            run = _Run(box)
        columns = [word.rstrip("%").lower() for word in header["columns"].split()]
        table = _Table(load, lines[max(0, at - 2)].number)
        while at < len(lines) and (row := _row(lines[at], columns, runs=header["runs"] is not None)):
            table.rows.append(row)
            table.starred += [lines[at].number] if lines[at].text.rstrip().endswith("*") else []
            at += 1
        if table.rows:
            run.tables.append(table)
    yield run


def _titles(lines: Sequence[Line], header: int) -> tuple[str, str]:
    """The load, in the line above the header, and where another title stands above that, the box."""
    above = [match["title"] if (match := _TITLE.match(lines[at].text)) else "" for at in (header - 1, header - 2) if at >= 0]
    load, box = (*above, "", "")[:2]
    return load, box if load else ""


def _row(line: Line, columns: Sequence[str], *, runs: bool) -> tuple[str, Number | None, dict[str, Number]] | None:
    """None for what is no row: as many numbers as there are columns, and where these are counted, one of runs in front."""
    match = _ROW.match(line.text) if len(line.text) < LONGEST_ROW else None
    if match is None:
        return None
    try:
        found = [number(cell["value"], line, cell.start("value")) for cell in _CELL.finditer(line.text, match.start("cells"))]
        counted = number(match["runs"], line, match.start("runs")) if match["runs"] else None
    except ValueError:
        return None
    if runs and counted is None and len(found) == len(columns) + 1:
        counted, *found = found
    return (match["kernel"], counted, dict(zip(columns, found, strict=True))) if len(found) == len(columns) else None


def _base(run: _Run) -> dict[str, Number] | None:
    """Times without load by kernel; None where the ratios are not to these."""
    for table in run.tables:
        if table.load.lower() in NO_LOAD:
            ratios = {cells["ratio"].value for _, _, cells in table.rows if "ratio" in cells}
            times = {kernel: cells["time"] for kernel, _, cells in table.rows if "time" in cells}
            return times if ratios == {1.0} else None
    return {}


def _block(run: _Run, table: _Table, base: dict[str, Number] | None, apart: Apart) -> Block:
    benchmark = f"contest-{table.load}" if table.load else "contest"
    entries, claims = list[Entry](), list[Claim]()
    for kernel, runs, cells in table.rows:
        line = next(iter(cells.values())).line
        variant = apart.name(kernel, (run.box, benchmark), tuple(one.text for one in cells.values()), line)
        entries += [_entry(variant, run.box, benchmark, table.load, runs, column, one) for column, one in cells.items()]
        if "ratio" in cells and "time" in cells:
            claims.append(_ratio(f"{benchmark}, {variant}, to no load", cells, base, kernel))
    return Block(
        format=NAME,
        title=" ".join(filter(None, (run.box, table.load))) or NAME,
        first=table.first,
        last=table.last,
        entries=tuple(entries),
        claims=tuple(claims),
        remarks=(*apart.taken(), *_coarse(table)),
    )


def _entry(variant: str, box: str, benchmark: str, load: str, runs: Number | None, column: str, found: Number) -> Entry:
    metric, unit, better = METRICS[column]
    return Entry(
        variant=variant,
        box=box,
        program="contest",
        benchmark=benchmark,
        metric=metric,
        unit=unit,
        printed_unit=unit,
        better=better,
        relative="times of no load" if column == "ratio" else "",
        parameters={"load": load} if load else {},
        figures={"mean" if runs else "value": found},
        count=int(runs.value) if runs else None,
    )


def _ratio(what: str, cells: dict[str, Number], base: dict[str, Number] | None, kernel: str) -> Claim:
    if base is None:
        missing = "the ratios without load are not 1.00: to which time they are is not in the text"
        return Claim(kind="quotient", what=what, printed=cells["ratio"], missing=missing)
    if kernel not in base:
        return Claim(kind="quotient", what=what, printed=cells["ratio"], missing="the time without load is not in the text")
    return Claim(kind="quotient", what=what, printed=cells["ratio"], of=(cells["time"], base[kernel]))


def _coarse(table: _Table) -> Iterator[Remark]:
    times = [cells["time"] for _, _, cells in table.rows if "time" in cells]
    if times and all(one.step >= 1.0 for one in times):
        yield Remark(times[0].line, "times are in whole seconds: what differs by one may be as good as equal")
    single = [runs for _, runs, _ in table.rows if runs is not None and runs.value == 1.0]
    if single:
        yield Remark(single[0].line, f"kernels with a single run: {len(single)}")
    if table.starred:
        yield Remark(table.starred[0], f"ratios with a star: {len(table.starred)}; what it marks is not in the table")


READER = Reader(
    NAME,
    ("LCPU", "[runs]", "Ratio"),
    read,
    "a head `Kernel [runs] Time CPU% Loads LCPU% Ratio` below a line of the load, and lines of a kernel's name and its numbers",
)
