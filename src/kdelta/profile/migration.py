"""Functions that were renamed, inlined, split or put out of line: what one lost and another gained, as one change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from kdelta.profile.change import Change, Difference
from kdelta.profile.handing import Handing, handed
from kdelta.profile.moves import Evidence, Kind, Move, together
from kdelta.profile.renames import Match, common_names, renames
from kdelta.profile.suspects import Suspects, suspects


def find(difference: Difference, old: Mapping[str, int] | None, new: Mapping[str, int] | None) -> tuple[Move, ...]:
    """The moves from the old to the new side of `difference`, the largest first. No function is in two of them.

    `old` and `new` are the folded chains of both profiles, of as much work as one likes. Without them names and sums alone speak,
    and a function that was inlined, or put out of line, is not found. Where noise is known, only changes beyond it are looked at.
    """
    found = suspects(difference, old, new)
    matches = renames(found)
    moves = [_renamed(found, match) for match in matches]
    moves += [_handed(found, handing) for handing in handed(found, common_names(matches))]
    return tuple(sorted(moves, key=lambda move: (-move.moved, move.name)))


def fold(difference: Difference, moves: Sequence[Move]) -> Difference:
    """`difference` with one change for each move in the place of its parts. All sums stay, and the moves keep what was folded.

    A move of which a part is not there, or was folded before, changes nothing.
    """
    left = {change.name: change for change in difference.changes}
    folded: list[Change] = []
    for move in moves:
        if all(part.name in left for part in move.parts):
            folded.append(together(move.name, [left.pop(part.name) for part in move.parts]))
    changes = sorted([*left.values(), *folded], key=lambda change: (-change.delta, change.name))
    return msgspec.structs.replace(difference, changes=tuple(changes))


def _renamed(found: Suspects, match: Match) -> Move:
    before = sorted(match.old, key=lambda name: (-(found.changes[name].old or 0.0), name))
    after = sorted(match.new, key=lambda name: (-(found.changes[name].new or 0.0), name))
    several = len(match.new) - len(match.old)
    kind = Kind.RENAMED if len(match.names) == 2 else Kind.SPLIT if several > 0 else Kind.MERGED
    return _move(found, kind, before, after, match.evidence)


def _handed(found: Suspects, handing: Handing) -> Move:
    caller, both = [handing.caller], [handing.caller, handing.part]
    old, new = (both, caller) if handing.kind is Kind.INLINED else (caller, both)
    return _move(found, handing.kind, old, new, handing.evidence)


def _move(found: Suspects, kind: Kind, old: Sequence[str], new: Sequence[str], evidence: Evidence) -> Move:
    parts = tuple(found.changes[name] for name in dict.fromkeys((*old, *new)))
    return Move(kind=kind, old=tuple(old), new=tuple(new), parts=parts, evidence=evidence)
