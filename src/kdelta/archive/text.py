"""A text as readers see it: lines without quote marks and colours, each with its place in the source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

LONGEST = 1 << 16
"""Characters of a line that are read."""

_QUOTED = re.compile(r" ?(?:> ?)+")
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_BLANKS = str.maketrans({"\xa0": " ", "\u2007": " ", "\u202f": " ", "\u2212": "-", "\v": " ", "\f": " "})
"""Blanks and minus signs that are not those of ASCII; one character each, so that columns stay."""
_ODD = re.compile("[\\xa0\\u2007\\u202f\\u2212\\v\\f]")


class Line(msgspec.Struct, frozen=True, gc=False):
    """`text` is what stands in line `number` of the source (from 1), without what quotes or colours it. `offset` characters of the
    source's line stand before it, `depth` is how often it is quoted.
    """

    number: int
    text: str
    offset: int = 0
    depth: int = 0

    def column(self, at: int) -> int:
        """In the source, from 1, of the character `at` in `text`, from 0."""
        return self.offset + at + 1


@dataclass(frozen=True)
class Text:
    """One mail, or the whole of another source. `raw` is it as bytes, for readers of JSON and XML, decoded where a mail encoded it.

    `path` is the name by which it is known, "mail.txt" or "results/0/stats.json". `first` is its first line in the source.
    """

    path: str
    raw: bytes
    lines: tuple[Line, ...]
    first: int = 1
    subject: str = ""
    sender: str = ""
    date: str = ""
    message_id: str = ""
    cut: tuple[int, ...] = field(default=())
    """Lines that are longer than LONGEST, of which the rest is not read."""

    @cached_property
    def joined(self) -> str:
        """All lines, for what looks for a mark."""
        return "\n".join(line.text for line in self.lines)

    @property
    def last(self) -> int:
        """The number of the last line; that of the first where there is none."""
        return self.lines[-1].number if self.lines else self.first


def text_of(path: str, raw: bytes) -> Text:
    """A text that is no mail, of UTF-8; what is none is replaced."""
    lines = tuple(lines_of(decoded(raw).split("\n")))
    return Text(path, raw, lines, cut=tuple(line.number for line in lines if len(line.text) == LONGEST))


def decoded(raw: bytes, charset: str = "utf-8") -> str:
    """Without the mark of the byte order, by which UTF-16 is known; what is not of `charset` is replaced."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if raw.startswith(mark):
            return raw[len(mark) :].decode(name, "replace")
    try:
        return raw.decode(charset, "replace")
    except LookupError:
        return raw.decode("utf-8", "replace")


def lines_of(lines: Iterable[str], first: int = 1) -> Iterator[Line]:
    """Of the lines of a source, without their ends."""
    return (line(number, one) for number, one in enumerate(lines, first))


def line(number: int, source: str) -> Line:
    """What is quoted loses its marks, coloured text its colours: columns behind a colour count without it."""
    text = source[:LONGEST].removesuffix("\r")
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if "\r" in text:  # a line of progress that was written over
        text = text.rpartition("\r")[2]
    if not text.isascii() or "\v" in text or "\f" in text:
        text = text.translate(_BLANKS) if _ODD.search(text) else text
    match = _QUOTED.match(text) if ">" in text[:2] else None
    if match is None:
        return Line(number, text)
    return Line(number, text[match.end() :], match.end(), match.group().count(">"))
