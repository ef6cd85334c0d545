"""Tables in a text that has other lines, too, such as a mail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

Row = TypeVar("Row")

MORE = "only the first table of the text is read, and it has more"


def numbered(rows: Iterable[Row | None]) -> Iterator[tuple[int, Row]]:
    """The rows of tables, with the number of their table, from 1 on. None, a line that is no row, ends a table; a row without
    another one beside it is no table."""
    number, held, inside = 0, None, False
    for row in rows:
        if row is None:
            held, inside = None, False
        elif inside:
            yield number, row
        elif held is None:
            held = row
        else:
            number, inside = number + 1, True
            yield number, held
            yield number, row
            held = None
