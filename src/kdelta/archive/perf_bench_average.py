"""`perf bench internals`: the mean time of an operation, with a spread.

    # Running 'internals/kallsyms-parse' benchmark:
      Average kallsyms__parse took: 80.563 ms (+- 0.079 ms)

Behind `+-` is the standard error of the mean (tools/perf/util/stat.c, stddev_stats), of iterations whose number is not printed.
Several of these are several runs of the program: `perf stat -r5` prints one for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Entry

NAME = "perf bench internals"

_RUNNING = re.compile(r"\s*# Running '?(?P<suite>[\w-]+/[\w-]+)'? benchmark")
_TIME = re.compile(
    r"\s*Average (?P<what>\S[^:\n]{0,100}?)(?: time)?(?: took)?: (?P<value>\d{1,12}(?:\.\d{1,9})?) (?P<unit>usec|ms|msec|us|ns) "
    r"\(\+- (?P<error>\d{1,12}(?:\.\d{1,9})?) (?P=unit)\)\s*$"
)

Found = tuple[Line, re.Match[str]]


def read(text: Text) -> Iterator[Block]:
    """A block for each operation, with its runs as samples; one run is a mean with its spread."""
    found, suite = dict[tuple[str, str, str], list[Found]](), ""
    for line in text.lines:
        if "# Running" in line.text and (match := _RUNNING.match(line.text)):
            suite = match["suite"]
        elif "Average " in line.text and (match := _TIME.match(line.text)):
            found.setdefault((suite, match["what"], match["unit"]), []).append((line, match))
    for (name, what, unit), runs in found.items():
        yield _block(name, what, unit, runs)


def _block(suite: str, what: str, printed: str, runs: Sequence[Found]) -> Block:
    unit, factor = base(printed)
    values = tuple(number(match["value"], line, match.start("value"), factor) for line, match in runs)
    line, match = runs[0]
    error = number(match["error"], line, match.start("error"), factor)
    entry = Entry(
        program="perf bench",
        benchmark=(suite or "perf bench").replace("/", "-"),
        metric=what,
        unit=unit,
        printed_unit=printed,
        better=Better.SMALLER,
        samples=values if len(runs) > 1 else (),
        figures={} if len(runs) > 1 else {"mean": values[0], "error": error},
        count=len(runs) if len(runs) > 1 else None,
    )
    facts = {"samples": "each is the mean of one run of the program, over iterations whose number is not printed"}
    return Block(
        format=NAME, title=suite, first=line.number, last=runs[-1][0].number, entries=(entry,), facts=facts if len(runs) > 1 else {}
    )


READER = Reader(
    NAME,
    ("Average ",),
    read,
    "lines `Average OPERATION took: N ms (+- M ms)`, as `perf bench internals` prints them",
)
