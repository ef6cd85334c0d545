"""The reader of the exact profile, the file that the plugin writes (csrc/plugin/profile.c)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kdelta.model.guest import Window
from kdelta.model.profile import USER


def read(lines: Iterable[str], name_of: Callable[[int], str]) -> Iterator[Window]:
    """The complete windows in `lines`, addresses named by `name_of`. One that was cut off, or does not add up, is left out."""
    place: tuple[int, int] | None = None
    counts: dict[str, int] = {}
    for line in lines:
        try:
            match line.split():
                case ["window", program, iteration]:
                    place, counts = (int(program), int(iteration)), {}
                case ["end", total]:
                    if place is not None and sum(counts.values()) == int(total):
                        yield Window(benchmark=place[0], iteration=place[1], counts=dict(sorted(counts.items())))
                    place = None
                case ["user", count]:
                    counts[USER] = int(count)
                case [address, count] if place is not None:
                    name = name_of(int(address, 16))
                    counts[name] = counts.get(name, 0) + int(count)
        except ValueError:
            place = None
