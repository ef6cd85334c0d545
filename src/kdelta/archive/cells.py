"""Numbers in the columns of a line, with their places."""

from __future__ import annotations

import re

from kdelta.archive.numbers import number
from kdelta.archive.text import Line
from kdelta.model.published import Number

_PERCENT = re.compile(r"(?P<number>[+-]?\d{1,9}(?:\.\d{1,9})?)%?")


def percent(line: Line, cell: str | None, start: int = 0) -> Number | None:
    """The percentage that the text of a cell is, which stands in `line` from `start` on; None for an empty cell."""
    match = _PERCENT.fullmatch(cell or "")
    at = line.text.find(cell, start) if match and cell else -1
    return number(match["number"], line, at) if match and at >= 0 else None
