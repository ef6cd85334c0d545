"""Martin J. Bligh's table of kernbench (LKML, 2003 and 2004): the load in words, and four figures for each kernel.

    Kernbench: (make -j vmlinux, maximal tasks)
                                  Elapsed      System        User         CPU
                        2.6.7       44.25       88.95      575.63     1501.33

How many runs the figures are means of is not printed. CPU is in percent of one CPU: 100 (user + system) / elapsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number

NAME = "kernbench table"

_TITLE = re.compile(r"\s*Kernbench:? *\((?P<load>[^)]*)\)?\s*$", re.IGNORECASE)
_HEADER = re.compile(r"\s*Elapsed\s+System\s+User\s+CPU\s*$", re.IGNORECASE)
_ROW = re.compile(rf"\s*(?P<kernel>\S+)\s+(?P<elapsed>{PLAIN})\s+(?P<system>{PLAIN})\s+(?P<user>{PLAIN})\s+(?P<cpu>{PLAIN})%?\s*$")
_TIMES = re.compile(r"N\s*=\s*(\d+)\s*x\s*num_cpus")

METRICS = {"elapsed": ("elapsed_s", "s"), "system": ("system_s", "s"), "user": ("user_s", "s"), "cpu": ("percent_cpu", "%")}
"""Column -> metric and unit, as our own kernbench names them."""
NEITHER = "percent_cpu"


def read(text: Text) -> Iterator[Block]:
    """A block for each table; rows until the first line that is none."""
    lines = text.lines
    for place, line in enumerate(lines[1:], 1):
        if _HEADER.match(line.text):
            rows = list(_rows(lines[place + 1 :]))
            if rows:
                yield _block(_title(lines[max(0, place - 2) : place]), line, rows)


def _title(before: Sequence[Line]) -> str:
    """The load, in the words of the title above the header: it may be two lines above. Empty where there is none."""
    found = (match["load"].strip() for line in reversed(before) if (match := _TITLE.match(line.text)))
    return next(found, "")


def _rows(lines: Iterable[Line]) -> Iterator[tuple[Line, re.Match[str]]]:
    for line in lines:
        match = _ROW.match(line.text)
        if match is None:
            return
        yield line, match


def _block(load: str, header: Line, rows: Sequence[tuple[Line, re.Match[str]]]) -> Block:
    name, parameters = _benchmark(load)
    entries, claims = list[Entry](), list[Claim]()
    for line, match in rows:
        found = {column: number(match[column], line, match.start(column)) for column in METRICS}
        entries += [_entry(match["kernel"], name, parameters, column, one) for column, one in found.items()]
        claims.append(_cpu(f"{name} CPU, {match['kernel']}", found))
    return Block(
        format=NAME, title=load, first=header.number, last=rows[-1][0].number, entries=tuple(entries), claims=tuple(claims)
    )


def _benchmark(load: str) -> tuple[str, dict[str, str]]:
    """Its name and parameters, as our own kernbench has them."""
    if times := _TIMES.search(load):
        return f"kernbench-{times[1]}x", {"load": f"{times[1]}x"}
    return ("kernbench-maximal", {"load": "maximal"}) if "max" in load.lower() else ("kernbench", {"load": load} if load else {})


def _entry(kernel: str, name: str, parameters: dict[str, str], column: str, found: Number) -> Entry:
    metric, unit = METRICS[column]
    return Entry(
        variant=kernel,
        program="kernbench",
        benchmark=name,
        metric=metric,
        unit=unit,
        printed_unit=unit,
        better=None if metric == NEITHER else Better.SMALLER,
        parameters=parameters,
        figures={"mean": found},
    )


def _cpu(what: str, found: dict[str, Number]) -> Claim:
    return Claim(kind="cpu", what=what, printed=found["cpu"], of=(found["user"], found["system"], found["elapsed"]))


READER = Reader(
    NAME,
    ("Elapsed", "elapsed"),
    read,
    "a line `Elapsed System User CPU`, and below it lines of a kernel's name and four numbers; the line above it says the load",
)
