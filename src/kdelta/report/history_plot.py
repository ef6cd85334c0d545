"""One benchmark over kernels as a picture, in SVG: a row for each column of each run, the oldest kernel on top."""

from __future__ import annotations

from collections.abc import Iterator

from kdelta.model.history import Point, Series
from kdelta.model.plan import EXACT
from kdelta.model.words import WORDS
from kdelta.report.axes import Axis, around, ticks
from kdelta.report.frames import shown
from kdelta.report.marks import cap
from kdelta.report.scale import Scale, scale
from kdelta.report.settings import settings
from kdelta.report.svg import CELL, LINE, document, escaped, fitted, number, text, wrapped
from kdelta.report.text import absent

WIDTH, MARGIN = 720.0, 10.0
COLUMNS = int((WIDTH - 2.0 * MARGIN) / CELL)
NAME_COLUMNS, VALUE_COLUMNS = 30, 12
LEFT = MARGIN + CELL * (NAME_COLUMNS + 2)
RIGHT = WIDTH - MARGIN - CELL * (VALUE_COLUMNS + 1)
TOP = 4.4 * LINE
ROW, DOT, TICK, TICKS = 2.2 * LINE, 4.0, 4.0, 4
ROOM = 0.25
"""On either side of the values, as a share of what they span: intervals that are longer end in an arrow."""
APART = "Points of different runs share no rounds."
MACHINE = "What changed on the machine between them is not told from the kernel."
"""Of a box that measures time."""


def render(series: Series) -> str:
    """Of each point the median with the 95 % interval of the mean and each boot; the kernel, the run and the column beside it. The
    axis does not begin at 0."""
    unit = scale(series.benchmark, series.box)
    values = [unit.factor * value for point in series.points for value in point.boots]
    axis, bottom = around(values, LEFT, RIGHT, room=ROOM), TOP + ROW * len(series.points)
    title = f"{series.benchmark.name} on {series.box.name}, over kernels"
    direction = series.benchmark.metric.better.value
    summary = f"{unit.unit} ({direction} is better); the axis does not begin at 0"
    below = _below(series)
    parts = [
        text(MARGIN, 1.4 * LINE, fitted(title, int(0.8 * COLUMNS)), "title"),
        text(MARGIN, 2.5 * LINE, fitted(summary, COLUMNS)),
        *_grid(axis, bottom),
        *(_row(point, unit, axis, TOP + ROW * place) for place, point in enumerate(series.points)),
        *(text(MARGIN, bottom + LINE * (line + 1.5), words) for line, words in enumerate(below)),
    ]
    about = "; ".join(_about(point, unit) for point in series.points)
    return document(WIDTH, bottom + LINE * (len(below) + 1.0), (title, summary, about), parts)


def _below(series: Series) -> list[str]:
    unit = WORDS[series.box.kind].unit
    marks = f"Dot: the median of the {unit}s. Line: 95% interval of their mean. Strokes: each {unit}."
    several = len({point.run for point in series.points}) > 1
    apart = [APART if series.box.kind == EXACT else f"{APART} {MACHINE}"] if several else []
    return [line for said in (marks, *apart) for line in wrapped(said.split(), COLUMNS)]


def _grid(axis: Axis, bottom: float) -> Iterator[str]:
    """A line at each tick with its value on top."""
    for value, words in ticks(axis, TICKS):
        x = axis.at(value)
        yield f'<path class="line" d="M{number(x)} {number(TOP)}V{number(bottom)}" stroke-opacity=".2"/>'
        yield text(x, TOP - 6.0, words, "faint middle")


# ---- rows ----


def _row(point: Point, unit: Scale, axis: Axis, top: float) -> str:
    middle = top + ROW / 2.0
    return "".join(
        [
            f"<g><title>{escaped(_about(point, unit))}</title>",
            text(MARGIN, middle - 2.0, fitted(point.kernel.release, NAME_COLUMNS)),
            text(MARGIN, middle + LINE - 4.0, fitted(f"run {point.run}: {point.variant.name}", NAME_COLUMNS), "faint"),
            *_marks(point, unit, axis, middle),
            text(RIGHT + CELL, middle + 4.0, fitted(_value(point, unit), VALUE_COLUMNS)),
            "</g>",
        ]
    )


def _value(point: Point, unit: Scale) -> str:
    return absent(point.state) if point.median is None else unit(point.median)


def _marks(point: Point, unit: Scale, axis: Axis, y: float) -> Iterator[str]:
    if point.median is None:
        return
    strokes = "".join(f"M{number(axis.at(unit.factor * value))} {number(y + DOT + 2.0)}v{number(TICK)}" for value in point.boots)
    yield f'<path class="line" fill="none" d="{strokes}"/>'
    if point.low is not None and point.high is not None:
        yield _whisker(unit.factor * point.low, unit.factor * point.high, axis, y)
    yield f'<circle class="ink" cx="{number(axis.at(unit.factor * point.median))}" cy="{number(y)}" r="{number(DOT)}"/>'


def _whisker(low: float, high: float, axis: Axis, y: float) -> str:
    """An end that the axis does not reach is an arrow."""
    ends = ((low, low < axis.low, 1.0), (high, high > axis.high, -1.0))
    caps = "".join(cap(axis.at(end), y, inwards if beyond else 0.0) for end, beyond, inwards in ends)
    return f'<path class="line" fill="none" d="M{number(axis.at(low))} {number(y)}H{number(axis.at(high))}{caps}"/>'


def _about(point: Point, unit: Scale) -> str:
    """All that is known of a point."""
    words = shown(" ".join([f"run {point.run}: {point.variant.name},", point.kernel.release, *settings(point.variant)]))
    if point.median is None or point.least is None or point.most is None:
        return f"{words}: {absent(point.state)}"
    ends = "" if point.low is None or point.high is None else f", 95% [{unit(point.low)}, {unit(point.high)}]"
    return f"{words}: {unit(point.median)}{ends}, {unit(point.least)} to {unit(point.most)} in {len(point.boots)}"
