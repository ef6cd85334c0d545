"""Files of JSON: decoded by type, with the place of every number that is asked for."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TypeVar

import msgspec
import numpy as np

from kdelta.archive.budget import spend
from kdelta.archive.text import Text
from kdelta.model.published import Block, Number, Remark

MOST_BYTES, MOST_VALUES = 6 << 20, 1 << 18
"""Of what is decoded: in memory it is several times as long."""

_NUMBER = re.compile(rb"-?\d{1,400}(?:\.\d{1,400})?(?:[eE][-+]?\d{1,4})?")
_START = re.compile(rb"^[ \t]*[{\[]", re.MULTILINE)
_INNER = re.compile(rb"[\x80-\xbf]")
"""Bytes of a character but its first: they make no column."""

_NOT_JSON = re.compile(rb"(?<=[:,\[\s])(?:NaN|-?Infinity)(?=[,\]}\s])")
NAN = b'"a"'
"""What NaN is decoded as."""
NULL = msgspec.Raw(b"null")
"""What a field is that is not there."""

T = TypeVar("T")


class Json:
    """The one object or list that `text` holds; lines above it and behind it are passed over.

    What is a `msgspec.Raw` in the type that is decoded stays as it is printed: `number` finds its place by its address.
    """

    def __init__(self, text: Text) -> None:
        self._text = text
        match = _START.search(text.raw)
        self._start = match.end() - 1 if match else len(text.raw)
        end = max(text.raw.rfind(b"}"), text.raw.rfind(b"]")) + 1
        self._data = text.raw[self._start : max(end, self._start)]
        self._address = _address(self._data) if self._data else 0
        self._breaks: list[int] = []
        self._inner: list[int] = []

    @property
    def too_long(self) -> bool:
        return len(self._data) > MOST_BYTES or self._data.count(b",") > MOST_VALUES

    def decode(self, kind: type[T]) -> T | None:
        """None for what is too long, no JSON, cut, or of another shape."""
        if self.too_long:
            return None
        found = _decoded(self._data, kind)
        if found is None and _NOT_JSON.search(self._data):
            # Python writes NaN and Infinity, which are no JSON: as strings of the same length they move nothing.
            self._data = _NOT_JSON.sub(lambda match: b'"%b"' % match[0][1:-1], self._data)
            self._address = _address(self._data)
            found = _decoded(self._data, kind)
        return found

    def refusal(self, name: str) -> Block:
        """What is said of a file that is too long for the reader `name`."""
        said = f"JSON of more than {MOST_BYTES >> 20} MiB, or {MOST_VALUES:,} values, is not read: split it"
        return Block(format=name, first=self._text.first, last=self._text.last, remarks=(Remark(self._text.first, said),))

    def number(self, raw: msgspec.Raw, factor: float = 1.0) -> Number | None:
        """What `raw` is, times `factor`; None where it is no number, or none that a float can hold. All its digits are printed."""
        said = bytes(raw)
        if not _NUMBER.fullmatch(said):
            return None
        value = float(said)
        if value in (float("inf"), float("-inf")):
            return None
        line, column = self.place(raw)
        spend()
        return Number(said.decode(), value * factor, 0.0, line, column)

    def place(self, raw: msgspec.Raw) -> tuple[int, int]:
        """Line and column in the source, of what `raw` is."""
        at = self._start + _address(raw) - self._address
        whole = self._text.raw
        if not self._breaks:
            self._breaks = [-1, *(match.start() for match in re.finditer(b"\n", whole))]
            self._inner = [match.start() for match in _INNER.finditer(whole)]
        row = bisect_right(self._breaks, at - 1) - 1
        start = self._breaks[row] + 1
        column = at - start - (bisect_left(self._inner, at) - bisect_left(self._inner, start))
        lines = self._text.lines
        return (lines[row].number, lines[row].column(column)) if row < len(lines) else (0, 0)


def _decoded(data: bytes, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def words(raw: msgspec.Raw) -> str:
    """As it is printed, without the quotes of a string; empty for null and what is not there."""
    said = bytes(raw).decode("utf-8", "replace")
    if said.startswith('"'):
        try:
            return str(msgspec.json.decode(said))
        except msgspec.MsgspecError:
            return said
    return "" if said == "null" else said


def _address(of: bytes | msgspec.Raw) -> int:
    return int(np.frombuffer(of, np.uint8).__array_interface__["data"][0])
