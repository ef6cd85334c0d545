"""Pieces that several reports share."""

from __future__ import annotations

import textwrap

from kdelta.model.boot import CellState

WIDTH = 100
"""Columns: what a mail still shows unbroken."""


def wrapped(text: str, indent: str = "  ") -> str:
    """`text` in lines of WIDTH; those after the first are indented. Words longer than that are left whole."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def counted(count: int, word: str) -> str:
    """1 run, 2 runs."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def absent(state: CellState | None) -> str:
    """What stands in the place of a value; never 0."""
    return "-" if state in (None, CellState.NOT_HERE) else "failed"
