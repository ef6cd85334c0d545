"""Martin J. Bligh's table of kernbench (LKML, 2003 and 2004): the load in words, and four figures for each kernel.

    Kernbench: (make -j vmlinux, maximal tasks)
                                  Elapsed      System        User         CPU
                        2.6.7       44.25       88.95      575.63     1501.33

Until March 2003 the order is Elapsed, User, System, CPU, and the title `Kernbench-16:`, with or without the words. How many runs
the figures are means of is not printed. CPU is in percent of one CPU: 100 (user + system) / elapsed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number

NAME = "kernbench table"

_TITLE = re.compile(
    r"\s*Kernbench(?:-(?P<times>\d{1,3}))?:? *(?:\((?P<load>[^)]{0,200})\)?)?\s*$",
    re.IGNORECASE,
)
_NUMBER = rf"\s+({PLAIN})"
_ROW = re.compile(rf"\s*(\S+){_NUMBER}{_NUMBER}{_NUMBER}{_NUMBER}%?\s*$")
_TIMES = re.compile(r"N\s*=\s*(\d+)\s*x\s*num_cpus")

METRICS = {"elapsed": ("elapsed_s", "s"), "system": ("system_s", "s"), "user": ("user_s", "s"), "cpu": ("percent_cpu", "%")}
"""Column -> metric and unit, as our own kernbench names them."""
NEITHER = "percent_cpu"


def read(text: Text) -> Iterator[Block]:
    """A block for each table; rows until the first line that is none."""
    lines = text.lines
    for place, line in enumerate(lines):
        columns = _columns(line)
        rows = list(_rows(lines, place + 1)) if columns else []
        if rows:
            load, times = _title(lines[max(0, place - 2) : place])
            yield _block(load, times, columns, line, rows)


def _columns(header: Line) -> list[str]:
    """Of a table's header, in its order; empty for another line."""
    words = header.text.lower().split() if "lapsed" in header.text else []
    return words if sorted(words) == sorted(METRICS) else []


def _title(before: Sequence[Line]) -> tuple[str, str]:
    """The words of the title above the header, which may be two lines above, and the number in it. Empty where there is none."""
    found = (
        ((match["load"] or "").strip(), match["times"] or "") for line in reversed(before) if (match := _TITLE.match(line.text))
    )
    return next(found, ("", ""))


def _rows(lines: Sequence[Line], first: int) -> Iterator[tuple[Line, re.Match[str]]]:
    for place in range(first, len(lines)):  # no slice: each header would copy the rest of the text
        match = _ROW.match(lines[place].text)
        if match is None or not all(map(_is_number, match.groups()[1:])):
            return
        yield lines[place], match


def _is_number(text: str) -> bool:
    """Whether a float can hold it."""
    return math.isfinite(float(text.replace(",", "")))


def _block(load: str, times: str, columns: Sequence[str], header: Line, rows: Sequence[tuple[Line, re.Match[str]]]) -> Block:
    name, parameters = _benchmark(load, times)
    entries, claims = list[Entry](), list[Claim]()
    for line, match in rows:
        at = {column: place for place, column in enumerate(columns, 2)}
        found = {column: number(match[at[column]], line, match.start(at[column])) for column in METRICS}
        entries += [_entry(match[1], name, parameters, column, one) for column, one in found.items()]
        claims.append(_cpu(f"{name} CPU, {match[1]}", found))
    return Block(
        format=NAME,
        title=load or name,
        first=header.number,
        last=rows[-1][0].number,
        entries=tuple(entries),
        claims=tuple(claims),
    )


def _benchmark(load: str, times: str) -> tuple[str, dict[str, str]]:
    """Its name and parameters, as our own kernbench has them. The number of a title is that of jobs for each CPU."""
    said = _TIMES.search(load)
    if number_of := said[1] if said else times:
        return f"kernbench-{number_of}x", {"load": f"{number_of}x"}
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
    "a line `Elapsed System User CPU`, in any order, and below it lines of a kernel's name and four numbers; the line above says "
    "the load",
)
