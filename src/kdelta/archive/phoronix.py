"""What phoronix-test-suite prints while it runs, in any number of tests (pts_concise_display_mode.php, releases 5 to 10).

    GNU Octave Benchmark:
        system/octave-benchmark-1.0.0 [Size: 3]
        Test 1 of 1
            Started Run 1 @ 06:06:37
            Started Run 4 @ 06:07:12 *
        Test Results:
            8.1603951454163
        Average: 7.46 Seconds
        Deviation: 3.47%
        Samples: 15

A star is of a run that was added because the ones before differ. A test of several results has one such list for each, below
its own words. The unit stands behind the average alone. Minimum and Maximum may be those within the runs, and so lie outside of
the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.names import kebab
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.phoronix_units import direction, parameters, profile, scale
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "phoronix-test-suite"
METRIC = "result"
FIRST_OFF = 0.05
"""How far the first run may lie from the mean of the others."""

_TITLE = re.compile(r"(?P<title>\S.{0,200}):\s*$")
_PROFILE = re.compile(r"\s+(?P<id>[\w.+-]{1,80}/[\w.+-]{1,80}|[\w.+-]{1,80}-\d[\d.]{0,20})(?:\s+\[(?P<said>.{0,300})\])?\s*$")
_STARTED = re.compile(r"\s*Started Run (?P<run>\d{1,6}) @ [\d:]{5,8}(?P<more>\s*\*)?")
_LIST = re.compile(r"\s+(?P<said>\S.{0,300}):\s*$")
_VALUE = re.compile(rf"\s+(?P<value>{PLAIN})\s*$")
_FIGURE = re.compile(
    rf"\s+(?P<name>[A-Z][\w -]{{2,20}}):\s+(?P<value>{PLAIN})(?P<percent>%?)(?:\s+\(?(?P<unit>[^\s(][^()]{{0,60}}?)\)?)?\s*$"
)
_WENT_WRONG = re.compile(
    r"\s*(?P<said>The test (?:quit|exited) with a non-zero exit status|The test run did not produce a result"
    r"|This test failed to run properly|The test failed)"
)
_KERNEL = re.compile(r".{0,400}?\bKernel:\s*(?P<kernel>\d[\w.+~-]{2,100})")

MEANS = {"Average": "mean", "Geometric Mean": "gmean", "Geo-Mean": "gmean", "Harmonic Mean": "hmean", "Median": "median"}
SPREADS = {"Deviation": "cv", "Minimum": "min", "Maximum": "max"}


@dataclass
class _Result:
    """One list of values and what stands below it."""

    said: str
    line: Line
    values: list[tuple[str, Line, int]] = field(default_factory=list)
    figures: dict[str, tuple[str, Line, int]] = field(default_factory=dict)
    unit: str = ""
    samples: int | None = None


@dataclass
class _Test:
    title: str
    identifier: str
    arguments: str
    kernel: str
    first: int
    last: int
    started: int = 0
    added: int = 0
    wrong: list[tuple[Line, str]] = field(default_factory=list)
    results: list[_Result] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each test that was started."""
    seen: dict[tuple[str, str], int] = {}
    for test in _tests(text.lines):
        if test.results or test.wrong:
            yield _block(test, seen)


def _tests(lines: Sequence[Line]) -> Iterator[_Test]:
    test: _Test | None = None
    kernel = ""
    for place, line in enumerate(lines):
        if "Kernel:" in line.text[:400] and (match := _KERNEL.match(line.text[:600])):
            kernel = match["kernel"]
        if opened := _opened(lines, place, kernel):
            if test is not None:
                yield test
            test = opened
        elif test is not None and _within(test, line):
            test.last = line.number
    if test is not None:
        yield test


def _opened(lines: Sequence[Line], place: int, kernel: str) -> _Test | None:
    """A title at the margin, and the profile below it."""
    title = _TITLE.match(lines[place].text[:300])
    if title is None or place + 1 >= len(lines) or (below := _PROFILE.match(lines[place + 1].text[:600])) is None:
        return None
    number_ = lines[place].number
    return _Test(title["title"], below["id"], below["said"] or "", kernel, number_, number_ + 1)


def _within(test: _Test, line: Line) -> bool:
    """Whether the line says something of the test; what PHP warns of does not."""
    text = line.text[:600]
    if started := _STARTED.match(text):
        test.started = max(test.started, int(started["run"]))
        test.added += started["more"] is not None
    elif wrong := _WENT_WRONG.match(text):
        test.wrong.append((line, wrong["said"]))
    elif (value := _VALUE.match(text)) and test.results and not test.results[-1].figures:
        test.results[-1].values.append((value["value"], line, value.start("value")))
    elif figure := _FIGURE.match(text):
        return _kept(test, line, figure)
    elif (said := _LIST.match(text)) and test.started:
        if test.results and not test.results[-1].values and not test.results[-1].figures:
            test.results.pop()  # words that had no list
        test.results.append(_Result("" if said["said"] in ("Test Results", "Final") else said["said"], line))
    else:
        return False
    return True


def _kept(test: _Test, line: Line, match: re.Match[str]) -> bool:
    name = match["name"].strip()
    if name not in MEANS and name not in SPREADS and name != "Samples":
        return False
    if not test.results or (name in MEANS and set(test.results[-1].figures) & set(MEANS.values())):
        test.results.append(_Result("", line))
    result = test.results[-1]
    if name == "Samples":
        result.samples = int(match["value"]) if match["value"].isdigit() and len(match["value"]) < 7 else None
    elif (name == "Deviation") == (match["percent"] == "%"):
        result.figures[MEANS.get(name) or SPREADS[name]] = (match["value"], line, match.start("value"))
        result.unit = result.unit or (match["unit"] or "").strip()
    return True


def _block(test: _Test, seen: dict[tuple[str, str], int]) -> Block:
    program, version = profile(test.identifier)
    entries, claims, remarks = list[Entry](), list[Claim](), list[Remark]()
    for result in test.results:
        if result.values or result.figures:
            one = _Read(test, result, program, seen)
            entries.append(one.entry)
            claims += one.claims
            remarks += one.remarks
    if test.wrong and not entries:
        entries.append(_failed(test, program))
    elif test.wrong:
        remarks += [Remark(line.number, f"a run of {program}: {said}") for line, said in test.wrong]
    if test.added:
        said = f"{test.added} of {test.started} runs were added because those before differed: their number depends on the values"
        remarks.append(Remark(test.first, said))
    facts = {"test": test.title, "profile": test.identifier, "version": version, "kernel": test.kernel}
    return Block(
        format=NAME,
        title=test.title,
        first=test.first,
        last=test.last,
        entries=tuple(entries),
        claims=tuple(claims),
        remarks=tuple(remarks),
        facts={name: said for name, said in facts.items() if said},
    )


def _failed(test: _Test, program: str) -> Entry:
    return Entry(
        variant=test.kernel,
        program=program,
        benchmark=_benchmark(program, test.arguments),
        metric=METRIC,
        parameters=parameters(test.arguments),
        boots=False,
        state=CellState.FAILED,
        reason=f"{test.wrong[0][1]} (line {test.wrong[0][0].number})",
    )


def _benchmark(program: str, *said: str) -> str:
    return kebab(" ".join((program, *said)))[:200]


class _Read:
    """A result as an entry, with its claims. `seen` counts those of one variant and benchmark: a second log is another variant."""

    def __init__(self, test: _Test, result: _Result, program: str, seen: dict[tuple[str, str], int]) -> None:
        self.result = result
        self.remarks: list[Remark] = []
        self.claims: list[Claim] = []
        unit, self.factor = scale(result.unit)
        said = " - ".join(filter(None, (test.arguments, result.said)))
        benchmark = _benchmark(program, test.arguments, result.said)
        samples = tuple(found for one in result.values if (found := self._number(one)))
        figures = {name: found for name, one in result.figures.items() if (found := self._number(one, of_values=name != "cv"))}
        failed = not samples and all(one.value == 0.0 for one in figures.values())
        if not failed:
            self._claim(benchmark, samples, figures)
            self._doubt(benchmark, samples)
        self.entry = Entry(
            variant=self._variant(test.kernel, benchmark, seen),
            program=program,
            benchmark=benchmark,
            metric=METRIC,
            unit=unit,
            printed_unit=result.unit,
            better=direction(result.unit),
            parameters=parameters(said),
            samples=samples,
            figures={} if failed else figures,
            count=None if failed else len(samples) or result.samples,
            boots=False,
            state=CellState.FAILED if failed else CellState.OK,
            reason=(test.wrong[0][1] if test.wrong else "no run gave a result") if failed else "",
        )

    def _number(self, one: tuple[str, Line, int], *, of_values: bool = True) -> Number | None:
        text, line, at = one
        try:
            return number(text, line, at, self.factor if of_values else 1.0)
        except ValueError as error:
            self.remarks.append(Remark(line.number, str(error)))
            return None

    def _claim(self, benchmark: str, samples: tuple[Number, ...], figures: dict[str, Number]) -> None:
        for name, printed in figures.items():
            outside = name in ("min", "max") and samples and printed.value not in [one.value for one in samples]
            if outside:
                self.remarks.append(Remark(printed.line, f"{benchmark}: the {name} is of what is within the runs, of none of them"))
            elif samples:
                self.claims.append(Claim(kind=name, what=f"{benchmark}: {name} of the runs listed", printed=printed, of=samples))
            else:
                missing = "the runs are not listed"
                self.claims.append(Claim(kind=name, what=f"{benchmark}: {name} of the runs", printed=printed, missing=missing))

    def _doubt(self, benchmark: str, samples: tuple[Number, ...]) -> None:
        line, said = self.result.line.number, self.result.samples
        if said is not None and samples and said != len(samples):
            self.remarks.append(Remark(line, f"{benchmark}: {said} samples are said, and {len(samples)} listed"))
        if len(samples) > 2:
            rest = sum(one.value for one in samples[1:]) / (len(samples) - 1)
            off = samples[0].value / rest - 1.0 if rest else 0.0
            if abs(off) > FIRST_OFF:
                words = f"the first run is {100.0 * off:+.1f} % off the mean of the others: it may have warmed up"
                self.remarks.append(Remark(samples[0].line, f"{benchmark}: {words}"))

    def _variant(self, kernel: str, benchmark: str, seen: dict[tuple[str, str], int]) -> str:
        times = seen[kernel, benchmark] = seen.get((kernel, benchmark), 0) + 1
        if times == 1:
            return kernel
        name = f"{kernel} ({times})".strip()
        self.remarks.append(
            Remark(self.result.line.number, f"{benchmark} of {kernel or 'no kernel named'} again: it is {name} here")
        )
        return name


READER = Reader(
    NAME,
    ("Started Run ", "phoronix-test-suite", "Test Results:"),
    read,
    "a test's title and profile, lines `Started Run N @ TIME`, a list of values, and below it `Average:` with the unit",
)
