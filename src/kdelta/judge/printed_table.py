"""Tables of what others published: a row for each benchmark of a box, in the order and with the digits of the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kdelta.judge.printed import Key, Printed, entries, has_value, percent, printed, results
from kdelta.model.benchmark import Benchmark, Better
from kdelta.model.boot import CellState
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.published import Entry, Number
from kdelta.model.record import BootRecord
from kdelta.model.table import Entry as Value
from kdelta.model.table import Row, Table
from kdelta.stats.summary import change_percent

USUAL = "median"
"""The statistic that nobody asked for: then what is printed goes before it."""


def table(plan: Plan, box: BoxSpec, records: Sequence[BootRecord], statistic: str | None) -> Table:
    """Of one `box`. `statistic` is shown where it is printed, or where single results are."""
    found = entries(records)
    rows = tuple(_row(plan, box, one, found, statistic or USUAL) for one in of_box(plan, box, records))
    statistics = [row.statistic for row in rows]
    counts = [results(one) or 0 for (place, *_), one in found.items() if place == box.name]
    return Table(
        box=box,
        statistic=max(dict.fromkeys(statistics), key=statistics.count, default=statistic or USUAL),
        variants=tuple(one.name for one in plan.variants),
        boots=max(counts, default=0),
        rows=rows,
    )


def of_box(plan: Plan, box: BoxSpec, records: Sequence[BootRecord]) -> list[Benchmark]:
    """The benchmarks of `plan` that `box` has, in the order in which they are printed there; all where it has none."""
    planned = {one.name: one for one in plan.benchmarks}
    names = dict.fromkeys(name for one in records if one.box == box.name for name in one.benchmarks if name in planned)
    return [planned[name] for name in names] or list(plan.benchmarks)


def _row(plan: Plan, box: BoxSpec, benchmark: Benchmark, found: Mapping[Key, Entry], statistic: str) -> Row:
    metric = benchmark.metric
    sides = {one.name: found.get((box.name, one.name, benchmark.name, metric.name)) for one in plan.variants}
    wanted = "" if statistic == USUAL else "max" if statistic == "min" and metric.better is Better.LARGER else statistic
    first = next((one for side in sides.values() if side and (one := printed(side, wanted))), None)
    own = first.statistic if first else statistic
    values: list[Value] = []
    base: tuple[Entry, Printed] | None = None
    for place, (name, entry) in enumerate(sides.items()):
        one = printed(entry, own if wanted or own != USUAL else "") if entry else None
        values.append(_value(name, entry, one, base, own))
        base = (entry, one) if place == 0 and entry and one else base
    return Row(benchmark, tuple(values), own)


def _value(name: str, entry: Entry | None, one: Printed | None, base: tuple[Entry, Printed] | None, own: str) -> Value:
    if entry is None or one is None or not has_value(entry):
        state = CellState.NOT_HERE if entry is None or entry.state is CellState.OK else entry.state
        said = entry.reason if entry is not None and entry.state is not CellState.OK else ""
        notes = (f"{state.value}: {said}",) if said else ()
        return Value(variant=name, boots=(), value=None, percent=None, sd_percent=None, state=state, notes=notes)
    change, note = _change(base, entry, one)
    other = f"{one.statistic}, not {own}" if one.statistic != own else ""
    return Value(
        variant=name,
        boots=(one.value,),
        value=one.value,
        percent=change,
        sd_percent=percent(entry),
        state=CellState.OK,
        notes=tuple(filter(None, (other, note))),
        printed=one.text,
    )


# ---- percentages ----


def _change(base: tuple[Entry, Printed] | None, entry: Entry, one: Printed) -> tuple[float | None, str]:
    """In percent of the base: as it is printed, where that can follow from the printed values; else what follows, with a note."""
    if base is None:
        return None, ""
    again = change_percent(base[1].value, one.value)
    said = entry.figures.get("change")
    if again is None or said is None:
        return again, ""
    for sign in (1.0, -1.0):
        if int(again) == sign * said.value or _can_be(base[1], one, sign * said.value, said):
            return (again if int(again) == int(sign * said.value) else sign * said.value), ""
    return again, f"{said.text}% is printed, and {again:.1f}% follows from the printed values"


def _can_be(base: Printed, one: Printed, change: float, said: Number) -> bool:
    """Whether values that are printed so can have that change, rounded or cut."""
    ends = [change_percent(old, new) for old in _ends(base) for new in _ends(one)]
    known = [end for end in ends if end is not None]
    return bool(known) and min(known) < change + said.step and max(known) > change - said.step


def _ends(one: Printed) -> Iterator[float]:
    half = one.number.step / 2.0 if one.number else 0.0
    yield from (one.value - half, one.value + half)
