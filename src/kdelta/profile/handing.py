"""Functions that went into the one that calls them, and parts of a function that became functions of their own."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from kdelta.profile.moves import Evidence, Kind
from kdelta.profile.neighbours import called
from kdelta.profile.renames import Lines, reaches
from kdelta.profile.suspects import Side, Suspects, Views

HANDED: Lines = (
    # name, callees that moved along, conserved
    (0.0, 0.7, 0.5),
    (0.25, 0.0, 0.9),
)
"""Work was handed to the caller, or by it, where the evidence is up to all of a line."""
CALLS = 0.2
"""What a function must spend in others, as a share of its own count, for them to say where it went."""


@dataclass(frozen=True)
class Handing:
    """`part` is gone and its work is `caller`'s now, or it is new and has what was the caller's."""

    kind: Kind
    part: str
    caller: str
    evidence: Evidence


def handed(suspects: Suspects, names: Mapping[str, str]) -> list[Handing]:
    """Those between a function that stays and one that is gone or new, each function once; none without chains.

    `names` are what both sides call the functions that were renamed: these are no part of it.
    """
    if not suspects.sides:
        return []
    old, new = suspects.sides
    views = Views(suspects, names)
    found = [
        *_of_kind(views, names, Kind.INLINED, suspects.gone, (old, new)),
        *_of_kind(views, names, Kind.OUT_OF_LINE, suspects.come, (new, old)),
    ]
    worst_first = sorted(found, key=lambda one: (one.evidence.conserved, one.part))
    return list({one.caller: one for one in worst_first}.values())


def _of_kind(
    views: Views, names: Mapping[str, str], kind: Kind, parts: Iterable[str], sides: tuple[Side, Side]
) -> Iterator[Handing]:
    """`sides` are the one that has the parts, and the other."""
    pairs = dict(_largest_below(views, [part for part in parts if part not in names]))
    one, other = (_called(side, {*pairs.keys(), *pairs.values()}, names) for side in sides)
    suspects, known = views.suspects, views.suspects.staying | set(names.values())
    for part, caller in pairs.items():
        calls = {name: count for name, count in one[part].items() if name in known}
        along = {
            name: min(count, max(other[caller].get(name, 0.0) - one[caller].get(name, 0.0), 0.0)) for name, count in calls.items()
        }
        total = math.fsum(calls.values())
        share = math.fsum(along.values()) / total if total > CALLS * abs(suspects.changes[part].delta) else math.nan
        likeness = suspects.likeness(part, caller)
        evidence = Evidence(name=likeness, neighbours=share, conserved=suspects.conserved((part, caller)))
        if reaches(evidence, HANDED):
            yield Handing(kind, part, caller, evidence)


def _largest_below(views: Views, parts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Of the `parts` with the same main caller the largest, where it is most of them, and that caller."""
    below: dict[str, list[str]] = {}
    for part in parts:
        caller = views.caller(part)
        if caller in views.suspects.changes and caller in views.suspects.staying:
            below.setdefault(caller, []).append(part)
    for caller, several in below.items():
        if largest := views.suspects.largest(several):
            yield largest, caller


def _called(side: Side, callers: Collection[str], names: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """What each calls, by common names, with what is spent below per unit of work."""
    found: dict[str, dict[str, float]] = {}
    for caller, counts in called(side.chains, callers).items():
        found[caller] = {}
        for name, count in counts.items():
            common = names.get(name, name)
            found[caller][common] = found[caller].get(common, 0.0) + count * side.scale
    return found
