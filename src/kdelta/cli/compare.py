"""kdelta compare: the table of a run."""

from __future__ import annotations

from collections.abc import Sequence

import click

from kdelta.cli.options import STATISTICS, json_option, print_json, store_option
from kdelta.judge.table import incomplete, tables
from kdelta.model.record import BootRecord, RunRecord
from kdelta.report import head, min_table
from kdelta.store.place import open_store


@click.command()
@click.argument("run_id", required=False, type=int, metavar="[RUN]")
@click.option("--stat", type=click.Choice(STATISTICS), default="median", show_default=True, help="What the table shows.")
@json_option
@store_option
def command(run_id: int | None, stat: str, as_json: bool, store: str | None) -> int:
    """Print the table of RUN, by default the newest: value and percent against the first column, then the spread.

    With --json: every sample, raw, in the plan's order.
    """
    opened = open_store(store)
    run = opened.run(run_id)
    records = opened.boots(run.id)
    if as_json:
        print_json(_raw(run, records))
        return 0
    return 0 if show(run, records, stat) else 4


def show(run: RunRecord, records: Sequence[BootRecord], statistic: str) -> bool:
    """Print the tables; whether every cell has a value."""
    found = tables(run.plan, records, statistic)
    click.echo(head.render(run, records))
    for table in found:
        click.echo(min_table.render(table))
        click.echo(min_table.render_spread(table))
    click.echo(head.failures(records) + head.warnings(records), nl=False)
    return not incomplete(found)


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
