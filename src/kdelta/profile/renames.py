"""Which functions that are gone are which new ones: one for one first, then what one became several of, or several one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from kdelta.profile.moves import Evidence, flows
from kdelta.profile.suspects import Suspects, Views

Lines = Sequence[tuple[float, float, float]]

BY_NAME: Lines = (
    # name, neighbours, conserved
    (0.90, 0.00, 0.25),
    (0.70, 0.00, 0.50),
    (0.60, 0.00, 0.80),
)
BY_NEIGHBOURS: Lines = (
    (0.90, 0.00, 0.25),
    (0.70, 0.15, 0.50),
    (0.60, 0.15, 0.80),
    (0.70, 0.60, 0.40),
    (0.60, 0.75, 0.55),
    (0.50, 0.90, 0.90),
)
"""A function was renamed where the evidence is up to all of a line, without call chains and with them.

A false move is worse than one that is missed. Found on Linux 6.1 against 6.12: next_uptodate_page() was renamed, whose name is
the same but for the folio and whose count grew by half; mas_wr_node_store() did not become mas_wr_store_type(), which has
the same caller and a fifth more (0.56, 1, 0.83).
"""
WEIGHTS = (0.5, 0.3, 0.2)
"""Of name, neighbours and conservation, where a function could be several: who has most is taken first."""

SEED: Lines = ((0.6, 0.8, 0.0),)
"""A pair that is a move if others join it."""
SIBLING, NAMESAKE = 0.8, 0.7
"""May join: a seed, who agrees with it so far; a match, without chains, whose name is so much like one's of it."""
ENOUGH, ENOUGH_BY_NAME, GAIN, MOST_JOINED = 0.75, 0.9, 0.1, 3
"""So many join at most, each if that conserves so much more, and all of them if in the end it is enough."""


@dataclass(frozen=True)
class Match:
    """Functions that are gone, and the new ones that they became."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    evidence: Evidence

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.old, *self.new)


def reaches(evidence: Evidence, lines: Lines) -> bool:
    """Whether it is up to one of `lines` of name, neighbours and conserved. One with 0 for the neighbours asks nothing of them."""
    return any(
        evidence.name >= name and evidence.conserved >= conserved and (neighbours == 0.0 or evidence.neighbours >= neighbours)
        for name, neighbours, conserved in lines
    )


def renames(suspects: Suspects) -> list[Match]:
    """The matches, in each of which a function is but once."""
    lines = BY_NEIGHBOURS if suspects.sides else BY_NAME
    pairs = {(old, new): suspects.likeness(old, new) for old in suspects.gone for new in suspects.come}
    pairs = {pair: likeness for pair, likeness in pairs.items() if likeness >= min(name for name, _, _ in lines)}
    found: list[Match] = []
    views = Views(suspects, {})
    # What is known of some says more of their neighbours.
    while more := _best(views, pairs, lines, found):
        found += more
        views = Views(suspects, common_names(found))
    for place, match in enumerate(found):
        found[place] = _joined(suspects, match, _related(views, match, found))
    for seed in _best(views, pairs, SEED, found):
        match = _joined(suspects, seed, _siblings(views, seed, found))
        if match != seed:
            found.append(match)
    return found


def common_names(matches: Iterable[Match]) -> dict[str, str]:
    """What both sides call the functions of `matches`: by the first of their new names."""
    return {name: match.new[0] for match in matches for name in match.names}


# ---- one for one ----


def _best(views: Views, pairs: Mapping[tuple[str, str], float], lines: Lines, found: Iterable[Match]) -> list[Match]:
    """Of the `pairs` of functions that are in no match yet those that reach one of `lines`: the best first, each function once."""
    taken = set(common_names(found))
    matches = [_pair(views, *pair, name) for pair, name in pairs.items() if taken.isdisjoint(pair)]
    best: list[Match] = []
    for match in sorted((match for match in matches if reaches(match.evidence, lines)), key=_rank):
        if taken.isdisjoint(match.names):
            taken.update(match.names)
            best.append(match)
    return best


def _pair(views: Views, old: str, new: str, name: float) -> Match:
    conserved = views.suspects.conserved((old, new))
    return Match((old,), (new,), Evidence(name=name, neighbours=views.agreement(old, new), conserved=conserved))


def _rank(match: Match) -> tuple[float, tuple[str, ...]]:
    """The best first, and among equals in the order of their names."""
    evidence = (match.evidence.name, match.evidence.neighbours, match.evidence.conserved)
    return -sum(weight * part for weight, part in zip(WEIGHTS, evidence, strict=True) if not math.isnan(part)), match.names


# ---- more than one for one ----


def _joined(suspects: Suspects, match: Match, pool: Sequence[str]) -> Match:
    """`match` with those of `pool` that join it; itself where nothing is missing, or they are not enough."""
    grown = match
    for _ in range(MOST_JOINED if match.evidence.conserved < ENOUGH else 0):
        longer = [_with(suspects, grown, name) for name in pool if name not in grown.names]
        best = max(longer, key=lambda one: one.evidence.conserved, default=grown)
        if best.evidence.conserved < grown.evidence.conserved + GAIN:
            break
        grown = best
    return grown if grown.evidence.conserved >= (ENOUGH if suspects.sides else ENOUGH_BY_NAME) else match


def _with(suspects: Suspects, match: Match, name: str) -> Match:
    old, new = ((*match.old, name), match.new) if name in suspects.gone else (match.old, (*match.new, name))
    return Match(old, new, msgspec.structs.replace(match.evidence, conserved=suspects.conserved((*old, *new))))


def _related(views: Views, match: Match, found: Iterable[Match]) -> list[str]:
    """What most of the work went to that `match` handed on, on the side that has too little; without chains, its namesakes."""
    free = _missing(views, match, found)
    if not views.suspects.sides:
        return [name for name, pair in free.items() if views.suspects.likeness(*pair) >= NAMESAKE]
    largest = views.suspects.largest(name for name in free if views.caller(name) == match.new[0])
    return [largest] if largest is not None else []


def _siblings(views: Views, match: Match, found: Iterable[Match]) -> list[str]:
    """Who has the several callers of `match`, or most of the work below its only one, on the side that has too little."""
    free = _missing(views, match, found)
    agreeing = [name for name, pair in free.items() if views.agreement(*pair) >= SIBLING]
    only = views.caller(match.old[0])
    largest = views.suspects.largest(name for name in free if only is not None and views.caller(name) == only)
    return [name for name in agreeing if name == largest or views.several(*free[name])]


def _missing(views: Views, match: Match, found: Iterable[Match]) -> dict[str, tuple[str, str]]:
    """The free functions of the side of `match` that has too little, each paired with the one on the other side."""
    taken = {*common_names(found), *match.names}
    lost, gained = flows(views.suspects.changes[name] for name in match.names)
    if lost < gained:
        return {name: (name, match.new[0]) for name in views.suspects.gone if name not in taken}
    return {name: (match.old[0], name) for name in views.suspects.come if name not in taken}
