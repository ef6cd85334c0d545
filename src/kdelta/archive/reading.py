"""From a text to what all readers find in it: every block once, and no number in two."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from kdelta.archive.budget import budget
from kdelta.archive.marks import fitting
from kdelta.archive.reader import Reader
from kdelta.archive.text import LONGEST, Text
from kdelta.model.errors import MisuseError
from kdelta.model.published import Block, Document, Entry, Number, Remark


def read(text: Text, readers: Sequence[Reader]) -> Document:
    """What `readers` find. Raises MisuseError where two of them read the same numbers, and where there are too many.

    A block that stands in the text twice, pasted or quoted, is kept once, and a remark says so. Of one that holds nothing its
    remarks are kept: they say why.
    """
    found = list(fitting(text, readers))
    if not found:
        return Document(source=text.path, line=text.first)
    with budget(text.path):
        every = [block for reader in found for block in reader.read(text)]
    blocks = [block for block in every if _holds(block)]
    said = [remark for block in every if not _holds(block) for remark in block.remarks]
    blocks.sort(key=lambda block: (block.first, block.last))
    _require_unambiguous(text, blocks)
    kept, remarks = _once(blocks)
    cut = (Remark(number, f"only the first {LONGEST:,} characters of the line are read") for number in text.cut)
    return Document(
        source=text.path,
        line=text.first,
        subject=text.decoded.subject,
        sender=text.decoded.sender,
        date=text.decoded.date,
        message_id=text.decoded.message_id,
        blocks=tuple(kept),
        remarks=(*cut, *said, *remarks),
    )


def digest(block: Block) -> str:
    """Of what a block says, wherever it stands: a table that is quoted has that of the table."""
    said = [(one.variant, one.box, one.benchmark, one.metric, one.relative, one.state.value, *_texts(one)) for one in block.entries]
    listed = [(one.new, *((row.name, row.count.text) for row in one.rows)) for one in block.listings]
    return hashlib.sha256(msgspec.json.encode([block.format, said, listed])).hexdigest()


def numbers(block: Block) -> Iterator[Number]:
    """Of its entries and listings: what stands in a claim stands in one of these, or beside them."""
    for entry in block.entries:
        yield from entry.samples
        yield from entry.figures.values()
        yield from (one.number for one in entry.discarded)
    for listing in block.listings:
        yield from (row.count for row in listing.rows)


def _texts(entry: Entry) -> list[str]:
    samples = [one.text for one in (*entry.samples, *(each.number for each in entry.discarded))]
    return [*samples, *(f"{name}={one.text}" for name, one in entry.figures.items())]


def _holds(block: Block) -> bool:
    return bool(block.entries or block.claims or block.listings)


def _require_unambiguous(text: Text, blocks: Iterable[Block]) -> None:
    """A number that two readers read is one of which nobody knows what it is."""
    owner: dict[tuple[int, int], str] = {}
    for block in blocks:
        for number in numbers(block):
            if number.line and owner.setdefault((number.line, number.column), block.format) != block.format:
                both = sorted({owner[number.line, number.column], block.format})
                raise MisuseError(
                    f"{text.path}: line {number.line} may be of {both[0]} or of {both[1]}",
                    f"say which: --format '{both[0]}' or --format '{both[1]}'",
                )


def _once(blocks: Iterable[Block]) -> tuple[list[Block], list[Remark]]:
    kept: dict[str, Block] = {}
    remarks = []
    for block in blocks:
        first = kept.setdefault(digest(block), block)
        if first is not block:
            where = f"the same as that of line {first.first}"
            remarks.append(Remark(block.first, f"{block.format}: {where}, pasted or quoted again, and not counted twice"))
    return list(kept.values()), remarks
