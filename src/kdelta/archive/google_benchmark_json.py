"""Google Benchmark's JSON: an object for each repetition, or for an aggregate of them.

    {"context": {"num_cpus": 4, "mhz_per_cpu": 4228, "cpu_scaling_enabled": false, "library_build_type": "release"},
     "benchmarks": [{"name": "BM_Two", "run_type": "iteration", "real_time": 9, "cpu_time": 90, "time_unit": "ns"},
                    {"name": "BM_Two_mean", "run_name": "BM_Two", "run_type": "aggregate", "aggregate_name": "mean", ...}]}

The same name twice is two repetitions. Each object has its own unit of time. Keys that are not the library's own are counters of
the user's (src/json_reporter.cc of 1.8).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from kdelta.archive.json_text import NULL, Json, words
from kdelta.archive.reader import Reader
from kdelta.archive.text import Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Discarded, Entry, Number, Remark

NAME = "google benchmark json"
PROGRAM = "google benchmark"
TIMES = ("real_time", "cpu_time")
AGGREGATES = {"mean": "mean", "median": "median", "stddev": "sd", "cv": "cv", "min": "min", "max": "max"}
"""What the library calls them -> figures. Its cv is a fraction."""
RATES = {"bytes_per_second": "B/s", "items_per_second": "/s"}
NEGATIVE = "a time below 0: the clock, or the overhead that was taken off, was wrong"

_OWN = frozenset(
    (
        *(
            "name",
            "run_name",
            "run_type",
            "family_index",
            "per_family_instance_index",
            "repetitions",
            "repetition_index",
            "threads",
        ),
        *("iterations", "time_unit", "aggregate_name", "aggregate_unit", "label", "error_occurred", "error_message", "skipped"),
        *("skip_message", "big_o", "rms", "complexity_n", "cpu_coefficient", "real_coefficient"),
    )
)
_FACTS = ("date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "load_avg", "library_version", "aslr_enabled")

Object = dict[str, msgspec.Raw]


class _Output(msgspec.Struct):
    context: Object
    benchmarks: list[Object]


@dataclass
class Group:
    """All that is printed of one metric of one benchmark."""

    benchmark: str
    metric: str
    unit: str
    printed_unit: str
    samples: list[Number] = field(default_factory=list)
    discarded: list[Discarded] = field(default_factory=list)
    figures: dict[str, Number] = field(default_factory=dict)
    repeated: bool = False
    failed: str = ""
    count: int | None = None

    def add(self, value: Number, figure: str) -> None:
        """A repetition, or where `figure` names one, a figure. A time below 0 is neither."""
        if self.unit == "s" and value.value < 0.0:
            self.discarded.append(Discarded(value, NEGATIVE))
        elif not figure:
            self.samples.append(value)
        elif figure not in self.figures:
            self.figures[figure] = value
        else:
            # The same figure again: which of them it is cannot be said, so they are as they stand.
            self.samples.append(value)
            self.repeated = True

    def entry(self, variant: str = "", box: str = "") -> Entry:
        """As it was collected; of several figures of no name all are samples."""
        samples, figures = list(self.samples), dict(self.figures)
        if self.repeated and "value" in figures:
            samples.insert(0, figures.pop("value"))
        empty = not samples and not figures
        failed = self.failed or (self.discarded[0].reason if empty and self.discarded else "")
        return Entry(
            variant=variant,
            box=box,
            program=PROGRAM,
            benchmark=self.benchmark,
            metric=self.metric,
            unit=self.unit,
            printed_unit=self.printed_unit,
            better=direction(self.metric),
            samples=tuple(samples),
            discarded=tuple(self.discarded),
            figures=figures,
            count=len(samples) or self.count,
            state=CellState.FAILED if failed and empty else CellState.OK,
            reason=failed if empty else "",
        )


def direction(metric: str) -> Better | None:
    """Less time is better, and more of a rate; of a user's counter nobody says."""
    return Better.SMALLER if metric in TIMES else Better.LARGER if metric in RATES else None


def read(text: Text) -> Iterator[Block]:
    """One block of all benchmarks of the file."""
    json = Json(text)
    if json.too_long:
        yield json.refusal(NAME)
        return
    output = json.decode(_Output)
    if output is None or not any("real_time" in one for one in output.benchmarks):
        return
    groups, remarks = dict[tuple[str, str, str], Group](), list[Remark]()
    for one in output.benchmarks:
        remarks += _collect(json, one, groups)
    known = {name: words(value) for name, value in output.context.items()}
    yield Block(
        format=NAME,
        first=text.first,
        last=text.last,
        entries=tuple(group.entry("", known.get("host_name", "")) for group in groups.values()),
        remarks=(*_doubts(known, text.first), *remarks, *told(groups.values())),
        facts={name: known[name] for name in _FACTS if known.get(name)},
    )


def _collect(json: Json, one: Object, groups: dict[tuple[str, str, str], Group]) -> Iterator[Remark]:
    said = {name: words(one.get(name, NULL)) for name in ("name", "run_name", "run_type", "aggregate_name", "time_unit")}
    aggregate = said["run_type"] == "aggregate"
    name = (said["run_name"] or said["name"].removesuffix(f"_{said['aggregate_name']}")) if aggregate else said["name"]
    figure = (AGGREGATES.get(said["aggregate_name"]) or ("" if said["aggregate_name"] else "value")) if aggregate else ""
    if not name or (aggregate and not figure):
        return
    if words(one.get("error_occurred", NULL)) == "true" or words(one.get("skipped", NULL)) == "true":
        reason = words(one.get("error_message", one.get("skip_message", NULL))) or "an error, of which nothing is said"
        for metric in TIMES:
            groups.setdefault((name, metric, "s"), Group(name, metric, "s", "")).failed = reason
        return
    printed = said["time_unit"] or "ns"
    for metric, raw in one.items():
        if metric in _OWN:
            continue
        unit, factor, shown = (*base(printed), printed) if metric in TIMES else (RATES.get(metric, ""), 1.0, RATES.get(metric, ""))
        value = json.number(raw, 100.0 if figure == "cv" else factor)
        if value:
            group = groups.setdefault((name, metric, unit), Group(name, metric, unit, shown))
            group.add(value, figure)
            if figure in AGGREGATES.values():
                group.count = int(words(one.get("repetitions", NULL))) if words(one.get("repetitions", NULL)).isdigit() else None
        elif metric in TIMES:
            yield Remark(json.place(raw)[0], f"{name}: {metric} is {words(raw)[:40] or 'null'}, which is no number")


def told(groups: Iterable[Group]) -> Iterator[Remark]:
    """What is doubtful of them."""
    for group in groups:
        if group.discarded:
            line = group.discarded[0].number.line
            yield Remark(line, f"{group.benchmark}: {len(group.discarded)} {group.metric} below 0, not counted")
        if group.repeated:
            yield Remark(group.samples[0].line, f"{group.benchmark}: several aggregates of no name, taken as repetitions")


def _doubts(known: dict[str, str], line: int) -> Iterator[Remark]:
    if known.get("cpu_scaling_enabled") == "true":
        yield Remark(line, "the processor's frequency was scaled while this ran")
    if known.get("library_build_type", "").lower() == "debug":
        yield Remark(line, "the library was built for debugging: times are of slower code")


READER = Reader(
    NAME,
    ('"real_time"',),
    read,
    "a file of --benchmark_format=json: an object with `context` and `benchmarks`, each with `real_time` and `cpu_time`",
)
