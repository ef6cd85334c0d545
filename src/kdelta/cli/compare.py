"""kdelta compare: the reports of a run, in the shapes in which people post them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click
import msgspec

from kdelta.cli.options import STATISTICS, json_option, print_json, store_option
from kdelta.judge.account import account
from kdelta.judge.residue import residue
from kdelta.judge.sheet import sheets, whole
from kdelta.judge.table import incomplete, tables
from kdelta.model.errors import MisuseError
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sheet import Sheet
from kdelta.report import head, kernbench, kernbench_log, min_table, ranges, sdet, troubles
from kdelta.store.place import open_store


@dataclass(frozen=True)
class Form:
    """A report of means or ranges. `program` is what it is about: empty for any."""

    program: str
    render: Callable[[RunRecord, Sheet], str]


MIN = "min"
FORMS = {
    "kernbench": Form("kernbench", lambda run, sheet: kernbench.render(sheet)),
    "sdet": Form("sdet", lambda run, sheet: sdet.render(sheet)),
    "log": Form("kernbench", lambda run, sheet: kernbench_log.render(sheet, run.kernels)),
    "range": Form("", lambda run, sheet: ranges.render(sheet, run.plan.variants)),
}


@click.command()
@click.argument("run_id", required=False, type=int, metavar="[RUN]")
@click.option("--form", type=click.Choice((MIN, *FORMS)), default=MIN, show_default=True, help="The shape of the report.")
@click.option("--stat", type=click.Choice(STATISTICS), help="What the table shows: min of settled results, else median.")
@json_option
@store_option
def command(run_id: int | None, form: str, stat: str | None, as_json: bool, store: str | None) -> int:
    """Print the table of RUN, by default the newest: value and percent against the first column, then the spread.

    Other forms show means or ranges. With --json: every sample, raw, in the plan's order.
    """
    if form != MIN and (stat or as_json):
        ignored = "--stat" if stat else "--json"
        raise MisuseError(f"{ignored} and --form {form} exclude each other", "leave one of them out")
    opened = open_store(store)
    run = opened.run(run_id)
    records = opened.boots(run.id)
    if as_json:
        print_json(_raw(run, records))
        return 0
    return 0 if show(run, records, stat, form) else 4


def show(run: RunRecord, records: Sequence[BootRecord], statistic: str | None, form: str = MIN) -> bool:
    """Print the report; whether every cell in it has a value. Without a `statistic` it is the one that fits the box."""
    parts, complete = _tables(run, records, statistic) if form == MIN else _sheets(run, records, form)
    click.echo(head.render(run, records, account(run.plan, records)))
    for box, part in zip(run.plan.boxes, parts, strict=True):
        click.echo(part)
        click.echo(troubles.hidden(box, residue(run.plan, box.name, records)), nl=False)
    click.echo(troubles.failures(run.plan, records) + troubles.warnings(run.plan, records), nl=False)
    return complete


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
            "outcome": record.boot.outcome.value,
            "reason": record.boot.reason,
            "cells": record.boot.cells,
            "environment": record.boot.environment,
            "samples": record.boot.samples,
        }
        for record in records
    ]
    return {"plan": run.plan, "kernels": run.kernels, "boots": boots}
