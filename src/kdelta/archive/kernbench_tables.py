"""Tables of a kernbench log: a title, perhaps names of columns, and rows of figures; or rows of kernels, below a line of labels.

Average Optimal -j 8 Load Run:
              Elapsed Time  User Time  System Time  Percent CPU  C/Switch   Sleeps
2.6.9-rc3       699.906      1322.01     39.336        194        64390    74416.8
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kdelta.archive.kernbench_lines import (
    CPU,
    LABELS,
    SPREAD,
    Cell,
    Row,
    Title,
    continued,
    labels,
    printed,
    row,
    titles,
    with_comma,
)
from kdelta.archive.text import Line

_GAP = re.compile(r"\t[\t ]*| {2,}\t?[\t ]*")
_DELTA = re.compile(r"(?:delta|diff(?:erence)?|change|gain|improvement)?\s*[%+/-]*$", re.IGNORECASE)
_COMMA = re.compile(r"\d,\d{1,2}(?!\d)|\d{4},\d")
"""No comma between thousands: then all of the table are those of decimals."""
_FEW = 3
"""Lines that are no rows and may stand before a row, or between two: names of columns, an empty line, a sum that somebody added."""


@dataclass(frozen=True)
class Table:
    """Of the title line at place `first` of the text's lines; `behind` is the place behind its last row.

    `titles` are as many as there are columns. `heads` are the names of the columns, where the table itself has some.
    """

    line: Line
    first: int
    behind: int
    titles: tuple[Title, ...]
    heads: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def columns(self) -> int:
        return len(self.titles)


def tables(lines: Sequence[Line]) -> Iterator[Table]:
    """Every title with rows below it."""
    place = 0
    while place < len(lines):
        found = _table(lines, place) if "verage" in lines[place].text and titles(lines[place]) else None
        if found:
            yield found
        place = found.behind if found else place + 1


def names(text: str, count: int = 0) -> tuple[str, ...]:
    """What stands in columns of a line: between tabs, or more than one blank. Else each word, if these are `count`."""
    found = tuple(part.strip() for part in _GAP.split(text.strip()) if part.strip())
    words = tuple(text.split())
    return words if count > 1 and len(found) != count and len(words) == count else found


def _table(lines: Sequence[Line], first: int) -> Table | None:
    for place in range(first + 1, min(first + 1 + _FEW, len(lines))):
        found = labels(lines[place])
        if len({one[0] for one in found}) >= len(LABELS) // 2:
            return _across(lines, first, place, [one[0] for one in found])
    return _down(lines, first)


def _down(lines: Sequence[Line], first: int) -> Table | None:
    """Rows of one label each."""
    body = list(_body(lines, first + 1))
    if not body:
        return None
    between = [line.text for line in lines[first + 1 : body[0][0]]]
    named = [one._replace(spread=one.spread or any("dev" in text for text in between)) for one in titles(lines[first])]
    rows, columns = _settled([one for _, one in body], len(named))
    heads = _heads(between, columns)
    return Table(
        lines[first],
        first,
        body[-1][0] + 1,
        tuple(named) if len(named) == columns else (named[0],) * columns,
        heads,
        tuple(_with_bare(one, columns, between) for one in rows),
    )


def _body(lines: Sequence[Line], start: int) -> Iterator[tuple[int, Row]]:
    """Rows with the place of each one's last line, up to a label that was there already, or too many lines that are none."""
    seen, others, place = set[str](), 0, start
    comma = any(labels(line) and _COMMA.search(line.text) for line in lines[start : start + len(LABELS) + _FEW])
    while place < len(lines) and others <= _FEW and not titles(lines[place]):
        found = with_comma(lines[place]) if comma else row(lines[place])
        if found is None:
            others += 1
        elif found.label in seen:
            return
        else:
            if place + 1 < len(lines) and (longer := continued(found, lines[place + 1])):
                found, place = longer, place + 1
            seen.add(found.label)
            others = 0
            yield place, found
        place += 1


def _heads(between: Sequence[str], columns: int) -> tuple[str, ...]:
    """Names of so many columns, in the lines between a title and its first row. What a change is called is no name."""
    if columns == 1:
        return ()
    for text in between:
        if text.strip() and not SPREAD.match(text):
            found = tuple(one for one in names(text) if not _DELTA.fullmatch(one))
            found = found if len(found) == columns else tuple(one for one in text.split() if not _DELTA.fullmatch(one))
            if len(found) == columns:
                return found
    return ()


def _settled(rows: Sequence[Row], named: int) -> tuple[list[Row], int]:
    """The rows, in which percentages are changes of what stands before them, and the number of columns."""
    settled = [_changes(one) for one in rows]
    with_sd = max(sum(cell.sd is not None for cell in one.cells) for one in settled)
    plain = [sum(not cell.signed for cell in one.cells) for one in settled]
    return settled, max(1, named, with_sd or max(plain))


def _changes(one: Row) -> Row:
    """A percentage without a deviation is a change of the cell before it; so many as there are cells but the first are of these."""
    kept, waiting = list[Cell](), list[Cell]()
    for cell in (*one.cells, None):
        if cell is not None and kept and _is_change(cell, one.label, kept[-1]):
            waiting.append(cell)
            continue
        if len(waiting) in (1, len(kept) - 1):
            for place, change in enumerate(waiting, len(kept) - len(waiting)):
                kept[place] = replace(kept[place], change=change.mean)
        else:
            kept += waiting
        waiting = []
        kept += [cell] if cell is not None else []
    return replace(one, cells=tuple(kept))


def _is_change(cell: Cell, label: str, before: Cell) -> bool:
    """Percentages of CPU are values, but those with a sign, and those behind a value that is none."""
    if not cell.percent or cell.sd is not None:
        return False
    return label != CPU or cell.signed or before.sd is not None or not before.percent


def _with_bare(one: Row, columns: int, between: Sequence[str]) -> Row:
    """More cells than columns are changes where a name above them says so; else nobody knows what they are."""
    more = one.cells[columns:]
    if not more:
        return one
    kept = list(one.cells[:columns])
    said = any(_DELTA.fullmatch(name) for text in between if text.strip() for name in names(text)[-1:])
    if (said or all(cell.percent for cell in more)) and len(more) in (1, columns - 1):
        for place, cell in enumerate(more, columns - len(more)):
            kept[place] = replace(kept[place], change=cell.mean)
        return replace(one, cells=tuple(kept))
    return replace(one, cells=tuple(kept), odd=(*one.odd, "there are more numbers than columns: the last are passed over"))


def _across(lines: Sequence[Line], first: int, header: int, found: Sequence[str]) -> Table | None:
    """A line of labels, and below it lines of a name and as many numbers: turned, so that each name is a column."""
    heads, columns, place = list[str](), list[list[Cell]](), header + 1
    while place < len(lines) and (cells := _kernel(lines[place], len(found))):
        heads.append(cells[0])
        columns.append(cells[1])
        place += 1
    if not heads:
        return None
    rows = tuple(
        Row(label, lines[header], tuple(column[at] for column in columns)) for at, label in enumerate(found) if label in LABELS
    )
    return Table(lines[first], first, place, (titles(lines[first])[0],) * len(heads), tuple(heads), rows)


def _kernel(line: Line, count: int) -> tuple[str, list[Cell]] | None:
    """The name and the numbers of one kernel."""
    words = [(match.group(), match.start()) for match in re.finditer(r"\S+", line.text)]
    if len(words) <= count:
        return None
    found = [printed(text.removesuffix("%"), line, at) for text, at in words[-count:]]
    if any(one is None for one in found):
        return None
    return line.text[: words[-count][1]].strip(), [Cell(one) for one in found]
