"""kdelta import: runs of files into the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from kdelta.cli.export import run_line
from kdelta.cli.options import json_option, print_json, store_option
from kdelta.cli.terminal import say
from kdelta.report.presentable import escaped
from kdelta.report.text import counted
from kdelta.store.merge import Both
from kdelta.store.place import open_store
from kdelta.store.transfer import Imported, load


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@json_option
@store_option
def command(files: tuple[Path, ...], as_json: bool, store: str | None) -> None:
    """Add the runs in FILEs, which `kdelta export` wrote, to the store: all of them, or nothing where one cannot be read.

    What the store has already is not added again, and the files are not changed.
    """
    found = load(open_store(store), files)
    if as_json:
        print_json([{"file": str(path), **_json(one)} for path, runs in zip(files, found, strict=True) for one in runs])
        return
    for path, runs in zip(files, found, strict=True):
        for line in _lines(runs) if runs else [f"no run in {escaped(str(path))}"]:
            say(f"{line}\n")


def _lines(runs: list[Imported]) -> Iterator[str]:
    for one in runs:
        yield f"{run_line(one.source, one.boots)}: {_told(one)}"
        yield from (_warning(both) for both in one.both)


def _told(one: Imported) -> str:
    if one.is_new:
        return f"added as run {one.run}"
    news = [
        *([f"{counted(one.added, 'boot')} added"] if one.added else []),
        *([f"{counted(one.continued, 'boot')} continued"] if one.continued else []),
        *([f"{counted(one.noise, 'figure')} of its noise added"] if one.noise else []),
    ]
    return f"already there as run {one.run}: {', '.join(news) or 'nothing new'}"


def _warning(both: Both) -> str:
    place = f"place {both.position} of the plan ({escaped(both.variant)} on {escaped(both.box)}, seed {both.seed})"
    kept = f"attempt{'' if len(both.kept) == 1 else 's'} {', '.join(map(str, both.kept))} of the store stays"
    imported = f"the imported attempt {both.last} ({both.outcome}) is judged now"
    return f"  WARNING: {place} was measured on both sides: {kept}, and {imported}"


def _json(one: Imported) -> dict[str, object]:
    return {
        "source_run": one.source.id,
        "uuid": one.source.uuid,
        "started": one.source.started,
        "boots": one.boots,
        "run": one.run,
        "new": one.is_new,
        "added": one.added,
        "continued": one.continued,
        "noise": one.noise,
        "both": [msgspec.to_builtins(both) for both in one.both],
    }
