"""Whole runs from one store into another: by a file, which is a store with nothing else in it.

What is equal in two stores is told by content, never by number. A run is its uuid; a boot its place in the plan and all that is
stored of it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import URL, Connection, Row, func, select

from kdelta.model.errors import MisuseError
from kdelta.model.plan import is_published
from kdelta.model.record import RunRecord
from kdelta.store import content, foreign, merge, rows, schema
from kdelta.store.database import Database
from kdelta.store.merge import Both
from kdelta.store.store import Store
from kdelta.store.version import prepare

IMPORTING = int.from_bytes(b"import")
"""The number of PostgreSQL's lock that one holds who imports: two who add the same run would both find that it is missing."""


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """A run that was written to a file, with so many boots, every attempt counted; `number` is its number there."""

    run: RunRecord
    boots: int
    number: int


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a run of a file: it is the `run` of the store now. `source` is how the file has it, with so many `boots`.

    `added` are boots that the store did not have, `continued` those of which it had the beginning, and `noise` rows of that. In
    `both` something else was measured than in the store.
    """

    source: RunRecord
    boots: int
    run: int
    is_new: bool
    added: int
    continued: int
    noise: int
    both: tuple[Both, ...]


def export(store: Store, numbers: Sequence[int] | None, path: Path, *, replace: bool = False) -> list[Exported]:
    """Write the runs with these `numbers`, or all, to a new file at `path`, oldest first and numbered from 1.

    The same content gives the same bytes. The file is there when it is whole, and durable then. Raises MisuseError for a file
    that is there already, unless it is to `replace` it, and for a run that is not.
    """
    wanted = [store.run(one).id for one in numbers] if numbers is not None else [run.id for run in store.runs()]
    _require_place(path, store.database, replace)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with closing(Database(URL.create("sqlite", database=str(beside.absolute())), name=str(path))) as target:
            prepare(target)
            with target.writing() as connection:
                found = [_export_run(connection, store.database, row) for row in content.run_rows(store.database, wanted)]
        _settle(beside, path)
    finally:
        for left in (beside, beside.with_name(f"{beside.name}-journal")):
            left.unlink(missing_ok=True)
    return found


def load(store: Store, paths: Sequence[Path]) -> list[list[Imported]]:
    """Add to `store` what the files at `paths` have and it has not, file by file: all of it, or where one is refused nothing.

    Raises MisuseError where a file has a run that is another one in the store, and as `foreign.opened`.
    """
    with ExitStack() as stack:
        sources = [stack.enter_context(foreign.opened(path)) for path in paths]
        with store.database.writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(IMPORTING)))
            return [[_import_run(connection, source, row) for row in content.run_rows(source)] for source in sources]


def _export_run(target: Connection, source: Database, row: Row[Any]) -> Exported:
    number = content.add_run(target, source, row)
    return Exported(run=rows.run(row), boots=len(content.places(target, number)), number=number)


def _import_run(target: Connection, source: Database, row: Row[Any]) -> Imported:
    stored = target.execute(select(schema.runs).where(schema.runs.c.uuid == row.uuid)).first()
    boots = len(content.read_places(source, row.id))
    if stored is None:
        number = content.add_run(target, source, row)
        noise = len(content.noise_rows(target, number))
        return Imported(source=rows.run(row), boots=boots, run=number, is_new=True, added=boots, continued=0, noise=noise, both=())
    if is_published(rows.run(stored).plan):
        # Its uuid is of what it says: there is nothing more of it.
        return Imported(source=rows.run(row), boots=boots, run=stored.id, is_new=False, added=0, continued=0, noise=0, both=())
    _require_same(source, rows.run(row), rows.run(stored))
    content.add_kernels(target, content.read_kernels(source, row))
    merged = merge.boots(target, stored.id, source, row.id)
    noise = merge.noise(target, stored.id, source, row.id)
    return Imported(
        source=rows.run(row),
        boots=boots,
        run=stored.id,
        is_new=False,
        added=merged.added,
        continued=merged.continued,
        noise=noise,
        both=merged.both,
    )


def _require_same(source: Database, found: RunRecord, stored: RunRecord) -> None:
    """A run is begun once, and what it was begun with does not change."""
    differ = [name for name in RunRecord.__struct_fields__ if name != "id" and getattr(found, name) != getattr(stored, name)]
    if differ:
        raise MisuseError(
            f"{source.name}: its run {found.id} has the uuid of run {stored.id}, but another {differ[0]}: nothing was imported",
            "one of the two was altered: import it into a store of its own, with --store",
        )


def _require_place(path: Path, source: Database, replace: bool) -> None:
    if path.exists():
        if source.kind == "sqlite" and Path(str(source.url.database)).exists() and path.samefile(str(source.url.database)):
            raise MisuseError(f"{path} is the store itself", "name another file")
        if not path.is_file():
            raise MisuseError(f"{path} is no file", "name a file")
        if not replace:
            raise MisuseError(f"{path} is there already", "name another file, or replace it with --force")
    if not path.absolute().parent.is_dir():
        raise MisuseError(f"the folder {path.parent} of {path.name} is not there", "name a file in a folder that is there")


def _settle(beside: Path, path: Path) -> None:
    """Let the file be found under its name, once what is in it is on the disk."""
    try:
        for place, is_whole in ((beside, False), (path.absolute().parent, True)):
            if is_whole:
                beside.replace(path)
            descriptor = os.open(place, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
    except OSError as error:
        raise MisuseError(f"{path} cannot be written: {error.strerror}", "name a file in a folder that is there") from error
