"""What a search for moved functions goes by: which may have moved, and what is around them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from kdelta.profile.change import Change, Difference
from kdelta.profile.clones import base_name
from kdelta.profile.leaves import of_program
from kdelta.profile.likeness import Likeness
from kdelta.profile.moves import flows
from kdelta.profile.neighbours import Around, Chain, agreement, around, by_base_name, several

NEARLY = 0.2
"""A function is gone that has no more than this of what it had, and new the other way round: a wrapper may be left of it."""
FLOOR = 5e-4
"""Of the total of the larger side: who lost or gained less is no part of a move."""
MOST = 300
"""Functions gone, and new, that are looked at: the largest."""
LARGEST = 0.6
"""The share that one of several functions must have of what all of them lost or gained: else it could be any of them."""


@dataclass(frozen=True)
class Side:
    """The chains of one side, and how much of a unit of work one of their counts is."""

    chains: list[Chain]
    scale: float


@dataclass(frozen=True)
class Suspects:
    """The changes that may be part of a move, and the functions among them that are gone and that are new, the largest first.

    `sides` are the old and the new one, empty without chains.
    """

    changes: dict[str, Change]
    gone: tuple[str, ...]
    come: tuple[str, ...]
    likeness: Likeness
    sides: tuple[Side, ...]

    def conserved(self, names: Iterable[str]) -> float:
        """The lesser of what these functions lost and gained / the greater."""
        lost, gained = flows(self.changes[name] for name in names)
        return min(lost, gained) / max(lost, gained)

    def largest(self, names: Iterable[str]) -> str | None:
        """The one that most of what they all lost or gained is of."""
        sizes = {name: abs(self.changes[name].delta) for name in names}
        largest = max(sizes, key=lambda name: (sizes[name], name), default=None)
        return largest if largest is not None and sizes[largest] >= LARGEST * math.fsum(sizes.values()) else None

    @cached_property
    def staying(self) -> frozenset[str]:
        """The base names of all functions in the chains of both sides that are neither gone nor new."""
        both = [{name for names, _ in side.chains for name in names} for side in self.sides]
        return frozenset(set.intersection(*both) - set(map(base_name, (*self.gone, *self.come)))) if both else frozenset()


class Views:
    """What is around the functions that are gone and new, `names` being what the two sides call one function that was renamed."""

    def __init__(self, suspects: Suspects, names: Mapping[str, str]) -> None:
        self.suspects = suspects
        known = {name: name for name in suspects.staying} | {base_name(name): common for name, common in names.items()}
        subjects = suspects.gone, suspects.come
        self._around = [
            around(side.chains, set(map(base_name, functions)), known)
            for side, functions in zip(suspects.sides, subjects, strict=False)
        ]

    def agreement(self, old: str, new: str) -> float:
        """Of a function that is gone and a new one; NaN without chains."""
        if not self._around:
            return math.nan
        return agreement(self._around[0][base_name(old)], self._around[1][base_name(new)])

    def several(self, old: str, new: str) -> bool:
        """Whether both have several callers in common; there are chains."""
        return several(self._around[0][base_name(old)], self._around[1][base_name(new)])

    def caller(self, name: str) -> str | None:
        """The main caller of a function that is gone or new, if it has one and there are chains."""
        found = (side[base_name(name)] for side in self._around if base_name(name) in side)
        return next(found, Around()).main_caller()


def suspects(difference: Difference, old: Mapping[str, int] | None, new: Mapping[str, int] | None) -> Suspects:
    """Where noise is known, changes beyond it alone may be part of a move; code of programs never is."""
    noise_known = any(not math.isnan(change.q) for change in difference.changes)
    floor = FLOOR * max(difference.total.old or 0.0, difference.total.new or 0.0)
    changes = {
        change.name: change
        for change in difference.changes
        if abs(change.delta) > floor and (change.real or not noise_known) and not _no_function(change.name)
    }
    gone = [change for change in changes.values() if (change.new or 0.0) <= NEARLY * (change.old or 0.0)]
    come = [change for change in changes.values() if (change.old or 0.0) <= NEARLY * (change.new or 0.0)]
    sides = (_side(difference, old, "old"), _side(difference, new, "new")) if old and new else ()
    return Suspects(changes, _largest(gone), _largest(come), Likeness(change.name for change in difference.changes), sides)


def _no_function(name: str) -> bool:
    return name.startswith("[") or of_program(name)


def _largest(changes: Iterable[Change]) -> tuple[str, ...]:
    ranked = sorted(changes, key=lambda change: (-abs(change.delta), change.name))
    return tuple(change.name for change in ranked[:MOST])


def _side(difference: Difference, stacks: Mapping[str, int], side: str) -> Side:
    """`stacks` are of the same profile as what the difference has of it."""
    total = math.fsum(getattr(change, side) or 0.0 for change in (*difference.changes, *difference.idle))
    counts = sum(stacks.values())
    return Side(by_base_name(stacks), total / counts if counts else 0.0)
