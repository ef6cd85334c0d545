"""A text as readers see it: lines without quote marks and colours, each with its place in the source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import msgspec

_MARK = b"\xef\xbb\xbf"
_WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
"""Marks of the byte order, and what they say."""

MOST_LINES = 1 << 17
"""Of one text: `sources` refuses what has more."""
LONGEST = 1 << 16
"""Characters of a line that are read."""

_ENCODED = (b"quoted-printable", b"QUOTED-PRINTABLE", b"Quoted-Printable", b"base64", b"BASE64", b"Base64", b"\x1b")
"""In what does not say in plain words what it says."""

_QUOTED = re.compile(r" ?(?:> ?)+")
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_BLANKS = str.maketrans({"\xa0": " ", "\u2007": " ", "\u202f": " ", "\u2212": "-", "\v": " ", "\f": " "})
"""Blanks and minus signs that are not those of ASCII; one character each, so that columns stay."""
_ODD = re.compile("[\\xa0\\u2007\\u202f\\u2212\\v\\f]")


class Line(msgspec.Struct, frozen=True, gc=False):
    """`text` is what stands in line `number` of the source (from 1), without what quotes or colours it. `offset` characters of the
    source's line stand before it, `depth` is how often it is quoted. `cuts` are the places of `text`, from 0, before which a colour
    was cut out, with how many characters that took.
    """

    number: int
    text: str
    offset: int = 0
    depth: int = 0
    cuts: tuple[tuple[int, int], ...] = ()

    def column(self, at: int) -> int:
        """In the source, from 1, of the character `at` in `text`, from 0."""
        return self.offset + at + 1 + sum(length for place, length in self.cuts if place <= at)


class Decoded(msgspec.Struct, frozen=True, kw_only=True):
    """What is in a source: its lines, the same as bytes, and what a mail says of itself."""

    raw: bytes
    lines: tuple[Line, ...]
    subject: str = ""
    sender: str = ""
    date: str = ""
    message_id: str = ""


@dataclass(frozen=True)
class Text:
    """One mail, or the whole of another source, decoded when it is first looked at: most mails hold no results.

    `path` is the name by which it is known, "mail.txt" or "results/0/stats.json". `source` is as it came, `first` its first line
    in the file that it came from.
    """

    path: str
    source: bytes
    decode: Callable[[bytes, int], Decoded]
    first: int = 1

    @cached_property
    def decoded(self) -> Decoded:
        return self.decode(self.source, self.first)

    @property
    def lines(self) -> tuple[Line, ...]:
        return self.decoded.lines

    @property
    def subject(self) -> str:
        return self.decoded.subject

    @property
    def raw(self) -> bytes:
        """For readers of JSON and XML: a mail's as it was before it was encoded."""
        return self.decoded.raw

    @property
    def joined(self) -> str:
        """All lines as readers see them."""
        return "\n".join(line.text for line in self.lines)

    @property
    def last(self) -> int:
        """The number of the last line; that of the first where there is none."""
        return self.lines[-1].number if self.lines else self.first

    @property
    def cut(self) -> list[int]:
        """Lines that are longer than LONGEST, of which the rest is not read."""
        return [line.number for line in self.lines if len(line.text) == LONGEST]

    @cached_property
    def _is_plain(self) -> bool:
        """Whether what it says stands in `source` as it is."""
        return self.source.isascii() and not any(mark in self.source for mark in _ENCODED)

    @property
    def shown(self) -> bytes:
        """In which to look for marks: of most texts that is as they came, and they need not be decoded."""
        return self.source if self._is_plain else self.joined.encode("utf-8", "replace")

    def holds(self, mark: str) -> bool:
        """Whether `mark` stands in it."""
        return mark.encode() in self.shown


def text_of(path: str, raw: bytes) -> Text:
    """A text that is no mail, of UTF-8; what is none is replaced."""
    return Text(path, raw, _plain)


def _plain(raw: bytes, first: int) -> Decoded:
    """A line at a time: one odd character would make all of it four times as large."""
    if raw.startswith(tuple(_WIDE)):
        return Decoded(raw=raw, lines=tuple(lines_of(decoded(raw).split("\n", MOST_LINES), first)))
    pieces = raw.removeprefix(_MARK).split(b"\n", MOST_LINES)
    lines = lines_of((one[: 4 * LONGEST].decode("utf-8", "replace") for one in pieces), first)
    return Decoded(raw=raw, lines=tuple(lines))


def decoded(raw: bytes, charset: str = "utf-8") -> str:
    """Without the mark of the byte order, by which UTF-16 is known; what is not of `charset` is replaced."""
    for mark, name in _WIDE.items():
        if raw.startswith(mark):
            return raw[len(mark) :].decode(name, "replace")
    try:
        return raw.removeprefix(_MARK).decode(charset, "replace")
    except LookupError:
        return raw.decode("utf-8", "replace")


def lines_of(lines: Iterable[str], first: int = 1) -> Iterator[Line]:
    """Of the lines of a source, without their ends."""
    return (line(number, one) for number, one in enumerate(lines, first))


def line(number: int, source: str) -> Line:
    """What is quoted loses its marks, coloured text its colours, what was written over its first version."""
    text = source[:LONGEST].removesuffix("\r")
    start = text.rindex("\r") + 1 if "\r" in text else 0
    text = text[start:]
    colours = tuple(_COLOUR.finditer(text)) if "\x1b" in text else ()
    if colours:
        text = _COLOUR.sub("", text)
    if not text.isascii() or "\v" in text or "\f" in text:
        text = text.translate(_BLANKS) if _ODD.search(text) else text
    match = _QUOTED.match(text) if ">" in text[:2] else None
    quoted, depth = (match.end(), match.group().count(">")) if match else (0, 0)
    return Line(number, text[quoted:], start + quoted, depth, tuple(_cuts(colours, quoted)))


def _cuts(colours: Iterable[re.Match[str]], quoted: int) -> Iterator[tuple[int, int]]:
    """In the text that is left of a line, whose first `quoted` characters are marks."""
    gone = 0
    for colour in colours:
        length = len(colour.group())
        yield colour.start() - gone - quoted, length
        gone += length
