"""Percentiles of schbench side by side, as mails put them together: a column for each kernel, one group of rows for each load.

                6.2-rc6        with patch
    Groups: 16
    50.0th:          39.5            42.5
    99.0th:        4166.0          2287.0

schbench measures in microseconds, also where no title says so. What the values are means of is not printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.labels import Apart
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.runs import shortened
from kdelta.archive.schbench import METRICS
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Entry, Number, Remark

NAME = "schbench table"

_VALUE = r"\d{1,15}(?:\.\d{1,9})?"
_ROW = re.compile(rf"\s*(?:\*\s{{0,4}})?(?P<percentile>\d{{1,3}}\.\d{{1,4}})th:(?P<values>(?:\s+{_VALUE}){{2,16}})\s*$")
_GROUP = re.compile(
    r"\s*(?:(?P<before>\d{1,7}) )?(?P<what>[Gg]roups?|[Tt]hreads?|[Ww]orkers?)(?:\s*[:=]\s*(?P<behind>\d{1,7}))?\s*$"
)
_TITLE = re.compile(r"\s*(?P<label>(?:Wakeup |Request )?Latenc(?:y|ies)) percentiles \(usec\)(?P<names>\s+\S[^\n]{0,200})?")
_APART = re.compile(r"\s{2,}|\t")
_LONGEST = 300


@dataclass
class _Table:
    """`head` is the line of the kernels' names, None where none stands there; `groups` are rows by the load above them."""

    head: Line | None
    metric: str
    groups: list[tuple[dict[str, str], list[re.Match[str]], list[Line]]] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each table: groups of rows with as many columns, between which only loads and titles stand."""
    table: _Table | None = None
    head, load, metric, apart = None, dict[str, str](), "latency", Apart()
    for line in text.lines:
        said = line.text if len(line.text) <= _LONGEST else ""
        match = _ROW.match(said) if "th:" in said else None
        if match:
            table = table or _Table(head, metric)
            _add(table, load, match, line)
        elif group := _GROUP.match(said):
            load = _load(group)
            if table:
                table.groups.append((load, [], []))
        elif said.strip():
            if table:
                yield from _block(table, apart)
            title = _TITLE.match(said)
            table, load = None, load if title else {}
            metric = METRICS[title["label"]] if title else "latency"
            head = line if title is None else Line(line.number, title["names"]) if title["names"] else head
    if table:
        yield from _block(table, apart)


def _load(match: re.Match[str]) -> dict[str, str]:
    count = match["before"] or match["behind"]
    return {match["what"].lower().rstrip("s") + "s": count} if count else {}


def _add(table: _Table, load: dict[str, str], match: re.Match[str], line: Line) -> None:
    """To the last group; a percentile that it has already begins another."""
    last = table.groups[-1] if table.groups else None
    if last is None or any(one["percentile"] == match["percentile"] for one in last[1]):
        last = (load, [], [])
        table.groups.append(last)
    last[1].append(match)
    last[2].append(line)


def _block(table: _Table, apart: Apart) -> Iterator[Block]:
    groups = [one for one in table.groups if len(one[1]) > 1]
    columns = {len(match["values"].split()) for _, matches, _ in groups for match in matches}
    if len(columns) != 1:
        return
    first = groups[0][2][0]
    names, remarks = _names(table.head, columns.pop(), first)
    entries = list[Entry]()
    for load, matches, lines in groups:
        bench = "-".join(["schbench", *(f"{what}-{count}" for what, count in load.items())])
        named, again = apart.name(bench, " ".join(names), lines[0].number)
        remarks += again
        found = [_values(match, line) for match, line in zip(matches, lines, strict=True)]
        for place, variant in enumerate(names):
            figures = {f"p{float(match['percentile']):g}": row[place] for match, row in zip(matches, found, strict=True)}
            entries.append(
                Entry(
                    variant=variant,
                    program="schbench",
                    benchmark=named,
                    metric=table.metric,
                    unit="s",
                    printed_unit="usec",
                    better=Better.SMALLER,
                    parameters=load,
                    figures=figures,
                )
            )
    start = table.head.number if table.head and names[0] != "column 1" else first.number
    last = groups[-1][2][-1].number
    yield Block(format=NAME, first=start, last=last, entries=tuple(entries), remarks=tuple(remarks))


def _names(head: Line | None, columns: int, first: Line) -> tuple[tuple[str, ...], list[Remark]]:
    """Of the kernels: as many words, or names parted by more than a blank, as there are columns."""
    bare = head.text.strip() if head and first.number - head.number <= 4 else ""
    for parts in (_APART.split(bare), bare.split()):
        kept = tuple(shortened(part) for part in parts if part)
        if len(kept) == columns and len(set(kept)) == columns:
            return kept, []
    names = tuple(f"column {place}" for place in range(1, columns + 1))
    return names, [Remark(first.number, "no line above the table names its kernels")]


def _values(match: re.Match[str], line: Line) -> Sequence[Number]:
    start = match.start("values")
    return [number(one.group(), line, start + one.start(), 1e-6) for one in re.finditer(_VALUE, match["values"])]


READER = Reader(
    NAME,
    ("th:",),
    read,
    "rows `99.0th: 4166.0 2287.0` of two columns or more, below a line of the kernels' names; between them `Groups: 16`",
)
