"""kdelta import: runs of files into the store, those that kdelta exported and those that others published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from kdelta.archive.readers import FOLDER_READERS, READERS, mapped, named
from kdelta.cli import texts
from kdelta.cli.export import run_line
from kdelta.cli.options import json_option, print_json, store_option
from kdelta.cli.terminal import say, warn
from kdelta.cli.texts import STDIN, Asked, Came
from kdelta.model.errors import MisuseError
from kdelta.model.record import RunRecord
from kdelta.report.presentable import escaped
from kdelta.report.text import counted, wrapped
from kdelta.store.foreign import is_store
from kdelta.store.merge import Both
from kdelta.store.place import open_store
from kdelta.store.store import Store
from kdelta.store.transfer import Imported, load

MOST_REMARKS = 20
"""Of one text, that are printed: all of them are stored."""


@click.command()
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--format", "formats", multiple=True, metavar="NAME", help="Read texts as that; by default as whatever fits.")
@click.option("--formats", "lists", is_flag=True, help="List the formats that are read.")
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="Call a variant otherwise.")
@click.option("--variant", metavar="NAME", help="What a variant is called that a text does not name.")
@click.option("--together", "as_one", is_flag=True, help="One run of all FILEs, a column each: FILE or NAME=FILE.")
@click.option("--columns", metavar="KEY=COLUMN,...", help="Which columns of a table are what.")
@json_option
@store_option
def command(
    files: tuple[str, ...],
    formats: tuple[str, ...],
    lists: bool,
    rename: tuple[str, ...],
    variant: str | None,
    as_one: bool,
    columns: str | None,
    as_json: bool,
    store: str | None,
) -> None:
    """Add the runs in FILEs to the store: those that `kdelta export` wrote, and those that mails, logs and results of others hold.

    FILE may be a folder, an mbox, a tar or a zip, packed or not; - is standard input. What the store has already is not added
    again, and the files are not changed.
    """
    if lists:
        _list_formats()
        return
    if not files:
        raise click.MissingParameter(ctx=click.get_current_context(), param_hint="'FILE...'", param_type="argument")
    asked = _asked(formats, rename, variant or "", columns)
    exported = [] if as_one else [Path(one) for one in files if _is_exported(one)]
    others = [one for one in files if Path(one) not in exported]
    if exported and others:
        raise MisuseError(
            f"{others[0]} is no store of kdelta, and {exported[0]} is one", "import what `kdelta export` wrote apart from texts"
        )
    opened = open_store(store)
    told = _of_stores(opened, exported, as_json) if exported else _of_texts(opened, others, asked, as_one=as_one, as_json=as_json)
    if as_json:
        print_json(told)


def _is_exported(word: str) -> bool:
    """What is no plain file, such as the pipe of a shell, can be read once, and is no store."""
    return word != STDIN and Path(word).is_file() and is_store(Path(word))


def _asked(formats: Sequence[str], rename: Sequence[str], variant: str, columns: str | None) -> Asked:
    if columns is not None and formats:
        raise MisuseError("--columns and --format exclude each other", "the columns say what is read: leave one of them out")
    readers = mapped(_columns(columns)) if columns is not None else named(formats)
    return Asked(readers, _pairs("--rename", rename), variant)


def _columns(words: str) -> dict[str, str]:
    """By key: several columns of one are parted by commas, as the keys are."""
    pairs = list[str]()
    for word in words.split(","):
        if "=" in word or not pairs:
            pairs.append(word)
        else:
            pairs[-1] += f",{word}"
    return _pairs("--columns", pairs)


def _pairs(option: str, words: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in words:
        left, equals, right = one.partition("=")
        if not equals or not left or not right:
            raise MisuseError(f"{option} {one}: two names are needed", f"write {option} LEFT=RIGHT")
        found[left] = right
    return found


def _list_formats() -> None:
    known = {one.name: one.about for one in READERS} | {one.name: one.about for one in FOLDER_READERS}
    for name in sorted(known):
        say(f"{name}\n{wrapped(f'    {known[name]}', '    ')}\n")


# ---- what kdelta exported ----


def _of_stores(store: Store, paths: Sequence[Path], as_json: bool) -> list[dict[str, Any]]:
    """All of them, or nothing where one cannot be read."""
    found = load(store, paths)
    if as_json:
        return [{"file": str(path), **_json(one)} for path, runs in zip(paths, found, strict=True) for one in runs]
    for path, runs in zip(paths, found, strict=True):
        for line in _lines(runs) if runs else [f"no run in {escaped(str(path))}"]:
            say(f"{line}\n")
    return []


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


# ---- what others published ----


def _of_texts(store: Store, files: Sequence[str], asked: Asked, *, as_one: bool, as_json: bool) -> list[dict[str, Any]]:
    """What came of each text, told when it has been read; of those with nothing in them how many there were."""
    if as_one:
        paths, names = zip(*map(_named, files), strict=True)
        every: Iterator[Came] = iter([texts.load_together(store, paths, names, asked, warn)])
    else:
        every = texts.load(store, files, asked, warn)
    told, count, found, unused = [], 0, 0, set(asked.rename)
    for one in every:
        count, found = count + 1, found + bool(one.blocks)
        unused -= _renamed(one, asked)
        if as_json:
            told += list(_text_json(one))
        else:
            say("".join(f"{line}\n" for line in _text_lines(one)))
    if not as_json and count > len(files):
        say(f"{counted(count, 'text')}, {found} with results, {count - found} without\n")
    for name in sorted(unused):
        warn(f"--rename {name}=...: no variant that was read is called so")
    return told


def _named(word: str) -> tuple[str, str]:
    """The path, and the name before it: a file whose own name holds an equals sign is that file."""
    name, equals, path = word.partition("=")
    return (path, name) if equals and not Path(word).exists() else (word, "")


def _renamed(one: Came, asked: Asked) -> set[str]:
    """Which of the names that were asked for its blocks have now."""
    there = {entry.variant for block in one.blocks for entry in block.entries}
    there |= {name for block in one.blocks for each in block.listings for name in (each.old, each.new)}
    return {old for old, new in asked.rename.items() if new in there}


def _text_lines(one: Came) -> Iterator[str]:
    name = escaped(one.name)
    for run in one.runs:
        blocks = [origin.block for origin in run.origins]
        own = [block for block in one.blocks if (block.first, block.last, block.format) in {_place(each) for each in blocks}]
        columns = ", ".join(escaped(variant.name) for variant in run.plan.variants)
        yield f"{_where(run)}: added as run {run.id}: {counted(texts.count(own), 'number')}; columns {columns}"
    for number, blocks_known in one.known.items():
        what = "table is that" if blocks_known == 1 else "tables are those"
        yield f"{name}: {blocks_known} {what} of run {number}: already there, not added again"
    remarks = [(each.line, each.text) for each in (*one.remarks, *(each for block in one.blocks for each in block.remarks))]
    if one.runs:
        for line, text in remarks[:MOST_REMARKS]:
            yield f"  WARNING: {name}:{line}: {escaped(text)}"
        if len(remarks) > MOST_REMARKS:
            yield f"  WARNING: {name}: and {len(remarks) - MOST_REMARKS} more like these: see `kdelta compare`"
        yield from (f"  WARNING: {name}: {escaped(note)}" for note in one.notes)


def _place(block: Any) -> tuple[int, int, str]:
    return block.first, block.last, block.format


def _where(run: RunRecord) -> str:
    """`mail.txt, lines 46 to 49 (kernbench table)`; of several texts their names."""
    names = dict.fromkeys(one.source.name for one in run.origins)
    if len(names) > 1:
        return escaped(", ".join(names))
    lines = dict.fromkeys(f"{one.block.first} to {one.block.last}" for one in run.origins)
    formats = dict.fromkeys(one.block.format for one in run.origins)
    return escaped(f"{next(iter(names), '')}, lines {', '.join(lines)} ({', '.join(formats)})")


def _text_json(one: Came) -> Iterator[dict[str, Any]]:
    for run in one.runs:
        yield {
            "file": one.name,
            "line": one.line,
            "run": run.id,
            "uuid": run.uuid,
            "new": True,
            "variants": [each.name for each in run.plan.variants],
            "boxes": [each.name for each in run.plan.boxes],
            "benchmarks": [each.name for each in run.plan.benchmarks],
            "blocks": [{"format": o.block.format, "first": o.block.first, "last": o.block.last} for o in run.origins],
            "remarks": [msgspec.to_builtins(each) for origin in run.origins for each in origin.block.remarks],
            "notes": list(one.notes),
        }
    for number, count in one.known.items():
        yield {"file": one.name, "line": one.line, "run": number, "new": False, "blocks": count}
