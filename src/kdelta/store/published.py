"""What others published, as rows: runs that were made of texts, and the texts themselves."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import msgspec
from sqlalchemy import Connection, func, insert, select

from kdelta.model.plan import Slot
from kdelta.model.published import Block, Entry, Listing, Origin, Source
from kdelta.model.record import BootRecord, RunRecord
from kdelta.store import rows, schema

PUBLISHING = int.from_bytes(b"publish")
"""The number of PostgreSQL's lock that one holds who adds what was published: two may read the same text."""


class Text(msgspec.Struct, frozen=True):
    """A source, and all of it as it was given; None where it is not kept."""

    source: Source
    content: bytes | None


def add(connection: Connection, run: RunRecord, boots: Iterable[BootRecord], texts: Iterable[Text]) -> int:
    """The id of a new run of what was published, or of that with its uuid. Every source of its origins is among `texts`."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(PUBLISHING)))
    there = connection.execute(select(schema.runs.c.id).where(schema.runs.c.uuid == run.uuid)).scalar()
    if there is not None:
        return int(there)
    for kernel in run.kernels.values():
        rows.add_kernel(connection, kernel)
    values = {"uuid": run.uuid, "started": run.started, "kdelta_version": run.kdelta_version}
    number = rows.added(connection, schema.runs, {**values, "plan": rows.json(run.plan), "kernels": rows.json(run.kernels)})
    benchmarks = {one.name: one for one in run.plan.benchmarks}
    for one in boots:
        planned = tuple(benchmarks[name] for name in one.benchmarks)
        slot = Slot(position=one.position, box=one.box, variant=one.variant, seed=one.seed, benchmarks=planned)
        boot = rows.add_boot(connection, number, slot, run.kernels[one.variant])
        rows.add_samples(connection, boot, one.boot.samples)
        rows.add_cells(connection, boot, one.boot.cells)
        rows.add_ending(connection, boot, one.boot)
        rows.add_parts(connection, schema.published, boot, _published(one))
    add_sources(connection, [_source(one) for one in texts])
    origins = [
        {"run": number, "source": one.source.sha256, "digest": one.digest, "block": rows.json(one.block)} for one in run.origins
    ]
    if origins:
        connection.execute(insert(schema.blocks), origins)
    return number


def _published(record: BootRecord) -> list[dict[str, Any]]:
    """A row for each benchmark, in the order in which they are first met."""
    found: dict[str, tuple[list[Entry], list[Listing]]] = {}
    for entry in record.published:
        found.setdefault(entry.benchmark, ([], []))[0].append(entry)
    for listing in record.listings:
        found.setdefault(listing.benchmark, ([], []))[1].append(listing)
    return [
        {"benchmark": name, "entries": rows.json(entries), "listings": rows.json(listings)}
        for name, (entries, listings) in found.items()
    ]


def _source(text: Text) -> dict[str, Any]:
    packed = None if text.content is None else zlib.compress(text.content)
    return {**rows.fields(text.source), "content": packed}


def add_sources(connection: Connection, found: Sequence[Mapping[str, Any]]) -> None:
    """Those that are not known: the same text may have come by another name."""
    if found:
        dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
        connection.execute(dialect.insert(schema.sources).on_conflict_do_nothing(), [dict(one) for one in found])


# ---- reading ----


def origins(connection: Connection, runs: Collection[int] | None = None) -> dict[int, tuple[Origin, ...]]:
    """By run, of `runs`, or of all; runs without any are left out."""
    blocks, sources = schema.blocks, schema.sources
    own = [column for column in sources.c if column.name != "content"]
    wanted = select(blocks, *own).join(sources, sources.c.sha256 == blocks.c.source).order_by(blocks.c.id)
    found: dict[int, tuple[Origin, ...]] = {}
    for row in connection.execute(wanted if runs is None else wanted.where(blocks.c.run.in_(runs))):
        source = Source(**{name: getattr(row, name) for name in Source.__struct_fields__})
        one = Origin(source=source, digest=row.digest, block=msgspec.json.decode(row.block, type=Block))
        found[row.run] = (*found.get(row.run, ()), one)
    return found


def known(connection: Connection, digests: Collection[str]) -> dict[str, int]:
    """Which of `digests` the store has, each with the first run that has it."""
    blocks = schema.blocks
    wanted = select(blocks.c.digest, blocks.c.run).where(blocks.c.digest.in_(digests)).order_by(blocks.c.id.desc())
    return {row.digest: row.run for row in connection.execute(wanted)}


def content(connection: Connection, sha256: str) -> bytes | None:
    """A text that runs were read from, as it was given; None where it is not kept."""
    sources = schema.sources
    packed = connection.execute(select(sources.c.content).where(sources.c.sha256 == sha256)).scalar()
    return None if packed is None else zlib.decompress(packed)
