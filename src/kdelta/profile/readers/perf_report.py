"""The reader of what `perf report --stdio` prints, with any columns (-F, -s, -n, --group), also with a separator (-t) or without a
head (-q).

Source: tools/perf/ui/stdio/hist.c and ui/hist.c of Linux 4.1 to 6.12. A function counts by itself: `Overhead`, or `Self` beside
`Children`. Call chains in one line (-g folded) are read; of a graph they are not.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from kdelta.model.errors import MisuseError
from kdelta.model.profile import TICKS, UNKNOWN
from kdelta.profile.chains import leaf
from kdelta.profile.readers import naming
from kdelta.profile.readers.columns import Columns, headed
from kdelta.profile.readers.lines import Lines, Source, unquoted
from kdelta.profile.readers.readout import EVENTS, SHARES, Reading, holding
from kdelta.profile.readers.report_chains import ChainLine, chain_line, is_graph, shared_out
from kdelta.profile.readers.tally import Room, Tally, renamed

FORMAT = "perf report"

MOST_CHAINS_OF_ROW, MOST_CHARACTERS_OF_ROW = 1 << 14, 1 << 24
"""What a text has more under one function counts for the function alone."""
MOST_EVENTS, MOST_NAME = 9, 200
"""Events that are told, and characters of their names."""

WHOLE = 10_000
"""All of a profile, in SHARES."""

_MARK = re.compile(r"\[(?P<level>[k.guH?])\] (?P<symbol>\S.*)$")
_PERCENT = re.compile(r"(\d{1,3}\.\d\d)%?(?:\s|$)")
_PLAIN_MARK = re.compile(r"\[[k.]\] \S")
_SAMPLES = re.compile(r"\s*# Samples: (\d{1,15})([KMGTPE]?)\s+of events? '(.*)'")
_EVENTS = re.compile(r"\s*# Event count \(approx\.\): (\d{1,18})")
_LOST = re.compile(r"\s*# Total Lost Samples: (\d{1,15})")
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}


class Row(NamedTuple):
    """A function, its own share in hundredths of a percent, and its samples and events where there are such columns."""

    name: str
    symbol: str
    share: int
    samples: int | None
    period: int | None


def recognises(lines: Sequence[str]) -> bool:
    """Whether there is a head with a column of shares and no baseline, or a row of a report without a head."""
    found = [columns for _, columns in headed(map(unquoted, lines)) if columns]
    return any(_share_name(one) for one in found) or sum(bool(_plain_cells(line)) for line in lines) > 1


def read(source: Source) -> Reading:
    """The functions of the first event. Counts are samples where the text has them (-n), else events: a percent of their sum."""
    lines, report = Lines(source), _Report()
    for line, columns in headed(map(unquoted, lines.each())):
        report.add(line, columns)
    return report.reading(lines)


def _share_name(columns: Columns) -> str:
    """The column with what a function has by itself."""
    return next((name for name in ("Self", "Overhead") if name in columns.names), "")


def _first_number(text: str) -> int | None:
    """Of a group of events, the first one's."""
    first = text.split(None, 1)[0] if text else ""
    return int(first) if first.isdecimal() and len(first) <= 18 else None


def row(columns: Columns | None, line: str) -> Row | None:
    """The row of a table that `line` is; without `columns`, one that says of each symbol whether it is of the kernel."""
    cells = columns.cells(line) if columns else _plain_cells(line)
    share = _PERCENT.match(cells.get(_share_name(columns) if columns else "Self", ""))
    symbol = next((text for name, text in cells.items() if name.startswith("Symbol")), "")
    mark = _MARK.search(symbol)
    if share is None or mark is None:
        return None
    level, text = mark["level"], re.split(r"\s{2,}", mark["symbol"])[0]
    place = naming.place(cells.get("Shared Object", cells.get("Object", "")), kernel=level in "kH")
    place = " [guest.kernel]" if level == "g" else place
    own = round(100 * float(share[1]))
    return Row(
        naming.function(text, place), text, own, _first_number(cells.get("Samples", "")), _first_number(cells.get("Period", ""))
    )


def _plain_cells(line: str) -> dict[str, str]:
    """Of a row without a head: shares, the last of which is the function's own, maybe more, and the file in front of the symbol."""
    mark = _PLAIN_MARK.search(line)
    if mark is None or not line[0].isspace():
        return {}
    before = re.split(r"\s{2,}", line[: mark.start()].strip())
    shares = list(itertools.takewhile(_PERCENT.fullmatch, before))
    if not shares:
        return {}
    return {"Self": shares[-1], "Symbol": line[mark.start() :], "Shared Object": before[-1] if len(before) > len(shares) else ""}


class _Report:
    """What was met of the first event: `tables` is how many began."""

    def __init__(self) -> None:
        self._columns: Columns | None = None
        self._tables = self._samples = self._all_events = self._lost = 0
        self._share = self._count_of_rows = 0
        self._events: list[str] = []
        self._exact = self._passed = self._chained = False
        self._unit = ""
        self._tally = Tally()
        self._row: Row | None = None
        self._chains: list[ChainLine] = []
        self._room = Room(MOST_CHAINS_OF_ROW, MOST_CHARACTERS_OF_ROW)

    def add(self, line: str, columns: Columns | None) -> None:
        if columns is not None and _share_name(columns):
            self._begin(columns)
        elif line.lstrip().startswith("#"):
            self._comment(line)
        elif self._tables <= 1:
            self._line(line)

    def _begin(self, columns: Columns) -> None:
        self._tables += 1
        if self._tables == 1:
            self._columns = columns
            if not columns.has("Symbol"):
                raise MisuseError(
                    f"this perf report has no functions, but the columns {', '.join(columns.names)}",
                    "perf report --stdio -n --no-children -s dso,symbol has them",
                )

    def _comment(self, line: str) -> None:
        if found := _SAMPLES.match(line):
            self._events.append(naming.tidy(found[3][:MOST_NAME]))
            del self._events[MOST_EVENTS:]
            if len(self._events) == 1:
                self._samples, self._exact = int(found[1]) * _UNITS[found[2]], not found[2]
        elif (found := _EVENTS.match(line)) and len(self._events) <= 1:
            self._all_events = int(found[1])
        elif found := _LOST.match(line):
            self._lost += int(found[1])

    def _line(self, line: str) -> None:
        found = row(self._columns, line)
        if found is not None:
            self._end_row()
            self._row = found
        elif self._row and (chain := chain_line(line)):
            if self._room.take(line):
                self._chains.append(chain)
        else:
            self._passed = self._passed or is_graph(line)

    def _end_row(self) -> None:
        if self._row is not None:
            self._share += self._row.share
            self._count_of_rows += 1
            self._unit = self._unit or self._unit_of(self._row)
            for chain, count in self._counted(self._row):
                self._tally.add(chain, count)
        self._chains, self._room = [], Room(MOST_CHAINS_OF_ROW, MOST_CHARACTERS_OF_ROW)

    def _unit_of(self, first: Row) -> str:
        if first.samples is not None:
            return TICKS
        return EVENTS if first.period is not None or self._all_events else SHARES

    def _count(self, found: Row) -> int:
        if self._unit == TICKS:
            return found.samples or 0
        if self._unit == SHARES:
            return found.share
        return round(self._all_events * found.share / WHOLE) if found.period is None else found.period

    def _counted(self, found: Row) -> list[tuple[str, int]]:
        """The counts of a row's chains. Beside `Children`, chains are those of what the function called, too: they are not read."""
        count = self._count(found)
        children = self._columns is not None and self._columns.has("Children")
        self._passed = self._passed or (children and bool(self._chains))
        if children or not self._chains or not count:
            return [(found.name, count)] if count else []
        self._chained = True
        whole = found.share / 100 if self._chains[0].percent else self._whole(found)
        return list(shared_out(found.name, found.symbol, count, whole, self._chains))

    def _whole(self, found: Row) -> float:
        """What numbers of chains (-g folded,count) are of: the row's samples, or its events where they are larger."""
        most = max(line.value for line in self._chains)
        known = (found.samples, found.period, round(self._all_events * found.share / WHOLE))
        return next((value for value in known if value and value >= most), 0.0)

    def reading(self, lines: Lines) -> Reading:
        self._end_row()
        stacks = self._tally.result()
        hidden = _hidden(stacks)
        totals = {TICKS: self._samples if self._exact else None, EVENTS: self._all_events or None, SHARES: WHOLE}
        return Reading(
            format=FORMAT,
            stacks=renamed(stacks, naming.without_kernel_names) if hidden else stacks,
            unit=self._unit or EVENTS,
            event=self._events[0] if self._events else "",
            total=totals.get(self._unit),
            samples=self._samples,
            doubts=(*self._doubts(hidden), *self._tally.doubts(), *lines.doubts()),
        )

    def _doubts(self, hidden: bool) -> tuple[str, ...]:
        exact = self._unit == TICKS
        events = ", ".join(self._events[1:])
        group = bool(self._events) and "{" in self._events[0]
        rounding = max(WHOLE // 100, self._count_of_rows // 2)
        said = {
            f"only the first of {self._tables} tables is read{', not those of ' + events if events else ''}": self._tables > 1,
            "of a group of events only the first one is read": group,
            f"counts are {self._unit} by percents of two decimals, no samples: `perf report -n` has these": not exact,
            f"the functions listed have {self._share / 100:.2f} % of the profile: the rest is not in the text": self._share
            < WHOLE - rounding,
            "call chains are not read here: `perf script` has them": self._passed,
            "what the call chains lack, as perf report leaves out rare ones, counts for the function alone": self._chained,
            naming.HIDDEN_DOUBT: hidden,
            f"samples lost by perf: {self._lost:,}": self._lost,
        }
        return holding(said)


def _hidden(stacks: dict[str, int]) -> bool:
    """Whether functions of the kernel are there, and none has a name."""
    kernel = {name for chain in stacks if not naming.is_user(name := leaf(chain))}
    return bool(kernel) and all(name.startswith(UNKNOWN) for name in kernel)
