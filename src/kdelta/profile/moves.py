"""What work that moved from some functions to others is made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import Enum

import msgspec

from kdelta.profile.change import Change

ARROW, AND = " -> ", " + "


class Kind(Enum):
    """What became of the old functions. The caller that one was inlined into, or came out of, is on both sides."""

    RENAMED = "renamed"
    SPLIT = "split"
    MERGED = "merged"
    INLINED = "inlined"
    OUT_OF_LINE = "out of line"


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Why it is believed, each from 0 to 1.

    `name`: how alike the names are. `neighbours`: how far callers and callees agree, or what share of the callees moved along; NaN
    without call chains. `conserved`: the lesser of what was lost and what was gained / the greater.
    """

    name: float
    neighbours: float = math.nan
    conserved: float


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """Work that left the functions `old` and was found in `new`, with the changes of all of them.

    On either side the one with most is first, or the one that is on both sides; that has one change.
    """

    kind: Kind
    old: tuple[str, ...]
    new: tuple[str, ...]
    parts: tuple[Change, ...]
    evidence: Evidence

    @property
    def name(self) -> str:
        """As the change is called that takes their place: "kmem_cache_alloc -> kmem_cache_alloc_noprof"."""
        return AND.join(self.old) + ARROW + AND.join(self.new)

    @property
    def whole(self) -> Change:
        return together(self.name, self.parts)

    @property
    def moved(self) -> float:
        """How much went from one to the other, the greater of what was lost and what was gained."""
        return max(flows(self.parts))

    def says(self) -> str:
        percent = self.whole.percent
        return f"{self.name}, {'new' if percent is None else f'{percent:+.1f}%'} after folding"


def together(name: str, parts: Sequence[Change]) -> Change:
    """One change for `parts`: their sums, in an interval from the sum of the lower ends to that of the upper ones.

    That is at least as wide as it should be, however the parts depend on each other. `real` where it does not hold 0; the sum was
    not tested itself, and has no `q`.
    """
    low, high = sum(part.low for part in parts), sum(part.high for part in parts)
    old, new = _sum(part.old for part in parts), _sum(part.new for part in parts)
    return Change(name=name, old=old, new=new, low=low, high=high, real=low > 0.0 or high < 0.0)


def flows(parts: Iterable[Change]) -> tuple[float, float]:
    """What those that shrank lost, and what those that grew gained."""
    deltas = [part.delta for part in parts]
    return math.fsum(-delta for delta in deltas if delta < 0.0), math.fsum(delta for delta in deltas if delta > 0.0)


def _sum(counts: Iterable[float | None]) -> float | None:
    known = [count for count in counts if count is not None]
    return math.fsum(known) if known else None
