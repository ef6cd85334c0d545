"""The tables of one box in a mail: values in their shapes, and below them what was decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from kdelta.model.dossier import Dossier
from kdelta.model.plan import EXACT, BoxSpec, is_published
from kdelta.model.sheet import Sheet
from kdelta.model.table import Table
from kdelta.model.words import WORDS
from kdelta.report import heading, kernbench, kernbench_log, min_table, ranges, sdet, verdict_table
from kdelta.report.basis import basis
from kdelta.report.mail.sealed import MAIL
from kdelta.report.mail.shapes import MIN, VERDICT, Chosen
from kdelta.report.text import counted, wrapped

Call = Callable[[BoxSpec], str]
"""What a box is called."""


@dataclass(frozen=True)
class _Form:
    """`what` a sheet shows, and how."""

    what: str
    body: Callable[[Dossier, Sheet], str]


FORMS = {
    "kernbench": _Form(kernbench.WHAT, lambda dossier, sheet: kernbench.body(sheet, MAIL)),
    "sdet": _Form(sdet.WHAT, lambda dossier, sheet: sdet.body(sheet, MAIL)),
    "log": _Form(kernbench_log.WHAT, lambda dossier, sheet: kernbench_log.body(sheet, dossier.run.kernels, MAIL)),
    "range": _Form(ranges.WHAT, lambda dossier, sheet: ranges.body(sheet, dossier.run.plan.variants, MAIL)),
}


def meaning(dossier: Dossier, shapes: Chosen, call: Call) -> str:
    """What the values are: which statistic, which unit, what a percentage is of. Empty where verdicts are all there is."""
    lines = [" ".join([*_statistic(dossier, shapes), *_units(dossier, shapes, call)])]
    found = [wrapped(line, "", width=MAIL) + "\n" for line in lines if line]
    return "\n".join([*found, *([sdet.disclaimer(dossier.run.plan.boxes[0])] if "sdet" in shapes else [])])


def _statistic(dossier: Dossier, shapes: Chosen) -> Iterator[str]:
    if MIN not in shapes:
        return
    names = dict.fromkeys(_of_rows(table, shapes[MIN]).statistic.upper() for table in dossier.tables)
    columns, unit = len(dossier.run.plan.variants), _unit(dossier)
    beside = f"; percent against {dossier.tables[0].variants[0]}, cut toward zero" if columns > 1 else ""
    if is_published(dossier.run.plan):
        yield f"Values: {' or '.join(names)}, as they are printed{beside}."
        return
    yield f"Values: {' or '.join(names)} of the results of a {unit}, and then of the {unit}s{beside}."


def _unit(dossier: Dossier) -> str:
    """Where it is not the same on all boxes, boots."""
    units = {WORDS[box.kind].unit for box in dossier.run.plan.boxes if box.kind in WORDS}
    return units.pop() if len(units) == 1 else WORDS[EXACT].unit


def _units(dossier: Dossier, shapes: Chosen, call: Call) -> Iterator[str]:
    """Said once where it is the same for all boxes."""
    names = (*shapes.get(MIN, ()), *shapes.get("range", ()))
    benchmarks = [one for one in dossier.run.plan.benchmarks if one.name in names]
    if not benchmarks:
        return
    tables = [(table, _of_rows(table, names)) for table in dossier.tables]
    said = {table.box: heading.units(table.box, benchmarks, min_table.larger(rows), min_table.MIXED) for table, rows in tables}
    if len(set(said.values())) == 1:
        yield f"Units: {next(iter(said.values()))}."
    else:
        yield from (f"Units on the {call(box)}: {units}." for box, units in said.items())


def tables(dossier: Dossier, place: int, shapes: Chosen, call: Call) -> str:
    """All that is shown of one box of the plan, below its name."""
    table = dossier.tables[place]
    title = call(table.box)
    note = ""
    if MIN in shapes:
        benchmarks = [row.benchmark for row in _of_rows(table, shapes[MIN]).rows]
        note = heading.note({one.metric.better for one in benchmarks})
    first = f"{title + ':':<{heading.NOTE_COLUMN - 2}}  {note}".rstrip()
    top = [first] if len(first) <= MAIL else [f"{title}:", note]
    lines = [*top[:1], "=" * len(title), *top[1:]]
    blocks = [_block(dossier, place, shape, names, call) for shape, names in shapes.items()]
    return "\n".join(lines) + ("\n" if MIN in shapes else "\n\n") + "\n".join(blocks)


def _block(dossier: Dossier, place: int, shape: str, names: Sequence[str], call: Call) -> str:
    if shape == VERDICT:
        return _verdicts(dossier, dossier.run.plan.boxes[place])
    if shape == MIN:
        table = _of_rows(dossier.tables[place], names)
        spread = "" if dossier.is_compared or table.boots < 2 else f"\n{_spread(table)}"
        return min_table.body(table, MAIL) + spread
    sheet = dossier.sheets[place]
    kept = msgspec.structs.replace(sheet, blocks=tuple(block for block in sheet.blocks if block.benchmark.name in names))
    return f"{wrapped(basis(kept, FORMS[shape].what), width=MAIL)}\n\n{FORMS[shape].body(dossier, kept)}"


def _of_rows(table: Table, names: Sequence[str]) -> Table:
    return msgspec.structs.replace(table, rows=tuple(row for row in table.rows if row.benchmark.name in names))


def _spread(table: Table) -> str:
    """The standard deviation over boots: what there is to judge a lone column by."""
    over = f"Standard deviation over {counted(table.boots, 'value')}, in percent of the mean"
    return f"{over}:\n\n{min_table.render_spread(table, MAIL)}"


def _verdicts(dossier: Dossier, box: BoxSpec) -> str:
    what = "Changes in instructions" if box.kind == EXACT else "Changes"
    judgement = dossier.judgement
    return f"{what} ({verdict_table.note(judgement, box)}):\n{verdict_table.body(judgement, box, MAIL)}"
