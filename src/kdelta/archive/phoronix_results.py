"""Results of phoronix-test-suite, whether from its XML or what it exports: the same entries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kdelta.archive.names import kebab
from kdelta.archive.numbers import number
from kdelta.archive.phoronix_units import direction, parameters, profile, scale
from kdelta.archive.text import Line
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

METRIC = "result"
PROPORTIONS = {"HIB": Better.LARGER, "LIB": Better.SMALLER}
_KERNEL = re.compile(r"(?:.{0,2000}?[,;]\s*)?(?:Kernel|kernel):\s*(?P<kernel>[^,;]{1,200})", re.DOTALL)


class Printed(NamedTuple):
    """A text at its place: `at` counts from 0."""

    text: str
    line: int
    at: int = 0


class OfSystem(NamedTuple):
    """What one system, a machine with its software, gave: `value` is of `raw`, which are its runs, or is a list with commas."""

    system: str
    value: Printed
    raw: tuple[Printed, ...] = ()


@dataclass
class Result:
    """One test with its arguments. `arguments` are in words: `Test: OpenCL Histo - Size: 3`."""

    identifier: str = ""
    title: str = ""
    version: str = ""
    arguments: str = ""
    scale: str = ""
    proportion: str = ""
    of_systems: list[OfSystem] = field(default_factory=list)

    @property
    def program(self) -> str:
        return profile(self.identifier)[0] or kebab(self.title)

    @property
    def benchmark(self) -> str:
        return kebab(f"{self.program} {self.arguments}")[:200]


@dataclass
class Collected:
    """All of a file. `systems` are texts of their software, by identifier."""

    title: str = ""
    systems: dict[str, str] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def runs(said: Printed, separator: str = ":") -> tuple[Printed, ...]:
    """Values that are joined: each at its own place. Empty ones are none."""
    found, at = [], said.at
    for part in said.text.split(separator):
        if part.strip():
            found.append(Printed(part.strip(), said.line, at + len(part) - len(part.lstrip())))
        at += len(part) + 1
    return tuple(found)


def block(name: str, found: Collected, first: int, last: int) -> Block:
    """One block of a file."""
    entries, claims, remarks = list[Entry](), list[Claim](), list(found.remarks)
    taken = dict[tuple[str, str], int]()
    for result in found.results:
        for one in result.of_systems:
            entry, of_it = _entry(result, one, taken, remarks)
            entries.append(entry)
            claims += of_it
    return Block(
        format=name,
        title=found.title,
        first=first,
        last=last,
        entries=tuple(entries),
        claims=tuple(claims),
        remarks=tuple(remarks),
        facts=_facts(found),
    )


def _facts(found: Collected) -> dict[str, str]:
    facts = {}
    for system, software in found.systems.items():
        if match := _KERNEL.match(software[:4000]):
            facts[f"kernel of {system}"] = match["kernel"].strip()
    versions = {one.program: one.version for one in found.results if one.version}
    return facts | {f"version of {program}": version for program, version in versions.items()}


def _entry(
    result: Result, one: OfSystem, taken: dict[tuple[str, str], int], remarks: list[Remark]
) -> tuple[Entry, tuple[Claim, ...]]:
    unit, factor = scale(result.scale)
    series = runs(one.value, ",")
    raw = one.raw
    if len(series) > 1:
        remarks.append(Remark(one.value.line, f"{result.benchmark}: a series within one run, not results of several"))
        raw = raw or series
    samples = _numbers(raw, factor, remarks)
    summary = _numbers([one.value] if len(series) == 1 else [], factor, remarks)
    figures = {"mean" if samples else "value": summary[0]} if summary else {}
    claims: tuple[Claim, ...] = ()
    if samples and summary:
        claims = (Claim(kind="mean", what=f"{result.benchmark}: mean of the runs", printed=summary[0], of=samples),)
    missing = not samples and not figures
    entry = Entry(
        variant=_variant(one, result.benchmark, taken, remarks),
        program=result.program,
        benchmark=result.benchmark,
        metric=METRIC,
        unit=unit,
        printed_unit=result.scale,
        better=PROPORTIONS.get(result.proportion) or direction(result.scale),
        parameters=parameters(result.arguments),
        samples=samples,
        figures=figures,
        count=len(samples) or None,
        boots=False if samples else None,
        state=CellState.FAILED if missing else CellState.OK,
        reason=(f"it gave {one.value.text[:40]!r}" if one.value.text.strip() else "no result") if missing else "",
    )
    return entry, claims


def _numbers(printed: Iterable[Printed], factor: float, remarks: list[Remark]) -> tuple[Number, ...]:
    found = []
    for one in printed:
        try:
            found.append(number(one.text, Line(one.line, ""), one.at, factor))
        except ValueError as error:
            remarks.append(Remark(one.line, f"passed over: {error}"))
    return tuple(found)


def _variant(one: OfSystem, benchmark: str, taken: dict[tuple[str, str], int], remarks: list[Remark]) -> str:
    """A system that comes twice in one test is told apart."""
    times = taken[one.system, benchmark] = taken.get((one.system, benchmark), 0) + 1
    if times == 1:
        return one.system
    remarks.append(Remark(one.value.line, f"{benchmark}: {one.system} comes again, and is {one.system} ({times}) here"))
    return f"{one.system} ({times})"


def place(lines: Sequence[Line], row: int) -> int:
    """The line of the source that row `row` of the bytes is, from 1; 0 where there is none."""
    return lines[row - 1].number if 0 < row <= len(lines) else 0
