"""Result files of lmbench 2 and 3, and parts of them: what one run printed, with the machine's complaints between.

    [lmbench3.0 results for Linux host1 4.15.0-1014-azure #14~16.04.1-Ubuntu SMP ...]
    [MHZ: 3034 MHz, 0.3296 nanosec clock]
    Select on 10 fd's: 0.4464 microseconds
    "mappings                       a title with a lone quote: sizes in MB, and microseconds
    0.524288 9.645
    "size=0k ovr=0.93               processes, and microseconds for a switch, less the overhead
    2 11.57
    "File system latency            size, files, made and deleted in a second
    0k	18774	171147	234949

All curves of bandwidths are of MB/s; K and M are powers of ten. Each number is the one result of its run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kdelta.archive import lmbench_names as names
from kdelta.archive.lmbench_names import Named, own
from kdelta.archive.lmbench_titles import CURVES, kebab, loaded, mapped, meant, scalar, sized
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Discarded, Entry, Number, Remark

NAME = "lmbench result"

_HEADER = re.compile(r"\[lmbench(?P<version>[\d.]+) results for (?P<system>\S+) (?P<host>\S+) (?P<kernel>\S+)")
_FACT = re.compile(r"\[(?P<key>[A-Z][A-Z_ ]+): ?(?P<value>[^\]]*)\]\s*$")
_NUMBER = r"-?\d{1,15}(?:\.\d{1,9})?"
_SCALAR = re.compile(
    rf"(?P<title>[A-Za-z][\w '/+.-]{{2,80}}): +(?P<value>{_NUMBER}) "
    r"(?P<unit>microseconds|milliseconds|nanoseconds|[KM]B/sec|MFLOPS)\s*$"
)
_CURVE = re.compile(
    r'"(?P<title>[A-Za-z][\w =./-]{2,60}?)\s*$|(?P<plain>(?:Memory [\w/ ]{3,40}|Socket) bandwidth(?: using \S+)?)\s*$'
)
_RING = re.compile(r"size=(?P<kib>\d{1,6})[kK]? ovr=(?P<overhead>-?[\d.]+)")
_STRIDE = re.compile(r"stride=(?P<stride>\d{1,9})")
_PAIR = re.compile(rf"\s*(?P<x>{_NUMBER})\s+(?P<y>{_NUMBER})(?: MB/sec)?\s*$")
_FILES = re.compile(rf"\s*(?P<kib>\d{{1,6}})k\s+(?P<files>{_NUMBER})\s+(?P<created>{_NUMBER})\s+(?P<deleted>{_NUMBER})\s*$")

FACTS = ("MHZ", "PROCESSORS", "MB", "ENOUGH", "SYNC_MAX", "LMBENCH_SCHED", "LMBENCH VERSION", "FILE", "FSDIR", "OS")
"""Keys of a result file that say how it was measured."""
_FILES_PER_SECOND = "files/s"


class _Point(NamedTuple):
    what: Named
    printed: Number
    unit: str
    """As it is printed, or as the curve has it."""


class _Session:
    """One run; `place` counts the runs of the text, from 1."""

    def __init__(self, first: int, header: re.Match[str] | None) -> None:
        self.first = self.last = first
        self.header = header
        self.points = dict[tuple[str, str], list[_Point]]()
        self.facts = dict[str, str]()
        self.remarks = list[Remark]()
        self.latest: tuple[str, str] = ("", "")

    def begins_again(self, point: _Point) -> bool:
        """Whether what is measured was measured before, and other things since: then it is of another run."""
        key = (point.what.benchmark, point.what.metric)
        return self.header is None and key in self.points and key != self.latest

    def add(self, point: _Point, line: int) -> None:
        self.latest = (point.what.benchmark, point.what.metric)
        self.points.setdefault(self.latest, []).append(point)
        self.last = line

    def printed(self) -> tuple[str, ...]:
        """Its numbers: a run that is quoted has the same."""
        return tuple(one.printed.text for points in self.points.values() for one in points)

    def note(self, facts: dict[str, str]) -> None:
        self.facts |= facts


def read(text: Text) -> Iterator[Block]:
    """A block for each run."""
    seen = dict[str, dict[tuple[str, ...], int]]()
    for session in _sessions(text.lines):
        if session.points:
            kernel = session.header["kernel"] if session.header else ""
            runs, printed = seen.setdefault(kernel, {}), session.printed()
            yield _block(session, kernel, runs.setdefault(printed, len(runs) + 1))


def _sessions(lines: Sequence[Line]) -> Iterator[_Session]:
    """A header begins one; without headers, what is measured a second time does."""
    session, place = _Session(lines[0].number if lines else 1, None), 0
    while place < len(lines):
        line = lines[place]
        place += 1
        if header := _HEADER.match(line.text):
            yield session
            session = _Session(line.number, header)
            continue
        if fact := _FACT.match(line.text):
            _note(session, fact, line)
            continue
        points, facts, place = _points(lines, place - 1, session)
        if points and session.begins_again(points[0]):
            yield session
            session = _Session(line.number, None)
        session.note(facts)
        for point in points:
            if not session.points and session.header is None:
                session.first = line.number
            session.add(point, lines[place - 1].number)
    yield session


def _note(session: _Session, fact: re.Match[str], line: Line) -> None:
    key, value = fact["key"], fact["value"].strip()
    if session.header is not None and key in FACTS and value:
        session.facts[key] = value
        if key == "SYNC_MAX" and value != "1":
            session.remarks.append(Remark(line.number, f"{value} copies ran at once"))


def _points(lines: Sequence[Line], place: int, session: _Session) -> tuple[list[_Point], dict[str, str], int]:
    """What the line at `place` measures, or the curve that begins there; and where to go on."""
    line = lines[place]
    if match := _SCALAR.match(line.text):
        return _scalar(line, match, session), {}, place + 1
    if curve := _CURVE.match(line.text):
        return _curve(curve["title"] or curve["plain"], lines, place + 1)
    return [], {}, place + 1


def _scalar(line: Line, match: re.Match[str], session: _Session) -> list[_Point]:
    """Of a title that is not known too, where the run says that it is lmbench's."""
    title, unit = match["title"].strip(), match["unit"]
    what = scalar(title) or (_unknown(title, unit) if session.header else None)
    if what is None:
        return []
    if what == names.PAGE_FAULT and unit == "milliseconds":
        session.remarks.append(
            Remark(line.number, "a page fault in milliseconds: lmbench prints microseconds, and the label may be wrong")
        )
    return [_Point(what, number(match["value"], line, match.start("value"), base(unit)[1]), unit)]


def _unknown(title: str, unit: str) -> Named:
    name = kebab(title)
    return names.bandwidth(name.removesuffix("-bandwidth")) if unit.endswith("/sec") else own(name)


def _curve(title: str, lines: Sequence[Line], first: int) -> tuple[list[_Point], dict[str, str], int]:
    """Its points, until the first line that is none."""
    place, points = first, list[_Point]()
    pattern = _FILES if title == "File system latency" else _PAIR
    ring, stride = _RING.match(title), _STRIDE.match(title)
    while place < len(lines) and (match := pattern.match(lines[place].text)):
        points += _files(lines[place], match) if pattern is _FILES else _pair(title, ring, stride, lines[place], match)
        place += 1
    facts = {f"overhead of a switch at {ring['kib']} KiB": f"{ring['overhead']} us"} if ring and points else {}
    return points, facts, max(place, first)


def _pair(title: str, ring: re.Match[str] | None, stride: re.Match[str] | None, line: Line, match: re.Match[str]) -> list[_Point]:
    if ring:
        if not match["x"].isdigit():
            return []
        return [_Point(names.switch(match["x"], int(ring["kib"])), _y(line, match, "us"), "us")]
    size = meant(number(match["x"], line, match.start("x")))
    if stride:
        return [_Point(loaded(stride["stride"], size), _y(line, match, "ns"), "ns")]
    if title == "mappings":
        return [_Point(mapped(size), _y(line, match, "us"), "us")]
    if title in CURVES:
        return [_Point(sized(CURVES[title], size), _y(line, match, "MB/s"), "MB/s")]
    return []


def _y(line: Line, match: re.Match[str], unit: str) -> Number:
    return number(match["y"], line, match.start("y"), base(unit)[1])


def _files(line: Line, match: re.Match[str]) -> list[_Point]:
    kib = int(match["kib"])
    made, gone = (number(match[name], line, match.start(name)) for name in ("created", "deleted"))
    rate = ("throughput", _FILES_PER_SECOND)
    return [_Point(_rate(names.created(kib), rate[0]), made, rate[1]), _Point(_rate(names.deleted(kib), rate[0]), gone, rate[1])]


def _rate(what: Named, metric: str) -> Named:
    return Named(what.program, what.benchmark, what.parameters, metric)


def _block(session: _Session, kernel: str, times: int) -> Block:
    variant = kernel if times == 1 else f"{kernel} ({times})".strip()
    remarks = list(session.remarks)
    if times > 1:
        remarks.append(
            Remark(session.first, f"the text has another run of {kernel or 'no named kernel'} above: this one is {variant}")
        )
    return Block(
        format=NAME,
        title=session.header.group() + "]" if session.header else "",
        first=session.first,
        last=session.last,
        entries=tuple(_entry(session, variant, points) for points in session.points.values()),
        remarks=tuple(remarks),
        facts=session.facts,
    )


def _entry(session: _Session, variant: str, points: Sequence[_Point]) -> Entry:
    what, printed_unit = points[0].what, points[0].unit
    unit, _ = base(printed_unit)
    judged = [point.printed for point in points if point.printed.value > 0]
    discarded = [Discarded(point.printed, "not positive: more overhead was subtracted than measured") for point in points]
    return Entry(
        variant=variant,
        box=session.header["host"] if session.header else "",
        program=what.program,
        benchmark=what.benchmark,
        metric=what.metric,
        unit=unit,
        printed_unit=printed_unit,
        better=Better.LARGER if unit != "s" else Better.SMALLER,
        parameters=what.parameters,
        samples=tuple(judged) if len(judged) > 1 else (),
        discarded=tuple(one for one in discarded if one.number.value <= 0),
        figures={"value": judged[0]} if len(judged) == 1 else {},
    )


READER = Reader(
    NAME,
    (
        "[lmbench",
        "Pagefaults on",
        "microseconds",
        "nanoseconds",
        '"mappings',
        '"size=',
        '"stride=',
        "bandwidth",
        '"File system latency',
        "bcopy",
    ),
    read,
    "the files below lmbench's results/, or parts of them: lines `Simple syscall: 0.23 microseconds`, and curves under a title "
    'with a lone quote, such as `"mappings`',
)
