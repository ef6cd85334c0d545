"""From logs of kernbench to entries, claims and remarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdelta.archive.kernbench_lines import CPU, ELAPSED, LABELS, SLEEPS, SWITCHES, SYSTEM, USER, Cell, Row, Title
from kdelta.archive.kernbench_sessions import Session
from kdelta.archive.kernbench_tables import Table
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

METRICS = {
    ELAPSED: ("elapsed_s", "s", Better.SMALLER),
    USER: ("user_s", "s", Better.SMALLER),
    SYSTEM: ("system_s", "s", Better.SMALLER),
    CPU: ("percent_cpu", "%", None),
    SWITCHES: ("context_switches", "switches", Better.SMALLER),
    SLEEPS: ("sleeps", "sleeps", Better.SMALLER),
}
"""Label -> metric, unit and direction, as our own kernbench names them."""
AGAINST = "vs"
"""The variant of which a row says no more than a mean, behind this word."""
_MIXED = 0.5
"""Share of a mean that no runs of one load spread by."""
_CLOSE = 0.02
"""Share of a mean by which runs may spread that their mean percentage of CPU can be had from their mean times."""

Key = tuple[str, str]


def block(name: str, found: Sequence[Session]) -> Block:
    """Of logs that are compared: the first is what the others are compared with."""
    entries, claims, remarks = list[Entry](), list[Claim](), list[Remark]()
    base: dict[Key, Number] = {}
    for session in found:
        for table, count in zip(session.tables, session.counts, strict=True):
            entries += _entries(session, table, count)
            claims += _claims(session, table, count, base)
            remarks += _remarks(session, table)
        if session is found[0]:
            base = {(one.benchmark, one.metric): one.figures["mean"] for one in entries if one.figures}
        remarks += session.remarks
    return Block(
        format=name,
        title=", ".join(["kernbench", *dict.fromkeys(name for session in found for name in session.names if name)]),
        first=found[0].first,
        last=found[-1].last,
        entries=tuple(entries),
        claims=tuple(claims),
        remarks=tuple(sorted(remarks, key=lambda one: one.line)),
        facts={f"{what} of {' / '.join(one.names)}".strip(): said for one in found for what, said in one.facts.items()},
    )


def _name(session: Session, place: int) -> str:
    return session.names[place if session.width > 1 else 0]


def benchmark(title: Title) -> tuple[str, dict[str, str]]:
    """Its name and parameters, as our own kernbench has them, and the number of jobs where it is said."""
    return f"kernbench-{title.load}", {"load": title.load} | ({"jobs": title.jobs} if title.jobs else {})


def _entries(session: Session, table: Table, count: int | None) -> Iterator[Entry]:
    for row in table.rows:
        for place, cell in enumerate(row.cells[: table.columns]):
            if cell.other:
                yield _entry(AGAINST, session.box, table.titles[place], row.label, Cell(cell.other), count)
            yield _entry(_name(session, place), session.box, table.titles[place], row.label, cell, count)


def _entry(variant: str, box: str, title: Title, label: str, cell: Cell, count: int | None) -> Entry:
    metric, unit, better = METRICS[label]
    named, parameters = benchmark(title)
    figures = {"mean": cell.mean, "sd": cell.sd, "change": cell.change}
    return Entry(
        variant=variant,
        box=box,
        program="kernbench",
        benchmark=named,
        metric=metric,
        unit=unit,
        printed_unit=unit,
        better=better,
        parameters=parameters,
        figures={name: one for name, one in figures.items() if one is not None} if cell.mean else {},
        count=count if cell.mean else None,
        state=CellState.OK if cell.mean else CellState.FAILED,
        reason="" if cell.mean else "the log says that there are no data",
    )


def _claims(session: Session, table: Table, count: int | None, base: dict[Key, Number]) -> Iterator[Claim]:
    by_label = {row.label: row for row in table.rows}
    for row in table.rows:
        for place, cell in enumerate(row.cells[: table.columns]):
            if cell.change and cell.mean:
                yield _change(session, table.titles[place], row, place, base)
    for place in range(table.columns):
        cells = [by_label[label].cells[place : place + 1] if label in by_label else () for label in (USER, SYSTEM, ELAPSED, CPU)]
        if all(one and one[0].mean for one in cells):
            what = f"{benchmark(table.titles[place])[0]} CPU, {_name(session, place)}"
            yield _cpu(what, [one[0] for one in cells], single=count == 1)


def _change(session: Session, title: Title, row: Row, place: int, base: dict[Key, Number]) -> Claim:
    """Against the first column; in a log of one kernel, against the first log."""
    metric, _, better = METRICS[row.label]
    named, _ = benchmark(title)
    cell = row.cells[place]
    of = cell.other or (row.cells[0].mean if place else base.get((named, metric)))
    assert cell.change is not None
    assert cell.mean is not None
    return Claim(
        kind="change",
        what=f"{named} {metric}, {_name(session, place)}",
        printed=cell.change,
        of=(of, cell.mean) if of else (),
        better=better,
        missing="" if of else "what it is a change of is not in the text",
    )


def _cpu(what: str, cells: Sequence[Cell], *, single: bool) -> Claim:
    """A mean of ratios: it follows from the means of runs that are known to be alike, or from the only run."""
    user, system, elapsed, cpu = [cell.mean for cell in cells if cell.mean]
    spreads = [cell.sd.value / abs(cell.mean.value) for cell in cells[:3] if cell.sd and cell.mean and cell.mean.value]
    if single or (len(spreads) == len(cells) - 1 and max(spreads) <= _CLOSE):
        return Claim(kind="cpu", what=what, printed=cpu, of=(user, system, elapsed))
    why = "the runs lie too far apart for a ratio of means" if spreads else "how far the runs lie apart is not printed"
    return Claim(kind="cpu", what=what, printed=cpu, missing=f"it is a mean of ratios, and {why}")


def _remarks(session: Session, table: Table) -> Iterator[Remark]:
    for row in table.rows:
        yield from (Remark(row.line.number, one) for one in row.odd)
        for place, cell in enumerate(row.cells[: table.columns]):
            if cell.mean and cell.sd and cell.sd.value > _MIXED * abs(cell.mean.value):
                said = f"{_name(session, place)} {row.label}".strip()
                yield Remark(
                    row.line.number, f"{said} spreads by more than half of its mean: runs of different loads are mixed in it"
                )
        if len(row.cells) < table.columns:
            yield Remark(row.line.number, f"{row.label} has {len(row.cells)} of {table.columns} columns")
    missing = [label for label in LABELS if label not in {row.label for row in table.rows}]
    if missing:
        yield Remark(
            table.rows[-1].line.number, f"the table ends here, without {', '.join(missing)}: it is cut, or not all was copied"
        )
