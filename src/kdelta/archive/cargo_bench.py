"""`cargo bench` with the test library's own benchmarks.

    running 4 tests
    test tests::ignored ... ignored
    test tests::benchmark_a ... bench:       3,296 ns/iter (+/- 521) = 12 MB/s
    test tests::benchmark_b ... FAILED

    test result: FAILED. 0 passed; 1 failed; 1 ignored; 2 measured; 0 filtered out; finished in 6.00s

The value is the median of the samples, whose number is not printed, and behind +/- is what lies between the smallest and the
largest (library/test/src/bench.rs). One that failed does not make the others void. Tests without a benchmark are none of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Entry, Remark

NAME = "cargo bench"

_TEST = re.compile(r"\s*test (?P<name>\S[^\n]{0,400}?)(?: - bench)? \.\.\. (?P<what>bench:|FAILED|ignored)(?P<rest>[^\n]*)$")
_N = r"\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,9})?|\d{1,18}(?:\.\d{1,9})?"
_TIME = re.compile(
    rf"\s+(?P<value>{_N}) (?P<unit>ns|us|ms|s)/iter(?: \(\+/- (?P<error>{_N})\))?"
    rf"(?: = (?P<rate>{_N}) (?P<rate_unit>[KMG]?B/s))?"
)
_RUNNING = re.compile(r"\s*Running (?:unittests )?(?P<file>\S{1,300}) \((?P<binary>[^)\n]{1,300})\)")
_RESULT = re.compile(r"\s*test result: (?P<how>ok|FAILED)\. [^\n]{0,80}?(?P<measured>\d{1,9}) measured")
_STATES = {"FAILED": CellState.FAILED, "ignored": CellState.NOT_HERE}


@dataclass
class _Session:
    """One program of benchmarks."""

    title: str = ""
    first: int = 0
    last: int = 0
    entries: list[Entry] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each program, up to its line of the result."""
    session = _Session()
    for line in text.lines:
        if match := _RUNNING.match(line.text):
            yield from _block(session)
            session = _Session(match["file"])
        elif " ... " in line.text and (match := _TEST.match(line.text)):
            _add(session, line, match)
        elif match := _RESULT.match(line.text):
            if session.entries:
                session.last = line.number
            session.remarks += _end(session, line, match)
            yield from _block(session)
            session = _Session()
    yield from _block(session)


def _add(session: _Session, line: Line, match: re.Match[str]) -> None:
    session.first, session.last = session.first or line.number, line.number
    name, what = match["name"], match["what"]
    time = _TIME.match(match["rest"]) if what == "bench:" else None
    if time is None:
        if what in _STATES:
            session.entries.append(
                Entry(program=NAME, benchmark=name, metric="time", better=Better.SMALLER, state=_STATES[what], reason=what)
            )
        return
    at = match.start("rest")
    unit, factor = base(time["unit"])
    figures = {"median": number(time["value"], line, at + time.start("value"), factor)}
    if time["error"]:
        figures["error"] = number(time["error"], line, at + time.start("error"), factor)
    session.entries.append(
        Entry(
            program=NAME,
            benchmark=name,
            metric="time",
            unit=unit,
            printed_unit=f"{time['unit']}/iter",
            better=Better.SMALLER,
            figures=figures,
        )
    )
    if time["rate"]:
        unit, factor = base(time["rate_unit"])
        rate = number(time["rate"], line, at + time.start("rate"), factor)
        session.entries.append(
            Entry(
                program=NAME,
                benchmark=name,
                metric="throughput",
                unit=unit,
                printed_unit=time["rate_unit"],
                better=Better.LARGER,
                figures={"value": rate},
            )
        )


def _end(session: _Session, line: Line, match: re.Match[str]) -> Iterator[Remark]:
    """What the program says of itself, against what was read."""
    timed = sum(1 for one in session.entries if "median" in one.figures)
    if timed and int(match["measured"]) != timed:
        yield Remark(
            line.number, f"{match['measured']} measured, it says, and {timed} are in the text: it was cut, or lines were mixed"
        )
    failed = [one.benchmark for one in session.entries if one.state is CellState.FAILED]
    if timed and failed:
        yield Remark(line.number, f"{', '.join(failed[:5])} failed: the other {timed} were measured all the same")


def _block(session: _Session) -> Iterator[Block]:
    if any("median" in one.figures for one in session.entries):
        yield Block(
            format=NAME,
            title=session.title,
            first=session.first,
            last=session.last,
            entries=tuple(session.entries),
            remarks=tuple(session.remarks),
            facts={"error": "what lies between the smallest and the largest sample"},
        )


READER = Reader(
    NAME,
    ("ns/iter", "/iter (+/-"),
    read,
    "lines `test NAME ... bench: N ns/iter (+/- M)`, with those that failed or were ignored",
)
