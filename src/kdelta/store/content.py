"""Whole runs as rows without their numbers: what is equal in two stores, and what is copied from one into another.

A boot is read in a transaction of its own, and of a long run one boot at a time is in memory: who measures into the store
that is read waits for no more than that. Rows are only ever added, so a boot that is read later is the same, or further on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Table, insert, select

from kdelta.store import published, rows, schema
from kdelta.store.database import Database

Values = tuple[Any, ...]
"""Of one row, in the order of `_own`."""

NUMBERS = ("id", "run", "boot", "attempt")
"""Columns that say where a row lies in its store, and nothing of what was measured."""

PARTS = (schema.samples, schema.cells, schema.discards, schema.profiles, schema.stacks, schema.published)
"""Tables whose rows are added to a boot one after the other, in an order that counts."""

AT_ONCE = 10_000
"""Rows in one statement."""


class Place(msgspec.Struct, frozen=True):
    """Where an attempt is: its number in the store that holds it, and its place in the run."""

    id: int
    position: int
    attempt: int


class Content(msgspec.Struct, frozen=True):
    """All that is stored of one attempt at a boot. `boot` and `ending` are a row's values, `parts` rows for each of PARTS.

    Equal where the same was asked for and the same came of it, in whatever store and as whatever attempt.
    """

    boot: Values
    ending: Values | None
    parts: tuple[Sequence[Values], ...]

    def slot(self) -> dict[str, Any]:
        """What the plan says of its position."""
        named = dict(zip(_names(schema.boots), self.boot, strict=True))
        return {name: named[name] for name in ("position", "box", "variant", "seed", "profiled")}

    def outcome(self) -> str:
        """As of model.boot.Outcome."""
        return "interrupted" if self.ending is None else str(self.ending[_names(schema.endings).index("outcome")])

    def has_samples(self) -> bool:
        return bool(self.parts[PARTS.index(schema.samples)])

    def is_bare(self) -> bool:
        """Whether it was begun, and nothing else is stored of it."""
        return self.ending is None and not any(self.parts)


def is_beginning(one: Content, whole: Content) -> bool:
    """Whether `one` is what was stored of `whole` at an earlier moment: the same visit, not ended yet."""
    if one.ending is not None or one.boot != whole.boot:
        return False
    return all(list(part) == list(other[: len(part)]) for part, other in zip(one.parts, whole.parts, strict=True))


# ---- reading ----


def run_rows(source: Database, numbers: Iterable[int] | None = None) -> list[Row[Any]]:
    """Rows of the runs with these `numbers`, or of all, oldest first."""
    wanted = select(schema.runs).order_by(schema.runs.c.id)
    with source.reading() as connection:
        return list(connection.execute(wanted if numbers is None else wanted.where(schema.runs.c.id.in_(numbers))))


def places(connection: Connection, run: int) -> list[Place]:
    """Those of all attempts of a run, in the plan's order."""
    boots = schema.boots
    wanted = select(boots.c.id, boots.c.position, boots.c.attempt).where(boots.c.run == run)
    return [Place(*row) for row in connection.execute(wanted.order_by(boots.c.position, boots.c.attempt))]


def of_boot(connection: Connection, boot: int) -> Content:
    """What is stored of one attempt."""
    endings = schema.endings
    ending = connection.execute(select(*_own(endings)).where(endings.c.boot == boot)).first()
    return Content(
        boot=tuple(connection.execute(select(*_own(schema.boots)).where(schema.boots.c.id == boot)).one()),
        ending=None if ending is None else tuple(ending),
        parts=tuple(_rows(connection, part, boot) for part in PARTS),
    )


def _rows(connection: Connection, part: Table, boot: int) -> Sequence[Values]:
    found: Sequence[Any] = connection.execute(select(*_own(part)).where(part.c.boot == boot).order_by(part.c.id)).all()
    return found


def noise_rows(connection: Connection, run: int) -> list[Values]:
    """What a run says of the noise, oldest first."""
    noise = schema.noise
    return [tuple(row) for row in connection.execute(select(*_own(noise)).where(noise.c.run == run).order_by(noise.c.id))]


def read_places(source: Database, run: int) -> list[Place]:
    with source.reading() as connection:
        return places(connection, run)


def read_boot(source: Database, boot: int) -> Content:
    with source.reading() as connection:
        return of_boot(connection, boot)


def read_noise(source: Database, run: int) -> list[Values]:
    with source.reading() as connection:
        return noise_rows(connection, run)


def read_kernels(source: Database, run: Row[Any]) -> list[dict[str, Any]]:
    """Rows of the kernels of a run, and of those that its boots and its noise name, by key."""
    kernels, boots, noise = schema.kernels, schema.boots, schema.noise
    keys = [kernel.key for kernel in rows.run(run).kernels.values()]
    named = select(boots.c.kernel).where(boots.c.run == run.id).union(select(noise.c.kernel).where(noise.c.run == run.id))
    wanted = select(kernels).where(kernels.c.key.in_(keys) | kernels.c.key.in_(named)).order_by(kernels.c.key)
    with source.reading() as connection:
        return [dict(row._mapping) for row in connection.execute(wanted)]


def read_blocks(source: Database, run: int) -> tuple[list[Values], list[dict[str, Any]]]:
    """Rows of the blocks of a published run, in their order, and of the texts that these are of."""
    blocks, sources = schema.blocks, schema.sources
    wanted = select(*_own(blocks)).where(blocks.c.run == run).order_by(blocks.c.id)
    texts = select(sources).where(sources.c.sha256.in_(select(blocks.c.source).where(blocks.c.run == run)))
    with source.reading() as connection:
        found = [tuple(row) for row in connection.execute(wanted)]
        return found, [dict(row._mapping) for row in connection.execute(texts.order_by(sources.c.sha256))]


# ---- adding ----


def add_run(target: Connection, source: Database, run: Row[Any]) -> int:
    """The id of a new run in `target`: that of the row `run` in `source`, with all that is stored of it."""
    values = {name: value for name, value in run._mapping.items() if name != "id"}
    number = rows.added(target, schema.runs, values)
    add_kernels(target, read_kernels(source, run))
    for place in read_places(source, run.id):
        add_boot(target, number, place.attempt, read_boot(source, place.id))
    add_noise(target, number, read_noise(source, run.id))
    blocks, texts = read_blocks(source, run.id)
    published.add_sources(target, texts)
    _add(target, schema.blocks, blocks, run=number)
    return number


def add_kernels(target: Connection, found: Sequence[Mapping[str, Any]]) -> None:
    """Those that are not known; nothing is written where all are. Another run may add one at this moment: rows.add_kernel."""
    kernels = schema.kernels
    known = set(target.execute(select(kernels.c.key).where(kernels.c.key.in_([one["key"] for one in found]))).scalars())
    if new := [dict(one) for one in found if one["key"] not in known]:
        dialect = import_module(f"sqlalchemy.dialects.{target.dialect.name}")
        target.execute(dialect.insert(kernels).on_conflict_do_nothing(), new)


def add_boot(target: Connection, run: int, attempt: int, found: Content) -> int:
    """The id of a new boot: attempt number `attempt` at its position."""
    values = dict(zip(_names(schema.boots), found.boot, strict=True))
    boot = rows.added(target, schema.boots, {**values, "run": run, "attempt": attempt})
    complete(target, boot, found, tuple(0 for _ in PARTS))
    return boot


def complete(target: Connection, boot: int, found: Content, had: Sequence[int]) -> None:
    """Add to a boot what `found` has beyond its first `had` rows of each part, and its ending."""
    for table, part, count in zip(PARTS, found.parts, had, strict=True):
        _add(target, table, part[count:], boot=boot)
    if found.ending is not None:
        _add(target, schema.endings, [found.ending], boot=boot)


def add_noise(target: Connection, run: int, found: Sequence[Values]) -> None:
    _add(target, schema.noise, found, run=run)


def _add(target: Connection, table: Table, found: Sequence[Values], **number: int) -> None:
    names = _names(table)
    for start in range(0, len(found), AT_ONCE):
        values = [{**dict(zip(names, row, strict=True)), **number} for row in found[start : start + AT_ONCE]]
        target.execute(insert(table), values)


def _own(table: Table) -> list[Any]:
    return [column for column in table.c if column.name not in NUMBERS]


def _names(table: Table) -> list[str]:
    return [column.name for column in _own(table)]
