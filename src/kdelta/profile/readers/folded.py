"""The reader of folded call chains: `outer;caller;inner 12` on a line, or with two counts the old and the new one.

Source: FlameGraph's stackcollapse-*.pl and difffolded.pl. Frames stay as they are; `_[k]`, which some of these programs append to
functions of the kernel, is taken off, and what has no such mark in that text is of a program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kdelta.model.profile import SEPARATOR
from kdelta.profile.readers import naming
from kdelta.profile.readers.lines import Lines, Source
from kdelta.profile.readers.readout import Reading, holding
from kdelta.profile.readers.tally import Tally, renamed

FORMAT = "folded"

_NUMBER = re.compile(r"\d{1,15}(?:\.0+)?")
_KERNEL = "_[k]"

LEAST = 0.9
"""Of the lines that are looked at: a text of folded chains has hardly any others."""


def recognises(lines: Sequence[str]) -> bool:
    """Whether nearly all lines end in a count."""
    texts = [line for line in lines if line.strip() and not line.startswith("#")]
    return bool(texts) and sum(_split(line) is not None for line in texts) >= LEAST * len(texts)


def _split(line: str) -> tuple[str, int] | None:
    """What stands in front of the last blank, and the number behind it."""
    parts = line.rsplit(None, 1)
    if len(parts) < 2 or not _NUMBER.fullmatch(parts[1]):
        return None
    return naming.printable(parts[0].strip()), int(parts[1].partition(".")[0])


def read(source: Source) -> Reading:
    """The chains. Where each line has two counts, they are those of two profiles: `before` and `stacks`."""
    lines, chains = Lines(source), _Chains()
    for line in lines.each():
        chains.add(line)
    return chains.reading(lines)


class _Chains:
    """The chains met, as if lines had one count, and as if they had two, which the last line decides."""

    def __init__(self) -> None:
        self._one, self._old, self._new = Tally(), Tally(), Tally()
        self._two = True
        self._other = 0
        self._example = ""

    def add(self, line: str) -> None:
        if not line.strip() or line.startswith("#"):
            return
        found = _split(line)
        if found is None:
            self._other += 1
            self._example = self._example or naming.printable(line[:60])
            return
        self._one.add(*found)
        first = _split(found[0]) if self._two else None
        if first is None:
            self._two = False
            self._old, self._new = Tally(), Tally()
        else:
            self._old.add(*first)
            self._new.add(first[0], found[1])

    def reading(self, lines: Lines) -> Reading:
        sides = (self._old, self._new) if self._two else (Tally(), self._one)
        old, new = (_named(side.result()) for side in sides)
        said = {
            f"lines left out, as they end in no whole count: {self._other:,}, such as '{self._example}'": self._other,
            "functions without the mark _[k] are those of programs": any(_KERNEL in chain for chain in sides[1].counts),
        }
        doubts = holding(said)
        return Reading(
            format=FORMAT,
            before={chain: count for chain, count in old.items() if count},
            stacks={chain: count for chain, count in new.items() if count},
            samples=sum(new.values()),
            doubts=(*doubts, *sides[1].doubts(), *lines.doubts()),
        )


def _named(counts: dict[str, int]) -> dict[str, int]:
    marked = any(_KERNEL in chain for chain in counts)
    return renamed(counts, _unmarked) if marked else counts


def _unmarked(chain: str) -> str:
    return SEPARATOR.join(
        name.removesuffix(_KERNEL) if name.endswith(_KERNEL) or naming.place_of(name) else name + naming.NOWHERE
        for name in chain.split(SEPARATOR)
    )
