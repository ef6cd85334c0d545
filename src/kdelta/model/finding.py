"""What a person would say of the verdicts: patterns in them, each with the verdicts on which it rests."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import msgspec

from kdelta.model.benchmark import Better
from kdelta.model.plan import BoxSpec
from kdelta.model.verdict import Agreement, Axis, Mean, Ratio, Side, Verdict


class Pattern(Enum):
    """What several verdicts say together."""

    UNMEASURED = "unmeasured"
    """Not one contrast has a value on both sides."""
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"
    """All of them are, or have no value."""
    MIXED = "mixed"
    GONE = "gone"
    """Where an earlier column is slower than the base, this one is equivalent to it or faster."""
    MOSTLY_GONE = "mostly gone"
    """Or at most half of that is left, by the bounds of both intervals, and it is faster than the earlier column."""
    PARTLY_GONE = "partly gone"
    NET = "net"
    """Two columns that differ on the whole, by their geometric mean."""
    ACROSS = "across"
    """The same contrasts on several boxes."""


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a slowdown: contrasts of a later column with the base, where the column `of` is slower than the base."""

    of: str
    gone: tuple[Verdict, ...]
    less: tuple[tuple[Verdict, Verdict], ...]
    """Faster than `of`, though neither equivalent to the base nor faster: that of `of`, and the later one."""
    worse: tuple[tuple[Verdict, Verdict], ...]
    """Slower than `of`, in the same way."""
    left: tuple[Verdict, ...]
    elsewhere: tuple[Verdict, ...]
    """Where the later column alone is slower."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to say. `margin` is the share within which the equivalent is. Without a box it is about several, or all."""

    pattern: Pattern
    axis: Axis
    margin: float
    box: BoxSpec | None = None
    base: str = ""
    news: tuple[str, ...] = ()
    """Names of the new sides: several where the same is said of each."""
    verdicts: tuple[Verdict, ...] = ()
    mean: Mean | None = None
    recovery: Recovery | None = None
    agreements: tuple[Agreement, ...] = ()


class Names(msgspec.Struct, frozen=True):
    """What the sides of a contrast are called among those of its axis, and the row that it is among those of the same sides."""

    base: str
    new: str
    row: str


def _variant(side: Side) -> str:
    return side.variant


def _benchmark(side: Side) -> str:
    return side.benchmark.name


def _place(side: Side) -> str:
    return f"{side.variant} on {side.box.name}"


# axis -> what a side is called by, and a row. All others compare variants, benchmark by benchmark.
NAMING: dict[Axis, tuple[Callable[[Side], str], Callable[[Side], str]]] = {
    Axis.LOADS: (_benchmark, _variant),
    Axis.BOXES: (_place, _benchmark),
}


def names(axis: Axis, verdict: Verdict) -> Names:
    side, row = NAMING.get(axis, (_variant, _benchmark))
    return Names(side(verdict.base), side(verdict.new), row(verdict.new))


def missing(verdict: Verdict) -> bool:
    """Whether a side failed, or was not measured: no number of rounds decides that."""
    return verdict.ratio is None and 0 in verdict.boots


def cost(ratio: Ratio, better: Better) -> Ratio:
    """`ratio` so that more is always worse: as it is, or the inverse where larger is better. 1.05 is 5 % slower."""
    if better is Better.SMALLER:
        return ratio
    value, low, high = (1.0 / bound if bound else float("inf") for bound in (ratio.value, ratio.high, ratio.low))
    return Ratio(value, low, high)
