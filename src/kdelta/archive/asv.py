"""airspeed velocity: the lines that `asv run` prints, for each environment.

    [  0.00%] · For project commit 4238c44d <master>:
    [  0.00%] ·· Benchmarking virtualenv-py2.7
    [ 30.00%] ··· benchmarks.MemSuite.mem_list                   2.42k
    [ 35.00%] ··· benchmarks.TimeSuite.time_iterkeys       11.1±0.01μs
    [ 85.00%] ··· benchmarks.TimeSuite.time_iterkeys3           failed

Behind ± is half of what lies between the quartiles, in the unit of the value (asv/statistics.py, asv/util.py human_value of 0.6).
A value with no unit has been shortened: 2.42k. The kind of a benchmark is in its name: time_, mem_, peakmem_, track_. One with
parameters has a table below its name, whose rules show where the columns are; the values of the last parameter may be columns:

    [100.00%] ··· benchmarks.time_ranges                    ok
    [100.00%] ··· ===== =========== =============
                  --            func_name
                  ----- -------------------------
                    n      range        arange
                  ===== =========== =============
                    10    197±1ns      1.12±0μs
                  ===== =========== =============
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Entry, Number, Remark

NAME = "asv"

_DOT = r"[·.*\u2022\ufffd?]"
_LINE = re.compile(rf"\s*\[\s*\d{{1,3}}\.\d\d%\]\s+{_DOT}{{1,4}}\s*(?P<said>\S[^\n]*?)\s*$")
_COMMIT = re.compile(r"For (?:project commit|\S{1,60} commit(?: hash)?) (?P<commit>[0-9a-f]{6,40})(?: <(?P<name>[^>\n]{1,100})>)?")
_ENVIRONMENT = re.compile(r"Benchmarking (?P<environment>\S{1,300})\s*$")
_VALUE = (
    r"(?P<value>-?\d{1,12}(?:\.\d{1,9})?(?:e[-+]?\d{1,2})?)"
    r"(?:\s?(?:±|\+-|\ufffd)\s?(?P<error>\d{1,12}(?:\.\d{1,9})?(?:e[-+]?\d{1,2})?))?(?P<unit>[A-Za-z\u00b5\u03bc/%]{0,12})"
)
_STATES = {"failed": CellState.FAILED, "n/a": CellState.NOT_HERE, "skipped": CellState.NOT_HERE, "timeout": CellState.TIMEOUT}
_RESULT = re.compile(rf"(?P<name>[A-Za-z_][\w.:-]{{1,300}}?)\s+(?:{_VALUE}|(?P<state>failed|n/a|skipped|timeout))\s*$")
_TITLE = re.compile(r"(?P<name>[A-Za-z_][\w.:-]{1,300})\s+(?:ok|\d{1,6}/\d{1,6} failed)\s*$")
_CELL = re.compile(rf"(?:{_VALUE}|(?P<state>failed|n/a|skipped|timeout))$")
_RULE = re.compile(r"=+(?: =+)*\s*$")
_MOST_ROWS = 10_000
_KINDS = {"time": "time", "mem": "memory", "peakmem": "peak_memory", "track": "value", "timeraw": "time"}
_THOUSANDS = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


@dataclass
class _Run:
    """What one environment printed of one commit."""

    commit: str
    environment: str
    first: int
    last: int = 0
    entries: list[Entry] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each environment; the variant is the commit."""
    commit, title, run = "", "", _Run("", "", text.first)
    for place, line in enumerate(text.lines):
        match = _LINE.match(line.text) if "%]" in line.text else None
        if match is None:
            continue
        said, at = match["said"], match.start("said")
        if found := _COMMIT.match(said):
            commit = found["name"] or found["commit"]
        elif found := _ENVIRONMENT.match(said):
            yield from _block(run)
            run = _Run(commit, found["environment"], line.number)
        elif found := _RESULT.match(said):
            _add(run, line, found, at, found["name"], {})
        elif found := _TITLE.match(said):
            title = found["name"]
        elif title and _RULE.match(said):
            _table(run, title, text.lines[place + 1 : place + _MOST_ROWS], _columns(said, at))
            title = ""
    yield from _block(run)


def _columns(rule: str, at: int) -> list[tuple[int, int]]:
    """Where each column begins and ends, by the rule that stands `at` that place of its line."""
    return [(at + match.start(), at + match.end()) for match in re.finditer("=+", rule)]


def _table(run: _Run, title: str, below: Sequence[Line], columns: Sequence[tuple[int, int]]) -> None:
    """The rows of a benchmark of parameters. One name for each column but the last; or two lines of them, where the values of the
    last parameter are columns.
    """
    body = list(takewhile(lambda line: line.text.strip() and "%]" not in line.text, below))
    rules = [place for place, line in enumerate(body) if _is_rule(line.text)]
    spread = bool(body) and body[0].text.lstrip().startswith("--") and len(rules) > 1
    if not rules or not columns:
        return
    last, fixed = "", len(columns) - 1
    if spread:
        last = body[0].text.replace("--", "").strip()
        first = body[rules[0]].text.rstrip().find(" ", columns[0][0])
        fixed = sum(end <= first for _, end in columns)
    names = _cells(body[rules[1] - 1 if spread else rules[0] - 1], columns)
    for line in body[rules[1 if spread else 0] + 1 :]:
        if _is_rule(line.text):
            return
        cells = _cells(line, columns)
        known = dict(zip(names[:fixed], cells[:fixed], strict=True))
        for place in range(fixed, len(columns)):
            at = columns[place][0]
            at += len(line.text[at:]) - len(line.text[at:].lstrip())
            if match := _CELL.match(cells[place]):
                _add(run, line, match, at, title, known | ({last: names[place]} if spread else {}))


def _is_rule(text: str) -> bool:
    marks = set(text.strip())
    return len(text.strip()) > 2 and (marks <= {"=", " "} or marks <= {"-", " "})


def _cells(line: Line, columns: Sequence[tuple[int, int]]) -> list[str]:
    """What stands in each column: it ends where the next begins."""
    ends = [*(start for start, _ in columns[1:]), len(line.text)]
    return [line.text[start:end].strip() for (start, _), end in zip(columns, ends, strict=True)]


def _add(run: _Run, line: Line, match: re.Match[str], at: int, name: str, parameters: dict[str, str]) -> None:
    """The benchmark that `match` is of, `at` that place of the line."""
    metric = kind_of(name)
    run.last = line.number
    state, figures, unit, printed = CellState.OK, dict[str, Number](), "", ""
    if match["state"]:
        state = _STATES[match["state"]]
    else:
        printed = match["unit"]
        unit, factor = _unit(metric, printed)
        figures["value"] = number(match["value"], line, at + match.start("value"), factor)
        if match["error"]:
            figures["error"] = number(match["error"], line, at + match.start("error"), factor)
        if printed in _THOUSANDS:
            run.remarks.append(Remark(line.number, f"{name}: {match['value']}{printed} was shortened, and is without a unit"))
    run.entries.append(
        Entry(
            variant=run.commit,
            program="asv",
            benchmark=name,
            metric=metric,
            unit=unit,
            printed_unit="" if printed in _THOUSANDS else printed,
            better=None if metric == "value" else Better.SMALLER,
            parameters=({"environment": run.environment} if run.environment else {}) | parameters,
            figures=figures,
            state=state,
            reason=match["state"] or "",
        )
    )


def kind_of(name: str) -> str:
    """By the first part of the function's name."""
    return _KINDS.get(name.rpartition(".")[2].partition("_")[0], "value")


def _unit(metric: str, printed: str) -> tuple[str, float]:
    """Sizes are in powers of ten, as asv prints them; what has no unit may have been shortened."""
    if printed in _THOUSANDS:
        return ("B" if metric == "memory" else ""), _THOUSANDS[printed]
    return base(printed) if printed else (("B" if metric == "memory" else ""), 1.0)


def _block(run: _Run) -> Iterator[Block]:
    if run.entries:
        yield Block(
            format=NAME,
            title=run.environment,
            first=run.first,
            last=run.last,
            entries=tuple(run.entries),
            remarks=tuple(run.remarks),
            facts={"error": "behind the sign is half of what lies between the quartiles"} if _spread(run.entries) else {},
        )


def _spread(entries: Sequence[Entry]) -> bool:
    return any("error" in one.figures for one in entries)


READER = Reader(
    NAME,
    ("%]",),
    read,
    "lines `[ 35.00%] ··· NAME VALUE` of `asv run`, with the name of a benchmark and its value or `failed`",
)
