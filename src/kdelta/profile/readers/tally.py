"""Counts by chain that stay bounded whatever a file holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

OTHER = "[other]"
"""Where the count of a chain goes that there was no room for."""

MOST_CHAINS = 1 << 18
MOST_CHARACTERS = 1 << 27
"""Of all chains together: at 16 frames of 32 characters each, there is room for MOST_CHAINS."""


class Room:
    """Room for so many texts, of so many characters together."""

    def __init__(self, most: int = MOST_CHAINS, characters: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._characters = characters

    def take(self, text: str) -> bool:
        """Whether there is room for `text`, which then takes it."""
        if self._most < 1 or len(text) > self._characters:
            return False
        self._most -= 1
        self._characters -= len(text)
        return True


class Tally:
    """Sums of counts by chain. Those of new chains are summed under OTHER where there is no room for them."""

    def __init__(self, room: Room | None = None) -> None:
        self.counts: dict[str, int] = {}
        self.left_out = 0
        self._room = room or Room()

    def add(self, chain: str, count: int) -> None:
        seen = self.counts.get(chain)
        if seen is not None:
            self.counts[chain] = seen + count
        elif self._room.take(chain):
            self.counts[chain] = count
        else:
            self.left_out += count

    def result(self) -> dict[str, int]:
        """All counts: their sum is that of what was added."""
        if not self.left_out:
            return self.counts
        return {**self.counts, OTHER: self.counts.get(OTHER, 0) + self.left_out}

    def doubts(self) -> tuple[str, ...]:
        if not self.left_out:
            return ()
        share = 100.0 * self.left_out / sum(self.result().values())
        kept = f"the first {len(self.counts)} different call chains are kept apart"
        return (f"{kept}; what came under others, {share:.1f} % of all, is counted as {OTHER}",)


def renamed(counts: Mapping[str, int], name_of: Callable[[str], str]) -> dict[str, int]:
    """The same counts by other names, those of one name added up."""
    found: dict[str, int] = {}
    for chain, count in counts.items():
        name = name_of(chain)
        found[name] = found.get(name, 0) + count
    return found
