"""Which functions are leaf functions, whose counts say more at their callers: locks, or what a user names."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from importlib import resources

from kdelta.model.errors import MisuseError
from kdelta.model.profile import USER
from kdelta.profile.clones import base_name

LOCKS = "locks"
"""The name of the set in locks.toml."""

# A function's name, and the module, or the program or library, that it is of.
FUNCTION = re.compile(r"(?P<name>.+) (?P<place>\[[^\[\]]+\]|\([^()]+\))", re.DOTALL)
# A pattern's. [0-9] is part of a name, since no module is called so.
PATTERN = re.compile(r"(?P<name>.+?) ?(?:\[(?P<module>[\w*?]+)\]|\((?P<file>[^()]+)\))", re.DOTALL)

# Shell patterns of places: "" is the kernel itself.
KERNEL = ("",)
KERNEL_OR_MODULE = ("", "[[]*]")


class Kind(Enum):
    """What a function is to a set of leaves. The work of a helper is that of the leaf that called it, if one did."""

    OTHER = "other"
    LEAF = "leaf"
    HELPER = "helper"


@dataclass(frozen=True)
class Leaves:
    """The functions that are charged to their callers: patterns of names, each with one of places, and names of helpers."""

    patterns: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    helpers: frozenset[str] = frozenset()

    def kind(self, function: str) -> Kind:
        """Of a clone, that of its function."""
        if function.startswith("["):
            return Kind.OTHER
        name, place = parted(base_name(function))
        if any(names.match(name) and places.match(place) for names, places in self.patterns):
            return Kind.LEAF
        return Kind.HELPER if not place and name in self.helpers else Kind.OTHER


def leaves(text: str) -> Leaves:
    """The leaf functions that `text` asks for: "locks", or shell patterns, or both, with commas between.

    `memcpy*` is of the kernel and its modules, `*[ext4]` of one module, `mem*(libc.so.6)` of one library. MisuseError for an empty
    pattern.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise MisuseError(f"an empty pattern in '{text}'", f"write {LOCKS}, or shell patterns as in 'memcpy*,clear_page*'")
    named = _compiled((part for part in parts if part != LOCKS), KERNEL_OR_MODULE)
    if LOCKS not in parts:
        return Leaves(named)
    table = tomllib.loads(resources.files("kdelta.profile").joinpath("locks.toml").read_text(encoding="utf-8"))
    return Leaves((*_compiled(table["leaves"], KERNEL), *named), frozenset(table["helpers"]))


def of_program(function: str) -> bool:
    """Whether it is code outside the kernel."""
    return function == USER or parted(function)[1].startswith("(")


def _compiled(patterns: Iterable[str], places: tuple[str, ...]) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """One expression for all names of a place; `places` are those of a pattern that has none of its own."""
    found: dict[str, list[str]] = {}
    for pattern in patterns:
        match = PATTERN.fullmatch(pattern)
        for place in _places(match) if match else places:
            found.setdefault(place, []).append(match["name"] if match else pattern)
    return tuple((_any(names), _any([place])) for place, names in found.items())


def _any(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)))


def _places(match: re.Match[str]) -> tuple[str]:
    return (f"[[]{match['module']}]" if match["module"] else f"({match['file']})",)


def parted(function: str) -> tuple[str, str]:
    match = FUNCTION.fullmatch(function)
    return (match["name"], match["place"]) if match else (function, "")
