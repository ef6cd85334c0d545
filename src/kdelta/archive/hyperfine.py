"""hyperfine, as it prints for people; its exports as a table of Markdown and as CSV.

    Benchmark #1: sleep 0.1
      Time (mean ± σ):     107.5 ms ±   3.2 ms    [User: 0.7 ms, System: 1.4 ms]
      Range (min … max):   102.5 ms … 115.3 ms    27 runs

    Summary
      'sleep 0.1' ran
        1.94 ± 0.07 times faster than 'sleep 0.2'

Each number has its own unit. A single run is printed as `Time (abs ≡):`. Text that lost its encoding has other characters for
the signs. From src/benchmark/mod.rs of 1.18 and of 1.9, which writes `#` and quotes.
"""  # noqa: RUF002 - it is printed so

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import structs

from kdelta.archive.hyperfine_json import ELAPSED, PROGRAM, SYSTEM, USER
from kdelta.archive.labels import Apart, below
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "hyperfine"

_START = re.compile(r"[\s#*/|]*Benchmark (?:#\d+|\d+): (?P<command>[^\n]{1,4000}?)\s*$")
_N = r"\d{1,12}(?:[.,]\d{1,9})?"
_UNIT = r"(?:s|ms|us|\u00b5s|\u03bcs|ns|min|h)"
_TIME = re.compile(
    rf"[\s#*/|]*Time \((?P<how>mean|abs)[^)\n]{{0,12}}\):\s+(?P<mean>{_N}) (?P<unit>{_UNIT})"
    rf"(?:\s+\S{{1,3}}\s+(?P<sd>{_N}) (?P<sd_unit>{_UNIT}))?"
)
_CPU = re.compile(rf"\[User: (?P<user>{_N}) (?P<user_unit>{_UNIT}), System: (?P<system>{_N}) (?P<system_unit>{_UNIT})\]")
_RANGE = re.compile(
    rf"[\s#*/|]*Range \(min[^)\n]{{0,12}}\):\s+(?P<min>{_N}) (?P<min_unit>{_UNIT})\s+\S{{1,3}}\s+"
    rf"(?P<max>{_N}) (?P<max_unit>{_UNIT})\s+(?P<runs>\d{{1,9}}) runs?"
)
_NOTE = re.compile(r"[\s#*/|]*(?P<kind>Warning|Error): (?P<said>\S[^\n]{0,300})")
_RAN = re.compile(r"[\s#*/|]*'?(?P<command>\S[^\n]{0,4000}?)'? ran\s*$")
_FASTER = re.compile(
    rf"[\s#*/|]*(?P<ratio>{_N})(?:\s+\S{{1,3}}\s+{_N})? times (?:faster|slower) than '?(?P<command>\S[^\n]{{0,4000}}?)'?\s*$"
)
_TABLE = re.compile(r"[\s>]*\| Command \| Mean \[(?P<unit>m?s|.s)\] \| Min \[")
_ROW = re.compile(
    rf"\s*\| *`?(?P<command>[^|`\n]{{1,4000}}?)`? *\| *(?P<mean>{_N})(?: *\S{{1,3}} *(?P<sd>{_N}))? *"
    rf"\| *(?P<min>{_N}) *\| *(?P<max>{_N}) *\| *(?P<ratio>{_N})"
)
_CSV = "command,mean,stddev,median,user,system,min,max"
_FIGURES = {"mean": "mean", "stddev": "sd", "median": "median", "min": "min", "max": "max"}
_FAR = 12


@dataclass
class _Found:
    """One command: its lines, as far as they are there."""

    line: Line
    command: str
    times: list[tuple[str, dict[str, Number], str]] = field(default_factory=list)
    runs: int | None = None
    remarks: list[Remark] = field(default_factory=list)
    failed: str = ""
    last: int = 0


def read(text: Text) -> Iterator[Block]:
    """A block of all commands that are printed, and one for each table."""
    lines = text.lines
    found = [one for place, line in enumerate(lines) if (one := _command(lines, place, line))]
    if found:
        yield _block(found, lines)
    for place, line in enumerate(lines):
        if "| Command" in line.text and (match := _TABLE.match(line.text)):
            yield from _table(below(lines, place), match["unit"])
        elif line.text.startswith(_CSV):
            yield from _csv(line, below(lines, place))


def _command(lines: Sequence[Line], place: int, line: Line) -> _Found | None:
    """What stands below its title, up to the next; None where that is no time."""
    match = _START.match(line.text) if "Benchmark " in line.text else None
    if match is None:
        return None
    found = _Found(line, match["command"], last=line.number)
    for one in lines[place + 1 : place + _FAR]:
        if _START.match(one.text):
            break
        _take(found, one)
    if found.times and found.runs is None and not found.failed:
        found.remarks.append(Remark(found.last, "cut: the line `Range`, which has the number of runs, is missing"))
    return found if found.times or found.failed else None


def _take(found: _Found, line: Line) -> None:
    if match := _TIME.match(line.text):
        kind = "value" if match["how"] == "abs" else "mean"
        figures = {kind: _of(line, match, "mean", "unit")}
        if match["sd"]:
            figures["sd"] = _of(line, match, "sd", "sd_unit")
        found.times.append((ELAPSED, figures, match["unit"]))
        found.runs = 1 if kind == "value" else found.runs
        found.last = line.number
    if found.times and (match := _CPU.search(line.text)):
        for metric, name in ((USER, "user"), (SYSTEM, "system")):
            found.times.append((metric, {"mean": _of(line, match, name, f"{name}_unit")}, match[f"{name}_unit"]))
        found.last = line.number
    if found.times and (match := _RANGE.match(line.text)):
        found.times[0][1].update(min=_of(line, match, "min", "min_unit"), max=_of(line, match, "max", "max_unit"))
        found.runs, found.last = int(match["runs"]), line.number
    if match := _NOTE.match(line.text):
        found.remarks.append(Remark(line.number, f"hyperfine: {match['said']}"))
        if match["kind"] == "Error":
            found.failed = match["said"]
        found.last = line.number


def _of(line: Line, match: re.Match[str], name: str, unit: str) -> Number:
    return number(match[name], line, match.start(name), base(match[unit])[1], comma=True)


def _block(found: Sequence[_Found], lines: Sequence[Line]) -> Block:
    entries, remarks, apart = list[Entry](), list[Remark](), Apart()
    means = dict[str, list[Number]]()
    for one in found:
        variant, twice = apart.name("", one.command, one.line.number)
        made = [_entry(variant, one, *each) for each in one.times] or [_entry(variant, one, ELAPSED, {}, "")]
        entries += made
        remarks += (*twice, *one.remarks)
        if mean := made[0].figures.get("mean", made[0].figures.get("value")):
            means.setdefault(one.command, []).append(mean)
    claims = tuple(_faster(lines, means))
    last = max(one.last for one in found)
    return Block(
        format=NAME,
        first=found[0].line.number,
        last=max(last, *(claim.printed.line for claim in claims)) if claims else last,
        entries=tuple(entries),
        claims=claims,
        remarks=tuple(remarks),
    )


def _entry(variant: str, of: _Found, metric: str, figures: dict[str, Number], unit: str) -> Entry:
    return Entry(
        variant=variant,
        program=PROGRAM,
        benchmark=of.command,
        metric=metric,
        unit="s" if unit else "",
        printed_unit=unit,
        better=Better.SMALLER,
        figures=figures,
        count=of.runs,
        state=CellState.OK if figures else CellState.FAILED,
        reason="" if figures else of.failed,
    )


def _faster(lines: Sequence[Line], means: dict[str, list[Number]]) -> Iterator[Claim]:
    """Of each summary: how many times the mean of the first is in those of the others, as they were measured last above it."""
    first = ""
    for line in lines:
        if line.text.endswith(" ran") and (match := _RAN.match(line.text)):
            first = match["command"]
        elif first and " times " in line.text and (match := _FASTER.match(line.text)):
            above = [[one for one in means.get(name, []) if one.line < line.number] for name in (match["command"], first)]
            numbers = [every[-1] for every in above if every]
            yield Claim(
                kind="quotient",
                what=f"{match['command']} against {first}",
                printed=number(match["ratio"], line, match.start("ratio"), comma=True),
                of=tuple(numbers) if len(numbers) == 2 else (),
                missing="" if len(numbers) == 2 else "the means of both are not in the text",
            )


def _table(lines: Iterable[Line], printed: str) -> Iterator[Block]:
    """The table of Markdown: its column `Relative` is the mean in those of the fastest."""
    factor = base(printed)[1]
    entries, ratios = list[Entry](), list[tuple[str, Number]]()
    last = 0
    for line in lines:
        match = _ROW.match(line.text)
        if match is None:
            if line.text.lstrip().startswith("|:") or line.text.lstrip().startswith("|-"):
                continue
            break
        figures = {
            kind: number(match[name], line, match.start(name), factor)
            for name, kind in (("mean", "mean"), ("sd", "sd"), ("min", "min"), ("max", "max"))
            if match[name]
        }
        command = match["command"].strip()
        entries.append(_summary(command, ELAPSED, figures, printed))
        ratios.append((command, number(match["ratio"], line, match.start("ratio"))))
        last = line.number
    if entries:
        means = [entry.figures["mean"] for entry in entries]
        least = min(means, key=lambda one: one.value)
        claims = [
            Claim(kind="quotient", what=f"{command}, relative", printed=ratio, of=(mean, least))
            for (command, ratio), mean in zip(ratios, means, strict=True)
        ]
        yield Block(format=NAME, first=entries[0].figures["mean"].line, last=last, entries=tuple(entries), claims=tuple(claims))


def _summary(command: str, metric: str, figures: dict[str, Number], printed: str) -> Entry:
    return Entry(
        program=PROGRAM,
        benchmark=command,
        metric=metric,
        unit="s",
        printed_unit=printed,
        better=Better.SMALLER,
        figures=figures,
    )


def _csv(first: Line, lines: Iterable[Line]) -> Iterator[Block]:
    """The export as CSV: seconds, one line a command; columns behind `max` are parameters."""
    header = next(csv.reader([first.text]))
    entries, last = list[Entry](), 0
    for line in lines:
        try:
            cells = dict(zip(header, next(csv.reader([line.text])), strict=True))
            figures = {
                name: number(cells[name], line, max(line.text.find(cells[name]), 0)) for name in header[1:8] if cells[name].strip()
            }
        except (csv.Error, ValueError, StopIteration):
            break
        named = {kind: figures[name] for name, kind in _FIGURES.items() if name in figures}
        parameters = {name.removeprefix("parameter_"): cells[name] for name in header[8:]}
        made = [_summary(cells["command"], ELAPSED, named, "s")]
        made += [
            _summary(cells["command"], metric, {"mean": figures[name]}, "s")
            for metric, name in ((USER, "user"), (SYSTEM, "system"))
            if name in figures
        ]
        entries += [structs.replace(one, parameters=parameters) for one in made if one.figures]
        last = line.number
    if entries:
        yield Block(format=NAME, first=first.number, last=last, entries=tuple(entries))


READER = Reader(
    NAME,
    ("Benchmark ", "| Command", _CSV),
    read,
    "lines `Benchmark N: COMMAND`, and below `Time (mean ...):` and `Range (min ...):`; tables of --export-markdown and -csv",
)
