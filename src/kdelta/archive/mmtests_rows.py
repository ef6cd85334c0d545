"""Rows of what MMTests compares: a statistic, an operation, and a value for each run, with the percentage by which it is better.

    Amean     elsp-24      601.60 (   0.00%)      600.19 (   0.23%)
    Amean     elsp-48      334.10 (   0.00%)      332.82 *   0.38%*
    Duration User        41404.28    41375.08

The formats are those of bin/lib/MMTests/Compare.pm, `%12.2f (%7.2f%%)`; a value that is significant has stars for its brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.numbers import PLAIN
from kdelta.archive.text import Line

_SAID = rf"{PLAIN}|[-+]?(?:nan|inf)"
CELL = re.compile(
    rf"(?P<value>{_SAID})[ \t]{{0,8}}(?P<open>[(*]) *(?P<percent>{_SAID}) ?% ?(?P<close>[)*])(?: *\( *[-+]?[\d.]{{1,12}}s\))?",
    re.IGNORECASE,
)
_VALUE = re.compile(_SAID, re.IGNORECASE)
_PERCENT = re.compile(rf"\s*(?P<open>[(*]) *(?P<percent>{_SAID}) ?% ?[)*]", re.IGNORECASE)
"""What a wrapped line may begin with."""
_APART = re.compile(r"  |\t")
_BARE = re.compile(rf"(?<![\w.,:/=-])(?:{PLAIN})(?![\w.,:/%=-])")
STAT = re.compile(
    r"(?:Min|Max|[AHGL]mean|H?Stddev|H?CoeffVar|(?:1st|2nd|3rd)-qrtle|(?:Max|Pctile)[-.]\d{1,3}(?:\.\d{1,6})?|B?[AH]mean[-.]\d{1,3}"
    r"|[AH]meanCI|Sub[AH]mean(?:CI)?|(?:Sub)?[AH]meanCI-(?:Low|High)|Pctile\.\d{1,3}-CI-(?:Low|High)|Dmean|Dmin|Dmax|Ratio|Samples"
    r"|Ops|Duration)$"
)
"""First words of rows, as bin/lib/MMTests/Stat.pm has them, and as it had them."""
_OLD = {"min": "Min", "mean": "Amean", "stddev": "Stddev", "max": "Max", "range": "Range"}
"""Last words of rows as they were until 2013: `User    mean`."""
_WITHOUT_PERCENT = ("Duration", "Ops")
_ZERO = re.compile(r"[-+]?0*\.?0+$")
_LONGEST = 1024
_MOST_LABEL = 80


@dataclass(frozen=True)
class Cell:
    """The value and the percentage as they stand in `line`, each with its place from 0; `star` is where a star stands, -1 without.

    `percent` is empty where none is printed, or where a mail was wrapped before it; then it stands in `below`, if anywhere.
    """

    line: Line
    value: str
    at: int
    percent: str = ""
    percent_at: int = 0
    star: int = -1
    end: int = 0
    below: Line | None = None

    @property
    def percent_line(self) -> Line:
        return self.below or self.line

    @property
    def is_zero(self) -> bool:
        return bool(_ZERO.match(self.value)) and (not self.percent or bool(_ZERO.match(self.percent)))


@dataclass(frozen=True)
class Row:
    """`stat` is empty where the row has none of those that MMTests names."""

    line: Line
    stat: str
    operation: str
    cells: list[Cell] = field(default_factory=list)
    joined: list[int] = field(default_factory=list)
    """Lines on which more of it stands, after a mail was wrapped."""


def row(line: Line) -> Row | None:
    """What the line is; None for what is no row. One without a label holds the rest of a wrapped row."""
    text = line.text
    if len(text) > _LONGEST or not text.strip():
        return None
    found = list(_cells(line))
    if not found:
        return _bare_row(line)
    rest = text[found[-1].end :].strip()
    if cut := _VALUE.fullmatch(rest):
        found.append(Cell(line, cut.group(), text.rindex(cut.group()), end=len(text)))
    elif rest[:1].isalnum():
        return None
    return _row(line, text[: found[0].at], found)


def _cells(line: Line) -> Iterator[Cell]:
    """From the first on, each right behind the one before."""
    end = -1
    for match in CELL.finditer(line.text):
        if (match["open"] == "*") != (match["close"] == "*") or (end >= 0 and line.text[end : match.start()].strip()):
            return
        if end < 0 and match.start() and not line.text[match.start() - 1].isspace():
            return
        end = match.end()
        star = match.start("open") if match["open"] == "*" else -1
        yield Cell(line, match["value"], match.start(), match["percent"], match.start("percent"), star, end)


def _row(line: Line, before: str, cells: list[Cell]) -> Row | None:
    words = before.split()
    if not words:
        return Row(line, "", "", cells)
    if len(before.strip()) > _MOST_LABEL or not _APART.search(before):
        return None
    if STAT.match(words[0]) and (len(words) > 1 or words[0] == "Ops"):
        return Row(line, words[0], " ".join(words[1:]), cells)
    if before.strip().endswith((":", "=", "(", ",", "|")) or not _is_base(cells[0]):
        return None
    if len(words) > 1 and words[-1] in _OLD:
        return Row(line, _OLD[words[-1]], " ".join(words[:-1]), cells)
    return Row(line, "", " ".join(words), cells)


def _is_base(cell: Cell) -> bool:
    """Whether it is what the others are compared with: of a row of an unknown name, that must be printed."""
    return bool(cell.percent) and cell.star < 0 and bool(_ZERO.match(cell.percent)) and "." in cell.percent


def _bare_row(line: Line) -> Row | None:
    """A row without percentages: of the whole session, or of --no-compare."""
    words = line.text.split(None, 2)
    if len(words) < 3 or not STAT.match(words[0]) or not _APART.search(line.text.strip()):
        return None
    start = line.text.index(words[1], line.text.index(words[0]) + len(words[0]))
    if words[0] not in _WITHOUT_PERCENT:
        start += len(words[1])
    found = list(_BARE.finditer(line.text, start))
    while found and not _follows(line.text, found):
        found.pop(0)
    if not found or not all("." in match.group() for match in found) or (len(found) < 2 and words[0] not in _WITHOUT_PERCENT):
        return None
    operation = line.text[line.text.index(words[0]) + len(words[0]) : found[0].start()].strip()
    if not operation or len(operation) > _MOST_LABEL:
        return None
    return Row(line, words[0], operation, [Cell(line, match.group(), match.start(), end=match.end()) for match in found])


def _follows(text: str, found: Sequence[re.Match[str]]) -> bool:
    """Whether nothing but blanks stands between and behind these numbers."""
    ends = [*(match.start() for match in found[1:]), len(text)]
    return all(not text[match.end() : end].strip() for match, end in zip(found, ends, strict=True))


def tables(lines: Sequence[Line]) -> Iterator[list[Row]]:
    """Rows that stand below each other, until one says the same as one before."""
    found, seen = list[Row](), set[tuple[str, str]]()
    for line in lines:
        one = row(line) if "." in line.text else None
        if one is None or not (one.stat or one.operation):
            if found and _joined(found[-1], line):
                continue
            one = None
        if found and (one is None or (one.stat, one.operation) in seen):
            yield found
            found, seen = [], set()
        if one is not None:
            found.append(one)
            seen.add((one.stat, one.operation))
    if found:
        yield found


def _joined(above: Row, line: Line) -> bool:
    """Whether the line is the rest of the row above, which then has it."""
    if above.line.number + len(above.joined) + 1 != line.number or len(line.text) > _LONGEST:
        return False
    start, last = 0, above.cells[-1]
    if len(above.cells) > 1 and above.cells[0].percent and not last.percent and (match := _PERCENT.match(line.text)):
        star = match.start("open") if match["open"] == "*" else -1
        above.cells[-1] = Cell(last.line, last.value, last.at, match["percent"], match.start("percent"), star, last.end, line)
        start = match.end()
    more = list(_cells(line)) if not start or CELL.search(line.text, start) else []
    if more and line.text[start : more[0].at].strip():
        more = []
    above.cells.extend(more)
    if start or more:
        above.joined.append(line.number)
    return bool(start or more)
