"""Pieces that several reports share."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from kdelta.model.boot import CellState

WIDTH = 100
"""Columns of a text, where nobody says how wide it may be."""

LABELLED = "[{}]"
"""What stands for a name that is too long for its column."""


def wrapped(text: str, indent: str = "  ", *, width: int = WIDTH) -> str:
    """`text` in lines of `width`; those after the first are indented. Words longer than that are left whole."""
    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def folded(text: str, indent: str = "    ", *, width: int = WIDTH) -> str:
    """As `wrapped`, but one line where nobody says how wide a text may be: such lines are searched for."""
    return text if width == WIDTH else wrapped(text, indent, width=width)


def room(width: int) -> float:
    """Columns that a table may take: any number where nobody says how wide a text may be, for then no cell is left out or moved."""
    return math.inf if width == WIDTH else width


def underlined(title: str, note: str, width: int, column: int) -> list[str]:
    """`title` with its line below, and `note` from `column` on, or on a line of its own where both are wider than `width`."""
    beside = f"{title:<{column - 2}}  {note}" if note else title
    if len(beside) <= width:
        return [beside, "=" * len(title)]
    lines = wrapped(title, width=width).split("\n")
    return [*lines, "=" * max(map(len, lines)), *([note] if note else [])]


def labelled(names: Iterable[str], most: int) -> dict[str, str]:
    """What stands for each name of more than `most` characters: `[1]`, but never what is a name itself."""
    given = list(dict.fromkeys(names))
    free = (label for label in map(LABELLED.format, count(1)) if label not in given)
    return {name: next(free) for name in given if len(name) > most}


def key(labels: Mapping[str, str], width: int) -> Iterator[str]:
    """A line for each label: which name it stands for."""
    return (wrapped(f"  {label}: {name}", "    ", width=width) for name, label in labels.items())


def counted(number: int, word: str) -> str:
    """1 run, 2 runs."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def boxes(number: int) -> str:
    """1 box, 2 boxes."""
    return f"{number} box{'' if number == 1 else 'es'}"


def absent(state: CellState | None) -> str:
    """What stands in the place of a value; never 0."""
    return "-" if state in (None, CellState.NOT_HERE) else "failed"
