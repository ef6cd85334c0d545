"""What the OSDL's Scalable Test Platform says of a run of reaim, as it was mailed (LKML, 2004 to 2006): two rates for each kernel.

    kernel: pagevec-4
    plmid: 3304
    Host: stp1-002
    Reaim test
    Peak load Test: Maximum Jobs per Minute 992.40 (average of 3 runs)
    Quick Convergence Test: Maximum Jobs per Minute 987.72 (average of 3 runs)

A line of the patch's number, `kernel: 3304`, names no kernel. A line `reaim -w compute` above says which jobs they are of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kdelta.archive.apart import Apart
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Entry, Number

NAME = "STP reaim"

_RATE = re.compile(
    rf"\s*(?P<test>Peak load|Quick Convergence) Test: Maximum Jobs per Minute (?P<rate>{PLAIN})"
    r"(?: \(average of (?P<runs>\d{1,6}) runs?\))?\s*$"
)
_KERNEL = re.compile(r"\s*kernel: (?P<name>\S{1,80})\s*$", re.IGNORECASE)
_HOST = re.compile(r"\s*host: (?P<name>\S{1,80})\s*$", re.IGNORECASE)
_JOBS = re.compile(r"\s*re-?aim (?:-w )?(?P<jobs>[a-z_]{1,30})\b(?! test)", re.IGNORECASE)
_TESTS = {"Peak load": "peak", "Quick Convergence": "quick"}


def read(text: Text) -> Iterator[Block]:
    """One block for all rates of a text."""
    apart, entries = Apart(), list[Entry]()
    kernel, host, jobs, lines = "", "", "", list[int]()
    for line in text.lines:
        if match := _RATE.match(line.text):
            found = _rate(line, match)
            if found is not None:
                entries.append(_entry(kernel, host, jobs, found, match, apart))
                lines.append(line.number)
        elif match := _KERNEL.match(line.text):
            if not match["name"].isdigit():
                kernel, host = match["name"], ""
        elif match := _HOST.match(line.text):
            host = match["name"]
        elif (match := _JOBS.match(line.text)) and match["jobs"].lower() != "test":
            jobs, kernel, host = match["jobs"].lower(), "", ""
    if entries:
        yield Block(format=NAME, first=lines[0], last=lines[-1], entries=tuple(entries), remarks=apart.taken())


def _rate(line: Line, match: re.Match[str]) -> Number | None:
    try:
        return number(match["rate"], line, match.start("rate"))
    except ValueError:
        return None


def _entry(kernel: str, host: str, jobs: str, rate: Number, match: re.Match[str], apart: Apart) -> Entry:
    """Hosts are of a pool, and so are no boxes to tell results apart by: one is a parameter."""
    name = "-".join(filter(None, ("reaim", jobs, _TESTS[match["test"]])))
    runs = match["runs"]
    return Entry(
        variant=apart.name(kernel, name, (rate.text,), rate.line),
        program="reaim",
        benchmark=name,
        metric="throughput",
        unit="jobs/min",
        printed_unit="jobs/min",
        better=Better.LARGER,
        parameters={key: said for key, said in (("jobs", jobs), ("host", host)) if said},
        figures={"mean" if runs else "value": rate},
        count=int(runs) if runs else None,
    )


READER = Reader(
    NAME,
    ("Maximum Jobs per Minute",),
    read,
    "lines `Peak load Test: Maximum Jobs per Minute 992.40 (average of 3 runs)`, below a line `kernel: name`",
)
