"""Go's benchmark format: a line for each result, of a name, iterations, and pairs of value and unit; and lines `key: value`.

    goos: linux
    note: before

    BenchmarkFloatSub/100-4         20000000           115 ns/op          16 B/op

From the proposal for the format (design/14313-benchmark-format.md) and from benchfmt of golang.org/x/perf. The number behind the
last dash is GOMAXPROCS, where it is not 1. Results of the same name and unit are samples. Where a key has several values in one
text, these tell the variants apart. `Unit bytes better=higher` says which direction is better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Discarded, Entry, Number, Remark

NAME = "go benchmark"
PROGRAM = "go test"

_RESULT = re.compile(r"(?P<name>Benchmark(?:[A-Z0-9_/]\S{0,400})?)\s+(?P<iterations>\d{1,15})(?P<values>\s+-?[\d.][^\n]*)$")
_PAIR = re.compile(r"(?P<value>-?(?:\d{1,18}(?:\.\d{0,9})?|\.\d{1,9})(?:[eE][-+]?\d{1,3})?)\s+(?P<unit>[^\s\d]\S{0,60})")
_KEY = re.compile(r"(?P<key>[a-z][^\sA-Z:]{0,60}):(?:[ \t]+(?P<value>[^\n]{0,300}?))?\s*$")
_UNIT = re.compile(r"Unit\s+(?P<unit>\S{1,60})\s+[^\n]{0,100}\bbetter=(?P<better>higher|lower)\b")
_FAILED = re.compile(r"--- (?P<how>FAIL|SKIP): (?P<name>Benchmark\S{0,400})")
_PROCESSORS = re.compile(r"-(\d{1,4})$")

FACTS = ("goos", "goarch", "cpu", "pkg")
"""Keys that `go test` writes itself: they name no variant unless nothing else does."""
METRICS = {"ns/op": "time", "B/op": "memory", "allocs/op": "allocations", "MB/s": "throughput", "sec/op": "time"}
LARGER = ("B/s", "MB/s")

Key = tuple[str, str, str, str]
"""Variant, package, name, unit."""


@dataclass
class _Entry:
    """Results of one name in one unit."""

    values: list[Number]
    wrong: list[Discarded]
    state: CellState = CellState.OK


def base_of(unit: str) -> tuple[str, str, float]:
    """Metric, base unit and factor: of ns/op these are time of an operation, in seconds; of B/op memory, in bytes."""
    metric = METRICS.get(unit, unit)
    amount, per, _ = unit.partition("/")
    if amount in ("ns", "sec") and per:
        return metric, "s", 1e-9 if amount == "ns" else 1.0
    if unit == "B/op":
        return metric, "B", 1.0
    if unit == "allocs/op":
        return metric, "", 1.0
    return metric, *base(unit)


def read(text: Text) -> Iterator[Block]:
    """One block of all results of the text."""
    lines, keys = list[tuple[Line, re.Match[str], dict[str, str]]](), dict[str, str]()
    failed, better = list[tuple[Line, str, CellState]](), dict[str, Better]()
    for line in text.lines:
        if line.text.startswith("Benchmark") and (match := _RESULT.match(line.text)):
            lines.append((line, match, dict(keys)))
        elif line.text.startswith("Unit ") and (match := _UNIT.match(line.text)):
            better[match["unit"]] = Better.LARGER if match["better"] == "higher" else Better.SMALLER
        elif line.text.startswith("--- ") and (match := _FAILED.match(line.text)):
            failed.append((line, match["name"], CellState.FAILED if match["how"] == "FAIL" else CellState.NOT_HERE))
        elif line.text[:1].islower() and (match := _KEY.match(line.text)):
            keys[match["key"]] = match["value"] or ""
    if lines:
        yield _block(lines, failed, better)


def _block(
    lines: Sequence[tuple[Line, re.Match[str], dict[str, str]]],
    failed: Sequence[tuple[Line, str, CellState]],
    better: dict[str, Better],
) -> Block:
    telling = _telling([keys for _, _, keys in lines])
    found, remarks = dict[Key, _Entry](), list[Remark]()
    for line, match, keys in lines:
        variant = " ".join(keys[key] for key in telling if keys.get(key))
        _collect(line, match, (variant, keys.get("pkg", "") if "pkg" not in telling else ""), found)
    entries = [_entry(key, one, better) for key, one in found.items()]
    entries += [_missing(name, state) for _, name, state in failed]
    for (_, _, name, unit), one in found.items():
        if one.wrong:
            remarks.append(Remark(one.wrong[0].number.line, f"{name}: {len(one.wrong)} results below 0 {unit}, not counted"))
    facts = {key: ", ".join(dict.fromkeys(keys[key] for _, _, keys in lines if keys.get(key))) for key in FACTS}
    return Block(
        format=NAME,
        first=lines[0][0].number,
        last=max(line.number for line in (*(one[0] for one in lines), *(one[0] for one in failed))),
        entries=tuple(entries),
        remarks=tuple(remarks),
        facts={key: said for key, said in facts.items() if said},
    )


def _telling(every: Sequence[dict[str, str]]) -> list[str]:
    """Keys with several values: those that people write before those that `go test` writes, which only name packages."""
    names = dict.fromkeys(key for keys in every for key in keys)
    several = [key for key in names if len({keys.get(key, "") for keys in every}) > 1]
    return [key for key in several if key not in FACTS] or [key for key in several if key != "pkg"]


def _collect(line: Line, match: re.Match[str], where: tuple[str, str], found: dict[Key, _Entry]) -> None:
    for pair in _PAIR.finditer(match["values"]):
        metric, _, factor = base_of(pair["unit"])
        try:
            value = number(pair["value"], line, match.start("values") + pair.start("value"), factor)
        except ValueError:
            continue
        one = found.setdefault((*where, match["name"].removeprefix("Benchmark"), pair["unit"]), _Entry([], []))
        if metric == "time" and value.value < 0.0:
            one.wrong.append(Discarded(value, "a time below 0"))
        else:
            one.values.append(value)


def _entry(key: Key, one: _Entry, better: dict[str, Better]) -> Entry:
    variant, package, name, printed = key
    metric, unit, _ = base_of(printed)
    processors = _PROCESSORS.search(name)
    known = Better.SMALLER if printed in METRICS and printed not in LARGER else Better.LARGER if printed in LARGER else None
    return Entry(
        variant=variant,
        program=PROGRAM,
        benchmark=name,
        metric=metric,
        unit=unit,
        printed_unit=printed,
        better=better.get(printed, known),
        parameters=({"processors": processors[1]} if processors else {}) | ({"package": package} if package else {}),
        samples=tuple(one.values),
        discarded=tuple(one.wrong),
        count=len(one.values) or None,
        state=CellState.OK if one.values else CellState.FAILED,
        reason="" if one.values else "all results are below 0",
    )


def _missing(name: str, state: CellState) -> Entry:
    said = "--- FAIL" if state is CellState.FAILED else "--- SKIP"
    return Entry(program=PROGRAM, benchmark=name.removeprefix("Benchmark"), metric="time", state=state, reason=said)


READER = Reader(
    NAME,
    ("Benchmark",),
    read,
    "lines `BenchmarkNAME N VALUE UNIT` of `go test -bench`, with lines `key: value` that tell variants apart",
)
