"""Single lines of a kernbench log: titles of loads, and rows of figures, of one kernel or of several side by side.

    Average Half load -j 8 Run (std deviation):
    Elapsed Time 338.122 (0.869207)       Elapsed Time 336.404 (1.69196)
    User    Time     10135.4 (30.3699)      10148.8 (31.1252)       0.13%
    Percent CPU 1012.1 (264.558) (-1.8 % vs base)

The script (0.50) prints one kernel, its means and deviations with six significant digits. The rest is made by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec

from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.text import Line
from kdelta.model.published import Number

SINGLE, HALF, OPTIMAL, CUSTOM, MAXIMAL = "single", "half", "optimal", "custom", "maximal"
LOADS = (SINGLE, HALF, OPTIMAL, CUSTOM, MAXIMAL)
"""In the order in which the script runs them; what is switched off drops out."""
_WORDS = {
    "single": SINGLE,
    "half": HALF,
    "optimal": OPTIMAL,
    "optimum": OPTIMAL,
    "custom": CUSTOM,
    "maximal": MAXIMAL,
    "maximum": MAXIMAL,
}

_TITLE = re.compile(
    r"\bAverage\s+(?P<load>single|half|optimal|optimum|custom|maximal|maximum)\b(?:[\s-]+threaded)?(?:\s+load\b)?"
    r"(?:\s+-j\s*(?P<jobs>\d{1,9})?)?(?:\s+load\b)?(?:\s+run\b)?(?P<sd>\s*\(std\.? ?dev[a-z]*\))?",
    re.IGNORECASE,
)
LABELS = ("Elapsed Time", "User Time", "System Time", "Percent CPU", "Context Switches", "Sleeps")
ELAPSED, USER, SYSTEM, CPU, SWITCHES, SLEEPS = LABELS
_LABEL = re.compile(
    r"(?<!\w)(?:(elapsed\s+time)|(user\s+time)|(system\s+time)|(percent\s+cpu)|(context\s+switch(?:es)?|c/switch)|(sleeps))(?!\w)",
    re.IGNORECASE,
)

_SPACED = r"\d{1,3}(?: \d{3})+(?=\s*\(|\s*$|\t|  )"
_UNSIGNED = PLAIN.removeprefix("[-+]?")
_CELL = re.compile(
    rf"\s*(?:\(\s*vs\.?\s*(?P<other>{PLAIN})%?\s*\)"
    rf"|\(\s*(?P<change>[-+]? ?{_UNSIGNED})\s*%[^()]{{0,60}}\)"
    rf"|\(\s*(?P<sd>{PLAIN}|[-+]?nan)\s*\)"
    rf"|(?P<nothing>No data\b)"
    rf"|(?P<mean>{_SPACED}|{PLAIN})(?P<percent>\s?%)?(?:\s?s(?:ec(?:onds|s)?)?\b\.?)?(?=[\s(]|$))",
    re.IGNORECASE,
)
SPREAD = re.compile(r"\s*(?:run\s*)?\(std\.? ?dev[a-z]*\)\s*:?\s*$", re.IGNORECASE)
"""A line that only says what stands in brackets."""


_MOST_CELLS = 32
"""Of a row: what has more compares no kernels."""


class Title(NamedTuple):
    """Of one load. `jobs` is what stands behind -j, empty for none; `spread` says that standard deviations are announced."""

    load: str
    jobs: str
    spread: bool


@dataclass(frozen=True)
class Cell:
    """What a row says of one kernel. `change` is a percentage printed behind it, `other` a mean that it is set against ("vs 12").

    Without a mean there were no data. `percent` and `signed` say how the mean is printed: it may be a change itself.
    """

    mean: Number | None
    sd: Number | None = None
    change: Number | None = None
    other: Number | None = None
    percent: bool = False
    signed: bool = False


@dataclass(frozen=True)
class Row:
    """`odd` are remarks on how its numbers are printed."""

    label: str
    line: Line
    cells: tuple[Cell, ...]
    odd: tuple[str, ...] = ()


def titles(line: Line) -> list[Title]:
    """Of the loads that the line names; empty where it is no title."""
    if "verage" not in line.text:
        return []
    found = _TITLE.finditer(line.text)
    return [Title(_WORDS[one["load"].lower()], one["jobs"] or "", bool(one["sd"])) for one in found]


def labels(line: Line) -> list[tuple[str, int, int]]:
    """The labels in the line, with the places at which each begins and ends."""
    return [(LABELS[(one.lastindex or 1) - 1], one.start(), one.end()) for one in _LABEL.finditer(line.text)]


def row(line: Line) -> Row | None:
    """None where the line does not begin with a label, or no number follows it. Side by side the label stands before each."""
    found = labels(line)
    if not found or line.text[: found[0][1]].strip(" \t-*|"):
        return None
    label = found[0][0]
    same = [one for one in found if one[0] == label]
    ends = [one[1] for one in same[1:]] + [len(line.text)]
    cells, odd = list[Cell](), list[str]()
    for (_, _, start), end in zip(same, ends, strict=True):
        for cell in _cells(line, start, end, label in (SWITCHES, SLEEPS), odd):
            cells.append(cell)
    return Row(label, line, tuple(cells), tuple(odd)) if 0 < len(cells) <= _MOST_CELLS else None


def with_comma(line: Line) -> Row | None:
    """As `row`, where the comma is that of decimals: "365,4"."""
    found = row(msgspec.structs.replace(line, text=line.text.replace(",", ".")))
    if found is None:
        return None
    cells = [
        replace(
            cell,
            mean=_as_it_stands(cell.mean, line),
            sd=_as_it_stands(cell.sd, line),
            change=_as_it_stands(cell.change, line),
            other=_as_it_stands(cell.other, line),
        )
        for cell in found.cells
    ]
    return replace(found, line=line, cells=tuple(cells))


def _as_it_stands(found: Number | None, line: Line) -> Number | None:
    if found is None:
        return None
    at = found.column - line.column(0)
    return msgspec.structs.replace(found, text=line.text[at : at + len(found.text)])


def continued(one: Row, line: Line) -> Row | None:
    """`one` with the cells of the line behind it, which a mail wrapped. None where that line is no such."""
    text = line.text.strip()
    if not text or not (text[0] in "(+-." or text[0].isdigit()):
        return None
    odd = list[str]()
    cells, end = list[Cell](), 0
    last = one.cells[-1]
    first = _CELL.match(line.text)
    if first and first["sd"] and last.sd is None and last.mean is not None:
        last, end = replace(last, sd=_sd(first, line, odd)), first.end()
    cells = list(_cells(line, end, len(line.text), one.label in (SWITCHES, SLEEPS), odd, whole=True))
    if not cells and (end == 0 or line.text[end:].strip()):
        return None
    return replace(one, cells=(*one.cells[:-1], last, *cells), odd=(*one.odd, *odd, "the line is wrapped"))


def _cells(line: Line, start: int, end: int, counts: bool, odd: list[str], *, whole: bool = False) -> Iterator[Cell]:
    """Cells up to what is none: a note that somebody added. With `whole` there may be no such."""
    found = list[Cell]()
    at = start
    while (match := _CELL.match(line.text, at, end)) and match.end() > at:
        at = match.end()
        if (value := match["mean"]) is not None:
            if " " in value and not counts:
                at = match.start("mean") + value.index(" ")
                value = value[: value.index(" ")]
            found.append(_mean(value, match, line, odd))
        elif match["nothing"]:
            found.append(Cell(None))
        elif found:
            found[-1] = _more(found[-1], match, line, odd)
    if not (whole and line.text[at:end].strip()):
        yield from found


def _mean(value: str, match: re.Match[str], line: Line, odd: list[str]) -> Cell:
    if " " in value:
        odd.append(f"{value} is read as one number, with blanks between its thousands")
    mean = printed(value, line, match.start("mean"))
    return Cell(mean, percent=bool(match["percent"]), signed=value[0] in "+-")


def _more(cell: Cell, match: re.Match[str], line: Line, odd: list[str]) -> Cell:
    if match["change"]:
        return replace(cell, change=printed(match["change"], line, match.start("change")))
    if match["other"]:
        return replace(cell, other=printed(match["other"], line, match.start("other")))
    return replace(cell, sd=_sd(match, line, odd)) if cell.sd is None else cell


def _sd(match: re.Match[str], line: Line, odd: list[str]) -> Number | None:
    if match["sd"].lower().endswith("nan"):
        odd.append("the deviation is the root of a negative number, and so is missing")
        return None
    return printed(match["sd"], line, match.start("sd"))


def printed(text: str, line: Line, at: int) -> Number | None:
    """The number as it stands, where blanks may be behind its sign and between its thousands; None where no float can hold it."""
    try:
        found = number(text.replace(" ", ""), line, at)
    except ValueError:
        return None
    return msgspec.structs.replace(found, text=text)
