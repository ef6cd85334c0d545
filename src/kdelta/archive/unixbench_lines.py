"""The lines of UnixBench's reports, 4.1 to 6 (its script Run), and what each of its tests measures."""

from __future__ import annotations

import re
from typing import NamedTuple

from kdelta.archive.numbers import number
from kdelta.archive.text import Line
from kdelta.model.published import Number

KIB = 1024.0
"""Bytes in a KB of its file tests."""

TESTS = {
    "dhrystone 2 using register variables": ("dhrystone", "lps"),
    "double-precision whetstone": ("whetstone", "MWIPS"),
    "execl throughput": ("execl", "lps"),
    "file copy 1024 bufsize 2000 maxblocks": ("file-copy-1024", "KBps"),
    "file copy 256 bufsize 500 maxblocks": ("file-copy-256", "KBps"),
    "file copy 4096 bufsize 8000 maxblocks": ("file-copy-4096", "KBps"),
    "pipe throughput": ("pipe", "lps"),
    "pipe-based context switching": ("context", "lps"),
    "process creation": ("spawn", "lps"),
    "shell scripts (1 concurrent)": ("shell1", "lpm"),
    "shell scripts (8 concurrent)": ("shell8", "lpm"),
    "shell scripts (16 concurrent)": ("shell16", "lpm"),
    "system call overhead": ("syscall", "lps"),
}
"""As they are printed, in small letters -> our name, and the unit that an index table leaves out."""

UNITS = {
    "lps": ("loops/s", 1.0),
    "lpm": ("loops/s", 1 / 60),
    "KBps": ("B/s", KIB),
    "MWIPS": ("instructions/s", 1e6),
    "MFLOPS": ("flop/s", 1e6),
}
"""As printed -> base unit, and what one is in it."""

_N = r"\d{1,15}(?:\.\d{1,6})?"
_RAW = re.compile(
    rf"\s*(?P<name>[A-Za-z\d].{{3,60}}?)\s{{1,80}}(?P<score>{_N}) (?P<unit>[A-Za-z]{{2,8}})\s+"
    rf"\((?P<time>{_N}) s(?:ecs)?, (?P<count>\d{{1,4}})(?: samples?\))?\s*$"
)
_ROW = re.compile(
    rf"\s*(?P<name>[A-Za-z\d].{{3,60}}?)\s{{1,80}}(?P<baseline>{_N}|---)\s+(?P<result>{_N})\s+(?P<index>{_N}|---)\s*$"
)
_SCORE = re.compile(
    r"\s*(?:\w[\w ]{2,30} Benchmarks Index Score|FINAL SCORE)"
    rf"(?P<partial> \(Partial Only\))?:?\s+(?P<score>{_N})(?P<rest>.*)$"
)
HEADER = re.compile(r"\s*(?:[\w ]{2,40} (?:Index Values|Partial Index)|TEST)\s+BASELINE\s+RESULT\s+INDEX\s*$")
CPUS = re.compile(r"\s*(?P<cpus>\d{1,6}) CPUs? in system; running (?P<copies>\d{1,6}) parallel cop(?:y|ies) of tests\s*$")
VERSION = re.compile(r"\s*BYTE UNIX Benchmarks \(Version (?P<version>[\w.]+)\)")
SYSTEM = re.compile(r"\s*System: (?P<host>\S+?): ")
OS = re.compile(r"\s*OS: (?P<name>.{1,40}?) -- (?P<kernel>\S+) -- ")
RUN = re.compile(r"\s*Benchmark Run: (?P<when>\S.*\S)\s*$")
RULE = re.compile(r"\s*[=-]{4,}\s*$")


class Raw(NamedTuple):
    """A result as it was measured, of `count` samples that were not dropped."""

    name: str
    score: Number
    unit: str
    samples: int
    seconds: str


class Indexed(NamedTuple):
    """A row of an index table; without a baseline there is no index."""

    name: str
    baseline: Number | None
    result: Number
    points: Number | None


class Score(NamedTuple):
    """`rest` is what stands behind it: the next label, where a mailer joined two lines."""

    score: Number
    is_partial: bool
    rest: str


def raw(line: Line) -> Raw | None:
    match = _RAW.match(line.text)
    if match is None or match["unit"] not in UNITS:
        return None
    score = number(match["score"], line, match.start("score"), UNITS[match["unit"]][1])
    return Raw(match["name"], score, match["unit"], int(match["count"]), match["time"])


def indexed(line: Line) -> Indexed | None:
    """The result is in the unit of its test, where that is known."""
    match = _ROW.match(line.text)
    if match is None:
        return None
    _, unit = test(match["name"])
    factor = UNITS[unit][1] if unit else 1.0
    baseline, index = (None if match[one] == "---" else one for one in ("baseline", "index"))
    return Indexed(
        match["name"],
        number(match[baseline], line, match.start(baseline), factor) if baseline else None,
        number(match["result"], line, match.start("result"), factor),
        number(match[index], line, match.start(index)) if index else None,
    )


def score(line: Line) -> Score | None:
    match = _SCORE.match(line.text)
    if match is None:
        return None
    return Score(number(match["score"], line, match.start("score")), bool(match["partial"]), match["rest"].strip())


def test(name: str) -> tuple[str, str]:
    """Our name of the test that is printed so, and its unit, empty where we do not know the test."""
    return TESTS.get(name.lower(), (re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-"), ""))
