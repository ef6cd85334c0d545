"""Means of `perf stat` over several tests, as a list for each kernel: a value, blanks, and the event's name.

    unpatched:
    Average of 10 test results
    582.4674048	task-clock(msec)
    19910.8		context-switches
    <not supported>	stalled-cycles-frontend

The line above a list names the kernel. A sentence that one event is reduced or increased by so many times is checked by the lists
of two kernels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kdelta.archive.labels import Apart, label
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.perf_events import KNOWN, PROGRAM, Row, Session, block, plain, unit_of
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Claim, Number

NAME = "perf stat means"

_TITLE = re.compile(r"\s*Averages? of (?P<runs>\d{1,6}) (?:test )?(?:results|runs|tests)\s*:?\s*$", re.IGNORECASE)
_ROW = re.compile(
    rf"\s*(?P<value><not (?:supported|counted)>|{PLAIN})\s+(?P<event>[A-Za-z_][\w:/=.-]*)\s*(?:\((?P<unit>[A-Za-z]{{1,8}})\))?\s*$"
)
_TIMES = re.compile(
    r"[^\n]{0,200}?\b(?P<event>[A-Za-z][\w-]{0,60}) (?:is|are|was|were|has been) (?P<how>reduced|decreased|increased) "
    r"by (?:about |around |almost |over )?(?P<times>\d{1,6}(?:\.\d{1,6})?) (?:times|x)\b"
)


def read(text: Text) -> Iterator[Block]:
    """One block of all lists: they are of one test, under several kernels."""
    found, apart = list[Block](), Apart()
    lines = text.lines
    for place, line in enumerate(lines):
        match = _TITLE.match(line.text)
        rows = list(_rows(lines, place + 1)) if match else []
        if match and any(plain(row.event) in KNOWN for row in rows):
            name, remarks = apart.name(label(lines, place), PROGRAM, line.number)
            found.append(block(Session(NAME, PROGRAM, int(match["runs"]), name, remarks), rows))
    if found:
        yield Block(
            format=NAME,
            title=PROGRAM,
            first=found[0].first,
            last=found[-1].last,
            entries=tuple(entry for one in found for entry in one.entries),
            claims=tuple(_claims(lines, found)),
            remarks=tuple(remark for one in found for remark in one.remarks),
        )


def _rows(lines: Sequence[Line], at: int) -> Iterator[Row]:
    while at < len(lines) and (match := _ROW.match(lines[at].text)):
        unit, factor, printed = unit_of(match["event"], match["unit"] or "")
        missing = match["value"].startswith("<")
        try:
            value = None if missing else number(match["value"], lines[at], match.start("value"), factor)
        except ValueError:
            return
        yield Row(lines[at].number, match["event"], value, unit, printed, match["value"] if missing else "")
        at += 1


def _claims(lines: Sequence[Line], found: Sequence[Block]) -> Iterator[Claim]:
    """Of the sentences, where there are two lists to check them by."""
    if len(found) != 2:
        return
    before, after = (_means(one) for one in found)
    for line in lines:
        match = _TIMES.match(line.text) if "times" in line.text or " x" in line.text else None
        if match and match["event"] in before and match["event"] in after:
            old, new = before[match["event"]], after[match["event"]]
            yield Claim(
                kind="quotient",
                what=f"{match['event']}, {match['how']} by so many times",
                printed=number(match["times"], line, match.start("times")),
                of=(new, old) if match["how"] == "increased" else (old, new),
            )


def _means(one: Block) -> dict[str, Number]:
    return {entry.metric: entry.figures["mean"] for entry in one.entries if "mean" in entry.figures}


READER = Reader(
    NAME,
    ("verage of", "verages of"),
    read,
    "a line `Average of N test results`, and below it lines of a value and the name of an event of perf",
)
