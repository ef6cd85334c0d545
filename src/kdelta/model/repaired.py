"""Averages of kernbench that were taken apart again, and what that changes."""

from __future__ import annotations

from enum import Enum

import msgspec

from kdelta.model.published import Entry, Number
from kdelta.model.verdict import Verdict


class Mended(Enum):
    """What became of one log."""

    ALONE = "one load: nothing is pooled"
    AS_PRINTED = "not pooled: it stands as printed"
    REPAIRED = "repaired"
    PARTLY = "repaired in part"
    IMPOSSIBLE = "cannot be repaired"
    UNKNOWN = "cannot be told"


class Repaired(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a later load. `entry` is it as printed, of `pooled` runs in all; `mean` and `sd` are of its `own` runs alone.

    `error` is how far the mean may be off, as its inputs were rounded, and the deviation lies between `least` and `most`. Where
    nothing could be recovered, mean and sd are None, and `reason` says why. `earlier` are the benchmarks that were in it too.
    """

    entry: Entry
    earlier: tuple[str, ...]
    mean: Number | None = None
    sd: Number | None = None
    error: float = 0.0
    least: float | None = None
    most: float | None = None
    own: int | None = None
    pooled: int | None = None
    reason: str = ""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One log of one kernel. `runs` are those of each of its `loads`, empty where that was not settled; `tried` are all that were.

    `line` is that of its first number. `rows` are those that were pooled, or may be: what is not in them stands as printed.
    """

    variant: str
    box: str
    line: int
    loads: tuple[str, ...]
    verdict: Mended
    reason: str = ""
    runs: tuple[int, ...] = ()
    tried: tuple[tuple[int, ...], ...] = ()
    rows: tuple[Repaired, ...] = ()


class Conclusion(msgspec.Struct, frozen=True):
    """One contrast as the printed figures have it, and as the repaired ones do."""

    printed: Verdict
    repaired: Verdict

    @property
    def is_other(self) -> bool:
        """Whether the answer changes."""
        return self.printed.answer is not self.repaired.answer
