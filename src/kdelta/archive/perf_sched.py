"""What `perf sched latency` prints: for each task how long it ran, how often it was switched to, and how long it waited for that.

      Task                  |   Runtime ms  | Switches | Average delay ms | Maximum delay ms | Maximum delay at       |
     -----------------------------------------------------------------------------------------------------------------
      netserver:4338        |  14629.459 ms |  5146990 | avg:    0.001 ms | max: 1615.864 ms | max at:    140.134496 s
     -----------------------------------------------------------------------------------------------------------------
      TOTAL:                |  36338.652 ms |  5149922 |

Since Linux 5.12 the last column is `max start: ... s | max end: ... s`. The number behind a task's name is its process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "perf sched latency"
_HEADER = re.compile(r"\s*Task\s*\|\s*Runtime ms\s*\|\s*(?:Switches|Count)\s*\|\s*A(?:verage|vg) delay ms\b")
_ROW = re.compile(
    rf"\s*(?P<task>[^|]{{1,64}}?)\s*\|\s*(?P<runtime>{PLAIN}) ms\s*\|\s*(?P<switches>\d{{1,18}})\s*"
    rf"\|\s*avg:\s*(?P<mean>{PLAIN}) ms\s*\|\s*max:\s*(?P<max>{PLAIN}) ms\s*\|"
)
_TOTAL = re.compile(rf"\s*TOTAL:\s*\|\s*(?P<runtime>{PLAIN}) ms\s*\|\s*(?P<switches>\d{{1,18}})\s*\|")
_RULE = re.compile(r"\s*[-=]{3,}\s*$")
_PROCESS = re.compile(r":(?:\(\d{1,9}\)|\d{1,9})$")
_LONGEST_NAME = 60
_MOST_WORDS = 4
_MS = 1e-3


@dataclass
class _Tasks:
    """The rows of one variant, with what the name of a task is told apart by."""

    variant: str
    first: int
    last: int = 0
    entries: list[Entry] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    runtimes: list[Number] = field(default_factory=list)
    switches: list[Number] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each table; the short lines that stand alone between its rows name variants."""
    found = list[_Tasks]()
    name, inside = "", False
    for line in text.lines:
        if _HEADER.match(line.text):
            yield from _block(found)
            found, name, inside = [], "", True
        elif inside and (match := _ROW.match(line.text)):
            if not found or name != found[-1].variant:
                found.append(_Tasks(name, line.number))
            _task(found[-1], line, match)
        elif inside and found and (match := _TOTAL.match(line.text)):
            _total(found[-1], line, match)
        elif inside and line.text.strip() and not _RULE.match(line.text):
            name = line.text.strip().rstrip(":")
            inside = len(name) <= _LONGEST_NAME and len(name.split()) <= _MOST_WORDS and "|" not in name
    yield from _block(found)


def _task(tasks: _Tasks, line: Line, match: re.Match[str]) -> None:
    try:
        runtime, mean, most = (number(match[one], line, match.start(one), _MS) for one in ("runtime", "mean", "max"))
        switches = number(match["switches"], line, match.start("switches"))
    except ValueError:
        return
    name = _PROCESS.sub("", match["task"].strip()) or match["task"].strip()
    count = tasks.seen[name] = tasks.seen.get(name, 0) + 1
    if count > 1:
        tasks.remarks.append(Remark(line.number, f"another task is called {name} too: this one is told apart as {name}-{count}"))
        name = f"{name}-{count}"
    each = (
        ("delay", "s", "ms", Better.SMALLER, {"mean": mean, "max": most}),
        ("runtime", "s", "ms", None, {"value": runtime}),
        ("switches", "switches", "switches", None, {"value": switches}),
    )
    for metric, unit, printed, better, figures in each:
        entry = Entry(
            variant=tasks.variant,
            benchmark=f"sched-latency-{name}",
            metric=metric,
            unit=unit,
            printed_unit=printed,
            better=better,
            figures=figures,
        )
        tasks.entries.append(entry)
    tasks.runtimes.append(runtime)
    tasks.switches.append(switches)
    tasks.last = line.number


def _total(tasks: _Tasks, line: Line, match: re.Match[str]) -> None:
    """Sums of the rows, where they reach it: who posts a table leaves out tasks."""
    for name, of, factor in (("runtime", tasks.runtimes, _MS), ("switches", tasks.switches, 1.0)):
        try:
            printed = number(match[name], line, match.start(name), factor)
        except ValueError:
            continue
        said = f"{tasks.variant} total {name}".strip()
        if sum(one.value for one in of) < printed.value - len(of) * printed.step:
            why = "the rows that are there come to less: others were left out"
            tasks.claims.append(Claim(kind="sum", what=said, printed=printed, missing=why))
        else:
            tasks.claims.append(Claim(kind="sum", what=said, printed=printed, of=tuple(of)))
    tasks.last = line.number


def _block(found: Sequence[_Tasks]) -> Iterator[Block]:
    if found:
        yield Block(
            format=NAME,
            first=found[0].first,
            last=found[-1].last,
            entries=tuple(entry for one in found for entry in one.entries),
            claims=tuple(claim for one in found for claim in one.claims),
            remarks=tuple(remark for one in found for remark in one.remarks),
        )


READER = Reader(
    NAME,
    ("Runtime ms",),
    read,
    "a line `Task | Runtime ms | Switches | Average delay ms | ...`, and below it rows with `avg: ... ms | max: ... ms`",
)
