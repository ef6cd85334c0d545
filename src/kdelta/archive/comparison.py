"""Which blocks of a text compare the same variants: each such set becomes a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kdelta.model.published import Block, Listing

OLD, NEW = "old", "new"
"""Sides of a difference of which the text names none."""


@dataclass
class Comparison:
    """Blocks whose entries are of these variants, the first of which the others are compared with."""

    variants: list[str]
    blocks: list[Block] = field(default_factory=list)
    measured: set[tuple[str, str]] = field(default_factory=set)
    """Names of benchmarks and metrics."""

    def add(self, block: Block, names: Iterable[str]) -> None:
        self.blocks.append(block)
        self.variants += [name for name in dict.fromkeys(names) if name not in self.variants]
        self.measured |= _measured(block)


def comparisons(blocks: Iterable[Block], unnamed: str) -> list[Comparison]:
    """In the order in which they begin. `unnamed` is the variant of entries that name none.

    Tables are of one comparison where one has all variants of the other. Logs of one variant each are of one where they measured
    something in common. A profile belongs to the variants that it names, and to none where it names none: what is between two
    tables need not be about either.
    """
    found: list[Comparison] = []
    profiles = []
    for block in blocks:
        if block.entries:
            names = list(dict.fromkeys(entry.variant or unnamed for entry in block.entries))
            _fitting(found, block, names).add(block, names)
        else:
            profiles.append(block)
    for block in profiles:
        _place(found, block, unnamed)
    return found


def _measured(block: Block) -> set[tuple[str, str]]:
    return {(entry.benchmark, entry.metric) for entry in block.entries}


def _fitting(found: list[Comparison], block: Block, names: list[str]) -> Comparison:
    """The first that it belongs to, or a new one."""
    fits = _is_beside if len(names) == 1 else _is_same
    one = next((one for one in found if fits(one, block, names)), None)
    if one is None:
        one = Comparison([])
        found.append(one)
    return one


def _is_same(one: Comparison, block: Block, names: list[str]) -> bool:
    own, other = set(one.variants), set(names)
    return one.variants[0] == names[0] and len(own) > 1 and (own <= other or other <= own)


def _is_beside(one: Comparison, block: Block, names: list[str]) -> bool:
    """Whether a block of one variant is a column of it."""
    if names[0] in one.variants:
        return True
    alone = all(len({entry.variant for entry in other.entries}) == 1 for other in one.blocks)
    return alone and bool(one.measured & _measured(block))


def _place(found: list[Comparison], block: Block, unnamed: str) -> None:
    """A block without entries: of profiles, or of claims alone, which belong to what stands above them."""
    if not block.listings:
        above = [one for one in found if one.blocks[0].first <= block.first] or found
        if above:
            above[-1].blocks.append(block)
        return
    named = [name for listing in block.listings for name in (listing.old, listing.new) if name]
    if named and (one := next((one for one in found if all(resolved(one.variants, name) for name in named)), None)):
        one.blocks.append(block)
        return
    names = [name for listing in block.listings for name in sides(listing, unnamed)]
    found.append(Comparison([]))
    found[-1].add(block, names)


def sides(listing: Listing, unnamed: str) -> Iterator[str]:
    """Of which variants a profile is."""
    if listing.difference:
        yield listing.old or OLD
        yield listing.new or NEW
    else:
        yield listing.new or unnamed


def resolved(variants: Iterable[str], name: str) -> str:
    """The variant that is called `name`, or alone ends so: 2.6.8-rc2-mm2 is mm2. Empty where none is."""
    known = list(variants)
    ending = [one for one in known if one.endswith(f"-{name}")]
    return name if name in known else ending[0] if len(ending) == 1 else ""
