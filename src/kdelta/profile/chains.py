"""Call chains, folded into one text: functions joined by `;`, the outermost first, the one that was executing last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kdelta.model.profile import SEPARATOR


def folded(functions: Iterable[str]) -> str:
    """The chain of `functions`. A `;` in a name, as Java's have it, becomes a colon."""
    return SEPARATOR.join(name.replace(SEPARATOR, ":") for name in functions)


def functions(chain: str) -> list[str]:
    """Of a chain, the outermost first."""
    return chain.split(SEPARATOR)


def leaf(chain: str) -> str:
    """The function that was executing."""
    return chain.rpartition(SEPARATOR)[2]


def added(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The sum of several counts."""
    found: dict[str, int] = {}
    for part in parts:
        for name, count in part.items():
            found[name] = found.get(name, 0) + count
    return found
