"""How alike the names of two functions are, by the words they are made of."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from kdelta.profile.clones import base_name
from kdelta.profile.leaves import parted

SAME = {
    # struct page became struct folio bit by bit, from 5.16 on.
    "pages": "page", "folio": "page", "folios": "page",
    "release": "put", "drop": "put", "want": "get", "state": "stat", "stats": "stat", "ptes": "pte", "pmds": "pmd",
}  # fmt: skip
"""Words that took each other's place in names of the kernel."""

FAMILY = frozenset(
    (
        # Allocation profiling put the first behind the names of allocators in 6.10.
        *("noprof", "batch", "fn", "refs"),
        # The forms of x86's memory and string functions, of which one is chosen at boot.
        *("orig", "erms", "rep", "unrolled", "string", "fast"),
        # The layers of a system call.
        *("x64", "ia32", "se", "compat"),
    )
)
"""Words that tell variants of a function apart."""
LITTLE = 0.25
"""What such a word weighs beside another, and a number."""
VARIANT = 0.9
"""The least likeness of names that differ in such words alone."""

WRAPPERS = frozenset({"do", "_", "__", "___", "____"})
BESIDE = 0.6
"""f(), __f() and do_f() often live side by side, one calling the other: being alike but for that says no more than this."""

UNDERSCORES = re.compile(r"_+")


class Likeness:
    """Compares names of one pair of profiles, in which a word that many names have says little."""

    def __init__(self, names: Iterable[str]) -> None:
        self._words = {name: frozenset(_words(name)) for name in names}
        self._met: dict[str, int] = {}
        for words in self._words.values():
            for word in words:
                self._met[word] = self._met.get(word, 0) + 1

    def __call__(self, old: str, new: str) -> float:
        """From 0 to 1: the weight of the words in common / that of all. More where one name only adds words to the other.

        0 where their modules differ, unless it is one name that moved from a module into the kernel, or out of it.
        """
        (base, place), (other, elsewhere) = parted(old), parted(new)
        if place != elsewhere:
            return 1.0 if base == other and "" in (place, elsewhere) else 0.0
        ours, theirs = self._words[old], self._words[new]
        if ours ^ theirs and ours ^ theirs <= WRAPPERS:
            return BESIDE
        alike = self._weight(ours & theirs) / self._weight(ours | theirs)
        if not any(map(_tells, ours ^ theirs)):
            return max(alike, VARIANT)
        added = not (_strong(ours) - theirs and _strong(theirs) - ours)
        return (1.0 + 2.0 * alike) / 3.0 if added and _strong(ours & theirs) else alike

    def _weight(self, words: Iterable[str]) -> float:
        return math.fsum(self._each(word) for word in words)

    def _each(self, word: str) -> float:
        rare = math.log1p(len(self._words) / self._met[word])
        return rare if _tells(word) else LITTLE * rare


def _words(name: str) -> Iterator[str]:
    base = parted(base_name(name))[0]
    if match := UNDERSCORES.match(base):
        yield match[0]
    yield from (SAME.get(word, word) for word in UNDERSCORES.split(base) if word)


def _strong(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if _tells(word) and word not in WRAPPERS)


def _tells(word: str) -> bool:
    return word not in FAMILY and not word.isdigit()
