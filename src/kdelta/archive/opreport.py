"""What oprofile's `opreport -l` prints, in a mail or alone: samples and percentages of functions.

    vma      samples  %           symbol name             image
    c0108bb0 113811   25.8026     default_idle            /.../vmlinux
    00000000 5497     1.24625     (no symbol)             /bin/cp
    [...]

A percentage is of all samples, of which nobody prints how many they are. Old releases book code of programs under the kernel's
image: its addresses tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Claim, Function, Listing, Remark
from kdelta.profile.readers import naming, oprofile

NAME = "opreport"

LONGEST_ROW = 1000

_NUMBERS = re.compile(r"\s*(?:[0-9a-f]{8,16}\s+)?(?P<samples>\d{1,15})\s+(?P<percent>\d{1,3}(?:\.\d{1,9})?(?:e-\d\d)?)")
_CUT = re.compile(r"\s*(?:\[\.\.\.\]|\.\.\.)\s*$")
_NO_SYMBOL = re.compile(r"\(no symbols?\)")


@dataclass
class _Table:
    """The rows under one head, until the first line that is none."""

    head: Line
    columns: oprofile.Head
    rows: list[Function] = field(default_factory=list)
    last: int = 0
    cut: bool = False
    low: list[str] = field(default_factory=list)
    high: bool = False
    """Whether a kernel's address was met."""


def read(text: Text) -> Iterator[Block]:
    """A block for each table; of several events, the first."""
    table: _Table | None = None
    for line in text.lines:
        columns = oprofile.head(line.text)
        if columns is not None:
            yield from _block(table)
            table = _Table(line, columns)
        elif table and len(line.text) < LONGEST_ROW and not _add(table, line):
            yield from _block(table)
            table = None
    yield from _block(table)


def _add(table: _Table, line: Line) -> bool:
    """Whether the table goes on: with a row, a detail of one, a ruler or a mark of what was left out."""
    if _CUT.match(line.text):
        table.cut = True
        return True
    found, numbers = oprofile.row(table.columns, line.text), _NUMBERS.match(line.text)
    if found is None or numbers is None:
        return not table.rows or line.text[:1].isspace() or line.text.startswith("---")
    image = naming.place(found.image) if found.image else ""
    symbol = "" if _NO_SYMBOL.fullmatch(found.symbol) else found.symbol
    booked = found.high is False and not image and bool(symbol)
    table.high = table.high or (found.high is True and not image)
    name = naming.function(symbol, image) + (naming.NOWHERE if booked else "")
    table.low += [name] if booked else []
    samples = number(numbers["samples"], line, numbers.start("samples"))
    table.rows.append(Function(name, samples, percent=number(numbers["percent"], line, numbers.start("percent"))))
    table.last = line.number
    return True


def _block(table: _Table | None) -> Iterator[Block]:
    if table is None or not table.rows:
        return
    missing = "how many samples there are is not in the text"
    yield Block(
        format=NAME,
        title=table.head.text.strip(),
        first=table.head.number,
        last=table.last,
        claims=tuple(
            Claim(kind="share", what=f"samples of {one.name}", printed=one.percent, missing=missing)
            for one in table.rows
            if one.percent is not None
        ),
        listings=(Listing(benchmark="", difference=False, unit="samples", rows=tuple(table.rows), cut=table.cut),),
        remarks=tuple(_remarks(table, table.rows)),
    )


def _remarks(table: _Table, rows: Sequence[Function]) -> Iterator[Remark]:
    largest = max(rows, key=lambda one: one.count.value)
    if largest.percent is not None and largest.percent.value:
        total = 100.0 * largest.count.value / largest.percent.value
        yield Remark(largest.count.line, f"the percentages are of about {total:,.0f} samples, which are not all listed")
    if table.low and table.high:
        names = ", ".join(table.low[:5])
        yield Remark(table.head.number, f"code of programs by its address, though under the kernel's image: {names}")


READER = Reader(NAME, ("symbol",), read, "a head `samples % symbol name`, also with `vma` and `image`, and the rows below it")
