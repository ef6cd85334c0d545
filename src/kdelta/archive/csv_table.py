"""Tables of fields parted by `,` `;` `|` or a tab, read by a map that says what their columns are.

    time;commit;metric1;metric2
    2021.01.01 3:00:00 +0100;aaa0;154023;10.43

With {"variant": "commit", "value": "metric1,metric2"} each row has a value of two metrics. A value is a single result, and several
of one variant are its samples; a row with a mean is a summary. Without a map only a table is read whose columns are named as in
KNOWN: there is then nothing to choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import structs

from kdelta.archive.delimited import Cell, Rows, is_number, rows_of
from kdelta.archive.reader import Reader
from kdelta.archive.text import Text
from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.errors import MisuseError, unknown
from kdelta.model.published import Block, Entry, Number, Remark

NAME = "csv"
NAMES = ("variant", "benchmark", "metric", "box")
"""Keys of a map whose columns hold names: several columns make one name."""
FIGURES = ("mean", "sd", "cv", "median", "min", "max")
KEYS = (*NAMES, "value", "unit", *FIGURES, "n", "time", "better")
"""Of a map. `better` is smaller or larger; `unit` a column, or the unit itself; all others are columns, parted by commas."""
KNOWN = {
    "kernel": "variant",
    "variant": "variant",
    "benchmark": "benchmark",
    "metric": "metric",
    "unit": "unit",
    "mean": "mean",
    "cv": "cv",
    "stddev": "sd",
    "sd": "sd",
    "median": "median",
    "min": "min",
    "max": "max",
    "runs": "n",
    "n": "n",
}
"""Names of columns that say what they are."""

_NEEDED = ({"variant"}, {"mean"}, {"sd", "cv"}, {"n"})
_MISSING = {
    **dict.fromkeys(("", "-", "--", "na", "n/a", "nan", "null", "none", "?"), CellState.NOT_HERE),
    **dict.fromkeys(("failed", "fail", "error"), CellState.FAILED),
    **dict.fromkeys(("timeout", "dnf"), CellState.TIMEOUT),
}
_UNIT = re.compile(r"(?P<name>[^()\[\]]{1,200}?)\s*[(\[](?P<unit>[^()\[\]]{1,30})[)\]]\s*$")
_VARIANTS = ("kernel", "variant", "version", "release", "commit", "config", "branch", "build")
_COUNTS = ("run_count", "count", "nruns", "n_runs", "samples", "repetitions")
SKEWED = 0.1
"""A mean that is so much of the median away from it is told."""


def columns(text: Text) -> tuple[str, ...]:
    """The names of the columns; none where the text is no table."""
    rows = rows_of(text)
    return rows.names if rows else ()


def suggestion(text: Text) -> str:
    """What columns there are, and a map that may fit, for whoever has to write one; empty where the text is no table."""
    rows = rows_of(text)
    if rows is None:
        return ""
    known = {KNOWN[name.lower()]: name for name in reversed(rows.names) if name.lower() in KNOWN}
    numbers = [name for name in rows.names if _mostly_numbers(rows, name) and name.lower() not in KNOWN]
    words = [name for name in rows.names if name not in numbers and name not in known.values()]
    variant = next((name for like in _VARIANTS for name in words if like in name.lower()), words[0] if words else "")
    example = dict(known)
    if variant:
        example.setdefault("variant", variant)
    counts = [name for name in numbers if name.lower() in _COUNTS]
    if counts and "mean" in example:
        example.setdefault("n", counts[0])
    if "mean" not in example and numbers:
        example["value"] = ",".join(numbers[:3])
    return f"its columns are {', '.join(rows.names)}; a map is for instance " + " ".join(f"{k}={v}" for k, v in example.items())


def _mostly_numbers(rows: Rows, name: str) -> bool:
    texts = [row[rows.column(name)].text for row in rows.rows[:100]]
    return sum(is_number(one) for one in texts) * 2 > len(texts)


def read(text: Text) -> Iterator[Block]:
    """The table, where its columns' names say what they are."""
    first = next((line.text for line in text.lines if line.text.strip()), "")
    if "mean" not in first.lower():
        return
    names = columns(text)
    mapped = {KNOWN[name.lower()]: name for name in names if name.lower() in KNOWN}
    if len(mapped) == sum(name.lower() in KNOWN for name in names) and all(mapped.keys() & one for one in _NEEDED):
        yield from read_mapped(text, mapped)


def read_mapped(text: Text, mapping: Mapping[str, str]) -> Iterator[Block]:
    """The table, by a map of KEYS to columns. Raises MisuseError for a key or a column that there is not."""
    rows = rows_of(text)
    if rows is None:
        return
    plan = _plan(rows, mapping)
    entries, remarks = _summaries(rows, plan)
    for name in plan.values:
        found, doubts = _values(rows, plan, name)
        entries += found
        remarks += doubts
    used = {*plan.values, *plan.figures.values()}
    remarks += [
        Remark(rows.first, f"{name}: its commas are taken as those of thousands, and may be those of decimals")
        for name in sorted(used)
        if rows.doubtful(name)
    ]
    if entries:
        yield Block(
            format=NAME,
            first=rows.first,
            last=rows.last,
            entries=tuple(entries),
            remarks=(*rows.remarks, *remarks),
            facts=_times(rows, plan.time),
        )


@dataclass(frozen=True)
class _Plan:
    """A map whose columns are all there."""

    names: dict[str, tuple[str, ...]]
    values: tuple[str, ...]
    figures: dict[str, str]
    count: str
    time: str
    unit: str
    unit_column: str
    better: Better | None

    def used(self) -> set[str]:
        every = {name for names in self.names.values() for name in names}
        return every | set(self.values) | set(self.figures.values()) | {self.count, self.time, self.unit_column}


def _plan(rows: Rows, mapping: Mapping[str, str]) -> _Plan:
    for key in mapping:
        if key not in KEYS:
            raise unknown("key of a map", key, dict.fromkeys(KEYS))
    split = {key: _split(rows, said) for key, said in mapping.items() if key not in ("unit", "better")}
    for names in split.values():
        for name in names:
            if name not in rows.names:
                raise unknown("column", name, dict.fromkeys(rows.names))
    for key in (*FIGURES, "n", "time"):
        if len(split.get(key, ())) > 1:
            raise MisuseError(f"{key} is of one column, and {mapping[key]} are several", "name one")
    if "value" not in split and not split.keys() & set(FIGURES):
        raise MisuseError("the map has neither a value nor a figure", f"map one of value, {', '.join(FIGURES)}")
    better = mapping.get("better", "")
    if better not in ("", "smaller", "larger"):
        raise MisuseError(f"better is {better}", "say smaller or larger")
    unit = mapping.get("unit", "")
    return _Plan(
        names={key: split.get(key, ()) for key in NAMES},
        values=split.get("value", ()),
        figures={key: split[key][0] for key in FIGURES if key in split},
        count=split.get("n", ("",))[0],
        time=split.get("time", ("",))[0],
        unit="" if unit in rows.names else unit,
        unit_column=unit if unit in rows.names else "",
        better=Better(better) if better else None,
    )


def _split(rows: Rows, said: str) -> tuple[str, ...]:
    """Columns parted by commas; a column's own name may hold one."""
    return (said,) if said in rows.names else tuple(one.strip() for one in said.split(",") if one.strip())


Row = Sequence[Cell]


def _named(rows: Rows, row: Row, columns: Sequence[str]) -> str:
    return " ".join(row[rows.column(name)].text for name in columns)


def _entry(rows: Rows, plan: _Plan, row: Row, column: str) -> Entry:
    """What a row says of itself; `column` is that of the value, which names the metric where no column does."""
    match = _UNIT.match(column)
    own, own_unit = (match["name"], match["unit"]) if match else (column, "")
    printed = row[rows.column(plan.unit_column)].text if plan.unit_column else plan.unit or own_unit
    return Entry(
        variant=_named(rows, row, plan.names["variant"]),
        box=_named(rows, row, plan.names["box"]),
        benchmark=_named(rows, row, plan.names["benchmark"]) or NAME,
        metric=_named(rows, row, plan.names["metric"]) or (own if column in plan.values else "value"),
        unit=base(printed)[0] if printed else "",
        printed_unit=printed,
        better=plan.better,
    )


@dataclass
class _Group:
    """The rows of one metric."""

    entry: Entry
    samples: list[Number] = field(default_factory=list)
    missing: list[Cell] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)


def _values(rows: Rows, plan: _Plan, column: str) -> tuple[list[Entry], list[Remark]]:
    """Of a column of single results."""
    comma, place = rows.comma(column), rows.column(column)
    groups = dict[tuple[str, ...], _Group]()
    odd = list[Cell]()
    for row in rows.rows:
        entry, cell = _entry(rows, plan, row, column), row[place]
        key = (entry.variant, entry.box, entry.benchmark, entry.metric, entry.printed_unit)
        group = groups.setdefault(key, _Group(entry))
        if cell.text.lower() in _MISSING:
            group.missing.append(cell)
            continue
        try:
            group.samples.append(cell.number(base(entry.printed_unit)[1] if entry.printed_unit else 1.0, comma=comma))
            group.rows.append(row)
        except ValueError:
            odd.append(cell)
    remarks = [Remark(odd[0].line.number, f"{column}: {len(odd)} fields are no numbers, as `{odd[0].text[:40]}`")] if odd else []
    remarks += _alike(rows, plan, groups.values(), column)
    return [_finished(group) for group in groups.values() if group.samples or group.missing], remarks


def _finished(group: _Group) -> Entry:
    from_missing = group.missing[0].text if group.missing and not group.samples else None
    return structs.replace(
        group.entry,
        samples=tuple(group.samples),
        count=len(group.samples) or None,
        state=CellState.OK if from_missing is None else _MISSING[from_missing.lower()],
        reason="" if from_missing is None else f"`{from_missing}` is printed",
    )


def _alike(rows: Rows, plan: _Plan, groups: Iterable[_Group], column: str) -> list[Remark]:
    """Columns that are in no map, and differ between rows that are taken as repetitions."""
    others = [name for name in rows.names if name not in plan.used() and not _decimals(rows, name)]
    for group in groups:
        differing = [name for name in others if len({row[rows.column(name)].text for row in group.rows}) > 1]
        if differing:
            said = f"{column}: rows that differ in {', '.join(differing[:8])} are taken as repetitions"
            return [Remark(rows.first, f"{said}: map what tells benchmarks apart")]
    return []


def _decimals(rows: Rows, name: str) -> bool:
    """Whether a column holds measurements, and no names, places or counts."""
    return any("." in row[rows.column(name)].text for row in rows.rows) and _mostly_numbers(rows, name)


def _summaries(rows: Rows, plan: _Plan) -> tuple[list[Entry], list[Remark]]:
    """Of rows of figures: those that are the same in all that is mapped are told apart by what is not."""
    if not plan.figures:
        return [], []
    made = [_entry(rows, plan, row, plan.figures.get("mean", "")) for row in rows.rows]
    telling = _telling(rows, plan, made)
    percent = _percent(rows, plan.figures.get("cv", ""))
    entries, remarks = list[Entry](), list[Remark]()
    if plan.figures.get("cv") and not percent:
        remarks.append(Remark(rows.first, f"{plan.figures['cv']}: none is above 1: taken as fractions of the mean, not as percent"))
    commas = {name: rows.comma(name) for name in plan.figures.values()}
    for row, entry in zip(rows.rows, made, strict=True):
        figures, said = dict[str, Number](), ""
        for figure, name in plan.figures.items():
            cell = row[rows.column(name)]
            factor = (1.0 if percent else 100.0) if figure == "cv" else base(entry.printed_unit)[1] if entry.printed_unit else 1.0
            try:
                figures[figure] = cell.number(factor, comma=commas[name])
            except ValueError:
                said = said or f"`{cell.text[:40]}` is printed"
        main = figures.get("mean") or figures.get("median")
        count = row[rows.column(plan.count)].text if plan.count else ""
        state = (
            CellState.OK
            if figures
            else _MISSING.get(row[rows.column(next(iter(plan.figures.values())))].text.lower(), CellState.FAILED)
        )
        entries.append(
            structs.replace(
                entry,
                figures=figures,
                count=int(count) if count.isdigit() and len(count) < 12 else None,
                parameters={name: row[rows.column(name)].text for name in telling},
                state=state,
                reason=said if not figures else "",
            )
        )
        mean, median = figures.get("mean"), figures.get("median")
        if main and mean and median and median.value and abs(mean.value / median.value - 1.0) > SKEWED:
            off = 100.0 * abs(mean.value / median.value - 1.0)
            remarks.append(Remark(mean.line, f"{entry.variant}: mean and median differ by {off:.0f} %: there were outliers"))
    return entries, remarks


def _telling(rows: Rows, plan: _Plan, made: Sequence[Entry]) -> list[str]:
    """Columns in no map, from the left, that tell rows apart which are otherwise the same."""
    keys: list[tuple[str, ...]] = [(one.variant, one.box, one.benchmark, one.metric) for one in made]
    telling = list[str]()
    for name in rows.names:
        if len(set(keys)) == len(keys):
            break
        if name in plan.used():
            continue
        finer = [(*key, row[rows.column(name)].text) for key, row in zip(keys, rows.rows, strict=True)]
        if len(set(finer)) > len(set(keys)):
            keys, telling = finer, [*telling, name]
    return telling


def _percent(rows: Rows, name: str) -> bool:
    """Whether a coefficient of variation is in percent: its column says so, or one of them is above 1."""
    if not name or "%" in name or "pct" in name.lower() or "percent" in name.lower():
        return True
    found = list[float]()
    for row in rows.rows:
        try:
            found.append(row[rows.column(name)].number(comma=rows.comma(name)).value)
        except ValueError:
            continue
    return any(value > 1.0 for value in found)


def _times(rows: Rows, name: str) -> dict[str, str]:
    """The first and the last, as they are written."""
    if not name:
        return {}
    texts = [row[rows.column(name)].text for row in rows.rows]
    return {"time": f"{texts[0]} to {texts[-1]}"}


READER = Reader(
    NAME,
    ("mean", "Mean"),
    read,
    "a table with a header `kernel` (or `variant`), `mean`, `cv` or `stddev`, and `n` or `runs`; any other table needs a map",
)
