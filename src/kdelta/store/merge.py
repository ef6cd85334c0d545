"""A run that two stores have: what one of them lacks is added to it, and nothing that it has changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, func, select

from kdelta.model.errors import MisuseError
from kdelta.store import content, rows
from kdelta.store.content import Content, Place, is_beginning
from kdelta.store.database import Database


class Both(msgspec.Struct, frozen=True, kw_only=True):
    """A place of the plan at which the store and the file each have an attempt that the other has not: all are kept.

    `kept` are the numbers of the store's own. `last` is that of the imported one, which with its `outcome` is judged from now on
    (`attempts` says what stands of the earlier ones).
    """

    position: int
    box: str
    variant: str
    seed: int
    kept: tuple[int, ...]
    last: int
    outcome: str


class Merged(msgspec.Struct, frozen=True):
    """How many boots were added, how many continued, and where both had measured."""

    added: int
    continued: int
    both: tuple[Both, ...]


class _Stored(msgspec.Struct):
    """An attempt that the store has, and whether the file was seen to have it."""

    id: int
    attempt: int
    content: Content
    is_seen: bool = False


def boots(target: Connection, run: int, source: Database, found: int) -> Merged:
    """Add to `run` of `target` what the run `found` of `source` has beyond it. Nobody else numbers attempts meanwhile."""
    if target.dialect.name == "postgresql":
        target.execute(select(func.pg_advisory_xact_lock(rows.NUMBERING, run)))
    stored, each = _by_position(content.places(target, run)), []
    for position, places in _by_position(content.read_places(source, found)).items():
        own = [_Stored(one.id, one.attempt, content.of_boot(target, one.id)) for one in stored.get(position, [])]
        incoming = {one.attempt: content.read_boot(source, one.id) for one in places}
        _require_slot(source, own, incoming)
        each.append(_at_position(target, run, own, incoming))
    return Merged(sum(one.added for one in each), sum(one.continued for one in each), tuple(b for one in each for b in one.both))


def noise(target: Connection, run: int, source: Database, found: int) -> int:
    """Add the rows that `run` has not, or not as often; the number of them."""
    stored, new = Counter(content.noise_rows(target, run)), []
    for row in content.read_noise(source, found):
        if stored[row]:
            stored[row] -= 1
        else:
            new.append(row)
    content.add_noise(target, run, new)
    return len(new)


def _at_position(target: Connection, run: int, stored: Sequence[_Stored], found: dict[int, Content]) -> Merged:
    """Add what the attempts `found` at one position, by their numbers, have beyond those `stored` there."""
    added: dict[int, Content] = {}
    continued = 0
    last = max((one.attempt for one in stored), default=0)
    for attempt, one in found.items():
        if _is_there(stored, one):
            continue
        if begun := _begun(stored, one):
            content.complete(target, begun.id, one, [len(part) for part in begun.content.parts])
            begun.content, begun.is_seen = one, True
            continued += 1
        else:
            last = max(last + 1, attempt)
            content.add_boot(target, run, last, one)
            added[last] = one
    return Merged(len(added), continued, _both(stored, found, added))


def _is_there(stored: Sequence[_Stored], found: Content) -> bool:
    """Whether the store has it, or more of it. One of which nothing is stored but that it was begun says nothing beside another."""
    if equal := next((one for one in stored if not one.is_seen and one.content == found), None):
        equal.is_seen = True
        return True
    return any(is_beginning(found, one.content) for one in stored) or (bool(stored) and found.is_bare())


def _begun(stored: Sequence[_Stored], found: Content) -> _Stored | None:
    """The attempt that `found` continues. That it is the same visit is known by its samples, and not of one that has none yet:
    that one may be under way here, while the file has another visit of the same place.
    """
    return next((one for one in stored if not one.is_seen and one.content.has_samples() and is_beginning(one.content, found)), None)


def _both(stored: Sequence[_Stored], found: dict[int, Content], added: dict[int, Content]) -> tuple[Both, ...]:
    incoming = list(found.values())
    own = [
        one.attempt
        for one in stored
        if not one.content.is_bare()
        and one.content not in incoming
        and not any(is_beginning(one.content, each) for each in incoming)
    ]
    if not own or not added:
        return ()
    last = max(added)
    slot = added[last].slot()
    place = {name: slot[name] for name in ("position", "box", "variant", "seed")}
    return (Both(**place, kept=tuple(own), last=last, outcome=added[last].outcome()),)


def _require_slot(source: Database, stored: Sequence[_Stored], found: dict[int, Content]) -> None:
    """What a position stands for is in the plan, and the plan is the same."""
    slots = [one.content.slot() for one in stored] + [one.slot() for one in found.values()]
    if any(one != slots[0] for one in slots):
        odd = next(one for one in slots if one != slots[0])
        raise MisuseError(
            f"{source.name}: place {odd['position']} of the plan is {_named(odd)}, and {_named(slots[0])} in the store",
            "one of the two was altered: import it into a store of its own, with --store",
        )


def _named(slot: dict[str, object]) -> str:
    return f"{slot['variant']!r} on {slot['box']!r} with seed {slot['seed']}{', profiled' if slot['profiled'] else ''}"


def _by_position(places: Sequence[Place]) -> dict[int, list[Place]]:
    found: dict[int, list[Place]] = {}
    for place in places:
        found.setdefault(place.position, []).append(place)
    return found
