"""From what the user names to texts: files through what packed them, mails out of an mbox, folders, tar and zip."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from io import BufferedReader
from pathlib import Path

from kdelta.archive import tree
from kdelta.archive.mail import is_mail, mail_of
from kdelta.archive.text import MOST_LINES, Text, text_of
from kdelta.archive.tree import MOST_BYTES, Tree
from kdelta.model.errors import MisuseError
from kdelta.profile.readers.compressed import Unpacked

MOST_PACKED = 1 << 26
"""Bytes of a tar or a zip."""
MOST_MAIL = 1 << 22
"""Bytes of a mail in an mbox."""
CUT = b""
WHAT = "name a mail, a log, a folder of results, or what `kdelta export` wrote"
_ZIP, _TAR, _TAR_AT = b"PK\x03\x04", b"ustar", 257
_FROM = b"From "
_BETWEEN = b"\nFrom "

Tell = Callable[[str], None]
"""Gets what was passed over, in words."""


def texts(path: str, file: BufferedReader, tell: Tell) -> Iterator[Text | Tree]:
    """Of one file: itself, its mails one after the other, or what is packed in it."""
    unpacked = Unpacked(file)
    pieces = iter(unpacked)
    head = _at_least(pieces, 1024)
    if head.startswith(_FROM) and is_mail(head):
        yield from _mails(path, _before(head, pieces), tell)
    elif head.startswith(_ZIP):
        yield tree.of_zip(path, _whole(path, head, pieces, MOST_PACKED))
    elif head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        yield tree.of_tar(path, _whole(path, head, pieces, MOST_PACKED))
    else:
        yield one_text(path, _whole(path, head, pieces, MOST_BYTES))
    if unpacked.damage:
        raise MisuseError(f"{path} is damaged: {unpacked.damage}", "fetch it again: what comes behind the damage is not read")


def one_text(path: str, raw: bytes) -> Text:
    """A mail, or any other text. Raises MisuseError for what is none."""
    if b"\0" in raw[:4096] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise MisuseError(f"{path} is no text", "give a mail, a log, or what a benchmark printed")
    if raw.count(b"\n") > MOST_LINES:
        raise MisuseError(f"{path} has more than {MOST_LINES:,} lines", "no single text is read that has more: split it")
    return mail_of(path, raw) if is_mail(raw) else text_of(path, raw)


def of_path(path: Path, tell: Tell) -> Iterator[Text | Tree]:
    """A folder is a Tree: what is in it may belong together."""
    if path.is_dir():
        yield tree.of_folder(path)
        return
    try:
        with path.open("rb") as file:
            yield from texts(str(path), file, tell)
    except OSError as error:
        raise MisuseError(
            f"{path} cannot be read: {error.strerror or error}",
            "name a mail, a log, a folder of results, or what `kdelta export` wrote",
        ) from error


def _at_least(pieces: Iterator[bytes], size: int) -> bytes:
    head = b""
    while len(head) < size and (piece := next(pieces, b"")):
        head += piece
    return head


def _before(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from pieces


def _whole(path: str, head: bytes, pieces: Iterable[bytes], most: int) -> bytes:
    parts, size = [head], len(head)
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size > most:
            raise MisuseError(f"{path} has more than {most >> 20} MiB", "no single text is read that is longer: split it")
    return b"".join(parts)


def _mails(path: str, pieces: Iterator[bytes], tell: Tell) -> Iterator[Text]:
    """The mails of an mbox, in its order. One whose body was seen before is passed over: lists send a mail more than once."""
    seen = set[bytes]()
    for number, raw in _split(pieces):
        body = raw.partition(b"\n\n")[2]
        key = hashlib.blake2b(body, digest_size=16).digest()
        if raw == CUT or raw.count(b"\n") > MOST_LINES:
            tell(f"{path}: the mail at line {number} is longer than a mail can be, and not read")
        elif key not in seen:
            seen.add(key)
            yield mail_of(path, raw.partition(b"\n")[2], number + 1)


def _split(pieces: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Each mail from its line `From ` on, with that line's number; CUT in place of one that is longer than MOST_MAIL."""
    kept, number, lines = b"", 1, 0
    is_cut = False
    for piece in pieces:
        kept += piece
        *whole, kept = kept.split(_BETWEEN)
        for one in whole:
            lines += one.count(b"\n") + 1
            yield number, CUT if is_cut or len(one) > MOST_MAIL else _with_start(one) + b"\n"
            number, lines, is_cut = number + lines, 0, False
        if len(kept) > MOST_MAIL:
            is_cut = True
            lines += kept.count(b"\n", 0, -len(_BETWEEN))
            kept = kept[-len(_BETWEEN) :]
    if kept:
        yield number, CUT if is_cut else _with_start(kept)


def _with_start(mail: bytes) -> bytes:
    return mail if mail.startswith(_FROM) else _FROM + mail
