"""Which readers a text may be of: their marks, looked for all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import ahocorasick

from kdelta.archive.reader import Reader
from kdelta.archive.text import Text


def fitting(text: Text, readers: Sequence[Reader]) -> Iterator[Reader]:
    """Those of `readers`, in their order, of which a mark stands in `text`; an empty mark stands in every text."""
    found = _found(_automaton(tuple(readers)), text.shown)
    return (reader for place, reader in enumerate(readers) if place in found or "" in reader.marks)


@lru_cache(maxsize=8)
def _automaton(readers: tuple[Reader, ...]) -> ahocorasick.Automaton:
    """Of marks as bytes, a character each. Source: Aho & Corasick, Communications of the ACM 18 (1975)."""
    places: dict[str, set[int]] = {}
    for place, reader in enumerate(readers):
        for mark in filter(None, reader.marks):
            places.setdefault(mark.encode().decode("latin-1"), set()).add(place)
    automaton = ahocorasick.Automaton()
    for mark, of in places.items():
        automaton.add_word(mark, frozenset(of))
    automaton.make_automaton()
    return automaton


def _found(automaton: ahocorasick.Automaton, shown: bytes) -> set[int]:
    """Places of readers with a mark in it."""
    return set().union(*{of for _, of in automaton.iter(shown.decode("latin-1"))}) if len(automaton) else set()
