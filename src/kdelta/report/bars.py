"""The functions with the largest changes as bars, in SVG: where a change is, how large, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kdelta.profile.change import Change, Difference, total
from kdelta.report.colours import shade
from kdelta.report.marks import cap
from kdelta.report.svg import CELL, LINE, believed, document, escaped, fitted, grown, number, signed, step, text, wrapped

WIDTH, MARGIN = 720.0, 10.0
COLUMNS = int((WIDTH - 2.0 * MARGIN) / CELL)
NAME_COLUMNS, VALUE_COLUMNS = 32, 20
MOST_NAME = 200
"""Columns of the name in what is said of a bar."""
LEFT = MARGIN + CELL * (NAME_COLUMNS + 1)
RIGHT = WIDTH - MARGIN - CELL * (VALUE_COLUMNS + 1)
TOP = 4.4 * LINE
ROW, BAR = 20.0, 12.0
REACH = 1.5
"""How far intervals are drawn, in largest changes; those that are longer end in an arrow."""


@dataclass(frozen=True)
class _Axis:
    """Values from `low` to `high`, which hold 0, lie between LEFT and RIGHT."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """What lies beyond an end is at that end."""
        return LEFT + (RIGHT - LEFT) * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)


def render(difference: Difference, *, most: int = 20) -> str:
    """The `most` largest changes, growth to the right: filled where beyond noise, hollow where not, with their intervals.

    The other functions are summed below.
    """
    ordered = sorted(difference.changes, key=lambda change: (-abs(change.delta), change.name))
    shown, rest = ordered[:most], ordered[most:]
    axis, bottom, whole = _axis(shown), TOP + ROW * len(shown), difference.total.old or 0.0
    measure = f"{difference.unit} per {difference.per}"
    title = f"{difference.old} -> {difference.new}: the functions that changed most"
    summary = f"in all {step(whole, difference.total.new or 0.0)} {measure}"
    below = _below(difference, rest)
    parts = [
        text(MARGIN, 1.4 * LINE, fitted(title, int(0.8 * COLUMNS)), "title"),
        text(MARGIN, 2.5 * LINE, fitted(summary, COLUMNS)),
        text(MARGIN, TOP - 6.0, fitted(measure, NAME_COLUMNS), "faint"),
        *_grid(axis, bottom),
        *(_row(change, axis, TOP + ROW * row, whole) for row, change in enumerate(shown)),
        *(text(MARGIN, bottom + LINE * (line + 1.5), words) for line, words in enumerate(below)),
    ]
    return document(WIDTH, bottom + LINE * (len(below) + 1.0), (title, summary, "; ".join(map(_about, shown))), parts)


def _below(difference: Difference, rest: Sequence[Change]) -> list[str]:
    more = f"And {len(rest):,} more functions, together {signed(total('', list(rest)).delta)}." if rest else ""
    sentences = ["Filled: beyond noise. Hollow: within noise.", more, *difference.doubts]
    return [line for sentence in sentences if sentence for line in wrapped(sentence.split(), COLUMNS)]


def _axis(shown: Sequence[Change]) -> _Axis:
    """Of all changes, and of what is drawn of their intervals."""
    reach = REACH * max((abs(change.delta) for change in shown), default=0.0)
    ends = [end for change in shown for end in (change.low, change.high) if math.isfinite(end)]
    values = [0.0, *(change.delta for change in shown), *(min(max(end, -reach), reach) for end in ends)]
    low, high = min(values), max(values)
    return _Axis(low, high) if low < high else _Axis(-1.0, 1.0)


def _grid(axis: _Axis, bottom: float) -> Iterator[str]:
    """A line at each tick with its value on top, that of 0 the darkest."""
    size = _tick(axis)
    for count in range(math.ceil(axis.low / size), math.floor(axis.high / size) + 1):
        x = number(axis.at(count * size))
        opacity = "" if count == 0 else ' stroke-opacity=".2"'
        yield f'<path class="line" d="M{x} {number(TOP)}V{number(bottom)}"{opacity}/>'
        yield text(axis.at(count * size), TOP - 6.0, signed(count * size) if count else "0", "faint middle")


def _tick(axis: _Axis) -> float:
    """From one tick to the next: the least of 1, 2 and 5 times a power of 10 that leaves room for their values."""
    room = (RIGHT - LEFT) / CELL
    least = 10.0 ** math.floor(math.log10((axis.high - axis.low) / room))
    sizes = (factor * least * 10.0**power for power in range(4) for factor in (1.0, 2.0, 5.0))
    return next(size for size in sizes if _widest(axis, size) + 2 <= room * size / (axis.high - axis.low))


def _widest(axis: _Axis, size: float) -> int:
    return max(len(signed(count * size)) for count in (math.ceil(axis.low / size), 1, math.floor(axis.high / size)))


def _row(change: Change, axis: _Axis, top: float, whole: float) -> str:
    start, end = sorted((axis.at(0.0), axis.at(change.delta)))
    place = f'x="{number(start)}" y="{number(top + (ROW - BAR) / 2.0)}" width="{number(end - start)}" height="{number(BAR)}"'
    css = shade(change.delta, whole) if change.real else "hollow"
    base = top + ROW / 2.0 + 4.0
    return "".join(
        [
            f"<g><title>{escaped(_about(change))}</title>",
            text(LEFT - CELL, base, fitted(change.name, NAME_COLUMNS), "end"),
            f'<rect class="{css}" {place}/>',
            *_whisker(change, axis, top + ROW / 2.0),
            text(RIGHT + CELL, base, fitted(grown(change), VALUE_COLUMNS)),
            "</g>",
        ]
    )


def _about(change: Change) -> str:
    return f"{fitted(change.name, MOST_NAME)}: {step(change.old or 0.0, change.new or 0.0)}, {believed(change)}"


def _whisker(change: Change, axis: _Axis, y: float) -> Iterator[str]:
    """The interval; an end that the axis does not reach, or that it does not have, is an arrow."""
    if math.isnan(change.low) or math.isnan(change.high):
        return
    ends = ((change.low, change.low < axis.low, 1.0), (change.high, change.high > axis.high, -1.0))
    caps = "".join(cap(axis.at(end), y, inwards if beyond else 0.0) for end, beyond, inwards in ends)
    yield f'<path class="line" fill="none" d="M{number(axis.at(change.low))} {number(y)}H{number(axis.at(change.high))}{caps}"/>'
