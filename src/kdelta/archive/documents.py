"""From files and folders to documents: what was read of each mail, log and file, in the order in which they come."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

from kdelta.archive.budget import budget
from kdelta.archive.csv_table import suggestion
from kdelta.archive.marks import fitting
from kdelta.archive.reader import FolderReader, Reader
from kdelta.archive.readers import FOLDER_READERS, READERS, named
from kdelta.archive.reading import read
from kdelta.archive.sources import Tell, of_path, one_text, texts
from kdelta.archive.text import Line, Text
from kdelta.archive.tree import MOST_BYTES, Tree
from kdelta.model.errors import MisuseError
from kdelta.model.published import Document, Remark

STANDARD_INPUT = "standard input"
_LONGEST_SHOWN = 60


class Read(NamedTuple):
    """A document, and all of the text as it was given; None where that is too much to be kept."""

    document: Document
    content: bytes | None
    sha256: str


def documents(path: Path, formats: Sequence[str], tell: Tell) -> Iterator[Document]:
    """One for each text in `path`, those without results too; `formats` are names of readers, none for all of them.

    `tell` gets what was passed over. Raises MisuseError where `path` cannot be read, or is one text that nothing is known in.
    """
    return (one.document for one in reads(path, named(formats), tell))


def reads(path: Path, readers: Sequence[Reader], tell: Tell) -> Iterator[Read]:
    """The same, by these readers, each with its text."""
    return _documents(of_path(path, tell), readers, tell, alone=not path.is_dir())


def from_stream(file: BufferedReader, formats: Sequence[str], tell: Tell) -> Iterator[Document]:
    """The same of standard input."""
    return (one.document for one in stream(file, named(formats), tell))


def stream(file: BufferedReader, readers: Sequence[Reader], tell: Tell) -> Iterator[Read]:
    return _documents(texts(STANDARD_INPUT, file, tell), readers, tell, alone=True)


def _documents(found: Iterable[Text | Tree], readers: Sequence[Reader], tell: Tell, *, alone: bool) -> Iterator[Read]:
    for one in found:
        if isinstance(one, Tree):
            yield from _of_tree(one, readers, tell)
        else:
            yield from _of_text(one, readers, tell, alone=alone and one.first == 1)


def _of_text(text: Text, readers: Sequence[Reader], tell: Tell, *, alone: bool) -> Iterator[Read]:
    """A mail of many that is refused is passed over; what is `alone` is not."""
    try:
        whole = _read(text, readers)
    except MisuseError as error:
        if alone:
            raise
        tell(f"{error}; passed over")
        return
    if alone and not whole.document.blocks:
        raise _without_results(whole.document.remarks, text) if whole.document.remarks else unknown(text, readers)
    yield whole


def _without_results(remarks: Sequence[Remark], text: Text) -> MisuseError:
    said = "; ".join(f"line {one.line}: {one.text}" if one.line else one.text for one in remarks)
    return MisuseError(f"{text.path} holds no results; {said}", "`kdelta import --formats` lists what is read")


def _read(text: Text, readers: Sequence[Reader]) -> Read:
    document = read(text, readers)
    # Most mails hold nothing: theirs is not asked for.
    key = hashlib.sha256(text.source).hexdigest() if document.blocks else ""
    return Read(document, text.source, key)


def _of_tree(tree: Tree, readers: Sequence[Reader], tell: Tell) -> Iterator[Read]:
    """Files that belong together are one document; others are one each."""
    if reader := _folder_reader(tree.names(), readers):
        with budget(tree.path):
            blocks = tuple(block for block in reader.read(tree) if block.entries or block.listings)
        yield _whole(tree, Document(source=tree.path, blocks=blocks))
        return
    for name in tree.names():
        try:
            yield _read(one_text(f"{tree.path}/{name}", tree.read(name)), readers)
        except MisuseError as error:
            tell(f"{error}; passed over")


def _whole(tree: Tree, document: Document) -> Read:
    """Its files one after the other, each below a line with its name."""
    digest, parts, size = hashlib.sha256(), list[bytes](), 0
    for name in tree.names():
        part = b"== " + name.encode("utf-8", "surrogateescape") + b"\n" + tree.read(name) + b"\n"
        digest.update(part)
        size += len(part)
        parts = [*parts, part] if size <= MOST_BYTES else []
    return Read(document, b"".join(parts) if size <= MOST_BYTES else None, digest.hexdigest())


def _folder_reader(names: Sequence[str], readers: Sequence[Reader]) -> FolderReader | None:
    """None where formats were named: these are of texts."""
    return next((one for one in FOLDER_READERS if one.recognises(names)), None) if readers == READERS else None


def unknown(text: Text, readers: Sequence[Reader]) -> MisuseError:
    """Says what was seen: how much, how it begins, and which formats it looked like."""
    lines = text.lines
    first = next((line for line in lines if line.text.strip()), Line(0, ""))
    numbers = sum(any(character.isdigit() for character in line.text) for line in lines)
    shown = f"{first.text.strip()[:_LONGEST_SHOWN]!r}" if first.number else "nothing"
    said = f"{text.path}: no known format in {len(lines)} lines, {numbers} of them with numbers; the first is {shown}"
    near = [f"{reader.name} ({_marked(text, reader)})" for reader in fitting(text, readers)]
    like = f"it has marks of {', '.join(near)}, but nothing of these could be read: see what each needs" if near else ""
    found = suggestion(text)
    table = f"{found}; give it behind --columns, parted by commas" if found else ""
    return MisuseError(said, table or like or "`kdelta import --formats` lists what is read, and by what it is recognised")


def _marked(text: Text, reader: Reader) -> str:
    """Where one of its marks stands."""
    found = (line.number for line in text.lines for mark in reader.marks if mark in line.text)
    return f"line {next(found, text.first)}"
