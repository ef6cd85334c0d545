"""Martin J. Bligh's tables of SDET (LKML, 2003 and 2004): the scripts at once, and two percentages for each kernel.

    SDET 32  (see disclaimer)
                               Throughput    Std. Dev
                   2.5.67-mm1       100.0%         0.3%
                   2.5.68-mm1        76.6%         0.4%

Throughput is in percent of that of the first kernel, the deviation in percent of a kernel's own mean: what the throughput was is in
no mail, and of how many runs neither. A kernel that hung is left out of the tables of higher loads, and words below one say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from kdelta.archive import ours
from kdelta.archive.apart import Apart
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import SCRIPTS_PER_HOUR, Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Entry, Number, Remark

NAME = "SDET table"

_TITLE = re.compile(r"\s*SDET\s+(?P<scripts>\d{1,6})(?:\s+scripts?)?\s*(?:\(see disclaimer\)?)?\s*$", re.IGNORECASE)
_HEADER = re.compile(r"\s*Throughput\s+Std\.?\s*Dev(?:iation)?\.?\s*$", re.IGNORECASE)
_ROW = re.compile(rf"\s*(?P<kernel>\S+)\s+(?P<throughput>{PLAIN})(?P<percent>%?)(?:\s+(?P<deviation>{PLAIN})%)?\s*$")
_BARE = re.compile(r"\s+(?P<kernel>\S+)\s*$")
_ENDED = re.compile(
    r"\s*\(?(?P<who>\S+) (?:hung|hangs|crashed|crashes|oopsed|oopses|paniced|panicked|died|dies|failed|fails|locked up)"
    r" (?P<from>above|beyond|past|over|after|at|on|with) (?P<load>\d{1,6})\b",
    re.IGNORECASE,
)
_ABOVE = ("above", "beyond", "past", "over", "after")
_BEHIND = 8
"""Lines below a table in which words are about it."""


@dataclass
class _Table:
    """`rows` are those that were printed; `bare` are kernels without numbers."""

    title: Line
    scripts: str
    rows: list[tuple[Line, re.Match[str]]] = field(default_factory=list)
    bare: list[tuple[Line, str]] = field(default_factory=list)

    @property
    def last(self) -> int:
        return max([self.title.number, *(line.number for line, _ in self.rows), *(line.number for line, _ in self.bare)])

    @property
    def kernels(self) -> list[str]:
        return [match["kernel"] for _, match in self.rows]


def read(text: Text) -> Iterator[Block]:
    """A block for each table. A kernel of the tables before and behind it that has no row is missing in it."""
    lines = text.lines
    tables = [_table(lines, place) for place, line in enumerate(lines) if _TITLE.match(line.text) and _headed(lines, place)]
    apart = Apart()
    place_of = {line.number: place for place, line in enumerate(lines)}
    for which, table in enumerate(tables):
        behind = place_of[table.last] + 1
        yield _block(table, _expected(tables, which), lines[behind : behind + _BEHIND], apart)


def _headed(lines: Sequence[Line], place: int) -> bool:
    """Whether the table's head follows: what is a title in the text of a mail is none otherwise."""
    return any(_HEADER.match(line.text) for line in lines[place + 1 : place + 3])


def _table(lines: Sequence[Line], place: int) -> _Table:
    match = _TITLE.match(lines[place].text)
    found = _Table(lines[place], match["scripts"] if match else "")
    head = next(behind for behind in (place + 1, place + 2) if _HEADER.match(lines[behind].text))
    for at in range(head + 1, len(lines)):  # no slice: each table would copy the rest of the text
        line = lines[at]
        if row := _ROW.match(line.text):
            found.rows.append((line, row))
        elif (bare := _BARE.match(line.text)) and any(map(str.isdigit, bare["kernel"])):
            found.bare.append((line, bare["kernel"]))
        else:
            break
    return found


def _expected(tables: Sequence[_Table], which: int) -> list[str]:
    """Kernels that the tables on both sides have, or that of an empty one has: they are of one series."""
    own, around = tables[which].kernels, [*tables[max(0, which - 1) : which], *tables[which + 1 : which + 2]]
    related = [one.kernels for one in around if one.kernels and (not own or one.kernels[0] == own[0])]
    if not related:
        return []
    return [kernel for kernel in related[0] if all(kernel in other for other in related[1:])]


def _block(table: _Table, expected: Sequence[str], behind: Sequence[Line], apart: Apart) -> Block:
    kernels = table.kernels
    base = Entry(
        program="sdet",
        benchmark=ours.sdet(table.scripts),
        metric=SCRIPTS_PER_HOUR.name,
        better=Better.LARGER,
        parameters={"scripts": table.scripts},
    )
    entries = [_entry(base, kernels[0], line, match, apart) for line, match in table.rows]
    ended = _ended([*kernels, *expected], behind)
    bare = {kernel: line.number for line, kernel in table.bare if kernel not in kernels}
    missing = {**{kernel: table.title.number for kernel in expected if kernel not in kernels}, **bare}
    entries += [_missing(base, kernel, ended) for kernel in missing]
    entries += [_above(base, ended)] if ended is not None and ended.above else []
    said = [Remark(number, f"{kernel} has no result with {table.scripts} scripts") for kernel, number in missing.items()]
    if ended is not None:
        said.append(Remark(ended.line.number, f"no result of {ended.kernel} {ended.says}: that failed, and did not pass"))
    return Block(
        format=NAME,
        title=table.title.text.strip(),
        first=table.title.number,
        last=table.last,
        entries=tuple(entries),
        remarks=(*said, *_off_base(table), *apart.taken()),
    )


@dataclass(frozen=True)
class _Ended:
    """Words that a kernel did not get through. `above` says that the load that is named still had a result."""

    line: Line
    kernel: str
    load: str
    above: bool

    @property
    def reason(self) -> str:
        return self.line.text.strip().rstrip(".").strip("()")

    @property
    def says(self) -> str:
        return f"{'above' if self.above else 'at'} {self.load} scripts"


def _ended(kernels: Sequence[str], behind: Sequence[Line]) -> _Ended | None:
    """What the lines below the table say, up to the next one. A kernel may be called by the end of its name."""
    for line in behind:
        if _TITLE.match(line.text):
            return None
        if match := _ENDED.match(line.text):
            who = match["who"]
            called = [kernel for kernel in kernels if kernel == who or kernel.endswith(f"-{who}")]
            return _Ended(line, called[0] if called else who, match["load"], match["from"].lower() in _ABOVE)
    return None


def _entry(base: Entry, first: str, line: Line, match: re.Match[str], apart: Apart) -> Entry:
    figures: dict[str, Number] = {}
    try:
        figures["mean"] = number(match["throughput"], line, match.start("throughput"))
        if match["deviation"]:
            figures["cv"] = number(match["deviation"], line, match.start("deviation"))
    except ValueError:
        figures = {}
    percent = bool(match["percent"])
    said = tuple(one.text for one in figures.values())
    return msgspec.structs.replace(
        base,
        variant=apart.name(match["kernel"], base.benchmark, said, line.number),
        unit="%" if percent else SCRIPTS_PER_HOUR.unit,
        printed_unit="%" if percent else "",
        relative=f"% of {first}" if percent else "",
        figures=figures,
    )


def _missing(base: Entry, kernel: str, ended: _Ended | None) -> Entry:
    """What has no result: that it was tried is known where words say how it ended."""
    if ended is None or ended.kernel != kernel:
        return msgspec.structs.replace(base, variant=kernel, reason="not printed")
    return msgspec.structs.replace(base, variant=kernel, state=CellState.FAILED, reason=ended.reason)


def _above(base: Entry, ended: _Ended) -> Entry:
    """Of all higher loads at once: which of them were tried is not said."""
    return msgspec.structs.replace(
        base,
        variant=ended.kernel,
        benchmark=f"sdet above {ended.load}",
        parameters={"scripts": f">{ended.load}"},
        state=CellState.FAILED,
        reason=ended.reason,
    )


def _off_base(table: _Table) -> Iterator[Remark]:
    """A first kernel that has not 100 % is not what the others are a percentage of."""
    if table.rows and table.rows[0][1]["percent"] and float(table.rows[0][1]["throughput"].replace(",", "")) != 100.0:
        yield Remark(table.rows[0][0].number, "the first kernel has not 100 %: of what the percentages are is not in the table")


READER = Reader(
    NAME,
    ("SDET", "Sdet", "sdet"),
    read,
    "a line `SDET n (see disclaimer)`, below it a line `Throughput Std. Dev`, then lines of a kernel's name and two percentages",
)
