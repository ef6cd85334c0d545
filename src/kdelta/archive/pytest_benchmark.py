"""pytest-benchmark's files of JSON: figures of the rounds of each test, and where they were saved, the rounds.

    {"machine_info": {"release": "3.13.0-55-generic", "node": "host1"}, "version": "2.5.0",
     "benchmarks": [{"fullname": "tests/test_normal.py::test_fast", "options": {"timer": "time"},
                     "stats": {"rounds": 9987, "iterations": 418, "mean": 2.6e-07, "median": 2.2e-07, "data": [...]}}]}

Seconds. A round is the mean of its iterations. `data` is there with --benchmark-save-data (src/pytest_benchmark/stats.py of 4.0).
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kdelta.archive.json_text import NULL, Json, words
from kdelta.archive.labels import Apart
from kdelta.archive.reader import Reader
from kdelta.archive.text import Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "pytest-benchmark"

FIGURES = {"mean": "mean", "median": "median", "stddev": "sd", "min": "min", "max": "max", "q1": "p25", "q3": "p75"}
_CLAIMED = ("mean", "median", "stddev", "min", "max")
_FACTS = ("system", "release", "machine", "processor", "python_version", "cpu")
WALL_CLOCKS = ("time", "time.time")
FAR = 10.0
"""A largest round of so many medians is told."""

Object = dict[str, msgspec.Raw]


class _Test(msgspec.Struct):
    stats: Object
    name: str = ""
    fullname: str = ""
    options: Object | None = None
    params: Object | None = None


class _File(msgspec.Struct):
    benchmarks: list[_Test]
    machine_info: Object = {}
    commit_info: Object = {}
    datetime: msgspec.Raw = NULL


def read(text: Text) -> Iterator[Block]:
    """One block of all tests of the file. The kernel is that of the machine."""
    json = Json(text)
    if json.too_long:
        yield json.refusal(NAME)
        return
    file = json.decode(_File)
    if file is None:
        return
    entries, claims, remarks, apart = list[Entry](), list[Claim](), list[Remark](), Apart()
    machine = {name: words(value) for name, value in file.machine_info.items()}
    for test in file.benchmarks:
        if "rounds" not in test.stats and "mean" not in test.stats:
            continue
        named = {name: number for name in FIGURES if (number := json.number(test.stats.get(name, NULL)))}
        data = _data(json, test)
        is_whole = words(test.stats.get("rounds", NULL)) in ("", str(len(data)))
        line = next((one.line for one in (*named.values(), *data)), text.first)
        name = test.fullname or test.name
        variant, twice = apart.name(machine.get("release", ""), name, line)
        entries.append(_entry(variant, machine.get("node", ""), test, named, data if is_whole else ()))
        if data and not is_whole:
            few = f"{len(data)} of {words(test.stats['rounds'])} rounds stand in the file"
            remarks.append(Remark(line, f"{name}: {few}: its figures count, which are of all"))
        claims += [
            Claim(kind=FIGURES[figure], what=f"{name}, {figure}", printed=named[figure], of=data)
            for figure in (_CLAIMED if data and is_whole else ())
            if figure in named
        ]
        remarks += (*twice, *_doubts(name, test, named, line))
    if entries:
        facts = {name: machine[name] for name in _FACTS if machine.get(name)}
        facts |= {
            name: said
            for name, raw in (("date", file.datetime), ("commit", file.commit_info.get("id", NULL)))
            if (said := words(raw))
        }
        yield Block(
            format=NAME,
            first=text.first,
            last=text.last,
            entries=tuple(entries),
            claims=tuple(claims),
            remarks=tuple(remarks),
            facts=facts,
        )


def _data(json: Json, test: _Test) -> tuple[Number, ...]:
    try:
        raw = msgspec.json.decode(test.stats.get("data", NULL), type=list[msgspec.Raw] | None)
    except msgspec.MsgspecError:
        raw = None
    return tuple(number for one in raw or () if (number := json.number(one)))


def _entry(variant: str, box: str, test: _Test, named: dict[str, Number], data: tuple[Number, ...]) -> Entry:
    rounds = words(test.stats.get("rounds", NULL))
    return Entry(
        variant=variant,
        box=box,
        program="pytest-benchmark",
        benchmark=test.fullname or test.name,
        metric="time",
        unit="s",
        printed_unit="s",
        better=Better.SMALLER,
        parameters={name: words(value) for name, value in (test.params or {}).items()},
        samples=data,
        figures={} if data else {FIGURES[name]: number for name, number in named.items()},
        count=len(data) or (int(rounds) if rounds.isdigit() else None),
        boots=False,
    )


def _doubts(name: str, test: _Test, named: dict[str, Number], line: int) -> Iterator[Remark]:
    iterations, outliers = (words(test.stats.get(key, NULL)) for key in ("iterations", "outliers"))
    if iterations.isdigit() and int(iterations) > 1:
        yield Remark(line, f"{name}: a round is the mean of {iterations} iterations")
    if outliers not in ("", "0;0"):
        yield Remark(line, f"{name}: outliers {outliers}: beyond one standard deviation, and beyond 1.5 quartile ranges")
    median, first, largest = (named.get(key) for key in ("median", "q1", "max"))
    if median and first and median.value == first.value and median.value:
        yield Remark(median.line, f"{name}: the median is the first quartile: the clock has steps as long as these differences")
    if median and largest and median.value > 0.0 and largest.value > FAR * median.value:
        yield Remark(largest.line, f"{name}: the longest round is {largest.value / median.value:.0f} times the median")
    timer = words((test.options or {}).get("timer", NULL))
    if timer in WALL_CLOCKS:
        yield Remark(line, f"{name}: the timer is `{timer}`, a wall clock that may be set while it runs")


READER = Reader(
    NAME,
    ('"iterations"', '"rounds"'),
    read,
    "a file of --benchmark-json or of .benchmarks/: an object with `machine_info` and `benchmarks`, each with `stats`",
)
