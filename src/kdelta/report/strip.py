"""The samples of one benchmark on one box in the order in which they were taken, in SVG: drift, outliers, and what was not judged.

Each boot is a `<g>` with `data-boot`, its number in the store, and `data-new`, the place of its column in the plan, from 0.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import CellState
from kdelta.model.plan import EXACT, BoxSpec, Plan
from kdelta.model.record import BootRecord
from kdelta.model.sample import Sample
from kdelta.model.words import WORDS, Words, called
from kdelta.report.axes import Axis, around, ticks
from kdelta.report.colours import SERIES_STYLE, series
from kdelta.report.figures import kinds
from kdelta.report.legend import legend, thread
from kdelta.report.marks import CAP, CROSS, mark, shape_of
from kdelta.report.scale import Scale, scale
from kdelta.report.svg import CELL, LINE, document, escaped, fitted, listed, number, text, wrapped
from kdelta.report.text import absent, counted

WIDTH, MARGIN = 720.0, 10.0
COLUMNS = int((WIDTH - 2.0 * MARGIN) / CELL)
LEFT, RIGHT = MARGIN + 12.0 * CELL, WIDTH - MARGIN
TALL, FEET, BELOW = 240.0, 16.0, 2.6 * LINE
"""Heights: of the plot, of what failed under it, and of the numbers of boots with their title."""
WIDEST = 0.7
"""Of a boot's column, as a share of it, its samples lie in."""
MOST_COLUMN, WILD = 40.0, 1.5
"""A boot's column is no wider; and a sample that lies farther from the usual ones than so many times their range is an arrow."""
LEAST_REACH = 0.01
"""Of a value, as a share of it, where all are nearly the same."""
USUAL = 0.05
"""Of judged samples, the share at either end that does not make the axis longer."""
TICKS = 6
DENSE, MANY = 0.6, 60
"""The size of marks where there are many boots."""
ARROWS = {1: "m0-4l3.5 6h-7z", -1: "m0 4l3.5-6h-7z"}
"""What lies above and below the axis."""
KEYS = "Filled: judged. Hollow: warm-up. Hollow and crossed: discarded, or of a run that did not end well."


@dataclass(frozen=True)
class _Boot:
    """One column of the strip. `samples` are those of the first metric; of `crossed` ones none is judged."""

    record: BootRecord
    place: int
    state: CellState
    reason: str
    samples: tuple[Sample, ...]

    def is_judged(self, sample: Sample) -> bool:
        return self.state is CellState.OK and sample.counts

    @property
    def judged(self) -> list[float]:
        return [one.value for one in self.samples if self.is_judged(one) and math.isfinite(one.value)]


def render(plan: Plan, box: BoxSpec, benchmark: Benchmark, boots: Sequence[BootRecord]) -> str:
    """From left to right the boots on `box` that `benchmark` was asked of, its samples in each in their order.

    The median of a boot's judged results is a bar, and a line joins those of a column. Boots in which nothing was timed are not
    in it. A boot without judged results is a cross below, and says how it ended.
    """
    found, of = _found(plan, box, benchmark, boots), scale(benchmark, box)
    names, words = [variant.name for variant in plan.variants], WORDS.get(box.kind, WORDS[EXACT])
    title = f"{called(box)}: {benchmark.name}"
    failed = sum(not boot.judged for boot in found)
    summary = f"{words.units(len(found))} in the order of the run, {failed} without results; {benchmark.metric.name}, {of.unit}"
    keys, height = legend(names, MARGIN, 2.9 * LINE, WIDTH - MARGIN)
    top = 2.9 * LINE + height + 0.6 * LINE
    axis, bottom = _axis(found, of, top), top + TALL
    better = f"{benchmark.metric.better.value.capitalize()} is better."
    bars = f"Bars: the median of a {words.unit}'s judged results, joined by column. Arrows: a sample lies beyond."
    below = wrapped(f"{better} {KEYS} {bars} x: no results.".split(), COLUMNS)
    end = bottom + FEET + BELOW + 0.9 * LINE
    parts = [
        text(MARGIN, 1.4 * LINE, fitted(title, int(0.8 * COLUMNS)), "title"),
        text(MARGIN, 2.5 * LINE, fitted(summary, COLUMNS)),
        *keys,
        *_grid(axis, len(found), words, bottom),
        *_threads(found, of, axis),
        *_marks(found, of, axis),
        *_bars(found, of, axis),
        *(_hover(boot, column, len(found), of, words, bottom) for column, boot in enumerate(found)),
        *_failures(found, bottom),
        *(text(MARGIN, end + LINE * line, one, "faint") for line, one in enumerate(below)),
    ]
    return document(WIDTH, end + LINE * len(below), (title, summary, KEYS), parts, SERIES_STYLE)


def _found(plan: Plan, box: BoxSpec, benchmark: Benchmark, boots: Iterable[BootRecord]) -> list[_Boot]:
    places = {variant.name: place for place, variant in enumerate(plan.variants)}
    made = []
    for record in sorted(boots, key=lambda one: (one.position, one.attempt, one.id)):
        cell = next((cell for cell in record.boot.cells if cell.benchmark == benchmark.name), None)
        if record.box != box.name or record.profiled or record.variant not in places or cell is None:
            continue
        samples = (one for one in record.boot.samples if one.benchmark == benchmark.name and one.metric == benchmark.metric.name)
        made.append(_Boot(record, places[record.variant], cell.state, cell.reason, tuple(samples)))
    return made


# ---- where things lie ----


def _axis(found: Sequence[_Boot], of: Scale, top: float) -> Axis:
    """Of all samples but those that lie far from the judged ones; of those too where none is judged."""
    every = sorted(of.factor * one.value for boot in found for one in boot.samples if math.isfinite(one.value))
    judged = sorted(of.factor * value for boot in found for value in boot.judged) or every
    if not judged:
        return around((), top + TALL, top)
    rank = len(judged) - 1
    low, high = judged[math.floor(USUAL * rank)], judged[math.ceil((1.0 - USUAL) * rank)]
    reach = max(WILD * (high - low), LEAST_REACH * max(abs(low), abs(high)))
    near = [value for value in every if low - reach <= value <= high + reach]
    return around([low, high, *near], top + TALL, top)


def _column(column: int, columns: int) -> tuple[float, float]:
    """The middle of a boot's column, and how wide its samples lie."""
    width = (RIGHT - LEFT) / columns
    return LEFT + width * (column + 0.5), WIDEST * min(width, MOST_COLUMN)


def _grid(axis: Axis, columns: int, words: Words, bottom: float) -> Iterator[str]:
    """Values on the left, and under the samples the numbers of boots."""
    for value, said in ticks(axis, TICKS):
        y = axis.at(value)
        yield f'<path class="line" d="M{number(LEFT)} {number(y)}H{number(RIGHT)}" stroke-opacity=".15"/>'
        yield text(LEFT - CELL, y + 4.0, said, "faint end")
    yield f'<path class="line" d="M{number(LEFT)} {number(bottom)}H{number(RIGHT)}" stroke-opacity=".6"/>'
    for value, _ in ticks(Axis(0.5, columns + 0.5, LEFT, RIGHT), 2 * TICKS) if columns else ():
        if value == math.floor(value):
            yield text(_column(int(value) - 1, columns)[0], bottom + FEET + 0.8 * LINE, str(int(value)), "faint middle")
    yield text((LEFT + RIGHT) / 2.0, bottom + FEET + 1.8 * LINE, f"{words.unit}, in the order of the run", "faint middle")


# ---- what is drawn ----


def _threads(found: Sequence[_Boot], of: Scale, axis: Axis) -> Iterator[str]:
    """A line for each column through the medians of its boots, broken where one has none."""
    for place in dict.fromkeys(boot.place for boot in found):
        path, pen = "", "M"
        for column, boot in enumerate(found):
            if boot.place == place and boot.judged:
                path += (
                    f"{pen}{number(_column(column, len(found))[0])} {number(axis.at(of.factor * statistics.median(boot.judged)))}"
                )
            pen = "M" if boot.place == place and not boot.judged else "L" if boot.place == place else pen
        if path:
            yield thread(place, path, ' stroke-opacity=".45"')


def _marks(found: Sequence[_Boot], of: Scale, axis: Axis) -> Iterator[str]:
    """A path for all marks of one column that are drawn alike; those that are judged come last, above the others."""
    size = DENSE if len(found) > MANY else 1.0
    paths: dict[tuple[bool, int], list[str]] = {}
    for column, boot in enumerate(found):
        middle, width = _column(column, len(found))
        for rank, one in enumerate(boot.samples):
            if math.isfinite(one.value):
                x, y = middle + width * ((rank + 0.5) / len(boot.samples) - 0.5), axis.at(of.factor * one.value)
                shapes = _shapes(boot, one, axis.beyond(of.factor * one.value))
                path = "".join(mark(shape, x / size, y / size) for shape in shapes)
                paths.setdefault((boot.is_judged(one), boot.place), []).append(path)
    scaled = f' transform="scale({number(size)})"' if size != 1.0 else ""
    for (judged, place), each in sorted(paths.items()):
        yield f'<path class="{series(place)}{"" if judged else " open"}"{scaled} d="{"".join(each)}"/>'


def _shapes(boot: _Boot, sample: Sample, beyond: int) -> tuple[str, ...]:
    """That of the column, or an arrow for what lies beyond the axis; with a cross over what was thrown away."""
    shape = ARROWS.get(beyond, shape_of(boot.place))
    return (shape,) if boot.is_judged(sample) or sample.warmup else (shape, CROSS)


def _bars(found: Sequence[_Boot], of: Scale, axis: Axis) -> Iterator[str]:
    """A path for the medians of each column's boots."""
    paths: dict[int, str] = {}
    for column, boot in enumerate(found):
        if boot.judged:
            middle, width = _column(column, len(found))
            bar = f"M{number(middle - width / 2.0)} {number(axis.at(of.factor * statistics.median(boot.judged)))}h{number(width)}"
            paths[boot.place] = paths.get(boot.place, "") + bar
    return (f'<path class="{series(place)} thread" stroke-width="2" d="{path}"/>' for place, path in sorted(paths.items()))


def _hover(boot: _Boot, column: int, columns: int, of: Scale, words: Words, bottom: float) -> str:
    """What is said of a boot, over the whole height of its column."""
    (middle, width), y = _column(column, columns), number(bottom - TALL)
    area = f'x="{number(middle - width / 2.0)}" y="{y}" width="{number(width)}" height="{number(TALL + FEET)}"'
    keys = f'data-boot="{boot.record.id}" data-new="{boot.place}"'
    return f'<g {keys}><title>{escaped(_about(boot, column, of, words))}</title><rect class="bare" {area}/></g>'


def _about(boot: _Boot, column: int, of: Scale, words: Words) -> str:
    """Its results in their order, and what was not judged, with the reason."""
    record, judged = boot.record, boot.judged
    again = f", attempt {record.attempt}" if record.attempt > 1 else ""
    lines = [f"{record.variant}, {words.number} {record.seed}: {words.unit} {column + 1}{again}"]
    if judged:
        lines.append(f"{counted(len(judged), 'result')} of median {of(statistics.median(judged))}: {_values(judged, of)}")
    else:
        lines.append(_ended(boot) + (f": {boot.reason}" if boot.reason else ""))
    others = [one for one in boot.samples if not boot.is_judged(one) or not math.isfinite(one.value)]
    warm = [one.value for one in others if one.warmup]
    cut = [one for one in others if one.discarded and not one.warmup]
    left = [one.value for one in others if not one.warmup and not one.discarded]
    why = "; ".join(kinds(one.discarded for one in cut))
    lines += [f"warm-up: {_values(warm, of)}"] if warm else []
    lines += [f"discarded: {_values((one.value for one in cut), of)} ({why})"] if cut else []
    lines += [f"not judged: {_values(left, of)}"] if left else []
    return listed(lines)


def _values(values: Iterable[float], of: Scale) -> str:
    return ", ".join(map(of, values))


def _ended(boot: _Boot) -> str:
    if boot.state is CellState.OK:
        return "no results"
    return absent(boot.state) if boot.state is not CellState.NOT_HERE else boot.state.value


def _failures(found: Sequence[_Boot], bottom: float) -> Iterator[str]:
    """A cross for each boot without results, and beside it where there is room how it ended."""
    y, free = bottom + FEET / 2.0, LEFT
    crosses = {column: _column(column, len(found))[0] for column, boot in enumerate(found) if not boot.judged}
    for column, x in crosses.items():
        yield f'<path class="{series(found[column].place)} thread" d="{mark(CROSS, x, y)}"/>'
        words = _ended(found[column])
        width = CELL * (len(words) + 0.5)
        for start in (x + 0.9 * CELL, x - 0.4 * CELL - width):
            if (
                free <= start
                and start + width <= WIDTH
                and not any(start - CAP < other < start + width for other in crosses.values())
            ):
                yield text(start, y + 4.0, words, "faint")
                free = start + width
                break
