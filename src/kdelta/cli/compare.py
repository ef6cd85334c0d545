"""kdelta compare: the reports of a run, in the shapes in which people post them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec

from kdelta.cli.files import write
from kdelta.cli.options import json_option, print_json, store_option
from kdelta.cli.paint import REPORT
from kdelta.cli.question import question, question_options
from kdelta.cli.terminal import say, width
from kdelta.inquiry import pair
from kdelta.inquiry.dossier import Question
from kdelta.judge.account import account
from kdelta.judge.residue import residue
from kdelta.judge.sheet import sheets, whole
from kdelta.judge.table import incomplete, tables
from kdelta.model.dossier import Dossier
from kdelta.model.errors import MisuseError
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sheet import Sheet
from kdelta.publish.material import Material, of_pair, of_run
from kdelta.report import gate_text, head, kernbench, kernbench_log, min_table, ranges, sdet, troubles, verdict_json, verdict_text
from kdelta.report.junit import junit as render_junit
from kdelta.report.presentable import TEXT_NAME, presentable
from kdelta.store.place import open_store
from kdelta.store.store import Store


@dataclass(frozen=True)
class Form:
    """A report of means or ranges. `program` is what it is about: empty for any."""

    program: str
    render: Callable[[RunRecord, Sheet, int], str]


VERDICT, MIN = "verdict", "min"
OF_ANY_FORM = ("run_id", "form", "store")
OF_FORMS = {MIN: (*OF_ANY_FORM, "stat")}
"""Options that a form beside that of verdicts has."""
FORMS = {
    "kernbench": Form("kernbench", lambda run, sheet, width: kernbench.render(sheet, width)),
    "sdet": Form("sdet", lambda run, sheet, width: sdet.render(sheet, width)),
    "log": Form("kernbench", lambda run, sheet, width: kernbench_log.render(sheet, run.kernels, width)),
    "range": Form("", lambda run, sheet, width: ranges.render(sheet, run.plan.variants, width)),
}


@click.command()
@click.argument("run_id", required=False, type=int, metavar="[RUN]")
@click.option(
    "--form", type=click.Choice((VERDICT, MIN, *FORMS)), default=VERDICT, show_default=True, help="The shape of the report."
)
@question_options
@click.option("--with", "other", metavar="RUN[:COLUMN]", help="Compare the base with a column of another run.")
@click.option("--gate", "is_gate", is_flag=True, help="End with status 1 if anything is slower.")
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
        text, complete = _values(*presentable(run, opened.boots(run.id), most=TEXT_NAME), words["stat"], form)
        say(text, REPORT)
        return 0 if complete else 4
    material = _material(opened, run, other, question(run, **words))
    found = material.raw
    if junit:
        title = f"kdelta run {run.id}{f' with {other}' if other else ''}"
        write(junit, render_junit(found.judgement, found.gate, title).encode())
    if as_json:
        verdicts = verdict_json.as_json(found.judgement, found.gate)
        print_json({**_raw(found.run, [*found.boots, *found.profiled]), "verdicts": verdicts})
    else:
        say(_report(material.text, is_gate), REPORT)
    if is_gate and (found.gate.breaches or found.gate.unused):
        return 1
    return 4 if incomplete(found.tables) else 0


def _report(found: Dossier, is_gate: bool) -> str:
    gated = f"\n{gate_text.render(found.judgement, found.gate, width())}" if is_gate else ""
    return verdict_text.render(found, width()) + gated


def _material(opened: Store, run: RunRecord, other: str | None, asked: Question) -> Material:
    """Raises MisuseError where there is no such column, and as `pair.joined` does."""
    if other is None:
        return of_run(opened, run, asked)
    base = asked.base or run.plan.baseline
    return of_pair(opened, pair.joined(pair.column(opened, f"{run.id}:{base}"), pair.column(opened, other)), asked)


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


def _values(run: RunRecord, records: Sequence[BootRecord], statistic: str | None, form: str) -> tuple[str, bool]:
    """A report of values; and whether every cell in it has one. Without a `statistic` it is the one that fits the box."""
    parts, complete = _tables(run, records, statistic) if form == MIN else _sheets(run, records, form)
    boxes = zip(run.plan.boxes, parts, strict=True)
    below = [f"{part}\n{troubles.hidden(box, residue(run.plan, box.name, records), width())}" for box, part in boxes]
    said = troubles.failures(run.plan, records, width()) + troubles.warnings(run.plan, records, width())
    return "".join([f"{head.render(run, records, account(run.plan, records), width())}\n", *below, said]), complete


def _tables(run: RunRecord, records: Sequence[BootRecord], statistic: str | None) -> tuple[list[str], bool]:
    """The text of each box. Of one boot there is no spread to show."""
    found = tables(run.plan, records, statistic)
    spreads = [f"\n{min_table.render_spread(table, width())}" if table.boots > 1 else "" for table in found]
    return [min_table.render(table, width()) + spread for table, spread in zip(found, spreads, strict=True)], not incomplete(found)


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
    return [form.render(run, sheet, width()) for sheet in found], whole(found)


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
            **_published(record),
        }
        for record in records
    ]
    origins = {"origins": run.origins} if run.origins else {}
    return {"plan": run.plan, "kernels": run.kernels, "boots": boots, **origins}


def _published(record: BootRecord) -> dict[str, object]:
    """What others printed of it, every number with its place; nothing of what was measured."""
    found = {"published": record.published, "listings": record.listings}
    return {name: each for name, each in found.items() if each}
