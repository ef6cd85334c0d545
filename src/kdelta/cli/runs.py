"""kdelta runs: what the store holds."""

from __future__ import annotations

import click
from rich.cells import cell_len, set_cell_size

from kdelta.cli.options import json_option, print_json, store_option
from kdelta.cli.terminal import columns, complain, say
from kdelta.model.plan import is_published
from kdelta.model.record import RunRecord
from kdelta.report.presentable import escaped
from kdelta.store.place import open_store, shown

CUT = "..."


@click.command()
@click.option("-k", "--kernel", metavar="TEXT", help="Only runs of a kernel in whose release or specification that stands.")
@click.option("-b", "--benchmark", metavar="NAME", help="Only runs of that benchmark.")
@json_option
@store_option
def command(kernel: str | None, benchmark: str | None, as_json: bool, store: str | None) -> None:
    """List the runs in the store, oldest first, with how many of their boots and visits came to an end."""
    opened = open_store(store)
    ended = opened.boot_counts()
    rows = [(run, ended.get(run.id, 0)) for run in opened.runs() if _is_of(run, kernel, benchmark)]
    if as_json:
        print_json([{"id": r.id, "uuid": r.uuid, "started": r.started, "boots": n, "plan": r.plan} for r, n in rows])
        return
    for run, boots in rows:
        say(f"{_fitting(_line(run, boots), columns())}\n")
    if not rows:
        complain(f"no {'such ' if kernel or benchmark else ''}runs in {shown(store)}")


def _is_of(run: RunRecord, kernel: str | None, benchmark: str | None) -> bool:
    texts = [text for one in run.kernels.values() for text in (one.release, one.spec)]
    of_kernel = kernel is None or any(kernel in text for text in texts)
    return of_kernel and (benchmark is None or any(one.name == benchmark for one in run.plan.benchmarks))


def _line(run: RunRecord, boots: int) -> str:
    plan = run.plan
    planned = plan.seeds * len(plan.variants) * len(plan.boxes)
    amount = f"{boots} boots, {planned} at most" if plan.sequential else f"{boots}/{planned} boots"
    if is_published(plan):
        amount = f"published in {run.origins[0].source.name}" if run.origins else "published"
    names = ", ".join(variant.name for variant in plan.variants)
    return escaped(f"{run.id:>4}  {run.started[:16]}  {amount}  {len(plan.benchmarks)} benchmarks  {names}")


def _fitting(line: str, most: int | None) -> str:
    """`line`, in the cells of a terminal that has `most` of them; where there is none, whole: for other programs to read."""
    return line if most is None or cell_len(line) <= most else set_cell_size(line, max(0, most - len(CUT))) + CUT
