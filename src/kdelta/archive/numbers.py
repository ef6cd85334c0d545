"""Numbers as people and programs print them: 1,234.5  13.K  115.  .90  -2.5  1.30478e+06."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from kdelta.archive.budget import spend
from kdelta.archive.text import Line
from kdelta.model.published import Number

SUFFIXES = {"": 1.0, "K": 1e3, "k": 1e3, "M": 1e6, "G": 1e9}
"""Of a number that was shortened: powers of ten."""

PLAIN = r"[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?"
"""What a number looks like, without a suffix: for the expressions of readers."""

_SHORT = 18
"""Most numbers are digits alone, and so few that they need no look at what else a number may be."""
_NUMBER = re.compile(rf"(?P<plain>{PLAIN})(?P<suffix>[KkMG]?)")
_COMMA = re.compile(r"[-+]?\d+,\d+")
_WORD = re.compile(rf"(?<![\w.,:/-])(?:{PLAIN})[KkMG]?(?!\w|[.,:/-]\w)")
_PARTS = re.compile(r"[-+]?(?P<digits>[\d,]*)(?:\.(?P<decimals>\d*))?(?:[eE](?P<exponent>[-+]?\d+))?")


def number(text: str, line: Line, at: int, factor: float = 1.0, *, comma: bool = False) -> Number:
    """The number that `text` is, `at` that place of `line` (from 0), times `factor`: that of its unit.

    With `comma` the comma is that of decimals: "3,742". Raises ValueError for what is no number, or none that a float can hold.
    """
    value, step = parsed(text, comma=comma)
    spend()
    return Number(text, value * factor, step * abs(factor), line.number, line.column(at))


def parsed(text: str, *, comma: bool = False) -> tuple[float, float]:
    """The value, and what one more of the last digit is."""
    if len(text) <= _SHORT and text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text), 10.0 ** -len(text.partition(".")[2])
    plain = text.replace(",", ".") if comma and _COMMA.fullmatch(text) else text
    match = _NUMBER.fullmatch(plain)
    if match is None:
        raise ValueError(f"no number: {text[:40]!r}")
    scale = SUFFIXES[match["suffix"]]
    value = float(match["plain"].replace(",", "")) * scale
    if not math.isfinite(value):
        raise ValueError(f"too large: {text[:40]!r}")
    return value, _step(match["plain"]) * scale


def numbers(line: Line, factor: float = 1.0, start: int = 0) -> Iterator[Number]:
    """Every number that stands for itself in the line from `start` on, no part of a word: not the 6 of 2.6.8-rc2 nor of ext6."""
    for match in _WORD.finditer(line.text, start):
        yield number(match.group(), line, match.start(), factor)


def exact(value: float, line: int = 0, column: int = 0, factor: float = 1.0) -> Number:
    """Of a file of data, in which all digits of a float stand."""
    if not math.isfinite(value):
        raise ValueError(f"no number: {value}")
    spend()
    return Number(repr(value), value * factor, 0.0, line, column)


def _step(plain: str) -> float:
    match = _PARTS.fullmatch(plain)
    if match is None:
        return 0.0
    exponent = int(match["exponent"] or 0) - len(match["decimals"] or "")
    return 10.0**exponent if -300 < exponent < 300 else 0.0
