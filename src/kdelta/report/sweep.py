"""One program under growing load, in SVG: the mean of each column at each load, and in percent of the first column's.

What is drawn at a load is a `<g>` with `data-load` and `data-new`, which count loads from the left and columns, from 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from kdelta.model.plan import EXACT
from kdelta.model.sheet import Line, Sheet
from kdelta.model.words import WORDS, Words, called
from kdelta.report.axes import FARTHEST, Axis, around, rungs, ticks, written
from kdelta.report.basis import basis
from kdelta.report.colours import SERIES_STYLE, series
from kdelta.report.families import Family, Member, jobs
from kdelta.report.legend import legend, thread
from kdelta.report.loads import LOADS
from kdelta.report.marks import CAP, mark, shape_of
from kdelta.report.scale import Scale, scale
from kdelta.report.svg import CELL, LINE, amount, document, escaped, fitted, listed, number, text, wrapped
from kdelta.report.text import absent, counted

WIDTH, MARGIN = 720.0, 10.0
COLUMNS = int((WIDTH - 2.0 * MARGIN) / CELL)
LEFT, RIGHT = MARGIN + 12.0 * CELL, WIDTH - 3.0 * MARGIN
ABOVE, TALL, BELOW = 1.5 * LINE, 190.0, 2.6 * LINE
"""Heights of a panel: its title, its figures, and the loads."""
STACKED, FLOOR, ENDED = 12.0, 8.0, 22.0
"""Height of what failed, and below it; and how far it begins left of its load."""
FELT = "m-7-7h14v14h-14z"
"""The shape around a mark in which what is said of it is felt."""
APART = 5.0
"""From one column to the next at the same load, so that whiskers do not hide each other."""
STEEP = 8.0
"""The largest mean over the least, from which on their axis is logarithmic."""
FIRST = 100.0
TICKS, FULL = 6, 300.0
"""Figures on an axis at most; and the power of 10 whose multiples are still numbers."""


@dataclass(frozen=True)
class _Point:
    """What one column has at one load: a mean with its standard deviation, or how it ended where there is none."""

    about: str
    mean: float | None = None
    sd: float | None = None
    ended: str = ""


@dataclass(frozen=True)
class _Panel:
    """`columns` hold a point for each load."""

    title: str
    columns: tuple[tuple[_Point, ...], ...]
    is_steep: bool = False
    is_percent: bool = False


def render(sheet: Sheet, family: Family) -> str:
    """The members of `family` on the box of `sheet`. A load without a mean breaks the line, and says `failed` in its place."""
    members = _ordered(family, sheet.box.cpus)
    names = list(dict.fromkeys(line.variant for block in sheet.blocks for line in block.lines))
    panels, xs = _panels(sheet, members, names), _places(family, members)
    title = f"{called(sheet.box)}: {family.program} by {family.parameter}"
    metric = members[0].benchmark.metric
    summary = f"{metric.name} at {counted(len(members), 'load')}, {metric.better.value} is better"
    keys, height = legend(names, MARGIN, 2.9 * LINE, WIDTH - MARGIN)
    top = 2.9 * LINE + height
    drawn = [_panel(panel, members, xs, sheet.box.cpus, top + (ABOVE + TALL + BELOW) * row) for row, panel in enumerate(panels)]
    below = wrapped(" ".join(_meanings(sheet, family, panels[0], len(names))).split(), COLUMNS)
    end = top + (ABOVE + TALL + BELOW) * len(panels) + 0.9 * LINE
    parts = [
        text(MARGIN, 1.4 * LINE, fitted(title, int(0.8 * COLUMNS)), "title"),
        text(MARGIN, 2.5 * LINE, fitted(summary, COLUMNS)),
        *keys,
        *(part for one in drawn for part in one),
        *(text(MARGIN, end + LINE * line, words, "faint") for line, words in enumerate(below)),
    ]
    told = "; ".join(point.about.partition("\n")[0] for column in panels[0].columns for point in column)
    return document(WIDTH, end + LINE * len(below), (title, summary, told), parts, SERIES_STYLE)


def _meanings(sheet: Sheet, family: Family, panel: _Panel, columns: int) -> Iterator[str]:
    is_measured = any(line.visits for block in sheet.blocks for line in block.lines)
    yield basis(sheet, "Means and standard deviations") if is_measured else "Nothing was measured on this box."
    yield "Whiskers: one standard deviation either way; none for a single value."
    if family.is_numeric:
        yield f"The axis of {family.parameter} is logarithmic."
    yield "The axis of values is logarithmic." if panel.is_steep else "The axis of values need not begin at 0."
    if columns > 1:
        yield "Marks beside each other are of one load."


# ---- what is drawn ----


def _ordered(family: Family, cpus: int) -> list[Member]:
    """Words of kernbench among numbers of jobs, by what they come to on so many CPUs."""
    return list(family.members) if family.is_numeric else sorted(family.members, key=lambda one: jobs(one.load, cpus))


def _places(family: Family, members: Sequence[Member]) -> list[float]:
    """Coordinates of the loads: logarithmic for numbers, one after the other for words."""
    values = [math.log2(int(one.load)) if family.is_numeric else float(place) for place, one in enumerate(members)]
    return list(map(around(values, LEFT, RIGHT, room=0.08).at, values))


def _panels(sheet: Sheet, members: Sequence[Member], names: Sequence[str]) -> list[_Panel]:
    """That of the values; and beside a second column, that of percents of the first."""
    lines = {(block.benchmark.name, line.variant): line for block in sheet.blocks for line in block.lines}
    metric, scales = members[0].benchmark.metric.name, _scales(sheet, members)
    words = WORDS.get(sheet.box.kind, WORDS[EXACT])
    values, shares = list[tuple[_Point, ...]](), list[tuple[_Point, ...]]()
    for name in names:
        found = [lines.get((member.benchmark.name, name)) for member in members]
        heads = [f"{name}, {member.load}" for member in members]
        values.append(tuple(_value(*each, metric, words) for each in zip(heads, found, scales, strict=True)))
        shares.append(tuple(_share(*each, metric) for each in zip(heads, found, strict=True)))
    means = [point.mean for column in values for point in column if point.mean is not None]
    is_steep = bool(means) and 0.0 < STEEP * min(means) < max(means)
    panels = [_Panel(f"{metric}, {scales[0].unit}", tuple(values), is_steep=is_steep)]
    if len(names) > 1:
        panels.append(_Panel(f"{metric}, percent of {names[0]}", tuple(shares), is_percent=True))
    return panels


def _scales(sheet: Sheet, members: Sequence[Member]) -> list[Scale]:
    """Of one unit: where some have a time of a whole test and others have none, all are of an operation."""
    found = [scale(one.benchmark, sheet.box) for one in members]
    if len({one.unit for one in found}) == 1:
        return found
    return [scale(msgspec.structs.replace(one.benchmark, classic=1), sheet.box) for one in members]


def _value(head: str, line: Line | None, of: Scale, metric: str, words: Words) -> _Point:
    figure = line.figures.get(metric) if line else None
    if line is None or figure is None or not math.isfinite(figure.mean):
        return _without(head, line)
    sd = "" if figure.sd is None else f", sd {of(figure.sd)} ({amount(figure.sd_percent or 0.0)}%)"
    spread = f"{of(figure.least)} to {of(figure.most)}, {counted(line.results, 'result')} in {words.units(line.visits)}"
    about = [f"{head}: {of(figure.mean)} {of.unit}{sd}", spread, *line.notes]
    return _Point(listed(about), figure.mean * of.factor, _known(figure.sd, of.factor))


def _share(head: str, line: Line | None, metric: str) -> _Point:
    """In percent of the first column, also the standard deviation."""
    if line is None or line.of_base is None or not math.isfinite(line.of_base):
        return _without(head, line)
    own = line.figures[metric].sd_percent
    sd = "" if own is None else f", sd {own:.1f}% of itself"
    return _Point(listed([f"{head}: {line.of_base:.1f}%{sd}"]), line.of_base, _known(own, abs(line.of_base) / 100.0))


def _known(sd: float | None, factor: float) -> float | None:
    return None if sd is None or math.isnan(sd * factor) else sd * factor


def _without(head: str, line: Line | None) -> _Point:
    ended = absent(line.state if line and not line.figures else None)
    return _Point(listed([f"{head}: {ended}", *(line.notes if line else ())]), ended=ended)


# ---- a panel ----


def _panel(panel: _Panel, members: Sequence[Member], xs: Sequence[float], cpus: int, top: float) -> Iterator[str]:
    bottom = top + ABOVE + TALL
    axis = _axis(panel, bottom, top + ABOVE)
    yield text(MARGIN, top + 0.8 * LINE, fitted(panel.title, COLUMNS), "faint")
    yield from _grid(panel, axis)
    yield from _loads(members, xs, cpus, bottom)
    shifts = [APART * (place - (len(panel.columns) - 1) / 2.0) for place in range(len(panel.columns))]
    apart = min(1.0, 0.8 * _least_gap(xs) / (APART * max(len(shifts), 1)))
    for place, (column, shift) in enumerate(zip(panel.columns, shifts, strict=True)):
        ys = [None if point.mean is None else axis.at(_height(panel, point.mean)) for point in column]
        path = _path([x + apart * shift for x in xs], ys)
        yield thread(place, path) if path else ""
    for place, (column, shift) in enumerate(zip(panel.columns, shifts, strict=True)):
        for load, (point, x) in enumerate(zip(column, xs, strict=True)):
            if point.mean is not None:
                yield _mark(panel, point, axis, x + apart * shift, f' data-load="{load}" data-new="{place}"', place)
    yield from _ended(panel, xs, bottom)


def _least_gap(xs: Sequence[float]) -> float:
    return min(after - before for before, after in pairwise(xs))


def _height(panel: _Panel, value: float) -> float:
    """Where a value stands on the panel's axis."""
    if not panel.is_steep:
        return value
    return math.log10(value) if value > 0.0 else -FARTHEST


def _axis(panel: _Panel, bottom: float, top: float) -> Axis:
    """Of means, and of their standard deviations but where those of a logarithmic axis reach 0; from `bottom` to `top`."""
    points = [point for column in panel.columns for point in column if point.mean is not None]
    ends = [_height(panel, end) for point in points for end in _ends(point)]
    whole = [end for end in ends if end > -FARTHEST] + ([FIRST] if panel.is_percent else [])
    stacked = max((sum(bool(point.ended) for point in load) for load in zip(*panel.columns, strict=True)), default=0)
    return around(whole, bottom - (STACKED * stacked + FLOOR if stacked else 0.0), top)


def _ends(point: _Point) -> tuple[float, float, float]:
    mean, sd = point.mean or 0.0, point.sd or 0.0
    return mean - sd, mean, mean + sd


def _grid(panel: _Panel, axis: Axis) -> Iterator[str]:
    """A line at each tick with its value on the left; that of the first column is the darkest."""
    if panel.is_steep:
        found = [
            (math.log10(value), written(value, value))
            for value in rungs(10.0 ** max(axis.low, -FULL), 10.0 ** min(axis.high, FULL), TICKS)
        ]
    else:
        found = ticks(axis, TICKS)
    for value, words in found:
        y, opacity = axis.at(value), ' stroke-opacity=".6"' if panel.is_percent and value == FIRST else ' stroke-opacity=".15"'
        yield f'<path class="line" d="M{number(LEFT)} {number(y)}H{number(RIGHT)}"{opacity}/>'
        yield text(LEFT - CELL, y + 4.0, f"{words}{'%' if panel.is_percent else ''}", "faint end")


def _loads(members: Sequence[Member], xs: Sequence[float], cpus: int, bottom: float) -> Iterator[str]:
    """The loads below a panel, those left out for which there is no room; below kernbench's words their number of jobs."""
    yield f'<path class="line" d="M{number(LEFT)} {number(bottom)}H{number(RIGHT)}" stroke-opacity=".6"/>'
    free = 0.0
    for member, x in zip(members, xs, strict=True):
        words = [member.load, *_jobs(member, cpus)]
        half = CELL * (max(map(len, words)) + 1) / 2.0
        if x - half >= free:
            yield from (
                text(x, bottom + LINE * (line + 0.85), one, "middle" if not line else "faint middle")
                for line, one in enumerate(words)
            )
            free = x + half


def _jobs(member: Member, cpus: int) -> Iterator[str]:
    if member.load in LOADS:
        count = jobs(member.load, cpus)
        yield f"-j {count:.0f}" if math.isfinite(count) else "-j"


def _path(xs: Sequence[float], ys: Sequence[float | None]) -> str:
    """A line through neighbours that are both there."""
    pairs = pairwise(zip(xs, ys, strict=True))
    return "".join(
        f"M{number(x)} {number(y)}L{number(after)} {number(below)}"
        for (x, y), (after, below) in pairs
        if y is not None and below is not None
    )


def _mark(panel: _Panel, point: _Point, axis: Axis, x: float, keys: str, place: int) -> str:
    low, y, high = (axis.at(_height(panel, end)) for end in _ends(point))
    caps = f"M{number(x - CAP)} {number(low)}h{number(2 * CAP)}M{number(x - CAP)} {number(high)}h{number(2 * CAP)}"
    whisker = f"M{number(x)} {number(low)}V{number(high)}{caps}" if point.sd is not None else ""
    return "".join(
        [
            f"<g{keys}><title>{escaped(point.about)}</title>",
            f'<path class="{series(place)} thread" d="{whisker}"/>' if whisker else "",
            f'<path class="{series(place)}" d="{mark(shape_of(place), x, y)}"/>',
            f'<path class="bare" d="{mark(FELT, x, y)}"/>',
            "</g>",
        ]
    )


def _ended(panel: _Panel, xs: Sequence[float], bottom: float) -> Iterator[str]:
    """What has no mean, above the load: the column's mark, hollow, and how it ended. Of many at one load the last lie higher."""
    for load, x in enumerate(xs):
        found = [(place, column[load]) for place, column in enumerate(panel.columns) if column[load].ended]
        for row, (place, point) in enumerate(found):
            y = bottom - FLOOR - STACKED * row
            shape = f'<path class="{series(place)} open" d="{mark(shape_of(place), x - ENDED, y)}"/>'
            words = text(x - ENDED + 0.9 * CELL, y + 4.0, point.ended, "faint")
            keys = f'data-load="{load}" data-new="{place}"'
            yield f"<g {keys}><title>{escaped(point.about)}</title>{shape}{words}</g>"
