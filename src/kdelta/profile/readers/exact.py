"""The reader of the exact profile, the file that the plugin writes (csrc/plugin/profile.c)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kdelta.model.guest import Window
from kdelta.model.profile import SEPARATOR, USER, by_function

EMPTY = ""


def read(lines: Iterable[str], name_of: Callable[[int], str]) -> Iterator[Window]:
    """The complete windows in `lines`, addresses named by `name_of`. One that was cut off, or does not add up, is left out."""
    reader = _Reader(name_of)
    for line in lines:
        try:
            window = reader.take(line.split())
        except (ValueError, LookupError):
            reader.place = None
            continue
        if window is not None:
            yield window


class _Reader:
    """What is known so far: of the file, the outer part of each chain, and of the window that is open, its counts."""

    def __init__(self, name_of: Callable[[int], str]) -> None:
        self._name_of = name_of
        self._names: dict[str, str] = {}
        self._outer = {"0": EMPTY}
        self._begin(None)

    def _begin(self, place: tuple[int, int] | None) -> None:
        self.place = place
        self._counts: dict[str, int] = {}
        self._within = EMPTY

    def take(self, words: list[str]) -> Window | None:
        """The window that `words` of a line end. Raises ValueError or LookupError for what is no line of a profile."""
        match words:
            case ["window", program, iteration]:
                self._begin((int(program), int(iteration)))
            case ["chain", number, outer, site]:
                self._outer[number] = self._outer[outer] + self._name(site) + SEPARATOR
            case ["in", number]:
                self._within = self._outer[number]
            case ["user", count]:
                self._add(USER, int(count))
            case ["end", total]:
                return self._end(int(total))
            case [address, count]:
                self._add(self._within + self._name(address), int(count))
            case _:
                raise ValueError(f"no line of a profile: {words}")
        return None

    def _name(self, address: str) -> str:
        if address not in self._names:
            self._names[address] = self._name_of(int(address, 16))
        return self._names[address]

    def _add(self, chain: str, count: int) -> None:
        self._counts[chain] = self._counts.get(chain, 0) + count

    def _end(self, total: int) -> Window | None:
        place, chains = self.place, dict(sorted(self._counts.items()))
        self._begin(None)
        if place is None or sum(chains.values()) != total:
            return None
        counts = dict(sorted(by_function(chains).items()))
        # Written without chains, every count is outside of any.
        known = chains if len(self._outer) > 1 else {}
        return Window(benchmark=place[0], iteration=place[1], counts=counts, chains=known)
