"""What the columns of a run are drawn as, in lines of names below a picture's title."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdelta.report.colours import series
from kdelta.report.marks import dash_of, mark, shape_of
from kdelta.report.svg import CELL, LINE, cells, fitted, number, text

SAMPLE, GAP = 34.0, 3.0 * CELL
"""Widths: of a piece of line, and between entries."""
MOST_NAME = 40


def legend(names: Sequence[str], left: float, top: float, right: float) -> tuple[list[str], float]:
    """Each name behind its mark on a piece of its line, and the height that they take."""
    parts, x, y = list[str](), left, top
    for place, name in enumerate(names):
        words = fitted(name, MOST_NAME)
        width = SAMPLE + CELL * cells(words)
        if x + width > right and x > left:
            x, y = left, y + LINE
        parts += _entry(place, words, x, y)
        x += width + GAP
    return parts, y - top + LINE if names else 0.0


def _entry(place: int, words: str, x: float, y: float) -> Iterator[str]:
    middle = y + 0.5 * LINE
    yield thread(place, f"M{number(x)} {number(middle)}h{number(SAMPLE - CELL)}")
    yield f'<path class="{series(place)}" d="{mark(shape_of(place), x + (SAMPLE - CELL) / 2.0, middle)}"/>'
    yield text(x + SAMPLE - 0.4 * CELL, middle + 4.0, words)


def thread(place: int, path: str, more: str = "") -> str:
    """A line of the column at `place`."""
    return f'<path class="{series(place)} thread"{dash_of(place)}{more} d="{path}"/>'
