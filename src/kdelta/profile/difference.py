"""Profiles per operation, and the difference of two."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from kdelta.model.sample import Profile

# What GCC and Clang put behind the name of a copy or a part of a function.
CLONE = re.compile(r"(?P<base>[^.\s]\S*?)(?:\.(?:isra|constprop|part|cold|llvm)(?:\.\d+)*)+(?P<module> \[.*\])?")


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One function: instructions per operation before and after; None where that side has no such function."""

    name: str
    old: float | None
    new: float | None

    @property
    def delta(self) -> float:
        return (self.new or 0.0) - (self.old or 0.0)

    @property
    def percent(self) -> float | None:
        """Of the old count; None for a function that is new."""
        return 100.0 * self.delta / self.old if self.old else None


def per_operation(profiles: Sequence[Profile], keep_clones: bool = False) -> dict[str, float]:
    """Mean instructions per operation of each function, over all loops: sums stay sums, which medians would not.

    Clones of a function (.isra, .constprop, .part, .cold) are joined under its name unless `keep_clones`.
    """
    sums: dict[str, float] = {}
    for profile in profiles:
        for name, count in profile.counts.items():
            key = name if keep_clones else base_name(name)
            sums[key] = sums.get(key, 0.0) + count / profile.operations
    return {name: total / len(profiles) for name, total in sums.items()}


def base_name(name: str) -> str:
    """The function of which `name` is a clone, its module kept; `name` itself where it is none."""
    match = CLONE.fullmatch(name)
    return match["base"] + (match["module"] or "") if match else name


def difference(old: dict[str, float], new: dict[str, float]) -> list[Change]:
    """Every function of either side, what grew most first; ties in the order of their names."""
    changes = [Change(name=name, old=old.get(name), new=new.get(name)) for name in old.keys() | new.keys()]
    return sorted(changes, key=lambda change: (-change.delta, change.name))
