"""The contrasts of one box as a forest plot, in SVG: each ratio with its interval, on one axis with the margin.

Each row is a `<g>` with `data-row`, `data-base`, `data-new` and `data-answer`, the verdict's word. The first three count, from 0,
the names of rows, bases and new sides in the order in which they are met; a geometric mean has `data-mean` and no `data-row`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from kdelta.model.benchmark import Better
from kdelta.model.plan import EXACT, BoxSpec
from kdelta.model.table import Table
from kdelta.model.verdict import Answer, Judgement
from kdelta.model.words import called
from kdelta.report.axes import Axis, rungs, ticks
from kdelta.report.colours import SAME, SCOPE
from kdelta.report.contrasts import UP
from kdelta.report.figures import amount
from kdelta.report.forest_rows import NO_VALUE, Bounds, Row, Section, is_mixed, of_box, sections
from kdelta.report.marks import ANSWERS, CAP, answered, cap
from kdelta.report.svg import CELL, LINE, cells, document, escaped, fitted, number, text, wrapped

WIDTH, MARGIN = 760.0, 10.0
COLUMNS = int((WIDTH - 2.0 * MARGIN) / CELL)
NAME_COLUMNS, VALUE_COLUMNS, WORD_COLUMNS = 21, 25, 10
LEFT = MARGIN + CELL * (NAME_COLUMNS + 1)
WORDS = WIDTH - MARGIN - CELL * WORD_COLUMNS
VALUES = WORDS - CELL * (VALUE_COLUMNS + 2)
RIGHT = VALUES - CELL
ROW, HALF = 17.0, 5.0
"""Heights, of a row, and of half the diamond of a mean."""
TOP = 5.4 * LINE
ARROW = 8.0
WILD = 16.0
"""How far the axis reaches at most, in reaches of the median row: a longer interval ends in an arrow."""
FARTHEST, LEAST_MARGIN = math.log(1e9), 1e-6
IN_PERCENT = math.log(2.5)
"""From end to end of an axis: one that is longer is written in ratios."""
TICKS = 7
STYLE = f".{SCOPE} .head{{font-weight:bold}}"


def render(judgement: Judgement, box: BoxSpec, table: Table | None = None) -> str:
    """The contrasts whose new side is on `box`, grouped as `verdict_table` has them, each group with its geometric mean.

    `table` is that of `box`: with it a row without a ratio says which side failed.
    """
    found = sections(judgement, box, table)
    rows = [row for section in found for row in section.rows]
    axis = _axis([row.bounds for row in rows if row.bounds], math.log1p(max(judgement.margin, LEAST_MARGIN)))
    title = f"{called(box)}: {'change in instructions' if box.kind == EXACT else 'change'}"
    summary = _summary(rows)
    bottom = TOP + ROW * (len(rows) + len(found))
    below = [line for sentence in _meanings(judgement, box) for line in wrapped(sentence.split(), COLUMNS)] if rows else []
    end = bottom + 2.4 * LINE if rows else 2.5 * LINE
    parts = [
        text(MARGIN, 1.4 * LINE, fitted(title, int(0.8 * COLUMNS)), "title"),
        text(MARGIN, 2.5 * LINE, summary),
        *(_frame(axis, judgement, bottom) if rows else ()),
        *_sections(found, axis),
        *(text(MARGIN, end + LINE * line, words, "faint") for line, words in enumerate(below)),
    ]
    told = "; ".join(row.about.partition("\n")[0] for row in rows)
    return document(WIDTH, end + LINE * max(len(below), 1), (title, summary, told), parts, STYLE)


def _summary(rows: Sequence[Row]) -> str:
    words = [row.word for row in rows if not row.is_mean]
    order = [*(answer.value for answer in ANSWERS), NO_VALUE]
    return ", ".join(f"{words.count(word)} {word}" for word in order if word in words) or "Nothing was compared on this box."


def _meanings(judgement: Judgement, box: BoxSpec) -> Iterator[str]:
    """What the picture's parts mean, and on which side of the line slower lies."""
    found = of_box(judgement, box)
    level = f"{100.0 * (1.0 - judgement.alpha):.4g}%"
    yield (
        f"Ratios of values, new over base, on a logarithmic axis; whiskers: {level} intervals;"
        f" shaded: the margin of {amount(judgement.margin)}. An arrow: it goes on, or has no end."
    )
    directions = {verdict.new.benchmark.metric.better for verdict in found}
    if is_mixed(found):
        yield f"Slower lies right of the line, and left of it where {UP}: larger is better. Colours and marks are the verdicts."
    elif directions == {Better.LARGER}:
        yield f"{UP}: larger is better, so slower lies left of the line."
    else:
        yield "Smaller is better: slower lies right of the line."
    if Better.LARGER in directions and any(mean.box.name == box.name for mean in judgement.means):
        yield "Means are of costs: slower lies right."


# ---- the axis ----


def _axis(bounds: Sequence[Bounds], margin: float) -> Axis:
    """Of logarithms, with 0 and the margin on it; one wild contrast does not make all others short."""
    reaches = [max((abs(end) for end in each if math.isfinite(end)), default=0.0) for each in bounds]
    usual = statistics.median_low(reaches) if reaches else 0.0
    most = min(max(WILD * usual, 1.5 * margin), FARTHEST)
    ends = [min(max(end, -most), most) for each in bounds for end in each if math.isfinite(end)]
    low, high = min([-1.5 * margin, *ends]), max([1.5 * margin, *ends])
    room = 0.04 * (high - low)
    return Axis(low - room, high + room, LEFT, RIGHT)


def _ticks(axis: Axis) -> list[tuple[float, str]]:
    """Logarithms, and what is written there: changes in percent, or ratios."""
    low, high = math.exp(axis.low), math.exp(axis.high)
    if axis.high - axis.low > IN_PERCENT:
        return [(math.log(value), f"x{value:g}") for value in rungs(low, high, TICKS)]
    percents = ticks(Axis(100.0 * math.expm1(axis.low), 100.0 * math.expm1(axis.high), LEFT, RIGHT), TICKS)
    return [(math.log1p(value / 100.0), f"{'+' if value > 0.0 else ''}{words}%" if value else "0") for value, words in percents]


def _frame(axis: Axis, judgement: Judgement, bottom: float) -> Iterator[str]:
    """The margin, a line for each tick with its words above and below, the darkest at a ratio of 1; and the heads."""
    edge, top = math.log1p(max(judgement.margin, LEAST_MARGIN)), TOP - 2.0
    start, end = axis.at(-edge), axis.at(edge)
    place = f'x="{number(start)}" y="{number(top)}" width="{number(end - start)}" height="{number(bottom - top)}"'
    yield f'<rect class="{SAME}" {place}/>'
    for value, words in _ticks(axis):
        x = axis.at(value)
        opacity = "" if value == 0.0 else ' stroke-opacity=".18"'
        yield f'<path class="line" d="M{number(x)} {number(top)}V{number(bottom)}"{opacity}/>'
        yield text(x, TOP - 6.0, words, "faint middle")
        yield text(x, bottom + 0.75 * LINE, words, "faint middle")
    yield text(VALUES, TOP - 6.0 - LINE, f"change, {100.0 * (1.0 - judgement.alpha):.4g}% interval", "faint")
    yield text(WORDS, TOP - 6.0 - LINE, "verdict", "faint")


# ---- rows ----


def _sections(found: Sequence[Section], axis: Axis) -> Iterator[str]:
    top = TOP
    for section in found:
        yield text(MARGIN, top + 0.75 * ROW, fitted(f"{section.title}:", NAME_COLUMNS + int((RIGHT - LEFT) / CELL)), "head")
        guides = (f"M{number(LEFT)} {number(top + ROW * (row + 1.5))}H{number(RIGHT)}" for row in range(len(section.rows)))
        yield f'<path class="line" d="{"".join(guides)}" stroke-opacity=".1"/>'
        for row in section.rows:
            top += ROW
            yield _row(row, axis, top)
        top += ROW


def _row(row: Row, axis: Axis, top: float) -> str:
    y, base = top + ROW / 2.0, top + ROW / 2.0 + 4.0
    keys = "".join(f' data-{key}="{escaped(value)}"' for key, value in row.keys.items())
    area = f'x="0" y="{number(top)}" width="{number(WIDTH)}" height="{number(ROW)}"'
    mark = answered(row.answer, WORDS - 1.3 * CELL, y) if row.word != NO_VALUE else ""
    return "".join(
        [
            f"<g{keys}><title>{escaped(row.about)}</title>",
            f'<rect fill="none" pointer-events="all" {area}/>',
            text(LEFT - CELL, base, fitted(row.name, NAME_COLUMNS), "end"),
            *(_drawn(row, row.bounds, axis, y) if row.bounds else [_reason(row, base)]),
            text(VALUES, base, fitted(row.figures, VALUE_COLUMNS)),
            mark,
            text(WORDS, base, row.word),
            "</g>",
        ]
    )


def _reason(row: Row, base: float) -> str:
    words = fitted(row.why, int((RIGHT - LEFT) / CELL) - 2)
    place = f'x="{number(LEFT + 0.5 * CELL)}" y="{number(base - 11.0)}" width="{number(CELL * (cells(words) + 1))}" height="14"'
    return f'<rect class="paper" {place}/>' + text(LEFT + CELL, base, words, "faint")


def _drawn(row: Row, bounds: Bounds, axis: Axis, y: float) -> Iterator[str]:
    value, low, high = bounds
    side = axis.beyond(value)
    if not math.isnan(low) and not math.isnan(high):
        yield _whisker(min(low, high), max(low, high), axis, y)
    if side:
        yield _gone(row.answer, axis.at(value), y, side)
    elif row.is_mean:
        yield _diamond(row.answer, [axis.at(end) for end in bounds if not math.isnan(end)], axis.at(value), y)
    else:
        yield answered(row.answer, axis.at(value), y)


def _whisker(low: float, high: float, axis: Axis, y: float) -> str:
    """Ends that the axis does not reach are arrows, as are those that are none."""
    start, end = axis.at(low), axis.at(high)
    caps = cap(start, y, float(low < axis.low)) + cap(end, y, -float(high > axis.high))
    return f'<path class="line" fill="none" d="M{number(start)} {number(y)}H{number(end)}{caps}"/>'


def _gone(answer: Answer, x: float, y: float, side: int) -> str:
    """A value beyond the axis: a large arrow in the place of its mark."""
    css, back = ANSWERS[answer][0], number(x - ARROW * side)
    return f'<path class="{css}" d="M{number(x)} {number(y)}L{back} {number(y - HALF)}V{number(y + HALF)}z"/>'


def _diamond(answer: Answer, ends: Sequence[float], x: float, y: float) -> str:
    """From end to end of the interval, and no narrower than high; of an undecided one grey."""
    css = ANSWERS[answer][0] if answer is not Answer.UNDECIDED else f"{SAME} line"
    left, right = min(*ends, x - CAP), max(*ends, x + CAP)
    top, bottom = number(y - HALF), number(y + HALF)
    return (
        f'<path class="{css}" d="M{number(left)} {number(y)}L{number(x)} {top}L{number(right)} {number(y)}L{number(x)} {bottom}z"/>'
    )
