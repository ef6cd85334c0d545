"""What a difference of profiles is made of."""

from __future__ import annotations

import math

import msgspec

from kdelta.model.profile import INSTRUCTIONS


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One function: counts per unit of work before and after; None where that side has no such function.

    `low`..`high` is the interval of the difference, NaN where nothing is known of it. `q` is p adjusted for all functions
    that were tested (Benjamini-Hochberg), NaN for one that was not. `real`: beyond noise.
    """

    name: str
    old: float | None
    new: float | None
    low: float = math.nan
    high: float = math.nan
    q: float = math.nan
    real: bool = False

    @property
    def delta(self) -> float:
        return (self.new or 0.0) - (self.old or 0.0)

    @property
    def percent(self) -> float | None:
        """Of the old count; None for a function that is new."""
        return 100.0 * self.delta / self.old if self.old else None


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """The profiles of one variant: counts by function, one mapping for each boot, visit or file.

    `work` is what each of them stands for (operations, builds, seconds); empty where that is not known.
    """

    name: str
    counts: tuple[dict[str, int], ...]
    work: tuple[float, ...] = ()
    unit: str = INSTRUCTIONS


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """All functions of either side, what grew most first; those that idle apart from the others.

    `per` is what the counts are per: "operation", or where the work is unknown "old profile". `profiles` is how many the
    old and the new side have. `level` is that of q up to which a change is real; intervals hold with 1 - `level`.
    """

    old: str
    new: str
    changes: tuple[Change, ...]
    idle: tuple[Change, ...] = ()
    unit: str = INSTRUCTIONS
    per: str = "operation"
    profiles: tuple[int, int] = (1, 1)
    level: float = 0.05
    doubts: tuple[str, ...] = ()

    @property
    def total(self) -> Change:
        """Of all functions that work: no idle time."""
        return total("total", self.changes)


def total(name: str, changes: tuple[Change, ...] | list[Change]) -> Change:
    """The sum of `changes`, of whose interval nothing is known."""
    return Change(name=name, old=math.fsum(c.old or 0.0 for c in changes), new=math.fsum(c.new or 0.0 for c in changes))
