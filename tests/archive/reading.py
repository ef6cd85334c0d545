"""Texts for readers, and what tests ask of the blocks that come back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from kdelta.archive.budget import budget
from kdelta.archive.reader import Reader
from kdelta.archive.reading import digest, numbers
from kdelta.archive.sources import one_text
from kdelta.archive.text import Text
from kdelta.judge.claims import check
from kdelta.model.errors import MisuseError
from kdelta.model.published import Block, Entry

TEXTS = Path(__file__).parent / "texts"
"""Files in the shapes that people and programs print, with figures that were published."""


def text(written: str, path: str = "text") -> Text:
    return one_text(path, written.encode())


def stored(name: str) -> Text:
    return one_text(name, (TEXTS / name).read_bytes())


def blocks(reader: Reader, of: Text | str) -> list[Block]:
    """As `archive.reading` asks: a text without a mark of the reader's is not read by it."""
    found = text(of) if isinstance(of, str) else of
    return list(reader.read(found)) if any(map(found.holds, reader.marks)) else []


def entries(found: Iterable[Block], **wanted: str) -> list[Entry]:
    """Those whose fields are as `wanted`: variant="2.6.7", metric="elapsed_s"."""
    every = [entry for block in found for entry in block.entries]
    return [one for one in every if all(getattr(one, name) == value for name, value in wanted.items())]


def figures(found: Sequence[Entry], name: str = "mean") -> list[float]:
    return [one.figures[name].value for one in found]


def samples(entry: Entry) -> list[float]:
    return [one.value for one in entry.samples]


def require_sane(reader: Reader, data: bytes) -> None:
    """Whatever `data` is: the only error is that of a text that is refused, and numbers are finite and lie within it."""
    try:
        found = one_text("any", data)
        with budget("any"):
            given = list(reader.read(found))
    except MisuseError:
        return
    for block in given:
        assert digest(block)
        assert 0 <= block.first <= block.last + 1
        for number in numbers(block):
            assert math.isfinite(number.value)
            assert number.text
            assert 0 <= number.line <= found.last
        check(block)
