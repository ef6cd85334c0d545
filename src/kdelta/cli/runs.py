"""kdelta runs: what the store holds."""

from __future__ import annotations

import click

from kdelta.cli.options import json_option, print_json, store_option
from kdelta.store.place import open_store, shown


@click.command()
@json_option
@store_option
def command(as_json: bool, store: str | None) -> None:
    """List the runs in the store, oldest first, with how many of their boots and visits came to an end."""
    opened = open_store(store)
    counts = opened.boot_counts()
    rows = [(run, counts.get(run.id, 0)) for run in opened.runs()]
    if as_json:
        print_json([{"id": r.id, "uuid": r.uuid, "started": r.started, "boots": count, "plan": r.plan} for r, count in rows])
        return
    for run, count in rows:
        plan = run.plan
        planned = plan.seeds * len(plan.variants) * len(plan.boxes)
        columns = ", ".join(variant.name for variant in plan.variants)
        amount = f"{count} boots, {planned} at most" if plan.sequential else f"{count}/{planned} boots"
        click.echo(f"{run.id:>4}  {run.started[:16]}  {amount}  {len(plan.benchmarks)} benchmarks  {columns}")
    if not rows:
        click.echo(f"no runs in {shown(store)}", err=True)
