"""Times of a program run in so many processes (LKML, 2005): a line for each number of them, below the kernel's name.

    [best of 5 runs]

    plain 2.6.12-git4:
      1 proc    0.65u   1.43s 2.09e 99%CPU
     64 proc    0.75u 291.30s 4.92e 5927%CPU

Seconds of user, system and elapsed time; the share of CPU is of one CPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kdelta.archive.apart import Apart
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "times by processes"

_ROW = re.compile(
    rf"\s*(?P<procs>\d{{1,6}}) procs?\s+(?P<user_s>{PLAIN})u\s+(?P<system_s>{PLAIN})s\s+(?P<elapsed_s>{PLAIN})e\s+"
    rf"(?P<percent_cpu>{PLAIN})%\s?CPU\b"
)
_RUNS = re.compile(r"\b(?P<which>best|fastest|min(?:imum)?|average|mean|median) of (?P<runs>\d{1,6})\b", re.IGNORECASE)
_SECTION = re.compile(r"\s*(?P<name>[^\s:][^:]{0,60}):\s*$")
FIGURES = {"best": "min", "fastest": "min", "min": "min", "minimum": "min", "average": "mean", "mean": "mean", "median": "median"}
METRICS = {"elapsed_s": "s", "user_s": "s", "system_s": "s", "percent_cpu": "%"}
"""Metric -> unit, as our own kernbench names them; the first is what the best run is chosen by."""
LONGEST_ROW = 300


@dataclass
class _Log:
    """The lines of one kernel."""

    kernel: str
    first: int
    last: int
    entries: list[Entry] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each kernel."""
    apart, kernel, figure, runs = Apart(), "", "value", None
    log: _Log | None = None
    for line in text.lines:
        if len(line.text) > LONGEST_ROW:
            continue
        if row := _ROW.match(line.text):
            log = log or _Log(kernel, line.number, line.number)
            _add(log, line, row, figure, runs, apart)
            continue
        if log is not None:
            yield _block(log, apart.taken())
            log = None
        if said := _RUNS.search(line.text):
            figure, runs = FIGURES[said["which"].lower()], int(said["runs"])
        if line.text.strip():
            section = _SECTION.match(line.text)
            kernel = section["name"].strip() if section else ""
    if log is not None:
        yield _block(log, apart.taken())


def _add(log: _Log, line: Line, row: re.Match[str], figure: str, runs: int | None, apart: Apart) -> None:
    try:
        found = {metric: number(row[metric], line, row.start(metric)) for metric in METRICS}
    except ValueError:
        return
    log.last = line.number
    benchmark = f"{row['procs']} proc"
    variant = apart.name(log.kernel, benchmark, tuple(one.text for one in found.values()), line.number)
    for metric, one in found.items():
        log.entries.append(
            Entry(
                variant=variant,
                benchmark=benchmark,
                metric=metric,
                unit=METRICS[metric],
                printed_unit=METRICS[metric],
                better=None if metric == "percent_cpu" else Better.SMALLER,
                parameters={"procs": row["procs"]},
                figures={_figure(figure, metric): one},
                count=runs,
            )
        )
    log.claims.append(_cpu(f"CPU of {benchmark}, {variant}", found))


def _figure(figure: str, metric: str) -> str:
    """The best run is that of the least elapsed time: its other values are no minima."""
    return "value" if figure == "min" and metric != "elapsed_s" else figure


def _cpu(what: str, found: dict[str, Number]) -> Claim:
    return Claim(kind="cpu", what=what, printed=found["percent_cpu"], of=(found["user_s"], found["system_s"], found["elapsed_s"]))


def _block(log: _Log, remarks: tuple[Remark, ...]) -> Block:
    return Block(
        format=NAME,
        title=log.kernel,
        first=log.first,
        last=log.last,
        entries=tuple(log.entries),
        claims=tuple(log.claims),
        remarks=remarks,
    )


READER = Reader(
    NAME, ("%CPU", "% CPU"), read, "lines `64 proc 0.75u 291.30s 4.92e 5927%CPU`, below a line of the kernel's name and a colon"
)
