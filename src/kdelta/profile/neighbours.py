"""Who calls a function and what it calls, in one profile, and how far two functions of two profiles agree in that."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from kdelta.profile.chains import functions
from kdelta.profile.clones import base_name

OUTSIDE, ITSELF = "(outside)", "(itself)"
"""What stands for the caller of an outermost function, and for what a function calls that the other side does not have."""

CALLERS = 2.0
"""The weight of the callers beside that of what is called, which changes more with the function itself."""

ONE_OF = 0.2
"""The share of the count below a function from which on a caller is one of several."""
MAIN = 0.8
"""The share of a function's own count that its main caller stands for."""

Chain = tuple[tuple[str, ...], int]


@dataclass(frozen=True)
class Around:
    """Counts that are spent below a function, by caller and by what it calls, and its own count by caller.

    A caller is the nearest function outwards that both profiles have, and so is what is called inwards: functions that one of
    them lacks are looked through.
    """

    callers: dict[str, int] = field(default_factory=dict)
    callees: dict[str, int] = field(default_factory=dict)
    own: dict[str, int] = field(default_factory=dict)

    def main_caller(self) -> str | None:
        """The one that most of the function's own count is spent for; None where there are several."""
        caller = max(self.own, key=lambda name: (self.own[name], name), default=None)
        return caller if caller is not None and self.own[caller] >= MAIN * sum(self.own.values()) else None


def by_base_name(stacks: Mapping[str, int]) -> list[Chain]:
    """Chains of the functions' base names, in which a function and the clones that it calls are one."""
    bases: dict[str, str] = {}
    return [(_joined(functions(chain), bases), count) for chain, count in stacks.items()]


def around(chains: Iterable[Chain], subjects: Collection[str], known: Mapping[str, str]) -> dict[str, Around]:
    """What is around each of `subjects`, by the functions in `known`: their name -> what both profiles call them."""
    found = {name: Around() for name in subjects}
    for names, count in chains:
        if not found.keys().isdisjoint(names):
            _outwards(found, names, count, known)
            _inwards(found, names, count, known)
    return found


def agreement(old: Around, new: Around) -> float:
    """From 0 to 1: the weighted Jaccard similarity of the shares of the callers and of what is called.

    Of the callers alone where neither calls anything.
    """
    callers = _jaccard(_shares(old.callers), _shares(new.callers))
    if not (old.callees.keys() | new.callees.keys()) - {ITSELF}:
        return callers
    return (CALLERS * callers + _jaccard(_shares(old.callees), _shares(new.callees))) / (CALLERS + 1.0)


def several(old: Around, new: Around) -> bool:
    """Whether they have two callers or more in common, each of which matters to both."""
    ours, theirs = _shares(old.callers), _shares(new.callers)
    return sum(min(ours[name], theirs[name]) >= ONE_OF for name in ours.keys() & theirs.keys()) > 1


def called(chains: Iterable[Chain], callers: Collection[str]) -> dict[str, dict[str, int]]:
    """Of each of `callers` the functions that it calls itself, with the count that is spent below."""
    found: dict[str, dict[str, int]] = {name: {} for name in callers}
    for names, count in chains:
        for caller, callee in {pair for pair in pairwise(names) if pair[0] in found}:
            _add(found[caller], callee, count)
    return found


def _joined(names: list[str], bases: dict[str, str]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        if name not in bases:
            bases[name] = base_name(name)
        if not found or found[-1] != bases[name]:
            found.append(bases[name])
    return tuple(found)


def _outwards(found: dict[str, Around], names: tuple[str, ...], count: int, known: Mapping[str, str]) -> None:
    caller, met = OUTSIDE, set[str]()
    for name in names[:-1]:
        if name in found and name not in met:
            met.add(name)
            _add(found[name].callers, caller, count)
        caller = known.get(name, caller)
    last = names[-1]
    if last in found:
        _add(found[last].own, caller, count)
        if last not in met:
            _add(found[last].callers, caller, count)


def _inwards(found: dict[str, Around], names: tuple[str, ...], count: int, known: Mapping[str, str]) -> None:
    callee, met = ITSELF, set[str]()
    for name in reversed(names):
        if name in found and name not in met:
            met.add(name)
            _add(found[name].callees, callee, count)
        callee = known.get(name, callee)


def _add(counts: dict[str, int], name: str, count: int) -> None:
    counts[name] = counts.get(name, 0) + count


def _shares(counts: dict[str, int]) -> dict[str, float]:
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()} if total else {}


def _jaccard(old: dict[str, float], new: dict[str, float]) -> float:
    names = old.keys() | new.keys()
    pairs = [(old.get(name, 0.0), new.get(name, 0.0)) for name in names]
    most = math.fsum(max(pair) for pair in pairs)
    return math.fsum(min(pair) for pair in pairs) / most if most else 0.0
