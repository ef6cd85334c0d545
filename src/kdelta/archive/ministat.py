"""ministat's tables (FreeBSD): data sets by their mark, and below each but the first how it differs from that.

    x without.txt
    + with.txt
    [a picture in a box]
        N           Min           Max        Median           Avg        Stddev
    x 500        348872        362236        354712     354745.69      2711.827
    + 500        349422        361452        353942      354215.4     2576.9258
    Difference at 95.0% confidence
            -530.29 +/- 327.4
            -0.149484% +/- 0.0922914%
            (Student's t, pooled s = 2645.23)

or `No difference proven at 95.0% confidence`. Units and directions are not printed. Mails leave out the picture, and often the
differences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.numbers import PLAIN
from kdelta.archive.reader import Reader
from kdelta.archive.runs import figure
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "ministat"

REACH = 60
"""Lines above a table in which its legend stands: the picture lies between."""
MOST_WORDS = 8
COLUMNS = ("min", "max", "median", "mean", "sd")

_HEADER = re.compile(r"\s*N +Min +Max +Median +Avg +Stddev\s*$")
_ROW = re.compile(
    rf"\s*(?P<mark>[x+*%#@O]) *(?P<count>\d{{1,9}}) +(?P<min>{PLAIN}) +(?P<max>{PLAIN}) +(?P<median>{PLAIN}) +(?P<mean>{PLAIN})"
    rf"(?: +(?P<sd>{PLAIN}))?\s*$"
)
_LEGEND = re.compile(r"\s*(?P<mark>[x+*%#@O]) (?P<name>[^\s|][^\n|]{0,199})$")
_PICTURE = re.compile(r"\s*(?:\+-{10}|\||$)")
_DIFFERENCE = re.compile(rf"\s*Difference at (?P<level>{PLAIN})% confidence\s*$")
_NONE = re.compile(rf"\s*No difference proven at (?P<level>{PLAIN})% confidence\s*$")
_POINTS = re.compile(rf"\s*(?P<value>{PLAIN}) \+/- (?P<error>{PLAIN})\s*$")
_PERCENT = re.compile(rf"\s*(?P<value>{PLAIN})% \+/- (?P<error>{PLAIN})%\s*$")
_POOLED = re.compile(rf"\s*\(Student's t, pooled s = (?P<value>{PLAIN})\)\s*$")
_WORDS = re.compile(
    r"(?<![\w.])(?P<value>\d{1,3}(?:\.\d{1,3})?) ?% +(?P<word>regression|degradation|improvement|decrease|drop|increase)",
    re.IGNORECASE,
)
_HIGHER, _LOWER = (
    re.compile(r"(?:higher|bigger|larger|more) is better", re.I),
    re.compile(r"(?:lower|smaller|less) is better", re.I),
)


@dataclass
class Row:
    """One data set. The difference is from the first, in its unit and in percent of it; `level` is the confidence of the test."""

    line: Line
    mark: str
    count: int
    figures: dict[str, Number]
    points: Number | None = None
    percent: Number | None = None
    level: str = ""
    proven: bool = False
    said: list[str] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each table. Two below the same words are two benchmarks, unless it is one, pasted or quoted again."""
    lines, place, end = text.lines, 0, 0
    seen: dict[str, dict[tuple[str, ...], int]] = {}
    while place < len(lines):
        rows, behind = _rows(lines, place + 1) if _HEADER.match(lines[place].text) else ([], place + 1)
        if rows:
            above = lines[max(end, place - REACH) : place]
            words = _paragraph(above)
            name = _slug(words)
            same = seen.setdefault(name, {})
            number = same.setdefault(tuple(one.text for row in rows for one in row.figures.values()), len(same) + 1)
            yield _block(lines[place], rows, _legend(above), words, name if number == 1 else f"{name}-{number}")
            end = behind
        place = behind


def _legend(above: Sequence[Line]) -> dict[str, str]:
    """Name by mark: the nearest, where there are several."""
    found = (match for line in above if (match := _LEGEND.match(line.text)))
    return {match["mark"]: match["name"].strip() for match in found}


def _paragraph(above: Sequence[Line]) -> Sequence[Line]:
    """The words that stand above the legend, with nothing in between but blank lines."""
    place = len(above)
    while place and (_LEGEND.match(above[place - 1].text) or _PICTURE.match(above[place - 1].text)):
        place -= 1
    end = place
    while place and _is_word(above[place - 1].text) and end - place < MOST_WORDS:
        place -= 1
    return above[place:end]


def _is_word(text: str) -> bool:
    return bool(text.strip()) and "ministat " not in text and not text.lstrip().startswith(("$ ", "# "))


def _slug(words: Sequence[Line]) -> str:
    """Of the first words, up to where a parenthesis or a sentence ends them."""
    first = re.split(r"[(.:;,]", " ".join(line.text.strip() for line in words)[:200], maxsplit=1)[0]
    return re.sub(r"[^a-z0-9]+", "-", first.lower())[:60].strip("-") or "ministat"


def _rows(lines: Sequence[Line], place: int) -> tuple[list[Row], int]:
    """The rows from `place` on, and the place behind them and their differences."""
    rows = list[Row]()
    while place < len(lines):
        line = lines[place]
        if match := _ROW.match(line.text):
            rows.append(_row(line, match))
        elif not (rows and _of_difference(line, rows[-1])):
            break
        place += 1
    return rows, place


def _row(line: Line, match: re.Match[str]) -> Row:
    found = {name: one for name in COLUMNS if (one := figure(match, name, line)) is not None}
    return Row(line, match["mark"], int(match["count"]), found)


def _of_difference(line: Line, row: Row) -> bool:
    if match := _DIFFERENCE.match(line.text) or _NONE.match(line.text):
        row.level, row.proven = match["level"], line.text.lstrip().startswith("Difference")
    elif match := _POINTS.match(line.text):
        row.points = figure(match, "value", line)
    elif match := _PERCENT.match(line.text):
        row.percent = figure(match, "value", line)
    else:
        match = _POOLED.match(line.text)
    if match is None:
        return False
    row.said.append(line.text.strip())
    return True


def _block(header: Line, rows: Sequence[Row], legend: dict[str, str], words: Sequence[Line], benchmark: str) -> Block:
    names = _names(rows, legend)
    said = " ".join(line.text.strip() for line in words)
    better = Better.LARGER if _HIGHER.search(said) else Better.SMALLER if _LOWER.search(said) else None
    claims = [
        one
        for row, name in zip(rows[1:], names[1:], strict=True)
        for one in _claims(rows[0], row, f"{name}, against {names[0]}", better)
    ]
    return Block(
        format=NAME,
        title=said[:200],
        first=header.number,
        last=rows[-1].line.number + len(rows[-1].said),
        entries=tuple(_entry(row, name, benchmark, better) for row, name in zip(rows, names, strict=True)),
        claims=(*claims, *_of_words(words, rows, better)),
        remarks=tuple(_remarks(rows, legend)),
        facts={f"{name}, against {names[0]}": "; ".join(row.said) for row, name in zip(rows, names, strict=True) if row.said},
    )


def _names(rows: Sequence[Row], legend: dict[str, str]) -> list[str]:
    """As the legend has them; where it is missing, the marks. A second row of one name is another."""
    found, times = list[str](), dict[str, int]()
    for row in rows:
        name = legend.get(row.mark, row.mark)
        times[name] = times.get(name, 0) + 1
        found.append(name if times[name] == 1 else f"{name} ({times[name]})")
    return found


def _entry(row: Row, name: str, benchmark: str, better: Better | None) -> Entry:
    """A deviation of one result is none."""
    figures = {one: number for one, number in row.figures.items() if one != "sd" or row.count > 1}
    return Entry(
        variant=name,
        benchmark=benchmark,
        metric="value",
        better=better,
        figures=figures | ({"change": row.percent} if row.percent else {}),
        count=row.count,
    )


def _claims(base: Row, row: Row, what: str, better: Better | None) -> Iterator[Claim]:
    means = [one.figures["mean"] for one in (base, row) if "mean" in one.figures]
    of = tuple(means) if len(means) == 2 else ()
    if row.points:
        yield Claim(kind="points", what=f"{what}: difference", printed=row.points, of=of, better=better)
    if row.percent:
        yield Claim(kind="change", what=f"{what}: in percent", printed=row.percent, of=of, better=better)
    if row.proven and row.points:
        mark = Number("*", 1.0, 0.0, row.points.line, row.points.column)
        yield Claim(kind="significant", what=f"{what}: at {row.level} %", printed=mark, count=min(base.count, row.count))


def _of_words(words: Sequence[Line], rows: Sequence[Row], better: Better | None) -> Iterator[Claim]:
    """A percentage in the words above a table of two, of which they say what it is: its number and its word may be on two lines."""
    if not words or len(rows) != 2 or not all("mean" in row.figures for row in rows):
        return
    for line, below in zip(words, [*words[1:], None], strict=True):
        both = f"{line.text} {below.text.lstrip() if below else ''}"[:400]
        for match in _WORDS.finditer(both):
            if match.start() < len(line.text) and (printed := figure(match, "value", line)):
                yield Claim(
                    kind="change",
                    what=f"in words: {' '.join(match.group().split())}",
                    printed=printed,
                    of=(rows[0].figures["mean"], rows[1].figures["mean"]),
                    factor=_sign(match["word"].lower(), better),
                    better=better,
                )


def _sign(word: str, better: Better | None) -> float:
    """What the change of the value has, where the number is printed without its sign."""
    worse = Better.LARGER if word in ("regression", "degradation") else Better.SMALLER
    return (
        -1.0 if word in ("decrease", "drop") or (word in ("regression", "degradation", "improvement") and better is worse) else 1.0
    )


def _remarks(rows: Sequence[Row], legend: dict[str, str]) -> Iterator[Remark]:
    yield Remark(rows[0].line.number, "the table does not say in which unit it is")
    for row in rows:
        if row.mark not in legend:
            yield Remark(row.line.number, f"no line above says what {row.mark} is")
        if row.count == 1 and "sd" in row.figures:
            yield Remark(row.line.number, "one value has no deviation")


READER = Reader(
    NAME,
    ("Stddev",),
    read,
    "a line `N Min Max Median Avg Stddev`, and below it lines that begin with a mark: x, +, *",
)
