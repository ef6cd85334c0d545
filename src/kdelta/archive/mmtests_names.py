"""What rows of MMTests are of: which figure a statistic is, and which benchmark and unit stand behind title and operation.

Units are those of shellpack_src/src/*/shellpack.yaml of MMTests; a benchmark that is not known here has none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kdelta.model.benchmark import Better

FIGURES = {
    "Min": "min",
    "Max": "max",
    "Amean": "mean",
    "Hmean": "hmean",
    "Gmean": "gmean",
    "Stddev": "sd",
    "HStddev": "sd",
    "CoeffVar": "cv",
    "HCoeffVar": "cv",
    "1st-qrtle": "p25",
    "2nd-qrtle": "median",
    "3rd-qrtle": "p75",
    "AmeanCI": "error",
    "HmeanCI": "error",
}
SPREADS = ("sd", "cv", "error")
"""Smaller is better, whatever the metric."""
MAIN = ("Amean", "Hmean", "Gmean", "", "Ops", "2nd-qrtle", "Min")
"""Statistics whose percentage is the one of the entry, the first that there is."""

SESSION = ("Duration", "Ops")
"""Rows that have no percentage where they are of the whole session."""

_PERCENTILE = re.compile(r"(?:Max|Pctile)[-.](\d{1,3}(?:\.\d{1,6})?)$")
_BEST = re.compile(r"B?(?P<mean>[AH]mean)[-.](?P<percent>\d{1,3})$")
_WORDS = re.compile(r"[A-Za-z0-9]+(?:\.\d+)?")
_MORE = re.compile(r"\([^)]*\)")
_KERNBENCH = re.compile(r"(?P<what>user|syst|elsp|system|elapsed)-(?P<jobs>\d{1,5})$", re.IGNORECASE)
_TIME = re.compile(r"(?P<what>user|syst|elsp|system|elapsed)(?:-(?P<of>\S+))?$", re.IGNORECASE)
_TIMES = {"user": "user_s", "syst": "system_s", "system": "system_s", "elsp": "elapsed_s", "elapsed": "elapsed_s"}
_RATE = re.compile(r"(?P<unit>[KMG]i?B/s(?:ec)?)\b *", re.IGNORECASE)


class Of(NamedTuple):
    """A benchmark that MMTests runs: what a number of it is. `load` names the number that an operation is, or ends with."""

    title: re.Pattern[str]
    program: str
    metric: str
    printed: str
    unit: str
    factor: float
    load: str


def _of(title: str, program: str, metric: str, printed: str, unit: str, factor: float, load: str) -> Of:
    return Of(re.compile(title, re.IGNORECASE), program, metric, printed, unit, factor, load)


KNOWN = (
    _of(r"hackbench", "hackbench", "time", "s", "s", 1.0, "groups"),
    _of(r"dbench.{0,20}(?:throughput|tput)", "dbench", "throughput", "MB/s", "B/s", 1e6, "clients"),
    _of(r"dbench.{0,40}(?:execution time|loadfile|latency)", "dbench", "time", "ms", "s", 1e-3, "clients"),
    _of(r"dbench", "dbench", "result", "", "", 1.0, "clients"),
    _of(r"tbench", "tbench", "throughput", "MB/s", "B/s", 1e6, "clients"),
    _of(r"netperf.{0,20}rr\b", "netperf", "rate", "", "", 1.0, "bytes"),
    _of(r"netperf", "netperf", "throughput", "Mbit/s", "bit/s", 1e6, "bytes"),
    _of(r"perfpipe", "perfpipe", "time", "usecs/op", "s", 1e-6, ""),
    _of(r"stream\b", "stream", "throughput", "MB/s", "B/s", 1e6, ""),
    _of(r"nas-|\bNAS\b", "nas", "time", "s", "s", 1.0, ""),
    _of(r"autonumabench", "autonumabench", "time", "s", "s", 1.0, ""),
    _of(r"gitsource|gitcheckout", "gitsource", "time", "s", "s", 1.0, ""),
)


class What(NamedTuple):
    """Of the numbers of one operation."""

    program: str
    benchmark: str
    metric: str
    printed: str = ""
    unit: str = ""
    factor: float = 1.0
    parameters: tuple[tuple[str, str], ...] = ()


def slug(words: str) -> str:
    """Of short lower-case words with `-` between them."""
    return "-".join(_WORDS.findall(words.lower()))


def figure(stat: str, better: Better | None) -> tuple[str, str]:
    """Which figure it is, and what is added to the name of the metric: a mean of the best tenth is not that of all.

    Where larger is better MMTests sorts downwards, so that its first percentile is our last.
    """
    if stat in FIGURES:
        name = FIGURES[stat]
        return ({"p25": "p75", "p75": "p25"}.get(name, name) if better is Better.LARGER else name), ""
    if found := _PERCENTILE.match(stat):
        share = float(found[1])
        return f"p{100.0 - share if better is Better.LARGER else share:.7g}", ""
    if found := _BEST.match(stat):
        return FIGURES[found["mean"]], f"-best-{found['percent']}"
    return "value", f"-{slug(stat)}" if stat not in ("", *SESSION) else ""


def session(title: str, stat: str, operation: str) -> What:
    """Of rows without percentages: the time that all of MMTests took, with what it did around the benchmark, and its events."""
    name = f"{_base(title) or 'mmtests'}-session"
    if stat == "Duration":
        return What("", name, _TIMES.get(operation.lower(), slug(operation)), "s", "s")
    return What("", name, slug(operation) or "result")


def what(title: str, stat: str, operation: str) -> What:
    """What the numbers of an operation are of, by what stands above the table, and by the operation."""
    base = _base(title)
    match = _KERNBENCH.match(operation)
    if match and ("kernbench" in title.lower() or not title or " " in title):
        return _kernbench(match)
    known = next((one for one in KNOWN if one.title.search(f"{title} {operation}")), None)
    if match := _TIME.match(operation):
        name = "-".join(filter(None, (base or "mmtests", slug(match["of"] or ""))))
        return What(known.program if known else "", name, _TIMES[match["what"].lower()], "s", "s")
    if not stat and (match := _RATE.match(operation)):
        name = "-".join(filter(None, (base, slug(operation[match.end() :]))))
        return What(
            "stream" if "stream" in base else "", name or "mmtests", "throughput", match["unit"], "B/s", _rate(match["unit"])
        )
    if known:
        return _known(known, base, operation)
    name = "-".join(filter(None, (base or ("mmtests" if not _has_letter(operation) else ""), slug(operation))))
    return What("", name or "mmtests", _metric(title))


def _base(title: str) -> str:
    return slug(_MORE.sub(" ", title))


def _kernbench(match: re.Match[str]) -> What:
    """`load` as our own kernbench has it: so many jobs."""
    jobs = match["jobs"]
    return What("kernbench", f"kernbench-{jobs}", _TIMES[match["what"].lower()], "s", "s", 1.0, (("load", jobs),))


def _known(one: Of, base: str, operation: str) -> What:
    operation = operation.removeprefix(f"{one.metric}-")
    load = operation.rpartition("-")[2]
    parameters = ((one.load, load),) if one.load and load.isdecimal() else ()
    same = slug(operation) in ("", one.metric)
    name = base if same else f"{base}-{slug(operation)}"
    return What(one.program, name, one.metric, one.printed, one.unit, one.factor, parameters)


def _rate(unit: str) -> float:
    power = "KMG".index(unit[0].upper()) + 1
    return float(1024**power if unit[1] == "i" else 1000**power)


def _metric(title: str) -> str:
    found = re.search(r"throughput|latency|time", title, re.IGNORECASE)
    return found.group().lower() if found else "result"


def _has_letter(operation: str) -> bool:
    return any(map(str.isalpha, operation))
