"""kdelta export: whole runs as one file."""

from __future__ import annotations

from pathlib import Path

import click

from kdelta.cli.options import json_option, print_json, store_option
from kdelta.cli.terminal import say
from kdelta.model.errors import MisuseError
from kdelta.model.record import RunRecord
from kdelta.report.presentable import escaped
from kdelta.report.text import counted
from kdelta.store.place import open_store
from kdelta.store.transfer import export


def run_line(run: RunRecord, boots: int) -> str:
    """A run as `export` and `import` name it: by what it is in every store."""
    return f"run {run.id} ({escaped(run.uuid)}, {escaped(run.started[:16])}, {counted(boots, 'boot')})"


@click.command()
@click.argument("runs", nargs=-1, type=int, metavar="[RUN...]")
@click.option("-o", "path", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="FILE", help="The file.")
@click.option("--all", "everything", is_flag=True, help="All runs.")
@click.option("-f", "--force", is_flag=True, help="Replace a file that is there.")
@json_option
@store_option
def command(runs: tuple[int, ...], path: Path, everything: bool, force: bool, as_json: bool, store: str | None) -> None:
    """Write RUNs, by default the newest, to one file, whole: `kdelta import` adds them to another store.

    The file is a store itself: --store FILE of any command looks into it.
    """
    if everything and runs:
        raise MisuseError("--all and the numbers of runs exclude each other", "leave one of them out")
    opened = open_store(store)
    newest = opened.run()
    found = export(opened, None if everything else runs or [newest.id], path, replace=force)
    if as_json:
        print_json([{"run": one.run.id, "uuid": one.run.uuid, "boots": one.boots, "number": one.number} for one in found])
        return
    for one in found:
        say(f"{run_line(one.run, one.boots)}: run {one.number} of {escaped(str(path))}\n")
