"""Call chains, folded into one text: functions joined by `;`, the outermost first, the one that was executing last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kdelta.model.profile import SEPARATOR
from kdelta.profile.clones import base_name


def folded(functions: Iterable[str]) -> str:
    """The chain of `functions`. A `;` in a name, as Java's have it, becomes a colon."""
    return SEPARATOR.join(name.replace(SEPARATOR, ":") for name in functions)


def functions(chain: str) -> list[str]:
    """Of a chain, the outermost first."""
    return chain.split(SEPARATOR)


def leaf(chain: str) -> str:
    """The function that was executing."""
    return chain.rpartition(SEPARATOR)[2]


def by_function(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts by chain -> counts by the function that was executing; their sum stays."""
    found: dict[str, int] = {}
    for chain, count in counts.items():
        name = leaf(chain)
        found[name] = found.get(name, 0) + count
    return found


def without_clones(counts: Mapping[str, int]) -> dict[str, int]:
    """The same chains with each function by its base name."""
    found: dict[str, int] = {}
    for chain, count in counts.items():
        name = SEPARATOR.join(map(base_name, functions(chain)))
        found[name] = found.get(name, 0) + count
    return found


def added(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The sum of several counts."""
    found: dict[str, int] = {}
    for part in parts:
        for name, count in part.items():
            found[name] = found.get(name, 0) + count
    return found
