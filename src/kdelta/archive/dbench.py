"""dbench's summary, of versions 2 to 4, and tbench's, which is the same.

    dbench version 4.00 - Copyright the author 1999-2004
     128     18384  14924.44 MB/sec  warmup   1 sec  latency 45.920 ms
     128  14082566  13563.95 MB/sec  execute 599 sec  latency 11.331 ms
     Operation                Count    AvgLat    MaxLat
     --------------------------------------------------
     NTCreateX              259219016     0.014    13.511
    Throughput 13563.9 MB/sec  128 clients  128 procs  max_latency=53.132 ms

The lines of each second are of all time until then, and of the warm-up first: only the last line is the result. Its MB is 10^6
bytes, latencies are in milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.numbers import PLAIN
from kdelta.archive.reader import Reader
from kdelta.archive.runs import Above, Printed, figure, grouped, once, repeated, variants
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Entry, Number, Remark

NAME = "dbench"

MEGA = 1e6
REACH = 4
"""Lines below a command in which its program says its version."""
NAMED = "dbench", "tbench"

_FINAL = re.compile(
    rf"\s*Throughput (?P<value>{PLAIN}) MB/sec(?P<synced>(?: \(sync (?:open|dirs)\))*)(?: \(NB=[^)\n]{{1,60}}\))?"
    rf"(?: {{1,4}}(?P<clients>\d{{1,9}}) clients)?(?: {{1,4}}(?P<procs>\d{{1,9}}) procs)?"
    rf"(?: {{1,4}}max_latency=(?P<latency>{PLAIN}) ms)?\s*$"
)
_SECOND = re.compile(
    rf"\s*(?P<clients>\d{{1,9}}) {{1,20}}\d{{1,18}} {{1,20}}{PLAIN} MB/sec "
    r" {0,4}(?P<phase>warmup|execute|cleanup) {1,9}\d{1,9} sec\b"
)
_CLEANUP = re.compile(r"\s*\d{1,9} {1,4}cleanup {1,9}\d{1,9} sec\b")
_TABLE = re.compile(r"\s*Operation +Count +AvgLat +MaxLat\s*$")
_OPERATION = re.compile(
    r"\s*(?P<name>[A-Za-z][A-Za-z_]{1,40}) {0,40}(?P<count>\d{1,18}) {1,20}"
    r"(?P<mean>\d{1,12}\.\d{3}) {0,20}(?P<max>\d{1,12}\.\d{3})\s*$"
)
_VERSION = re.compile(r"\s*(?P<program>[dt]bench) version (?P<version>\d+\.\d+)")
_CALLED = re.compile(r"(?:^|[\s/])(?P<program>[dt]bench) (?:[^\n]{0,120} )?(?P<clients>\d{1,9})(?: |$)")
_LAUNCH = re.compile(r"\s*(?P<launched>\d{1,9}) of (?P<clients>\d{1,9}) (?:processes|clients) prepared for launch")
_LENGTH = re.compile(
    r"\s*Running for (?P<seconds>\d{1,9}) seconds with load '(?P<load>[^'\n]{0,200})'"
    r"(?: and (?:minimum )?warmup (?P<warmup>\d{1,9}) secs)?"
)


@dataclass
class Run:
    """One run, from its first line to `Throughput`. `seconds` counts the lines of each phase."""

    line: Line
    words: str
    program: str
    clients: str = ""
    version: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, int] = field(default_factory=dict)
    operations: dict[str, tuple[Number, Number, Number]] = field(default_factory=dict)
    throughput: Number | None = None
    latency: Number | None = None

    @property
    def benchmark(self) -> str:
        return "-".join(filter(None, (self.program, self.clients, self.parameters.get("sync", ""))))


def read(text: Text) -> Iterator[Block]:
    """One block for all runs of a text."""
    named = [name for name in NAMED if text.holds(name)]
    every = list(_Parser(named).runs(text.lines))
    kept, remarks = once([Printed(run.line, run.words, run.benchmark, _texts(run)) for run in every])
    if every:
        yield _block([every[place] for place in kept], remarks)


def _texts(run: Run) -> tuple[str, ...]:
    last = [one.text for one in (run.throughput, run.latency) if one is not None]
    return (*last, *(one.text for row in run.operations.values() for one in row))


class _Parser:
    """Where the reader is: the run that has not printed its last line, and whether its table is open."""

    def __init__(self, named: Sequence[str]) -> None:
        self.above = Above()
        self.named = bool(named)
        self.program = named[0] if named else NAMED[0]
        self.clients = ""
        self.called, self.called_at = "", 0
        self.run: Run | None = None
        self.table = False

    def runs(self, lines: Iterable[Line]) -> Iterator[Run]:
        for line in lines:
            if len(line.text) <= 400:
                yield from self._line(line)
        yield from self._ended()

    def _line(self, line: Line) -> Iterator[Run]:
        if final := _FINAL.match(line.text):
            yield from self._final(line, final)
        elif (second := _SECOND.match(line.text)) or _CLEANUP.match(line.text):
            run = self._open(line)
            if second:
                run.clients = run.clients or second["clients"]
                run.seconds[second["phase"]] = run.seconds.get(second["phase"], 0) + 1
        elif _TABLE.match(line.text):
            self._open(line)
            self.table = True
        elif self.run is not None and self.table and (match := _OPERATION.match(line.text)):
            self._operation(line, self.run, match)
        elif not (yield from self._begun(line)) and self.run is None and not _OPERATION.match(line.text):
            self.above.see(line)

    def _begun(self, line: Line) -> Generator[Run, None, bool]:
        """Whether the line says what is about to run."""
        if match := _VERSION.match(line.text):
            yield from self._ended()
            called = self.called if line.number - self.called_at <= REACH else ""
            self.program = called or match["program"]  # tbench 4 says that it is dbench
            self._open(line).version = match["version"]
        elif match := _LAUNCH.match(line.text):
            self._open(line).clients = match["clients"]
        elif match := _LENGTH.match(line.text):
            found = {name: value for name, value in match.groupdict().items() if value}
            self._open(line).parameters |= found
        elif any(name in line.text for name in NAMED) and (match := _CALLED.search(line.text)):
            yield from self._ended()
            self.program, self.clients = match["program"], match["clients"]
            self.called, self.called_at = self.program, line.number
        else:
            return False
        return True

    def _open(self, line: Line) -> Run:
        if self.run is None:
            self.run = Run(line, self.above.take(), self.program, self.clients)
        return self.run

    def _operation(self, line: Line, run: Run, match: re.Match[str]) -> None:
        count, mean, most = figure(match, "count", line), figure(match, "mean", line, 1e-3), figure(match, "max", line, 1e-3)
        if count is not None and mean is not None and most is not None:
            run.operations.setdefault(match["name"], (count, mean, most))

    def _final(self, line: Line, final: re.Match[str]) -> Iterator[Run]:
        if not self.named and not final["procs"]:
            return  # of another program: dbench ends with how many processes ran, or is named
        run = self._open(line)
        run.throughput, run.latency = figure(final, "value", line, MEGA), figure(final, "latency", line, 1e-3)
        run.clients = final["clients"] or run.clients or final["procs"] or ""
        if final["synced"]:
            run.parameters = run.parameters | {"sync": "-".join(re.findall(r"open|dirs", final["synced"]))}
        yield from self._ended()

    def _ended(self) -> Iterator[Run]:
        self.table = False
        if self.run is not None:
            run, self.run = self.run, None
            yield run


def _block(runs: Sequence[Run], doubled: Sequence[Remark]) -> Block:
    named = variants([(run.words, run.benchmark) for run in runs])
    groups = grouped(runs, named, [run.benchmark for run in runs])
    entries = tuple(one for (variant, name), of in groups.items() for one in _entries(variant, name, of))
    numbers = [one.line for entry in entries for one in (*entry.samples, *entry.figures.values())]
    return Block(
        format=NAME,
        title=runs[0].words if not any(named) else "",
        first=runs[0].line.number,
        last=max([runs[-1].line.number, *numbers]),
        entries=entries,
        remarks=(*doubled, *_remarks(runs, named)),
    )


def _entries(variant: str, name: str, runs: Sequence[Run]) -> Iterator[Entry]:
    """Throughput first. Latencies of an operation are a summary of one run; of several runs each figure is a metric."""
    rates = tuple(run.throughput for run in runs if run.throughput is not None)
    state, reason = (
        (CellState.OK, "") if rates else (CellState.FAILED, "it printed no throughput: it failed, or the text ends here")
    )
    yield _entry(variant, name, runs, "throughput", ("B/s", "MB/sec", Better.LARGER), samples=rates, state=state, reason=reason)
    latency = ("s", "ms", Better.SMALLER)
    if most := tuple(run.latency for run in runs if run.latency is not None):
        yield _entry(variant, name, runs, "max_latency", latency, samples=most)
    for operation in dict.fromkeys(one for run in runs for one in run.operations):
        rows = [run.operations[operation] for run in runs if operation in run.operations]
        metric = f"{operation.lower()}_latency"
        if len(runs) == 1:
            count, mean, longest = rows[0]
            yield _entry(variant, name, runs, metric, latency, figures={"mean": mean, "max": longest}, count=int(count.value))
        else:
            yield _entry(variant, name, runs, f"{metric}_mean", latency, samples=tuple(row[1] for row in rows))
            yield _entry(variant, name, runs, f"{metric}_max", latency, samples=tuple(row[2] for row in rows))


def _entry(
    variant: str,
    name: str,
    runs: Sequence[Run],
    metric: str,
    units: tuple[str, str, Better],
    *,
    samples: tuple[Number, ...] = (),
    figures: dict[str, Number] | None = None,
    count: int | None = None,
    state: CellState = CellState.OK,
    reason: str = "",
) -> Entry:
    unit, printed_unit, better = units
    return Entry(
        variant=variant,
        program=runs[0].program,
        benchmark=name,
        metric=metric,
        unit=unit,
        printed_unit=printed_unit,
        better=better,
        parameters={**runs[0].parameters, **({"clients": runs[0].clients} if runs[0].clients else {})},
        samples=samples,
        figures=figures or {},
        count=count,
        state=state,
        reason=reason,
    )


def _remarks(runs: Sequence[Run], named: Sequence[str]) -> Iterator[Remark]:
    yield from repeated((run.line.number, name) for run, name in zip(runs, named, strict=True))
    for run in runs:
        if run.seconds:
            phases = ", ".join(f"{count} of {phase}" for phase, count in run.seconds.items())
            yield Remark(run.line.number, f"lines of single seconds ({phases}) are of all time until then, and not counted")
        if run.throughput is None:
            yield Remark(run.line.number, f"a run of {run.benchmark} printed no throughput: it failed, or the text ends here")


READER = Reader(
    NAME,
    (*NAMED, " procs"),
    read,
    "a line `Throughput 13563.9 MB/sec  128 clients  128 procs  max_latency=53.132 ms`, and above it the table of operations",
)
