"""What the lines of `perf bench` say: their shapes in tools/perf/bench of Linux 2.6.33 to 6.16, and what each number is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kdelta.archive.numbers import PLAIN
from kdelta.archive.runs import figure
from kdelta.archive.text import Line
from kdelta.archive.units import TIMES
from kdelta.model.benchmark import Better
from kdelta.model.published import Number

KIB = {"bytes": 1.0, "kb": 2.0**10, "mb": 2.0**20, "gb": 2.0**30}
"""What mem/ calls a MB: its print_bps() divides by 1024."""


@dataclass(frozen=True)
class Said:
    """One number of a line. `role` is what it is: the `value` of a run, a `row` of its repetitions or its `thread`s, the `mean` of
    these. `percent` is the relative standard error behind it in percent, and `error` that in the unit of the number.
    """

    role: str
    metric: str
    unit: str
    printed_unit: str
    better: Better
    number: Number
    percent: Number | None = None
    error: Number | None = None


_SPREAD = rf"(?: ?\(\+- ?(?P<percent>{PLAIN}) ?%\))?"
_TOTAL = re.compile(rf"\s*Total time: {{0,12}}(?P<value>{PLAIN}) \[?(?P<unit>secs?|msecs?|usecs?)\]?\s*$")
_RATE = re.compile(rf"\s*(?P<value>{PLAIN}) (?P<unit>[umn]?secs?/op(?:/cpu)?|ops/sec|cycles/byte)\s*$")
_BYTES = re.compile(rf"\s*(?P<value>{PLAIN}) (?P<unit>bytes|[KMG]B)/[sS]ec\b[^\n]{{0,80}}$")
_RUN = re.compile(
    rf"\s*\[Run \d{{1,6}}\]: [A-Z][^\n]{{0,100}}? in (?P<value>{PLAIN}) (?P<unit>m?secs?|ms|us)\b(?: \(pi\))?{_SPREAD}"
)
_SUMMARY = re.compile(
    rf"\s*(?:Wokeup|Requeued|Awoke and Requeued|Avg per-thread latency) [^\n]{{0,100}}? in (?P<value>{PLAIN}) "
    rf"(?P<unit>m?secs?|ms|us){_SPREAD}\s*$"
)
_THREAD = re.compile(rf"\s*\[thread +\d{{1,6}}\] [^\[\n]{{0,120}}\[ ?(?P<value>{PLAIN}) ops/sec ?\]\s*$")
_CONTROL = re.compile(
    rf"\s*\[thread +\d{{1,6}}\] [^\[\n]{{0,120}}"
    rf"\[ ?add: (?P<add>{PLAIN}) ops; mod: (?P<mod>{PLAIN}) ops; del: (?P<del>{PLAIN}) ops ?\]\s*$"
)
_AVERAGED = re.compile(rf"\s*Averaged (?P<value>{PLAIN}) operations/sec{_SPREAD}")
_AVERAGED_CONTROL = re.compile(rf"\s*Averaged (?P<value>{PLAIN}) (?P<kind>ADD|MOD|DEL) operations{_SPREAD}")
_AVERAGE = re.compile(
    rf"\s*Average (?P<what>[\w -]{{1,40}}?)(?: took:|:| per event:?) {{0,9}}(?P<value>{PLAIN}) (?P<unit>[munp]?secs?|ms|us|ns|KB)"
    rf"(?: \(\+- (?P<error>{PLAIN}) \w+\))?\s*$"
)
_NUMA = re.compile(
    rf"\s*(?P<name>[\w,-]{{1,60}}?),? {{1,40}}(?P<value>{PLAIN}), (?P<unit>[\w/%]+), {{0,40}}(?P<what>[a-z][\w/-]{{2,40}})\s*$"
)
_NUMA_LONG = {
    "secs slowest (max) thread-runtime": "runtime-max/thread",
    "secs fastest (min) thread-runtime": "runtime-min/thread",
    "secs average thread-runtime": "runtime-avg/thread",
    "% difference between max/avg runtime": "spread-runtime/thread",
    "GB data processed, per thread": "data/thread",
    "GB data processed, total": "data-total",
    "nsecs/byte/thread runtime": "runtime/byte/thread",
    "GB/sec/thread speed": "thread-speed",
    "GB/sec total speed": "total-speed",
}
_NUMA_PLAIN = re.compile(rf"\s*(?P<value>{PLAIN}) (?P<what>[a-zA-Z%][^\n]{{5,50}}?)\s*$")
_NUMA_UNITS = {"secs": ("s", 1.0), "nsecs": ("s/B", 1e-9), "GB": ("B", 1e9), "GB/sec": ("B/s", 1e9), "%": ("%", 1.0)}
_FASTER = frozenset({"thread-speed", "total-speed", "data/thread", "data-total"})


def said(line: Line, benchmark: str) -> list[Said]:
    """The numbers of a line below the title of `benchmark` ("sched/pipe"); none of a line that is another."""
    if len(line.text) > 300:
        return []
    found = _times(line) or _futex(line) or _threads(line) or _averages(line)
    return found or (_numa(line) if benchmark.startswith("numa/") else [])


def _said(role: str, metric: str, unit: str, printed: str, better: Better, found: Number | None) -> list[Said]:
    return [Said(role, metric, unit, printed, better, found)] if found else []


def _times(line: Line) -> list[Said]:
    if match := _TOTAL.match(line.text):
        unit = match["unit"]
        return _said("value", "time", "s", unit, Better.SMALLER, figure(match, "value", line, TIMES[unit]))
    if match := _RATE.match(line.text):
        unit = match["unit"]
        if unit == "ops/sec":
            return _said("value", "throughput", "ops/s", unit, Better.LARGER, figure(match, "value", line))
        if unit == "cycles/byte":
            return _said("value", "cycles", "cycles/B", unit, Better.SMALLER, figure(match, "value", line))
        time, _, of = unit.partition("/")
        metric = "time_per_" + of.replace("/", "_per_")
        return _said("value", metric, f"s/{of}", unit, Better.SMALLER, figure(match, "value", line, TIMES[time]))
    if match := _BYTES.match(line.text):
        factor = KIB[match["unit"].lower()]
        return _said("value", "throughput", "B/s", f"{match['unit']}/sec", Better.LARGER, figure(match, "value", line, factor))
    return []


def _futex(line: Line) -> list[Said]:
    """A time for each of the repetitions of one process, and below them their mean."""
    match, role = _RUN.match(line.text), "row"
    if match is None:
        match, role = _SUMMARY.match(line.text), "mean"
    if match is None:
        return []
    return _spread(role, "time", "s", match["unit"], Better.SMALLER, match, line, TIMES[match["unit"]])


def _threads(line: Line) -> list[Said]:
    """A rate for each thread, and below them their mean."""
    rate = ("throughput", "ops/s", "ops/sec", Better.LARGER)
    if match := _THREAD.match(line.text):
        return _said("thread", *rate, figure(match, "value", line))
    if match := _AVERAGED.match(line.text):
        return _spread("mean", *rate, match, line)
    if match := _CONTROL.match(line.text):
        kinds = ("add", "mod", "del")
        return [
            one for kind in kinds for one in _said("thread", f"{kind}_ops", "ops", "ops", Better.LARGER, figure(match, kind, line))
        ]
    if match := _AVERAGED_CONTROL.match(line.text):
        return _spread("mean", f"{match['kind'].lower()}_ops", "ops", "operations", Better.LARGER, match, line)
    return []


def _spread(
    role: str, metric: str, unit: str, printed: str, better: Better, match: re.Match[str], line: Line, factor: float = 1.0
) -> list[Said]:
    found = figure(match, "value", line, factor)
    if found is None:
        return []
    percent, error = figure(match, "percent", line), figure(match, "percent", line, found.value / 100.0)
    return [Said(role, metric, unit, printed, better, found, percent, error)]


def _averages(line: Line) -> list[Said]:
    """internals/: a mean and the standard error of it, in its unit."""
    match = _AVERAGE.match(line.text)
    if match is None:
        return []
    unit, factor = ("B", KIB["kb"]) if match["unit"] == "KB" else ("s", TIMES[match["unit"]])
    found, error = figure(match, "value", line, factor), figure(match, "error", line, factor)
    metric = "_".join(match["what"].lower().replace("-", " ").split())
    return [Said("mean", metric, unit, match["unit"], Better.SMALLER, found, None, error)] if found else []


def _numa(line: Line) -> list[Said]:
    """`1x3-bw-thread, 20.1, secs, runtime-max/thread`, or in the quiet form `20.1 secs slowest (max) thread-runtime`."""
    if match := _NUMA.match(line.text):
        what, printed = match["what"], match["unit"]
    elif (match := _NUMA_PLAIN.match(line.text)) and match["what"] in _NUMA_LONG:
        what = _NUMA_LONG[match["what"]]
        printed = match["what"].split()[0].removesuffix("/thread").removesuffix("/byte")
    else:
        return []
    unit, factor = _NUMA_UNITS.get(printed, (printed, 1.0))
    better = Better.LARGER if what in _FASTER else Better.SMALLER
    return _said("value", what.replace("/", "_per_").replace("-", "_"), unit, printed, better, figure(match, "value", line, factor))


def numa_name(line: Line) -> str:
    """What stands before the numbers of numa/mem: "1x3-bw-thread", or "main" where only one ran."""
    match = _NUMA.match(line.text) if len(line.text) <= 300 else None
    return match["name"] if match else ""
