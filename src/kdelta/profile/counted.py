"""Two sides as arrays: one column for each function of either, one row for each profile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kdelta.model.errors import MisuseError
from kdelta.profile.change import Side
from kdelta.profile.clones import base_name

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

MOST = 2**53
"""Of all counts of a profile: up to there floating point counts one by one."""


@dataclass(frozen=True)
class Counted:
    """`old` and `new` have the shape (profiles, functions), `in_old` and `in_new` say which functions a side has at all."""

    names: tuple[str, ...]
    old: Counts
    new: Counts
    in_old: Flags
    in_new: Flags

    def only(self, columns: Flags) -> Counted:
        """Of the functions in `columns`."""
        names = tuple(name for name, wanted in zip(self.names, columns, strict=True) if wanted)
        return Counted(names, self.old[:, columns], self.new[:, columns], self.in_old[columns], self.in_new[columns])


def counted(old: Side, new: Side, keep_clones: bool = False) -> Counted:
    """Clones of a function are one column, that of its name, unless `keep_clones`.

    Raises MisuseError where a side has no profiles, or what they count or stand for cannot be.
    """
    for side in (old, new):
        _check(side)
    called = {name: name for side in (old, new) for name in set().union(*side.counts)}
    if not keep_clones:
        called |= {name: base_name(name) for name in called if "." in name}
    names = tuple(sorted(set(called.values())))
    column = {name: place for place, name in enumerate(names)}
    place = {name: column[shown] for name, shown in called.items()}
    sides = [_rows(side.counts, place, len(names)) for side in (old, new)]
    return Counted(names, sides[0][0], sides[1][0], sides[0][1], sides[1][1])


def _rows(profiles: Sequence[dict[str, int]], place: dict[str, int], columns: int) -> tuple[Counts, Flags]:
    counts, has = np.zeros((len(profiles), columns), dtype=np.int64), np.zeros(columns, dtype=np.bool_)
    for row, profile in zip(counts, profiles, strict=True):
        where = np.fromiter(map(place.__getitem__, profile), np.intp, len(profile))
        has[where] = True
        np.add.at(row, where, np.fromiter(profile.values(), np.int64, len(profile)))
    return counts, has


def _check(side: Side) -> None:
    for trouble in _troubles(side):
        raise MisuseError(f"the profiles of {side.name} cannot be compared: {trouble}", "leave that profile out, or take it again")


def _troubles(side: Side) -> Iterator[str]:
    if not side.counts:
        yield "there are none"
    if side.work and len(side.work) != len(side.counts):
        yield f"{len(side.counts)} profiles stand for {len(side.work)} amounts of work"
    if not all(0.0 < work < np.inf for work in side.work):
        yield "one stands for no work"
    for number, profile in enumerate(side.counts, 1):
        if min(profile.values(), default=0) < 0:
            yield f"profile {number} has a count below 0"
        elif sum(profile.values()) > MOST:
            yield f"profile {number} counts more than {MOST}"
