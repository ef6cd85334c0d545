"""What stands above a kernbench log and says of what it is: kernel, date, machine, number of runs, or a heading in prose.

Wed Aug 23 15:47:33 UTC 2017        the script writes `date` and `uname -r` before the first load
4.13.0-rc5+
Kernel: 3.7.0-rc3                   or this, by hand
Kernbench log for Vanilla 3.7-rc3
16 cpus found                       on the terminal
Performing 5 runs of
Half load -j 8 run number 1...
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.kernbench_lines import SPREAD
from kdelta.archive.kernbench_tables import names
from kdelta.archive.text import Line

_NEAR = 60
"""Lines above a log that may say of what it is; those of progress are not counted."""
_LONGEST = 80
"""Characters of a heading."""
_RUN = re.compile(
    r"\s*(?P<load>single|half|optimal|optimum|custom|maximal|maximum)?.{0,40}?\brun number (?P<number>\d{1,6})\b", re.IGNORECASE
)
_PERFORMING = re.compile(r"\s*Perform\w* (\d{1,6}) runs?\b", re.IGNORECASE)
_CPUS = re.compile(r"\s*(\d{1,6}) cpus? found\s*$", re.IGNORECASE)
_SAID = re.compile(
    r"\b(?:kernel is buil[dt]|build has been run|kernbench (?:was|is) run) (\d{1,6}) times\b|\baverage of (\d{1,6}) runs\b",
    re.IGNORECASE,
)
_BOX = re.compile(
    r"(?:\s*[-*]\s+|.{0,80}?\bon (?:an? |my )?)(?P<box>\d{1,6}[ -](?:CPUs?|cores?|way)\b"
    r"(?: (?!using\b|system\b|node\b|VM\b|guest\b)[\w.]+){0,3}"
    r"(?: (?:system|node|VM|guest))?)(?=\s*:|\s*$| using\b)",
    re.IGNORECASE,
)
_DATE = re.compile(r"\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[,.]?\s+[\w: ]{0,40}\d\d:\d\d:\d\d\b[\w: +-]{0,20}$")
_RELEASE = re.compile(r"\s*(\d{1,3}\.\d{1,3}[\w.+~-]*)\s*$")
_WORD = re.compile(r"\s*([\w.+~-]{1,64})\s*$")
_KERNEL = re.compile(r"\s*kernel\s*:\s*(?P<name>\S.*)", re.IGNORECASE)
_RUNNING = re.compile(r"\s*Kernel (\d\S{0,63})\s*$")
_HOST = re.compile(r"\s*host\s*:\s*(?P<name>\S.*)", re.IGNORECASE)
_LOG_FOR = re.compile(r"\s*kernbench (?:logs?|results?) (?:for|of) (?P<name>\S.*)", re.IGNORECASE)
_RULE = re.compile(r"\s*[-=~*_#^]{3,}\s*$")
_PROGRESS = re.compile(
    r"\s*(?:All data logged|Warmup run|make -j|Cleaning|Caching|No old config|Making|Kernel \d|plmid\s*:|Perform|host\s*:"
    r"|kernel\s*:|\d+ cpus? found|[$#]? ?[\w./~-]*kernbench -|\[?\.\.\.?\]?\s*$)",
    re.IGNORECASE,
)
_KERNBENCH = re.compile(r"kernbench\s*[,:]?\s*", re.IGNORECASE)
GENERIC = frozenset({"", "results", "result", "test results", "numbers", "detailed", "summary", "benchmark", "benchmarks", "log"})
"""Headings that name no variant."""


@dataclass(frozen=True)
class Above:
    """`kernels` are names of kernels, one or one for each column; `heading` is the nearest line that reads like one.

    `begins` says that another log begins here. `runs` is by progress lines, `performing` what the script announced, `said` what
    prose says, where `here` of the machine `box` only.
    """

    kernels: tuple[str, ...] = ()
    heading: str = ""
    begins: bool = False
    runs: dict[str, int] = field(default_factory=dict)
    performing: int | None = None
    said: int | None = None
    here: bool = False
    box: str = ""
    facts: dict[str, str] = field(default_factory=dict)


def above(lines: Sequence[Line], columns: int) -> Above:
    """Of the lines between the table before, and the title."""
    runs = _runs(lines)
    near = [line.text[: _LONGEST * 4] for line in lines if "run number" not in line.text][-_NEAR:]
    dates = [place for place, text in enumerate(near) if _DATE.match(text)]
    logs = [match["name"] for text in near if (match := _LOG_FOR.match(text))]
    kernels = _kernels(near, dates, columns)
    box, said, here = _machine(near)
    found = {"date": near[dates[-1]].strip()} if dates else {}
    for text in near:
        if match := _CPUS.match(text):
            found["CPUs"] = match[1]
        if _HOST.match(text):
            found["host"] = ", ".join(dict.fromkeys(_parts(text, "host")))
    return Above(
        kernels=kernels,
        heading=_bare(logs[-1]) if logs else _heading(near, dates),
        begins=bool(dates or logs or "CPUs" in found or any(_KERNEL.match(text) or _RUNNING.match(text) for text in near)),
        runs=runs,
        performing=next((int(match[1]) for text in reversed(near) if (match := _PERFORMING.match(text))), None),
        said=said,
        here=here,
        box=box,
        facts=found,
    )


def _runs(lines: Sequence[Line]) -> dict[str, int]:
    """By the first word of a load, in small letters: the highest number of a run."""
    found: dict[str, int] = {}
    for line in lines:
        if "run number" in line.text and (match := _RUN.match(line.text)):
            load = (match["load"] or "").lower()
            found[load] = max(found.get(load, 0), int(match["number"]))
    return found


def _kernels(near: Sequence[str], dates: Sequence[int], columns: int) -> tuple[str, ...]:
    """The nearest names of kernels; of columns, the nearest line that has as many parts, and is one of the last three."""
    for text in reversed(near):
        if _KERNEL.match(text):
            return _parts(text, "kernel")
        if match := _RUNNING.match(text):
            return (match[1],)
    if dates and (behind := [text for text in near[dates[-1] + 1 :] if text.strip()]) and (match := _WORD.match(behind[0])):
        return (match[1],)
    filled = [text for text in near if text.strip() and not SPREAD.match(text)]
    if columns > 1:
        rows = (names(text) for text in reversed(filled[-3:]) if not _RULE.match(text))
        return next((tuple(map(_bare, row)) for row in rows if len(row) == columns), ())
    return (match[1],) if filled and (match := _RELEASE.match(filled[-1])) else ()


def _parts(text: str, word: str) -> tuple[str, ...]:
    """Names behind each `word:` of the line."""
    pieces = re.split(rf"\b{word}\s*:", text, flags=re.IGNORECASE)
    return tuple(piece.strip()[:_LONGEST] for piece in pieces if piece.strip())


def _machine(near: Sequence[str]) -> tuple[str, int | None, bool]:
    """The machine, how many runs are said to be averaged, and whether that is said in its paragraph."""
    box, said, paragraph, of_box, of_said = "", None, 0, -1, -1
    for text in near:
        if not text.strip():
            paragraph += 1
        if ("CPU" in text or "core" in text or "way" in text) and (match := _BOX.match(text)):
            box, of_box = match["box"], paragraph
        if match := _SAID.search(text):
            said, of_said = int(match[1] or match[2]), paragraph
    return box, said, said is not None and of_box == of_said


def _heading(near: Sequence[str], dates: Sequence[int]) -> str:
    """The nearest line that stands for itself as a heading does: ruled, decorated, short; empty where it is prose."""
    ruled = False
    for place in range(len(near) - 1, -1, -1):
        text = near[place].strip()
        if _RULE.match(text):
            ruled = True
        elif text and not _passed(place, near, dates):
            alone = place == 0 or not near[place - 1].strip() or bool(_RULE.match(near[place - 1]))
            return _as_heading(text, ruled, alone)
    return ""


def _passed(place: int, near: Sequence[str], dates: Sequence[int]) -> bool:
    """What the script prints, and what says which kernel ran."""
    text = near[place]
    after_date = place and place - 1 in dates and _WORD.match(text)
    return bool(place in dates or after_date or _PROGRESS.match(text) or SPREAD.match(text) or _RELEASE.match(text))


def _as_heading(text: str, ruled: bool, alone: bool) -> str:
    if len(text) > _LONGEST or _BOX.match(text):
        return ""
    bare = _KERNBENCH.sub("", _bare(text), count=1) if _KERNBENCH.match(_bare(text)) else _bare(text)
    words = len(bare.split())
    decorated = text[0] in "*#=" and words <= 10
    short = words <= 6 if text.endswith(":") else alone and words <= 4 and text[-1] not in ".,;!?"
    return bare if bare.lower() not in GENERIC and (decorated or short or (ruled and words <= 10)) else ""


def _bare(text: str) -> str:
    """Without rules beside it, and without its colon."""
    return text.strip().strip("*#=~").strip().removesuffix(":").strip()


def unique(wanted: Sequence[str], taken: dict[str, int]) -> Iterator[str]:
    """The names, each with a number behind it where it was `taken` so often: "2.6.16 (2)". Those given are taken from then on."""
    for name in wanted:
        found, number = name, taken.get(name, 0)
        while found in taken:
            number += 1
            found = f"{name} ({number})".strip()
        taken[name] = max(number, 1)
        taken.setdefault(found, 1)
        yield found
