"""`perf stat -x` and `-j`: an event a line, for programs; also in intervals (-I), for each CPU, and from several runs (-r).

    0.327422,,task-clock,327422,100.00
    <not supported>,,cycles,0,100.00,,
    538077//instructions/311478/100,00/0/insn per cycle
    1.012763890 3969592418  cpu-cycles 2683629138 16.60 0.246 GHz
    {"counter-value" : "986.000000", "unit" : "", "event" : "cycles", "event-runtime" : 905, "pcnt-running" : 100.00}

The fields: stamp of the interval, place, value, unit, event, group, spread, nanoseconds in which it was counted, percent of the
time, a figure that follows, its words (tools/perf/util/stat-display.c). Any character may part them, also the locale's decimal
comma: then the order and the form of the fields tell which is which, since the percent has always two decimals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from kdelta.archive.labels import Apart
from kdelta.archive.numbers import exact, number
from kdelta.archive.perf_events import KNOWN, PROGRAM, Row, Session, block, plain, unit_of
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Number, Remark

NAME = "perf stat -x"

_FIELD = r"(?P=by)"
_ROW = re.compile(
    r"\s*(?:summary[,;|/:\t ]\s*)?(?:(?P<time>\d{1,9}\.\d{9})[,;|/:\t ]\s*)?"
    r"(?:(?P<where>CPU\d+|[SN]\d+(?:-[DC]\d+){0,2})\s*[,;|/:\t ]\s*(?:\d{1,5}\s*[,;|/:\t ]\s*(?=[\d<]))?)?"
    r"(?P<value><not (?:supported|counted)>|\d{1,20}(?:[.,]\d{1,9})?)(?P<by>[,;|/:\t ])"
    rf"(?P<unit>[A-Za-z%]{{0,12}}){_FIELD}(?P<event>[A-Za-z_][^\s;|]{{0,200}}?)"
    rf"(?:{_FIELD}(?P<error>\d{{1,6}}[.,]\d\d)%)?{_FIELD}(?P<ran>\d{{1,20}}){_FIELD}(?P<share>\d{{1,3}}[.,]\d\d)"
    rf"(?:{_FIELD}(?P<figure>\d{{1,20}}(?:[.,]\d{{1,9}})?)?{_FIELD}(?P<words>[^\d]\S*(?: \S+){{0,6}})?)?{_FIELD}*\s*$"
)
_OLD = re.compile(
    r"\s*(?P<value><not (?:supported|counted)>|\d{1,20}(?:\.\d{1,9})?)(?P<by>[,;|])(?:(?P=by))?(?P<event>[A-Za-z][\w:-]+)\s*$"
)
"""Of perf 3.x: nothing but value and event, of which the name must be perf's."""
_COMMAND = re.compile(r"[^\n]{0,200}\bperf stat\b[^\n]{0,1000}? -- (?P<what>[^\n]{1,500})$")
_TRAILING = re.compile(r",\s*}")
_STARTS = frozenset("0123456789<CSNs")
_BEFORE = 3
_MOST_LINE = 4000


class _Event(msgspec.Struct, rename="kebab"):
    """A line of -j. `counter_value` is text, or a number from releases to come."""

    event: str
    counter_value: str | float
    unit: str = ""
    interval: float | None = None
    pcnt_running: float | None = None
    variance: float | None = None
    metric_value: str | float | None = None
    metric_unit: str | None = None
    cpu: str = ""
    core: str = ""
    socket: str = ""
    node: str = ""
    thread: str = ""
    cgroup: str = ""


@dataclass
class _Run:
    """The rows of one `perf stat`, as far as they are read: `by` is what parts the fields; `commas` say where that is in doubt."""

    title: str
    by: str
    rows: list[Row] = field(default_factory=list)
    seen: set[tuple[str, ...]] = field(default_factory=set)
    commas: list[Remark] = field(default_factory=list)

    def takes(self, row: Row, by: str) -> bool:
        """Whether it can be of this run: one that counts an event again, in no other interval, is of another."""
        return by == self.by and (row.event, *row.place) not in self.seen

    def add(self, row: Row, doubt: Sequence[Remark]) -> None:
        self.rows.append(row)
        self.seen.add((row.event, *row.place))
        self.commas += doubt


def read(text: Text) -> Iterator[Block]:
    """A block for each run: rows one below the other, comments and empty lines between them."""
    apart = Apart()
    for run in _runs(text.lines):
        name, remarks = apart.name("", run.title, run.rows[0].line)
        runs = None if any(row.error for row in run.rows) else 1
        yield block(Session(NAME, run.title, runs, name, remarks), run.rows, (), run.commas)


def _runs(lines: Sequence[Line]) -> Iterator[_Run]:
    run, before = _Run(PROGRAM, ""), list[Line]()
    for line in lines:
        match, row = _found(line)
        if row is None:
            if line.text.strip() and not line.text.startswith("#"):
                before = [*before[-_BEFORE:], line]
                if run.rows:
                    yield run
                    run = _Run(PROGRAM, "")
            continue
        by = match["by"] if match else "{"
        if not run.takes(row, by):
            if run.rows:
                yield run
            run = _Run(_command(before), by)
        run.add(row, _doubt(line, match))
    if run.rows:
        yield run


def _doubt(line: Line, match: re.Match[str] | None) -> Sequence[Remark]:
    """Where the decimal comma is that which parts the fields, too."""
    if match is None or match["by"] != "," or match.re is not _ROW or "," not in match["share"]:
        return ()
    return (Remark(line.number, "a comma parts both fields and decimals: read by the order of perf's fields"),)


def _command(before: Sequence[Line]) -> str:
    """What was measured, of a command line with ` -- ` in the lines above."""
    found = (match["what"].strip() for line in reversed(before) if (match := _COMMAND.match(line.text[:_MOST_LINE])))
    return next(found, PROGRAM)


def _found(line: Line) -> tuple[re.Match[str] | None, Row | None]:
    text = line.text[:_MOST_LINE]
    if "counter-value" in text:
        return None, _of_json(line)
    if text.lstrip()[:1] not in _STARTS:
        return None, None
    match = _ROW.match(text)
    if match:
        return match, _of_fields(line, match)
    match = _OLD.match(text)
    return (match, _of_old(line, match)) if match and plain(match["event"]) in KNOWN else (None, None)


def _of_fields(line: Line, match: re.Match[str]) -> Row:
    event, group = _split(match["event"], match["by"])
    unit, factor, printed = unit_of(event, match["unit"], match["value"])
    value = _number(line, match, "value", factor)
    figure = _number(line, match, "figure") if match["figure"] and match["words"] and value else None
    return Row(
        line.number,
        event,
        value,
        unit,
        printed,
        said="" if value else match["value"],
        error=_number(line, match, "error", abs(value.value) / 100.0) if value and match["error"] else None,
        running=_number(line, match, "share") if value else None,
        derived=((figure, match["words"].strip()),) if figure else (),
        where={name: said for name, said in (("cpu", match["where"]), ("group", group)) if said},
        time=match["time"] or "",
    )


def _split(event: str, by: str) -> tuple[str, str]:
    """The event, and the group behind it. What stands between the slashes of pmu/a=1,b=2/ is of the event."""
    if by == "/" or by not in event:
        return event, ""
    end = event.rfind("/") + 1
    name, _, group = event[end:].partition(by)
    return event[:end] + name, group


def _number(line: Line, match: re.Match[str], name: str, factor: float = 1.0) -> Number | None:
    if match[name].startswith("<"):
        return None
    return number(match[name], line, match.start(name), factor, comma=True)


def _of_old(line: Line, match: re.Match[str]) -> Row:
    unit, factor, printed = unit_of(match["event"], "")
    value = _number(line, match, "value", factor)
    return Row(line.number, match["event"], value, unit, printed, "" if value else match["value"])


def _of_json(line: Line) -> Row | None:
    """None for what is no event of -j, or was cut."""
    raw = line.text.strip()
    try:
        one = msgspec.json.decode(_TRAILING.sub("}", raw) if raw.endswith("}") and ", }" in raw[-8:] else raw, type=_Event)
    except (msgspec.MsgspecError, RecursionError):
        return None
    unit, factor, printed = unit_of(one.event, one.unit, str(one.counter_value))
    at = line.text.find("counter-value")
    try:
        value = None if str(one.counter_value).startswith("<") else _json_number(line, one.counter_value, at, factor)
        figure = None if one.metric_value is None else _json_number(line, one.metric_value, line.text.find("metric-value"))
        share = None if one.pcnt_running is None or value is None else exact(one.pcnt_running, line.number)
        spread = exact(one.variance, line.number, 0, value.value / 100.0) if one.variance and value else None
    except ValueError:
        return None
    places = {"cpu": one.cpu or one.core or one.socket or one.node, "thread": one.thread, "group": one.cgroup}
    return Row(
        line.number,
        one.event,
        value,
        unit,
        printed,
        said="" if value else str(one.counter_value),
        error=spread,
        running=share,
        derived=((figure, one.metric_unit),) if figure and value and one.metric_unit not in (None, "", "(null)") else (),
        where={name: said for name, said in places.items() if said},
        time="" if one.interval is None else f"{one.interval:.9f}",
    )


def _json_number(line: Line, said: str | float, after: int, factor: float = 1.0) -> Number:
    """As text, where it stands behind its key."""
    text = str(said)
    found = line.text.find(text, after)
    return number(text, line, max(found, 0), factor)


READER = Reader(
    NAME,
    ("counter-value", "-clock", "cycles", "instructions", "-misses", "faults", "branches", "-switches", "-loads"),
    read,
    "lines of `perf stat -x`: value, unit, event, time and percent of the time, parted by one character; or lines of `-j`",
)
