"""Lines of a text of any size and any content, at a bounded length and in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from kdelta.profile.readers.readout import holding

Source = BinaryIO | Iterable[bytes] | Iterable[str]
"""A stream; or its bytes, cut anywhere; or its lines, as str with or without their ends."""

LONGEST = 1 << 20
"""Bytes of a line that are read; the rest is left out."""

CHUNK = 1 << 20

_QUOTED = re.compile(r"(?:> ?)+")


def chunks(source: Source) -> Iterator[bytes]:
    """The bytes of `source`, about CHUNK at a time, at most twice that."""
    if hasattr(source, "read"):
        while piece := source.read(CHUNK):
            yield piece
        return
    parts, size = list[bytes](), 0
    for part in source:
        piece = part if isinstance(part, bytes) else part.removesuffix("\n").encode(errors="replace") + b"\n"
        for start in range(0, len(piece), CHUNK):
            parts.append(piece[start : start + CHUNK])
            size += len(parts[-1])
            if size >= CHUNK:
                yield b"".join(parts)
                parts, size = [], 0
    yield b"".join(parts)


class Lines:
    """The lines of `source`, once: as blocks of whole lines by `blocks`, or one by one by `each`.

    `cut` is how many were longer than LONGEST, `ended` whether the last one had its end.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.cut = 0
        self.ended = True

    def blocks(self) -> Iterator[bytes]:
        """Whole lines, about CHUNK of them at a time, ended by LF alone."""
        kept, skipping = b"", False
        for piece in chunks(self._source):
            first, end, rest = piece.partition(b"\n")
            if not skipping:
                kept += first
                skipping = len(kept) > LONGEST
                self.cut += skipping
                kept = kept[:LONGEST]
            if end:
                whole, last, rest = rest.rpartition(b"\n")
                yield _unix(kept + end + whole + last)
                kept, skipping = rest, False
        if kept:
            self.ended = skipping
            yield _unix(kept)

    def each(self) -> Iterator[str]:
        """Line by line, without their ends; what is no UTF-8 is replaced."""
        for block in self.blocks():
            lines = block.decode(errors="replace").split("\n")
            yield from lines if lines[-1] else lines[:-1]

    def doubts(self) -> tuple[str, ...]:
        said = {
            f"of {self.cut:,} longer lines only the first {LONGEST:,} bytes are read": self.cut,
            "the last line has no end: what it says may have been cut off": not self.ended,
        }
        return holding(said)


def _unix(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n") if b"\r" in text else text


def unquoted(line: str) -> str:
    """Without the marks of a mail that quotes it."""
    match = _QUOTED.match(line)
    return line[match.end() :] if match else line
