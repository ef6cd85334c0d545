"""benchstat's tables as they were until 2023: words in the header, and units behind the values.

    name        old time/op    new time/op    delta
    Encode-4      13.6ms ± 1%    11.8ms ± 1%  -13.31%  (p=0.016 n=4+5)
    Decode-4      42.1ms ± 5%    41.9ms ± 3%     ~     (p=0.690 n=5+5)
    [Geo mean]    23.9ms         22.2ms        -7.20%

Values are means, of samples of which outliers were dropped: so the two numbers behind n= may differ, and be less than were
measured. Behind ± is the largest distance of a sample from the mean, in percent. Where there are more than two files, the header
is `name \\ time/op` and their names, and no change is printed (benchstat/text.go of golang.org/x/perf, 2017 to 2022).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import structs

from kdelta.archive.go_bench import PROGRAM
from kdelta.archive.labels import below
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "benchstat of 2017"
GEOMEAN = "[Geo mean]"

_TWO = re.compile(r"\s*name\s+old (?P<metric>\S{1,60})\s+new (?P<new>\S{1,60})\s+delta\s*$")
_MANY = re.compile(r"\s*name \\ (?P<metric>\S{1,60})\s+(?P<names>\S[^\n]{0,400}?)\s*$")
_N = r"-?\d{1,18}(?:\.\d{1,9})?"
_UNIT = r"(?:ns|\u00b5s|\u03bcs|us|ms|s|[kMGT]?B(?:/s)?|[kMGT])"
_VALUE = re.compile(rf"(?P<value>{_N})(?P<unit>{_UNIT})?(?:\s*±\s*(?P<spread>\d{{1,6}})%)?(?=\s|$)")
_CHANGE = re.compile(
    r"(?P<change>~|[-+]\d{1,9}\.\d{2}%)\s*(?:\((?:(?P<equal>all equal)|p=(?P<p>\d\.\d{3}) n=(?P<n>\d{1,6})\+(?P<m>\d{1,6}))\))?\s*$"
)
_FACTORS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
METRICS = {
    "time/op": ("time", Better.SMALLER),
    "alloc/op": ("memory", Better.SMALLER),
    "allocs/op": ("allocations", Better.SMALLER),
}
SPEED = "speed"


@dataclass
class _Table:
    metric: str
    variants: Sequence[str]
    first: int
    last: int
    entries: list[Entry] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each header with rows below it."""
    lines = text.lines
    for place, line in enumerate(lines):
        table = _header(line) if "name " in line.text else None
        if table is None:
            continue
        for one in below(lines, place):
            if not _row(table, one):
                break
            table.last = one.number
            if one.text.lstrip().startswith(GEOMEAN):
                break
        if table.entries:
            order = {name: at for at, name in enumerate(table.variants)}
            yield Block(
                format=NAME,
                title=table.metric,
                first=table.first,
                last=table.last,
                entries=tuple(sorted(table.entries, key=lambda one: order[one.variant])),
                claims=tuple(table.claims),
                remarks=tuple(table.remarks),
                facts={"error": "the largest distance of a sample from the mean, printed in percent of it"},
            )


def _header(line: Line) -> _Table | None:
    if match := _TWO.match(line.text):
        return _Table(match["metric"], ("old", "new"), line.number, line.number) if match["new"] == match["metric"] else None
    if match := _MANY.match(line.text):
        names = tuple(dict.fromkeys(match["names"].split()))
        return _Table(match["metric"], names, line.number, line.number)
    return None


def _row(table: _Table, line: Line) -> bool:
    """Whether it is one: a name, a value for each variant, and between two the change."""
    text = line.text.strip()
    name = GEOMEAN if text.startswith(GEOMEAN) else text.partition(" ")[0]
    at = line.text.find(name) + len(name)
    change = _CHANGE.search(line.text, at) if "%" in line.text[at:] or "~" in line.text[at:] else None
    end = change.start() if change else len(line.text)
    values = list(_VALUE.finditer(line.text, at, end))
    if not name or len(values) != len(table.variants):
        return False
    made = [_entry(table, variant, name, line, match) for variant, match in zip(table.variants, values, strict=True)]
    numbers = [one.figures["mean"] for one in made]
    if change and len(made) == 2:
        made = _compared(table, line, name, made, numbers, change)
    if name == GEOMEAN:
        table.claims += [
            Claim(kind="gmean", what=f"geometric mean, {variant}", printed=value, of=_means(table, variant))
            for variant, value in zip(table.variants, numbers, strict=True)
        ]
    else:
        table.entries += made
    return True


def _means(table: _Table, variant: str) -> tuple[Number, ...]:
    return tuple(one.figures["mean"] for one in table.entries if one.variant == variant)


def _entry(table: _Table, variant: str, name: str, line: Line, match: re.Match[str]) -> Entry:
    unit, factor = _unit(match["unit"] or "")
    metric, better = METRICS.get(table.metric, (table.metric, Better.LARGER if table.metric == SPEED else None))
    mean = number(match["value"], line, match.start("value"), factor)
    figures = {"mean": mean}
    if match["spread"]:
        figures["error"] = number(match["spread"], line, match.start("spread"), abs(mean.value) / 100.0)
    return Entry(
        variant=variant,
        program=PROGRAM,
        benchmark=name,
        metric=metric,
        unit=unit,
        printed_unit=match["unit"] or "",
        better=better,
        figures=figures,
    )


def _unit(printed: str) -> tuple[str, float]:
    return ("", _FACTORS[printed]) if printed in _FACTORS else base(printed)


def _compared(table: _Table, line: Line, name: str, made: list[Entry], numbers: list[Number], match: re.Match[str]) -> list[Entry]:
    counts = (int(match["n"]), int(match["m"])) if match["n"] else (None, None)
    told = "geometric mean, new against old" if name == GEOMEAN else f"{name}, new against old"
    old, new = (structs.replace(one, count=count) for one, count in zip(made, counts, strict=True))
    if match["equal"]:
        table.remarks.append(Remark(line.number, f"{name}: all samples are equal"))
    if match["p"]:
        table.remarks.append(Remark(line.number, f"{told}: p = {match['p']}, {match['n']} and {match['m']} samples"))
        if match["n"] != match["m"]:
            table.remarks.append(
                Remark(line.number, f"{name}: samples were dropped as outliers, {match['n']} and {match['m']} are left")
            )
    if "%" in match["change"]:
        change = number(match["change"].rstrip("%"), line, match.start("change"))
        new = structs.replace(new, figures={**new.figures, "change": change})
        table.claims.append(Claim(kind="change", what=told, printed=change, of=tuple(numbers), better=new.better, count=counts[1]))
        if match["p"]:
            p = number(match["p"], line, match.start("p"))
            table.claims.append(Claim(kind="significant", what=told, printed=p, count=min(int(match["n"]), int(match["m"]))))
    return [old, new]


READER = Reader(
    NAME,
    ("delta", "name \\"),
    read,
    "a header `name old time/op new time/op delta`, or `name \\ time/op` and the files' names, and rows of values with ±",
)
