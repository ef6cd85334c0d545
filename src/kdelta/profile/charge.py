"""Counts of leaf functions, as locks are, charged to who called them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from kdelta.model.errors import MisuseError
from kdelta.model.profile import SEPARATOR
from kdelta.profile.chains import leaf
from kdelta.profile.leaves import Kind, Leaves, of_program

MOST_CALLERS = 5


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """A function: its own count, and by leaf function what was charged to it, the largest first."""

    name: str
    own: int
    charged: dict[str, int]

    @property
    def added(self) -> int:
        return sum(self.charged.values())


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """What was charged: the callers, of whom it is most for first, and by leaf function what has no caller.

    `before` and `after` are the totals of the profile, which are the same.
    """

    callers: tuple[Caller, ...]
    left: dict[str, int]
    before: int
    after: int


def charge(stacks: Mapping[str, int], leaves: Leaves) -> dict[str, int]:
    """Folded chains -> chains that end in no leaf function: the count of one is that of the nearest function which is none.

    The sum stays. A chain without a caller stays as it is: one of leaves alone, or one in which only a program's code is around
    the kernel's. An interrupt's functions are as all others. MisuseError for chains of one function each.
    """
    found: dict[str, int] = {}
    for chain, payer, count in _paid(stacks, leaves):
        _add(found, payer or chain, count)
    return found


def account(stacks: Mapping[str, int], leaves: Leaves) -> Account:
    """What `charge` does, by caller. Errors as there."""
    own: dict[str, int] = {}
    left: dict[str, int] = {}
    charged: dict[str, dict[str, int]] = {}
    for chain, payer, count in _paid(stacks, leaves):
        if payer == chain:
            _add(own, leaf(chain), count)
        else:
            _add(charged.setdefault(leaf(payer), {}) if payer else left, leaf(chain), count)
    found = [Caller(name=name, own=own.get(name, 0), charged=_ranked(taken)) for name, taken in charged.items()]
    after = sum(own.values()) + sum(left.values()) + sum(caller.added for caller in found)
    ranked = tuple(sorted(found, key=lambda caller: (-caller.added, caller.name)))
    return Account(callers=ranked, left=_ranked(left), before=sum(stacks.values()), after=after)


def callers(stacks: Mapping[str, int], leaves: Leaves, most: int = MOST_CALLERS) -> tuple[Caller, ...]:
    """The callers to whom most is charged, most first. Errors as of `charge`."""
    return account(stacks, leaves).callers[:most]


class _Kinds(dict[str, Kind]):
    """The kind of each function of one profile, found out once."""

    def __init__(self, leaves: Leaves) -> None:
        super().__init__()
        self._leaves = leaves

    def __missing__(self, function: str) -> Kind:
        kind = self[function] = self._leaves.kind(function)
        return kind


def _paid(stacks: Mapping[str, int], leaves: Leaves) -> Iterator[tuple[str, str, int]]:
    """Each chain with the one that pays for it, which is the part of it down to the caller, and its count."""
    if stacks and not any(SEPARATOR in chain for chain in stacks):
        raise MisuseError(
            "the profile is flat: without call chains nothing can be charged to a caller (.text.lock.NAME is a section, and none)",
            "take one with call chains, as perf record -g does",
        )
    kinds = _Kinds(leaves)
    return ((chain, _payer(chain, kinds), count) for chain, count in stacks.items())


def _payer(chain: str, kinds: _Kinds) -> str:
    """`chain` without the leaf functions at its inner end and their helpers; empty where no caller is left."""
    payer, last = chain, ""
    outer, kind = chain, Kind.HELPER
    while outer and kind is not Kind.OTHER:
        outer, _, name = outer.rpartition(SEPARATOR)
        kind = kinds[name]
        if kind is Kind.LEAF:
            payer, last = outer, name
    stranger = bool(last) and of_program(leaf(payer)) and not of_program(last)
    return "" if stranger else payer


def _add(counts: dict[str, int], name: str, count: int) -> None:
    counts[name] = counts.get(name, 0) + count


def _ranked(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
