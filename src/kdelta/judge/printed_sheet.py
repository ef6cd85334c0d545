"""Sheets of what others published: all metrics of a benchmark, from printed figures or from single results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from kdelta.judge.printed import Key, deviation, entries, has_value, percent, printed, results
from kdelta.judge.printed_table import of_box
from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import CellState
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.published import Entry
from kdelta.model.record import BootRecord
from kdelta.model.sheet import Block, Figure, Line, Sheet


def sheet(plan: Plan, box: BoxSpec, records: Sequence[BootRecord]) -> Sheet:
    """Of one `box`, with the benchmarks that it has, in its order."""
    found = entries(records)
    blocks = tuple(_block(plan, box, one, found) for one in of_box(plan, box, records))
    return Sheet(box=box, within=False, agreed=False, blocks=blocks)


def _block(plan: Plan, box: BoxSpec, benchmark: Benchmark, found: Mapping[Key, Entry]) -> Block:
    lines: list[Line] = []
    headline = benchmark.metric.name
    for variant in plan.variants:
        own = {metric.name: found.get((box.name, variant.name, benchmark.name, metric.name)) for metric in benchmark.metrics}
        figures = {name: _figure(entry) for name, entry in own.items() if entry is not None and has_value(entry)}
        base = lines[0].figures if lines else figures
        lines.append(
            Line(
                variant=variant.name,
                visits=int(bool(figures)),
                results=max((results(entry) or 0 for entry in own.values() if entry), default=0),
                figures=figures,
                of_base=_of_base(own.get(headline), figures.get(headline), base.get(headline)),
                state=CellState.OK if figures else _state(own.values()),
                cpus=None,
                notes=tuple(dict.fromkeys(filter(None, (_ended(entry) for entry in own.values())))),
            )
        )
    return Block(benchmark, tuple(lines))


def _of_base(entry: Entry | None, own: Figure | None, base: Figure | None) -> float | None:
    """A share that is printed is one already."""
    if entry is None or own is None or base is None:
        return None
    if entry.relative:
        return own.mean
    return 100.0 * own.mean / base.mean if base.mean else None


def _figure(entry: Entry) -> Figure:
    """The mean is the value that is printed; of ends alone it is not known. What has no ends has its value for both."""
    centre, figures = printed(entry), entry.figures
    values = [one.value for one in entry.samples]
    mean = sum(values) / len(values) if values else math.nan
    if not values and centre and centre.statistic not in ("min", "max"):
        mean = centre.value
    only = centre.value if centre else math.nan
    least = min(values) if values else figures["min"].value if "min" in figures else only
    most = max(values) if values else figures["max"].value if "max" in figures else only
    exact = figures["sd"].value if "sd" in figures and not values else deviation(entry)
    return Figure(mean=mean, sd=exact, sd_percent=percent(entry), least=least, most=most)


def _state(of: Iterable[Entry | None]) -> CellState:
    found = (entry.state for entry in of if entry)
    return next((state for state in found if state is not CellState.OK), CellState.NOT_HERE)


def _ended(entry: Entry | None) -> str:
    if entry is None or has_value(entry) or entry.state is CellState.OK:
        return ""
    return f"{entry.state.value}: {entry.reason}"
