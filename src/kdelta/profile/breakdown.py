"""The values of an account: what the change of a benchmark is made of."""

from __future__ import annotations

import math

import msgspec


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One contribution to the change, positive where the new side takes more, within `low`..`high`; NaN where nothing is known.

    `functions` is how many it is the sum of.
    """

    name: str
    amount: float
    low: float = math.nan
    high: float = math.nan
    functions: int = 1


class Breakdown(msgspec.Struct, frozen=True, kw_only=True):
    """The change taken apart: `items` + `rest` + `within_noise` + `outside` are `change`.

    `items` are the contributions beyond noise, largest first whatever their sign, `rest` those for which there was no room.
    `within_noise` is of functions that are not shown to have changed, and `outside` what the profiles did not see of the benchmark.
    `grown` and `shrunk` are the sums of all contributions of either sign.
    """

    change: float
    items: tuple[Item, ...]
    rest: Item
    within_noise: Item
    outside: float
    grown: float
    shrunk: float

    @property
    def explained(self) -> float:
        return self.grown + self.shrunk

    @property
    def unexplained(self) -> float:
        return self.within_noise.amount + self.outside

    @property
    def share(self) -> float | None:
        """Explained, from 0 to 1: 1 - (|within noise| + |outside|) / |change|, and 0 where that is less; None for no change.

        The measure is the net change. Against the sum of all contributions two large ones that cancel would hide that nothing of a
        small change is explained; and what is within noise cannot make up for what is outside.
        """
        if not self.change:
            return None
        return max(0.0, 1.0 - (abs(self.within_noise.amount) + abs(self.outside)) / abs(self.change))


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark's change per operation from `old` to `new`, in instructions or in seconds, taken apart twice.

    `low`..`high` is the interval of the change, NaN where it is not known. Where not `judged` nothing is known of chance, and all
    changes of functions are contributions.
    """

    old: float
    new: float
    unit: str
    low: float
    high: float
    functions: Breakdown
    subsystems: Breakdown
    judged: bool
    doubts: tuple[str, ...] = ()

    @property
    def change(self) -> float:
        return self.new - self.old

    @property
    def within_noise(self) -> bool:
        """Whether the benchmark itself is not shown to have changed, so that there is nothing to explain."""
        return self.low <= 0.0 <= self.high
