"""Tables that people write by hand: a line of two names, and below it rows of a label, two numbers, and what they differ by.

                     before      after     change
    throughput       1234.5     1300.1      +5.3%
    latency (us)       12.3       11.9      -3.2%

The names must be those of a base and of what is compared with it, as people call them: before and after, base and patched. Which
direction is better is not said; what the sign of a percentage means is found by computing it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kdelta.archive.comparing import benchmark, compares, is_change, unit
from kdelta.archive.mmtests_header import title
from kdelta.archive.mmtests_names import slug
from kdelta.archive.mmtests_rows import STAT
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Claim, Entry, Remark

NAME = "before and after"
_APART = re.compile(r"\s{2,}|\t\s*")
_RULE = re.compile(r"\s*[-=]{3,}[-=\s]*$")
_NAME = re.compile(r"[A-Za-z][\w.+-]{0,30}$")
_ROW = re.compile(
    rf"\s*(?P<label>[A-Za-z0-9#/][^\t:=|]{{0,50}}?):?(?: {{2,}}|\t)\s*(?P<base>{PLAIN})(?P<of_base>%?)"
    rf"\s+(?P<new>{PLAIN})(?P<of_new>%?)(?:\s+[(\[]? *(?P<change>{PLAIN}) ?%[)\]]?)?\s*$"
)
_PERCENTILE = re.compile(r"\s*(?:\*\s{0,4})?\d{1,3}\.\d{1,4}th:")
"""What rows of schbench begin with."""
_OTHERS = frozenset({"min", "max", "stddev", "amean", "hmean"})
"""What stands above the labels of tables that have readers of their own."""
_LONGEST = 160


@dataclass
class _Table:
    at: int
    header: Line
    kind: str
    names: tuple[str, str]
    has_change: bool
    rows: list[tuple[Line, re.Match[str]]] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each header with rows below it; one rule or one empty line may stand between."""
    table, gap = None, 0
    for at, line in enumerate(text.lines):
        row = _row(line) if table else None
        if table and row and (row["change"] is None or table.has_change):
            table.rows.append((line, row))
            continue
        if table and not table.rows and gap == 0 and (not line.text.strip() or _RULE.match(line.text)):
            gap = 1
            continue
        if table and table.rows:
            yield from _block(text, table)
        table, gap = _opened(at, line), 0
    if table and table.rows:
        yield from _block(text, table)


def _row(line: Line) -> re.Match[str] | None:
    if len(line.text) > _LONGEST:
        return None
    match = _ROW.match(line.text)
    return None if match is None or STAT.match(match["label"].split()[0]) or _PERCENTILE.match(line.text) else match


def _opened(at: int, line: Line) -> _Table | None:
    """The table that a line of names begins: two, with a label before and a change behind them, or without."""
    if len(line.text) > _LONGEST or not line.text.strip():
        return None
    parts = _APART.split(line.text.strip())
    has_change = len(parts) > 2 and is_change(parts[-1])
    parts = parts[:-1] if has_change else parts
    label = parts.pop(0) if len(parts) == 3 else ""
    if len(parts) != 2 or not all(map(_NAME.match, parts)) or not compares(parts) or label.strip(":").lower() in _OTHERS:
        return None
    return _Table(at, line, label.strip(": "), (parts[0], parts[1]), has_change)


def _block(text: Text, table: _Table) -> Iterator[Block]:
    """Two rows at least, or one with its change: one line of two numbers may be anything."""
    if len(table.rows) < 2 and not any(row["change"] for _, row in table.rows):
        return
    about = title(text.lines, table.at - 1, gap=False)
    entries, claims, remarks = list[Entry](), list[Claim](), list[Remark]()
    seen = dict[str, int]()
    for line, row in table.rows:
        label, printed, known, factor = unit(row["label"].strip())
        name, parameters = benchmark(about, table.kind, label)
        count = seen[name] = seen.get(name, 0) + 1
        if count > 1:
            remarks.append(Remark(line.number, f"another row is called {label} too: this one is told apart as {name}-{count}"))
            name = f"{name}-{count}"
        try:
            base, new = (number(row[one], line, row.start(one), factor) for one in ("base", "new"))
            change = number(row["change"], line, row.start("change")) if row["change"] else None
        except ValueError:
            continue
        shown = printed or row["of_base"] or row["of_new"]
        for variant, value in zip(table.names, (base, new), strict=True):
            beside = {"change": change} if change and value is new else {}
            figures = {"value": value} | beside
            entries.append(
                Entry(
                    variant=variant,
                    benchmark=name,
                    metric="result",
                    unit=known or shown,
                    printed_unit=shown,
                    parameters=parameters,
                    figures=figures,
                )
            )
        if change:
            claims.append(Claim(kind="change", what=f"{name}, {table.names[1]}", printed=change, of=(base, new)))
    if entries:
        yield Block(
            format=NAME,
            title=about or slug(table.kind),
            first=table.header.number,
            last=table.rows[-1][0].number,
            entries=tuple(entries),
            claims=tuple(claims),
            remarks=tuple(remarks),
        )


MARKS = tuple(
    f"{blank}{name}" for blank in ("  ", "\t") for name in ("after", "After", "patched", "Patched", "dirty", "new", "New")
)
"""Of most mails these words stand behind a single blank: then nothing is looked for."""

READER = Reader(
    NAME,
    MARKS,
    read,
    "a line of two names, such as `before  after` or `base  patched`, and below it rows of a label and two numbers",
)
