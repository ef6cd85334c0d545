"""Profiles per operation, and the difference of two."""

from __future__ import annotations

from collections.abc import Sequence

from kdelta.model.profile import Profile
from kdelta.profile.change import Change
from kdelta.profile.clones import base_name


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


def difference(old: dict[str, float], new: dict[str, float]) -> list[Change]:
    """Every function of either side, what grew most first; ties in the order of their names."""
    changes = [Change(name=name, old=old.get(name), new=new.get(name)) for name in old.keys() | new.keys()]
    return sorted(changes, key=lambda change: (-change.delta, change.name))
