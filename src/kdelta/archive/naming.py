"""Variants called otherwise than in their text: renamed, or named where the text names none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from kdelta.archive.as_runs import stem
from kdelta.model.errors import MisuseError
from kdelta.model.published import Block, Document, Entry, Listing


def variants(document: Document) -> list[str]:
    """As they are named in the text, in its order; "" for those that are not."""
    names = [entry.variant for block in document.blocks for entry in block.entries]
    names += [name for block in document.blocks for one in block.listings for name in _sides(one)]
    return list(dict.fromkeys(names))


def _sides(listing: Listing) -> list[str]:
    return [listing.old, listing.new] if listing.difference else [listing.new]


def renamed(document: Document, names: Mapping[str, str]) -> Document:
    """With each variant called as `names` has it; those that are not in it stay."""
    if not any(name in names for name in variants(document)):
        return document
    return msgspec.structs.replace(document, blocks=tuple(_block(block, names) for block in document.blocks))


def _block(block: Block, names: Mapping[str, str]) -> Block:
    return msgspec.structs.replace(
        block,
        entries=tuple(_entry(entry, names) for entry in block.entries),
        listings=tuple(_listing(one, names) for one in block.listings),
    )


def _entry(entry: Entry, names: Mapping[str, str]) -> Entry:
    return msgspec.structs.replace(entry, variant=names[entry.variant]) if entry.variant in names else entry


def _listing(listing: Listing, names: Mapping[str, str]) -> Listing:
    """A profile's `old` is nobody's name."""
    old = names.get(listing.old, listing.old) if listing.difference else listing.old
    return msgspec.structs.replace(listing, old=old, new=names.get(listing.new, listing.new))


def columns(documents: Sequence[Document], given: Sequence[str]) -> list[Document]:
    """Documents of one variant each, made columns of one run: called as `given`, or "" for as the text calls it, or its file.

    Raises MisuseError for one of several variants, and where two would have one name.
    """
    own = [_only(document) for document in documents]
    printed = [name for name in own if name]
    is_clear = len(set(printed)) == len(printed)
    names = [
        name or (called if is_clear and called else stem(document.source))
        for document, name, called in zip(documents, given, own, strict=True)
    ]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise MisuseError(f"two of the files are called '{twice}'", "name them: NAME=FILE")
    return [renamed(document, {called: name}) for document, called, name in zip(documents, own, names, strict=True)]


def _only(document: Document) -> str:
    found = variants(document)
    if len(found) > 1:
        raise MisuseError(
            f"{document.source} holds {len(found)} columns already: {', '.join(_listed(found))}",
            "--together is for files of one column each: leave it out",
        )
    return found[0] if found else ""


def _listed(names: Iterable[str]) -> list[str]:
    return [name or "one without a name" for name in names]
