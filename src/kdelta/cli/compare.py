"""kdelta compare: the reports of a run, in the shapes in which people post them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec

from kdelta.cli import legible
from kdelta.cli.files import write
from kdelta.cli.options import STATISTICS, json_option, print_json, store_option
from kdelta.cli.paint import REPORT
from kdelta.cli.terminal import say
from kdelta.inquiry import dossier, pair
from kdelta.inquiry.dossier import Question
from kdelta.inquiry.require import require_benchmark
from kdelta.judge.account import account
from kdelta.judge.residue import residue
from kdelta.judge.sheet import sheets, whole
from kdelta.judge.table import incomplete, tables
from kdelta.model.dossier import Dossier
from kdelta.model.errors import MisuseError
from kdelta.model.gate import Threshold
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sheet import Sheet
from kdelta.model.verdict import Axis
from kdelta.plan import units
from kdelta.report import gate_text, head, kernbench, kernbench_log, min_table, ranges, sdet, troubles, verdict_json, verdict_text
from kdelta.report.junit import junit as render_junit
from kdelta.store.place import open_store
from kdelta.store.store import Store


@dataclass(frozen=True)
class Form:
    """A report of means or ranges. `program` is what it is about: empty for any."""

    program: str
    render: Callable[[RunRecord, Sheet], str]


VERDICT, MIN = "verdict", "min"
AXES = tuple(one.value for one in Axis if one is not Axis.RUNS)
"""Of one run."""
OF_ANY_FORM = ("run_id", "form", "store")
OF_FORMS = {MIN: (*OF_ANY_FORM, "stat")}
"""Options that a form beside that of verdicts has."""
FORMS = {
    "kernbench": Form("kernbench", lambda run, sheet: kernbench.render(sheet)),
    "sdet": Form("sdet", lambda run, sheet: sdet.render(sheet)),
    "log": Form("kernbench", lambda run, sheet: kernbench_log.render(sheet, run.kernels)),
    "range": Form("", lambda run, sheet: ranges.render(sheet, run.plan.variants)),
}


@click.command()
@click.argument("run_id", required=False, type=int, metavar="[RUN]")
@click.option(
    "--form", type=click.Choice((VERDICT, MIN, *FORMS)), default=VERDICT, show_default=True, help="The shape of the report."
)
@click.option("--stat", type=click.Choice(STATISTICS), help="What makes the results of a boot one value.")
@click.option("--axis", type=click.Choice(AXES), default="columns", show_default=True, help="What is compared.")
@click.option("--base", metavar="NAME", help="The side that the others are compared with.")
@click.option("--with", "other", metavar="RUN[:COLUMN]", help="Compare the base with a column of another run.")
@click.option("--holm", is_flag=True, help="Let chance make any false change in the whole table with the level alpha only.")
@click.option("--though-unlike", is_flag=True, help="Compare also what was measured with different things.")
@click.option("--gate", "is_gate", is_flag=True, help="End with status 1 if anything is slower.")
@click.option("--threshold", "thresholds", multiple=True, metavar="[NAME=]PCT", help="Of the gate: slower by that or more.")
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write the gate as JUnit XML.")
@json_option
@store_option
@click.pass_context
def command(
    context: click.Context,
    /,
    run_id: int | None,
    form: str,
    is_gate: bool,
    thresholds: Sequence[str],
    junit: Path | None,
    other: str | None,
    as_json: bool,
    store: str | None,
    **words: Any,
) -> int:
    """Say what changed in RUN, by default the newest: values, verdicts, and what they say together.

    Other forms show values, means or ranges. With --json: the verdicts, and every sample, raw, in the plan's order.
    """
    _require_fitting(context, form)
    opened = open_store(store)
    run = opened.run(run_id)
    if form != VERDICT:
        text, complete = _values(*legible.boots(opened, run), words["stat"], form)
        say(text, REPORT)
        return 0 if complete else 4
    question = _question(thresholds=_thresholds(run, thresholds), **words)
    found = _with(opened, run, other, question) if other else (dossier if as_json or junit else legible).read(opened, run, question)
    if junit:
        title = f"kdelta run {run.id}{f' with {other}' if other else ''}"
        write(junit, render_junit(found.judgement, found.gate, title).encode())
    if as_json:
        verdicts = verdict_json.as_json(found.judgement, found.gate)
        print_json({**_raw(found.run, [*found.boots, *found.profiled]), "verdicts": verdicts})
    else:
        say(_report(legible.read(opened, run, question) if junit and not other else found, is_gate), REPORT)
    if is_gate and (found.gate.breaches or found.gate.unused):
        return 1
    return 4 if incomplete(found.tables) else 0


def _report(found: Dossier, is_gate: bool) -> str:
    return verdict_text.render(found) + (f"\n{gate_text.render(found.judgement, found.gate)}" if is_gate else "")


def _question(
    stat: str | None, axis: str, base: str | None, holm: bool, though_unlike: bool, thresholds: tuple[Threshold, ...]
) -> Question:
    return Question(Axis(axis), base, stat, holm, though_unlike, thresholds)


def _with(opened: Store, run: RunRecord, other: str, question: Question) -> Dossier:
    """Raises MisuseError where there is no such column, and as `pair.joined` does."""
    base = question.base or run.plan.baseline
    return pair.compare(pair.joined(pair.column(opened, f"{run.id}:{base}"), pair.column(opened, other)), question)


def _require_fitting(context: click.Context, form: str) -> None:
    """Options that would be ignored are an error."""
    typed = click.core.ParameterSource.COMMANDLINE
    options = (one for one in context.command.params if isinstance(one, click.Option) and one.name)
    given = {one.name: one.opts[-1] for one in options if context.get_parameter_source(one.name or "") == typed}
    kept = OF_FORMS.get(form, OF_ANY_FORM)
    ignored = [word for name, word in given.items() if name not in kept] if form != VERDICT else []
    if ignored:
        raise MisuseError(f"{ignored[0]} and --form {form} exclude each other", "leave one of them out")
    if {"other", "axis"} <= given.keys():
        raise MisuseError("--with and --axis exclude each other", "two runs are compared column with column: leave one of them out")
    if "thresholds" in given and not {"is_gate", "junit"} & given.keys():
        raise MisuseError("--threshold is the gate's", "add --gate or --junit FILE")


def _thresholds(run: RunRecord, texts: Sequence[str]) -> tuple[Threshold, ...]:
    """`2%` for all benchmarks, `ctx:procs=20=5%` for one: its name may hold an equals sign."""
    found = []
    for text in texts:
        name, _, share = text.rpartition("=")
        if name:
            require_benchmark(run, name)
        found.append(Threshold(name or None, units.share("--threshold", share)))
    return tuple(found)


def _values(run: RunRecord, records: Sequence[BootRecord], statistic: str | None, form: str) -> tuple[str, bool]:
    """A report of values; and whether every cell in it has one. Without a `statistic` it is the one that fits the box."""
    parts, complete = _tables(run, records, statistic) if form == MIN else _sheets(run, records, form)
    boxes = zip(run.plan.boxes, parts, strict=True)
    below = [f"{part}\n{troubles.hidden(box, residue(run.plan, box.name, records))}" for box, part in boxes]
    said = troubles.failures(run.plan, records) + troubles.warnings(run.plan, records)
    return "".join([f"{head.render(run, records, account(run.plan, records))}\n", *below, said]), complete


def _tables(run: RunRecord, records: Sequence[BootRecord], statistic: str | None) -> tuple[list[str], bool]:
    """The text of each box. Of one boot there is no spread to show."""
    found = tables(run.plan, records, statistic)
    spreads = [f"\n{min_table.render_spread(table)}" if table.boots > 1 else "" for table in found]
    return [min_table.render(table) + spread for table, spread in zip(found, spreads, strict=True)], not incomplete(found)


def _sheets(run: RunRecord, records: Sequence[BootRecord], name: str) -> tuple[list[str], bool]:
    """The text of each box, with the benchmarks that the form is about. Raises MisuseError where the run has none."""
    form, benchmarks = FORMS[name], run.plan.benchmarks
    wanted = tuple(one for one in benchmarks if not form.program or (one.program == form.program and not one.command))
    if not wanted:
        raise MisuseError(
            f"run {run.id} holds no benchmark of {form.program}, which --form {name} is about",
            f"it holds {', '.join(benchmark.name for benchmark in benchmarks)}: leave --form out, or measure -b {form.program}",
        )
    found = sheets(msgspec.structs.replace(run.plan, benchmarks=wanted), records)
    return [form.render(run, sheet) for sheet in found], whole(found)


def _raw(run: RunRecord, records: Sequence[BootRecord]) -> dict[str, object]:
    """Nothing in it depends on when or how fast it was measured: the same plan gives the same text."""
    boots = [
        {
            "box": record.box,
            "variant": record.variant,
            "seed": record.seed,
            "profiled": record.profiled,
            "outcome": record.boot.outcome.value,
            "reason": record.boot.reason,
            "cells": record.boot.cells,
            "environment": record.boot.environment,
            "samples": record.boot.samples,
        }
        for record in records
    ]
    return {"plan": run.plan, "kernels": run.kernels, "boots": boots}
