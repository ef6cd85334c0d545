"""schbench's reports, in the forms of 2016 and of 2023, and its JSON.

    Wakeup Latencies percentiles (usec) runtime 30 (s) (434563 total samples)
              50.0th: 6          (169867 samples)           Latency percentiles (usec)
            * 99.0th: 9          (14224 samples)                *99.0th: 13104
              min=1, max=119                                    min=0, max=17993
    current rps: 18042.84
    average rps: 18040.10                                   "wakeup_latency_pct99.0": 9, "wakeup_latency_max": 119

A report is of all time until it was printed: those before the last are part of it, and are not counted. The star marks the
percentile that is the headline, no significance. A run is what stands below one command, one heading, or one `warmup done`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.numbers import PLAIN
from kdelta.archive.reader import Reader
from kdelta.archive.runs import Above, Printed, coarse, figure, grouped, instance, once, repeated, variants
from kdelta.archive.text import Line, Text
from kdelta.archive.units import TIMES
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Discarded, Entry, Number, Remark

NAME = "schbench"

_TITLE = re.compile(
    r"\s*(?P<label>(?:Wakeup |Request )?Latenc(?:ies|y)|RPS) percentiles \((?P<unit>[a-z]{2,12})\)"
    r"(?: runtime (?P<runtime>\d{1,9}) \(s\))?(?: \((?P<total>\d{1,18}) total samples\))?\s*$"
)
_ROW = re.compile(
    r"\s*(?:\* {0,4})?(?P<percentile>\d{1,3}(?:\.\d{1,4})?)th: {0,9}(?P<value>\d{1,18})"
    r"(?: {1,20}\((?P<count>\d{1,18}) samples\))?\s*$"
)
_ENDS = re.compile(r"\s*min=(?P<min>\d{1,18}), max=(?P<max>\d{1,18})\s*$")
_RPS = re.compile(rf"\s*(?P<kind>current|average) rps: (?P<value>{PLAIN})\s*$")
_TRANSFER = re.compile(rf"\s*avg worker transfer: (?P<value>{PLAIN}) ops/sec\b")
_DELAY = re.compile(rf"\s*sched delay: message (?P<message>{PLAIN}) \(usec\) worker (?P<worker>{PLAIN}) \(usec\)\s*$")
_WARM = re.compile(r"\s*warmup done, zeroing stats\s*$")
_ITERATION = re.compile(r"\s*Iterations? ?: ?\d+\s*$")
_OPTION = re.compile(r" (?:-(?P<short>[mtr]) ?|--(?P<long>message-threads|threads|runtime)[= ])(?P<value>\d{1,9})\b")
_JSON = re.compile(
    rf'"(?P<label>[a-z_]{{2,30}}?)_(?:pct(?P<percentile>\d{{1,3}}\.\d{{1,4}})|(?P<end>min|max))" ?: ?(?P<value>{PLAIN})'
)

METRICS = {
    "Wakeup Latencies": "wakeup_latency",
    "Request Latencies": "request_latency",
    "RPS": "rps",
    "Latency": "latency",
    "Latencies": "latency",
}
_OPTIONS = {
    "m": "messages",
    "t": "workers",
    "r": "seconds",
    "message-threads": "messages",
    "threads": "workers",
    "runtime": "seconds",
}


@dataclass
class Report:
    """Percentiles below one title. It is whole where its last line, of min and max, stands there."""

    line: Line
    metric: str
    unit: str
    runtime: int = 0
    total: int | None = None
    figures: dict[str, Number] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        return "max" in self.figures


@dataclass
class Run:
    """What one run printed. `rates` are its requests per second, each of one interval, `rate` that of all of it."""

    line: Line
    words: str
    instance: str
    parameters: dict[str, str]
    reports: list[Report] = field(default_factory=list)
    rates: list[Number] = field(default_factory=list)
    rate: Number | None = None
    others: dict[str, tuple[Number, str, Better]] = field(default_factory=dict)

    @property
    def benchmark(self) -> str:
        found = [
            f"{sign}{self.parameters[name]}" for name, sign in (("messages", "m"), ("workers", "t")) if name in self.parameters
        ]
        return "-".join(["schbench", *found])

    @property
    def is_empty(self) -> bool:
        return not (self.reports or self.rates or self.rate or self.others)

    def last(self) -> dict[str, Report]:
        """The report that counts of each metric: the last whole one, or the last where none is."""
        found: dict[str, Report] = {}
        for report in (one for one in self.reports if one.figures):
            if report.whole or report.metric not in found or not found[report.metric].whole:
                found[report.metric] = report
        return found


def read(text: Text) -> Iterator[Block]:
    """One block for all runs of a text."""
    every = [run for run in _Parser().runs(text.lines) if not run.is_empty]
    every += _of_json(text.lines)
    kept, remarks = once([Printed(run.line, run.words, run.benchmark, _texts(run)) for run in every])
    if every:
        yield _block([every[place] for place in kept], remarks)


def _texts(run: Run) -> tuple[str, ...]:
    return tuple(one.text for report in run.reports for one in report.figures.values())


class _Parser:
    """Where the reader is: the run, and the report that is not at its end."""

    def __init__(self) -> None:
        self.above = Above()
        self.instance = ""
        self.parameters: dict[str, str] = {}
        self.run: Run | None = None
        self.report: Report | None = None

    def runs(self, lines: Iterable[Line]) -> Iterator[Run]:
        for line in lines:
            if len(line.text) <= 400:
                yield from self._line(line)
        yield from self._ended()

    def _line(self, line: Line) -> Iterator[Run]:
        if title := _TITLE.match(line.text):
            yield from self._titled(line, title)
        elif self.report is not None and self._row(line, self.report):
            pass
        elif self._number(line):
            self.report = None
        elif number := instance(line):
            yield from self._ended()
            self.instance, self.parameters = number, {}
        elif _WARM.match(line.text) or _ITERATION.match(line.text):
            yield from self._ended()
        elif "schbench" in line.text and (found := list(_OPTION.finditer(line.text))):
            yield from self._ended()
            self.parameters = {_OPTIONS[one["short"] or one["long"]]: one["value"] for one in found}
        else:
            self.report = None
            self.above.see(line)

    def _titled(self, line: Line, title: re.Match[str]) -> Iterator[Run]:
        """Words above a report, or a shorter time than that of the last, begin another run."""
        runtime = int(title["runtime"] or 0)
        words = self.above.take()
        last = self.run.reports[-1].runtime if self.run is not None and self.run.reports else 0
        if self.run is None or words or runtime < last:
            yield from self._ended()
            self.run = Run(line, words, self.instance, self.parameters)
        unit = title["unit"]
        self.report = Report(line, METRICS[title["label"]], unit, runtime, int(title["total"]) if title["total"] else None)
        self.run.reports.append(self.report)

    def _row(self, line: Line, report: Report) -> bool:
        factor = TIMES.get(report.unit, 1.0)
        if ends := _ENDS.match(line.text):
            found = {name: figure(ends, name, line, factor) for name in ("min", "max")}
            report.figures.update({name: one for name, one in found.items() if one is not None})
            self.report = None
            return True
        match = _ROW.match(line.text)
        if match is None:
            return not line.text.strip()
        name = f"p{float(match['percentile']):g}"
        value = figure(match, "value", line, factor)
        if value is not None:
            report.figures[name] = value
        if match["count"] and int(match["count"]) == 0:
            report.empty.append(name)
        return True

    def _number(self, line: Line) -> bool:
        """Rates, and delays of later versions, below the reports."""
        run = self.run
        if run is None:
            return False
        if match := _RPS.match(line.text):
            found = figure(match, "value", line)
            if found is not None and match["kind"] == "current":
                run.rates.append(found)
            elif found is not None:
                run.rate = found
        elif match := _TRANSFER.match(line.text):
            run.others |= _other("throughput", figure(match, "value", line), "ops/s", Better.LARGER)
        elif match := _DELAY.match(line.text):
            for name in ("message", "worker"):
                run.others |= _other(f"{name}_sched_delay", figure(match, name, line, 1e-6), "s", Better.SMALLER)
        return match is not None

    def _ended(self) -> Iterator[Run]:
        self.report = None
        if self.run is not None:
            run, self.run = self.run, None
            yield run


def _other(name: str, found: Number | None, unit: str, better: Better) -> dict[str, tuple[Number, str, Better]]:
    return {name: (found, unit, better)} if found is not None else {}


def _of_json(lines: Sequence[Line]) -> list[Run]:
    """Its keys end in the percentile: what else stands in the object is no result."""
    found: dict[str, Report] = {}
    for line in (one for one in lines if "_pct" in one.text or (found and "_m" in one.text)):
        for match in _JSON.finditer(line.text):
            metric = match["label"]
            unit = "requests" if "rps" in metric else "usec"
            report = found.setdefault(metric, Report(line, metric, unit))
            value = figure(match, "value", line, TIMES.get(unit, 1.0))
            if value is not None:
                report.figures.setdefault(match["end"] or f"p{float(match['percentile']):g}", value)
    reports = [one for one in found.values() if sum(name.startswith("p") for name in one.figures) > 1]
    return [Run(reports[0].line, "", "", {}, reports)] if reports else []


def _block(runs: Sequence[Run], doubled: Sequence[Remark]) -> Block:
    first: dict[str, str] = {}
    names = []
    for run in runs:
        own = first.setdefault(run.benchmark, run.instance) != run.instance
        names.append(f"{run.benchmark}-instance-{run.instance}" if own else run.benchmark)
    named = variants([(run.words, name) for run, name in zip(runs, names, strict=True)])
    groups = grouped(runs, named, names)
    every = tuple(one for (variant, name), of in groups.items() for one in _entries(variant, name, of))
    numbers = [one.line for entry in every for one in (*entry.samples, *entry.figures.values())]
    return Block(
        format=NAME,
        title=runs[0].words if not any(named) else "",
        first=min(run.line.number for run in runs),
        last=max([run.line.number for run in runs] + numbers),
        entries=every,
        remarks=(*doubled, *_remarks(runs, named)),
    )


def _entries(variant: str, name: str, runs: Sequence[Run]) -> Iterator[Entry]:
    """Of one run its percentiles are figures; of several each is a metric, with a result of each run."""
    parameters = runs[0].parameters
    finals = [run.last() for run in runs]
    for metric in dict.fromkeys(metric for final in finals for metric in final):
        of = [final[metric] for final in finals if metric in final]
        unit, better = ("requests/s", Better.LARGER) if metric.startswith("rps") else ("s", Better.SMALLER)
        shared = {"variant": variant, "benchmark": name, "unit": unit, "printed_unit": of[0].unit, "better": better}
        if len(runs) == 1:
            yield _entry(shared, metric, parameters, figures=of[0].figures, count=of[0].total)
            continue
        for one in dict.fromkeys(one for report in of for one in report.figures):
            samples = tuple(report.figures[one] for report in of if one in report.figures)
            yield _entry(shared, f"{metric}_{one}", parameters, samples=samples)
    yield from _rates(variant, name, runs)


def _entry(
    shared: dict[str, object],
    metric: str,
    parameters: dict[str, str],
    *,
    samples: tuple[Number, ...] = (),
    discarded: tuple[Discarded, ...] = (),
    figures: dict[str, Number] | None = None,
    count: int | None = None,
) -> Entry:
    return Entry(
        program="schbench",
        metric=metric,
        parameters=parameters,
        samples=samples,
        discarded=discarded,
        figures=figures or {},
        count=count,
        **shared,  # type: ignore[arg-type]
    )


def _rates(variant: str, name: str, runs: Sequence[Run]) -> Iterator[Entry]:
    """The average of each run; where none is printed, the rate of its last interval. Earlier ones rise as it warms."""
    rates = {"unit": "requests/s", "printed_unit": "requests/s", "better": Better.LARGER}
    shared: dict[str, object] = {"variant": variant, "benchmark": name, **rates}
    averages = tuple(run.rate for run in runs if run.rate is not None)
    ends = averages or tuple(run.rates[-1] for run in runs if run.rates)
    early = [one for run in runs for one in (run.rates if averages else run.rates[:-1])]
    if ends:
        reason = "of one interval: the average of the run holds it" if averages else "of an earlier interval of the run"
        discarded = tuple(Discarded(one, reason) for one in early)
        metric = "average_rps" if averages else "current_rps"
        yield _entry(shared, metric, runs[0].parameters, samples=ends, discarded=discarded)
    for metric in dict.fromkeys(metric for run in runs for metric in run.others):
        found = [run.others[metric] for run in runs if metric in run.others]
        unit = {"unit": found[0][1], "printed_unit": "usec" if found[0][1] == "s" else "ops/sec", "better": found[0][2]}
        yield _entry({**shared, **unit}, metric, runs[0].parameters, samples=tuple(one for one, _, _ in found))


def _remarks(runs: Sequence[Run], named: Sequence[str]) -> Iterator[Remark]:
    yield from repeated((run.line.number, name) for run, name in zip(runs, named, strict=True))
    for run in runs:
        final = run.last()
        kept = {id(one) for one in final.values()}
        early = [one for one in run.reports if one.whole and id(one) not in kept]
        if early:
            said = "reports before the last are of a part of its time: that holds them, and they are not counted"
            yield Remark(early[0].line.number, f"{len(early)} {said}")
        for report in run.reports:
            if not report.whole:
                yield Remark(
                    report.line.number,
                    f"the report of {report.metric} is cut" + ("" if id(report) in kept else ": the one before it counts"),
                )
        for report in final.values():
            if report.empty:
                yield Remark(report.line.number, f"{report.metric}: no sample stands behind {', '.join(report.empty)}")
        if run.rates and run.rate is None:
            yield Remark(run.rates[-1].line, "the average rate of the run is not printed: that of its last interval stands for it")
    yield from coarse(
        one for run in runs for report in run.last().values() for name, one in report.figures.items() if name.startswith("p")
    )


READER = Reader(
    NAME,
    ("percentiles (", '_pct50.0"', '_pct99.0"', " rps: "),
    read,
    "a line `Wakeup Latencies percentiles (usec) ...` or `Latency percentiles (usec)`, and below it lines `99.0th: 9`",
)
