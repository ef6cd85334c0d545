"""Google Benchmark, as it prints for people, and what its compare.py prints of two files.

    Run on (4 X 775 MHz CPUs)
    Benchmark                                  Time(ns)    CPU(ns) Iterations
    -------------------------------------------------------------------------
    BM_spin_empty/8k                              -7250       2660     265357

    Comparing old.json to new.json
    Benchmark                 Time             CPU      Time Old      Time New       CPU Old       CPU New
    ------------------------------------------------------------------------------------------------------
    BM_One                 -0.1000         +0.1000            10             9           100           110
    BM_Two_pvalue           0.2207          0.6831      U Test, Repetitions: 2. WARNING: Results unreliable! ...

Newer releases print the unit behind each time. Changes are fractions of the old value; values are rounded to whole units, and
compare.py does not say which (src/console_reporter.cc of 1.0 to 1.8, tools/gbench/report.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import structs

from kdelta.archive.google_benchmark_json import PROGRAM, TIMES, Group, told
from kdelta.archive.labels import below
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "google benchmark"

_HEADER = re.compile(r"\s*Benchmark\s+Time(?:\((?P<unit>ns|us|ms|s)\))?\s+CPU(?:\((?:ns|us|ms|s)\))?\s+Iterations\b")
_RULE = re.compile(r"\s*-{10,}\s*$")
_N = r"-?(?:\d{1,18}(?:\.\d{1,9})?|\.\d{1,9})(?:e[-+]?\d{1,2})?"
_ROW = re.compile(
    rf"\s*(?P<name>\S[^\n]{{0,300}}?)\s+(?P<real_time>{_N})(?:\s*(?P<real_unit>ns|us|ms|s|%))?"
    rf"\s+(?P<cpu_time>{_N})(?:\s*(?P<cpu_unit>ns|us|ms|s|%))?(?:\s+(?P<iterations>\d{{1,15}})(?P<more>\s+\S[^\n]*)?)?\s*$"
)
_FAILED = re.compile(r"\s*(?P<name>\S[^\n]{0,300}?)\s+(?P<kind>ERROR OCCURRED|SKIPPED): '(?P<said>[^\n]{0,300})'\s*$")
_AGGREGATE = re.compile(r"(?P<name>[^\n]{1,300})_(?P<kind>mean|median|stddev|cv|min|max|BigO|RMS)$")
_AGGREGATES = {"mean": "mean", "median": "median", "stddev": "sd", "cv": "cv", "min": "min", "max": "max"}
_CLOCK = re.compile(r"\s*Run on \((?P<processors>\d{1,6} X (?P<mhz>\d{1,6}(?:\.\d{1,3})?) MHz) CPUs?\s*\)")
_SLOW_MHZ = 1000.0
_ABOVE = 20

_COMPARED = re.compile(r"\s*Comparing (?P<old>\S{1,300}) (?:\([^)]{1,200}\) )?to (?P<new>\S{1,300})")
_CHANGES = re.compile(r"\s*Benchmark\s+Time\s+CPU\s+Time Old\s+Time New\s+CPU Old\s+CPU New\s*$")
_CHANGE = re.compile(
    r"\s*(?P<name>\S[^\n]{0,300}?)\s+(?P<real_change>[-+]\d{1,9}\.\d{4})\s+(?P<cpu_change>[-+]\d{1,9}\.\d{4})"
    r"\s+(?P<real_old>-?\d{1,18})\s+(?P<real_new>-?\d{1,18})\s+(?P<cpu_old>-?\d{1,18})\s+(?P<cpu_new>-?\d{1,18})\s*$"
)
_P = re.compile(
    r"\s*(?P<name>\S[^\n]{0,300}?)_pvalue\s+(?P<real>\d\.\d{4})\s+(?P<cpu>\d\.\d{4})\s+U Test, Repetitions: (?P<count>\d{1,6})"
    r"(?: vs (?P<other>\d{1,6}))?(?P<warning>\. WARNING)?"
)
_OF_ALL = "OVERALL_GEOMEAN"
_SIGNIFICANT = 0.05

Pairs = dict[tuple[str, str], list[tuple[Number, Number, Number]]]
"""Benchmark and metric -> changes in percent, old and new values."""


def read(text: Text) -> Iterator[Block]:
    """A block for each table."""
    lines = text.lines
    for place, line in enumerate(lines):
        if "Benchmark" not in line.text:
            continue
        if match := _HEADER.match(line.text):
            yield from _table(lines, place, match["unit"] or "")
        elif _CHANGES.match(line.text):
            yield from _compared(lines, place)


def _table(lines: Sequence[Line], place: int, unit: str) -> Iterator[Block]:
    groups, counters, last = dict[tuple[str, str], Group](), list[Line](), lines[place]
    for line in below(lines, place):
        if _RULE.match(line.text):
            continue
        if not _row(line, unit, groups, counters):
            break
        last = line
    if not groups:
        return
    above = lines[max(0, place - _ABOVE) : place]
    facts, remarks = _context(above)
    if counters:
        said = "what stands behind the iterations is not read: of what its k and M are multiples is not printed"
        remarks.append(Remark(counters[0].number, said))
    yield Block(
        format=NAME,
        first=lines[place].number,
        last=last.number,
        entries=tuple(group.entry() for group in groups.values()),
        remarks=(*remarks, *told(groups.values())),
        facts=facts,
    )


def _row(line: Line, unit: str, groups: dict[tuple[str, str], Group], counters: list[Line]) -> bool:
    if match := _FAILED.match(line.text):
        for metric in TIMES:
            group = groups.setdefault((match["name"], metric), Group(match["name"], metric, "s", unit))
            group.failed = match["said"] or match["kind"].lower()
        return True
    match = _ROW.match(line.text)
    if match is None:
        return "_BigO" in line.text or "_RMS" in line.text
    kind = _AGGREGATE.match(match["name"])
    name, figure = (kind["name"], _AGGREGATES.get(kind["kind"], "")) if kind else (match["name"], "")
    if kind and not figure:
        return True
    for metric, shown in (("real_time", match["real_unit"] or unit), ("cpu_time", match["cpu_unit"] or unit)):
        # The cv is in percent where a percent sign is printed, and a fraction before.
        factor = (1.0 if shown == "%" else 100.0) if figure == "cv" else base(shown)[1]
        group = groups.setdefault((name, metric), Group(name, metric, "s", shown))
        group.add(number(match[metric], line, match.start(metric), factor), figure)
        if figure and match["iterations"]:
            group.count = int(match["iterations"])
    if match["more"] and "=" in match["more"]:
        counters.append(line)
    return True


def _context(above: Sequence[Line]) -> tuple[dict[str, str], list[Remark]]:
    """What stands between the line of the processors and the table."""
    facts, remarks = dict[str, str](), list[Remark]()
    for line in above:
        if match := _CLOCK.match(line.text):
            facts["processors"] = match["processors"]
            if float(match["mhz"]) < _SLOW_MHZ:
                remarks.append(Remark(line.number, f"the processors ran at {match['mhz']} MHz at the start, as idle ones do"))
        elif "***WARNING***" in line.text:
            remarks.append(Remark(line.number, line.text.partition("***WARNING***")[2].strip()))
    return facts, remarks


def _compared(lines: Sequence[Line], place: int) -> Iterator[Block]:
    match = next((found for line in reversed(lines[max(0, place - 3) : place]) if (found := _COMPARED.match(line.text))), None)
    old, new = (match["old"], match["new"]) if match else ("old", "new")
    pairs, claims, remarks = Pairs(), list[Claim](), list[Remark]()
    last = lines[place]
    for line in below(lines, place):
        if _RULE.match(line.text):
            continue
        if not (_p_values(line, claims, remarks) or _pair(line, pairs, claims)):
            break
        last = line
    if not pairs:
        return
    remarks.append(Remark(lines[place].number, "values are rounded to whole units, and which unit is not printed"))
    yield Block(
        format=NAME,
        title=f"{old} to {new}",
        first=lines[place].number,
        last=last.number,
        entries=(*_entries(old, 0, pairs), *_entries(new, 1, pairs)),
        claims=tuple(claims),
        remarks=tuple(remarks),
    )


def _pair(line: Line, pairs: Pairs, claims: list[Claim]) -> bool:
    """Changes are fractions: here in percent, as elsewhere. Of all benchmarks there is no value."""
    match = _CHANGE.match(line.text)
    if match is None:
        return False
    for metric, short in (("real_time", "real"), ("cpu_time", "cpu")):
        change = number(match[f"{short}_change"], line, match.start(f"{short}_change"), 100.0)
        before, after = (number(match[f"{short}_{of}"], line, match.start(f"{short}_{of}")) for of in ("old", "new"))
        what = f"{match['name']} {metric}, new against old"
        if match["name"] == _OF_ALL:
            claims.append(Claim(kind="change", what=what, printed=change, missing="it is of the geometric means of all ratios"))
            continue
        pairs.setdefault((match["name"], metric), []).append((change, before, after))
        claims.append(Claim(kind="change", what=what, printed=change, of=(before, after), better=Better.SMALLER))
    return True


def _p_values(line: Line, claims: list[Claim], remarks: list[Remark]) -> bool:
    """The row of the U test: words, in columns that have numbers elsewhere."""
    match = _P.match(line.text)
    if match is None:
        return False
    count = min(int(match["count"]), int(match["other"] or match["count"]))
    said = f"{match['name']}: U test, p = {match['real']} for real_time and {match['cpu']} for cpu_time, {count} repetitions"
    remarks.append(Remark(line.number, said + (": too few to be relied on, it says" if match["warning"] else "")))
    for metric, short in (("real_time", "real"), ("cpu_time", "cpu")):
        p = number(match[short], line, match.start(short))
        if p.value < _SIGNIFICANT:
            claims.append(Claim(kind="significant", what=f"{match['name']} {metric}, U test", printed=p, count=count))
    return True


def _entries(variant: str, place: int, pairs: Pairs) -> Iterator[Entry]:
    for (name, metric), found in pairs.items():
        entry = Entry(
            variant=variant,
            program=PROGRAM,
            benchmark=name,
            metric=metric,
            better=Better.SMALLER,
            samples=tuple(one[1 + place] for one in found),
            count=len(found),
        )
        change = {"change": found[0][0]} if place and len(found) == 1 else {}
        yield structs.replace(entry, figures=change) if entry.state is CellState.OK else entry


READER = Reader(
    NAME,
    ("Iterations", "Time Old"),
    read,
    "a header `Benchmark Time CPU Iterations`, and below it lines of a name and numbers; or the table of compare.py",
)
