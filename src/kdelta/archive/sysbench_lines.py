"""The lines of a report of sysbench 0.4 to 1.1, and what each number is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kdelta.archive.numbers import PLAIN
from kdelta.archive.runs import Above, figure
from kdelta.archive.text import Line
from kdelta.model.benchmark import Better
from kdelta.model.published import Number

MEBI = 2.0**20
LARGER, SMALLER = Better.LARGER, Better.SMALLER

_TITLE = re.compile(r"\s*sysbench (?P<version>\d+\.\d+[\w.-]{0,40})\s*(?:\(|:|$)")
_LINE = re.compile(
    rf"\s*(?P<label>[A-Za-z0-9][\w /,.()%-]{{1,45}}?): {{0,60}}(?P<value>{PLAIN})(?P<unit>ms|s)?"
    rf"(?: {{1,30}}\((?P<rate>{PLAIN}) (?:per sec(?:ond|\.)?|ops/sec)\))?\s*$"
)
_PERCENTILE = re.compile(r"(?:approx\. {1,4})?(?P<percentile>\d{1,2}(?:\.\d+)?)(?:th)? percentile$")
_MOVED = re.compile(rf"\s*(?P<size>{PLAIN}) Mi?B transferred \((?P<rate>{PLAIN}) Mi?B/sec\)\s*$")
_DONE = re.compile(
    rf"\s*Operations performed: {{1,4}}(?P<reads>{PLAIN}) [Rr]eads?, (?P<writes>{PLAIN}) [Ww]rites?, "
    rf"(?P<other>{PLAIN}) Other = (?P<total>{PLAIN}) Total\s*$"
)
_FILES = re.compile(
    rf"\s*Read {PLAIN}\w{{1,3}} {{1,4}}Written {PLAIN}\w{{1,3}} {{1,4}}Total transferred {PLAIN}\w{{1,3}} {{1,4}}"
    rf"\((?P<rate>{PLAIN})(?P<unit>[KMG]?i?[bB])/sec\)\s*$"
)
_REQUESTS = re.compile(rf"\s*(?P<value>{PLAIN}) Requests/sec executed\s*$")
_THREADS = re.compile(r"\s*Number of threads: (?P<threads>\d{1,9})\s*$")
_TARGET = re.compile(r"\s*Target transaction rate: (?P<rate>\d{1,12})/sec\s*$")
_INTERVAL = re.compile(r"\s*\[ *\d{1,9}s ?\] ?(?:thds|threads|reads)\b")
_FAIRNESS = re.compile(rf"\s*(?P<label>events|execution time) \(avg/stddev\): {{0,40}}(?P<mean>{PLAIN})/(?P<sd>{PLAIN})\s*$")
_SECTION = re.compile(
    r"\s*(?:Throughput|Latency(?: \(ms\))?|Threads fairness|General statistics|Test execution summary|per-request statistics|"
    r"queries performed):\s*$"
)
_OPENS = re.compile(
    r"\s*(?:SQL statistics|OLTP test statistics|CPU speed|File operations|General statistics|Test execution summary):\s*$"
)
"""With one of these begins what a mail quotes of a report."""
_FATAL = re.compile(r"\s*(?:FATAL|ALERT): (?P<words>\S[^\n]{0,200})")

TESTS = (
    ("oltp", re.compile(r"\s*(?:SQL statistics:|OLTP test statistics:|(?:Doing|Running) OLTP test)")),
    ("cpu", re.compile(r"\s*(?:CPU speed:|Doing CPU performance benchmark|Prime numbers limit:|Maximum prime number)")),
    ("memory", re.compile(r"\s*(?:(?:Doing|Running) memory (?:operations )?speed test|Memory operations type:)")),
    ("threads", re.compile(r"\s*Doing thread subsystem performance test")),
    ("mutex", re.compile(r"\s*Doing mutex performance test")),
    ("fileio", re.compile(r"\s*(?:File operations:|Extra file open flags:|Doing (?:random|sequential) )")),
)
_CALLED = re.compile(r"\bsysbench\b[^\n]{0,300}?(?:--test=|[ /])(?P<script>oltp[a-z_]{0,40}|cpu|memory|threads|mutex|fileio)\b")

SCALARS: dict[str, tuple[str, str, Better | None]] = {
    "events/s (eps)": ("events_per_s", "/s", LARGER),
    "events per second": ("events_per_s", "/s", LARGER),
    "transactions": ("transactions", "", None),
    "queries": ("queries", "", None),
    "read/write requests": ("requests", "", None),
    "other operations": ("other_operations", "", None),
    "deadlocks": ("deadlocks", "", None),
    "ignored errors": ("ignored_errors", "", None),
    "reconnects": ("reconnects", "", None),
    "total operations": ("operations", "", None),
    "operations performed": ("operations", "", None),
    "read": ("reads", "", None),
    "write": ("writes", "", None),
    "other": ("others", "", None),
    "total": ("statements", "", None),
    "total number of events": ("events", "", None),
    "time elapsed": ("elapsed_s", "s", SMALLER),
    "total time": ("elapsed_s", "s", SMALLER),
    "total time taken by event execution": ("events_s", "s", None),
    "reads/s": ("reads_per_s", "/s", LARGER),
    "writes/s": ("writes_per_s", "/s", LARGER),
    "fsyncs/s": ("fsyncs_per_s", "/s", LARGER),
    "read, MiB/s": ("read", "B/s", LARGER),
    "written, MiB/s": ("written", "B/s", LARGER),
}
"""Label -> metric, base unit, direction. Behind some stands their rate, in parentheses."""
LATENCY = {"min": "min", "avg": "mean", "max": "max"}


@dataclass
class Run:
    """One report. `values` are by metric; `latency` by figure, in seconds."""

    line: Line
    words: str
    version: str = ""
    test: str = ""
    script: str = ""
    threads: Number | None = None
    target: str = ""
    values: dict[str, tuple[Number, str, str, Better | None]] = field(default_factory=dict)
    latency: dict[str, Number] = field(default_factory=dict)
    fairness: dict[str, tuple[Number, Number]] = field(default_factory=dict)
    sums: list[tuple[Number, tuple[Number, ...]]] = field(default_factory=list)
    intervals: int = 0
    trouble: str = ""

    @property
    def benchmark(self) -> str:
        threads = self.threads.text if self.threads else ""
        rate = f"{self.target}rate" if self.target else ""
        return "-".join(filter(None, ("sysbench", (self.script or self.test).replace("_", "-"), threads, rate)))

    @property
    def parameters(self) -> dict[str, str]:
        found = {"threads": self.threads.text if self.threads else "", "rate": self.target}
        return {name: value for name, value in found.items() if value}

    def number(self, metric: str) -> Number | None:
        return self.values[metric][0] if metric in self.values else None


class Parser:
    """Where the reader is: the report, and whether lines of latencies are in seconds or in milliseconds."""

    def __init__(self) -> None:
        self.above = Above()
        self.run: Run | None = None
        self.script = ""

    def runs(self, lines: Iterable[Line]) -> Iterator[Run]:
        for line in lines:
            if len(line.text) > 400:
                continue
            if title := _TITLE.match(line.text):
                yield from self._ended()
                self.run = Run(line, self.above.take(), title["version"], script=self.script)
            elif called := _CALLED.search(line.text):
                yield from self._ended()
                self.script = called["script"]
            elif _OPENS.match(line.text) and (self.run is None or self.run.fairness):
                yield from self._ended()
                self.run = Run(line, self.above.take(), script=self.script)
                self._line(line, self.run)
            elif self.run is None:
                self.above.see(line)
            elif not self._line(line, self.run):
                yield from self._prose(line)
        yield from self._ended()

    def _prose(self, line: Line) -> Iterator[Run]:
        """Words below a report end it; above its first result stand its options and what it is about to do."""
        run = self.run
        if run is None or not (run.values or run.latency or run.trouble):
            return
        if run.fairness and line.text.strip():
            yield from self._ended()
        self.above.see(line)

    def _line(self, line: Line, run: Run) -> bool:
        """Whether the line is of the report."""
        test = next((name for name, shape in TESTS if shape.match(line.text)), "")
        run.test = run.test or test
        if match := _THREADS.match(line.text):
            run.threads = figure(match, "threads", line)
        elif match := _TARGET.match(line.text):
            run.target = match["rate"] if match["rate"].strip("0") else ""
        elif match := _FATAL.match(line.text):
            run.trouble = run.trouble or match["words"].strip()
        elif match := _FAIRNESS.match(line.text):
            mean, sd = figure(match, "mean", line), figure(match, "sd", line)
            if mean is not None and sd is not None:
                run.fairness[match["label"]] = mean, sd
        elif _INTERVAL.match(line.text):
            run.intervals += 1
        else:
            return bool(test or _SECTION.match(line.text)) or self._moved(line, run) or self._labelled(line, run)
        return True

    def _labelled(self, line: Line, run: Run) -> bool:
        match = _LINE.match(line.text)
        if match is None:
            return False
        label = match["label"].strip()
        percentile = _PERCENTILE.match(label)
        name = LATENCY.get(label) or (f"p{float(percentile['percentile']):g}" if percentile else "")
        if name or label == "sum":
            # In 0.4 the unit stands behind the number, later in the title.
            found = figure(match, "value", line, 1.0 if match["unit"] == "s" else 1e-3)
            if found is not None and name:
                run.latency.setdefault(name, found)
            elif found is not None:
                run.values.setdefault("latency_sum", (found, "s", "ms", None))
            return True
        scalar = SCALARS.get(label) or SCALARS.get(label.lower())
        if scalar is not None:
            self._scalar(line, run, match, scalar)
        return scalar is not None

    def _scalar(self, line: Line, run: Run, match: re.Match[str], scalar: tuple[str, str, Better | None]) -> None:
        metric, unit, better = scalar
        found = figure(match, "value", line, MEBI if unit == "B/s" else 1.0)
        if found is not None:
            run.values.setdefault(metric, (found, unit, {"B/s": "MiB/s", "s": "s"}.get(unit, unit), better))
        rate = figure(match, "rate", line)
        if rate is not None:
            run.values.setdefault(
                f"{metric}_per_s", (rate, "/s", "per sec.", LARGER if metric in ("transactions", "operations") else None)
            )

    def _moved(self, line: Line, run: Run) -> bool:
        """Bytes: of memory, and of files in 0.4."""
        if match := _MOVED.match(line.text):
            size, rate = figure(match, "size", line, MEBI), figure(match, "rate", line, MEBI)
            run.values |= {"moved": (size, "B", "MiB", None)} if size else {}
            run.values |= {"moved_per_s": (rate, "B/s", "MiB/sec", LARGER)} if rate else {}
        elif match := _FILES.match(line.text):
            factor = {"k": 2.0**10, "m": MEBI, "g": 2.0**30}.get(match["unit"][0].lower(), 1.0)
            rate = figure(match, "rate", line, factor)
            run.values |= {"moved_per_s": (rate, "B/s", f"{match['unit']}/sec", LARGER)} if rate else {}
        elif match := _DONE.match(line.text):
            parts = [figure(match, name, line) for name in ("reads", "writes", "other", "total")]
            known = [one for one in parts if one is not None]
            if len(known) == len(parts):
                run.sums.append((known[-1], tuple(known[:-1])))
                run.values |= {"operations": (known[-1], "", "", None)}
        elif match := _REQUESTS.match(line.text):
            found = figure(match, "value", line)
            run.values |= {"requests_per_s": (found, "/s", "Requests/sec", LARGER)} if found else {}
        return match is not None

    def _ended(self) -> Iterator[Run]:
        if self.run is not None:
            run, self.run = self.run, None
            yield run
