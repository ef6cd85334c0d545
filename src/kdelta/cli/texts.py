"""Texts of others into the store: what was asked for, read one after the other, and what came of each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import cast

import msgspec

from kdelta import __version__
from kdelta.archive import naming
from kdelta.archive.as_runs import Made, runs, source, together
from kdelta.archive.documents import Read, reads, stream
from kdelta.archive.reader import Reader
from kdelta.archive.reading import digest, numbers
from kdelta.model.published import Block, Remark
from kdelta.model.record import RunRecord
from kdelta.store.published import Text
from kdelta.store.store import Store

STDIN = "-"
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Asked:
    """How texts are read. `rename` is by the name that is printed; `variant` is what those are called that have none."""

    readers: tuple[Reader, ...]
    rename: dict[str, str] = field(default_factory=dict)
    variant: str = ""


class Came(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one text: `runs` that were added; and by the run that has them already, how many blocks."""

    name: str
    line: int
    blocks: tuple[Block, ...]
    runs: tuple[RunRecord, ...] = ()
    known: dict[int, int] = {}
    remarks: tuple[Remark, ...] = ()
    notes: tuple[str, ...] = ()


def load(store: Store, paths: Sequence[str], asked: Asked, tell: Tell) -> Iterator[Came]:
    """The texts of each path as they are read, those with nothing in them too: one at a time is in memory."""
    for path in paths:
        for one in read(path, asked.readers, tell):
            yield _added(store, one, asked)


def read(path: str, readers: tuple[Reader, ...], tell: Tell) -> Iterator[Read]:
    """Raises MisuseError where it cannot be read, or is one text in which nothing is known."""
    if path == STDIN:
        return stream(cast(BufferedReader, sys.stdin.buffer), readers, tell)
    return reads(Path(path), readers, tell)


def _added(store: Store, one: Read, asked: Asked) -> Came:
    document = naming.renamed(one.document, {**({"": asked.variant} if asked.variant else {}), **asked.rename})
    known = store.known([digest(block) for block in document.blocks]) if document.blocks else {}
    there: dict[int, int] = {}
    for run in (known[key] for block in document.blocks if (key := digest(block)) in known):
        there[run] = there.get(run, 0) + 1
    fresh = tuple(block for block in document.blocks if digest(block) not in known)
    made = runs(msgspec.structs.replace(document, blocks=fresh), sha256=one.sha256, started=_now(), kdelta_version=__version__)
    text = Text(source(document, one.sha256), one.content)
    return Came(
        name=document.source,
        line=document.line,
        blocks=document.blocks,
        runs=tuple(store.add_published(each.run, each.boots, [text]) for each in made),
        known=there,
        remarks=document.remarks,
        notes=tuple(note for each in made for note in each.notes),
    )


def load_together(store: Store, paths: Sequence[str], names: Sequence[str], asked: Asked, tell: Tell) -> Came:
    """One run of all paths, with a column for each text; `names` are those that were given, or empty."""
    found, given = list[Read](), list[str]()
    for path, name in zip(paths, names, strict=True):
        each = [one for one in read(path, asked.readers, tell) if one.document.blocks]
        found += each
        given += [name] * len(each)
    documents = naming.columns([naming.renamed(one.document, asked.rename) for one in found], given)
    made = together(
        [(one, each.sha256) for one, each in zip(documents, found, strict=True)], started=_now(), kdelta_version=__version__
    )
    blocks = tuple(block for one in documents for block in one.blocks)
    about = {"name": ", ".join(paths), "line": 1, "blocks": blocks, "remarks": tuple(r for one in documents for r in one.remarks)}
    if there := _same(store, made, blocks):
        return Came(**about, known={there: len(blocks)})  # type: ignore[arg-type]
    texts = [Text(source(one, each.sha256), each.content) for one, each in zip(documents, found, strict=True)]
    return Came(**about, runs=(store.add_published(made.run, made.boots, texts),), notes=made.notes)  # type: ignore[arg-type]


def _same(store: Store, made: Made, blocks: Sequence[Block]) -> int:
    """The run that says the same, 0 where none does."""
    candidates = sorted(set(store.known([digest(block) for block in blocks]).values()))
    return next((number for number in candidates if store.run(number).uuid == made.run.uuid), 0)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def count(blocks: Sequence[Block]) -> int:
    """Numbers that were read."""
    return sum(1 for block in blocks for _ in numbers(block))
