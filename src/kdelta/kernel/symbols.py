"""Addresses to function names, by a kernel's own /proc/kallsyms."""

from __future__ import annotations

import bisect
import re
from pathlib import Path

from kdelta.kernel import cache

TEXT = frozenset("tTwW")
UNKNOWN = "[unknown]"

# Padding in front of each function since 6.2 (commit bea75b33895f, "x86/Kconfig: Introduce function padding"), and CFI's:
# the code there is the function's own.
PADDING = re.compile(r"^__(?:pfx|cfi)_")
END_OF_TEXT = ("_etext", "_einittext")

# Names that the linker script gives to the edges of sections: a function that begins there is called by its own name.
EDGE = re.compile(r"_[se](?:init)?text|__?\w*(?:text|entry|sites)\w*_(?:start|begin|end)")


class SymbolTable:
    """Built once per kernel; `name_of` is then a search in an ordered list."""

    def __init__(self, starts: list[int], names: list[str]) -> None:
        self._starts = starts
        self._names = names

    def name_of(self, address: int) -> str:
        """The function that covers `address`, with its module in brackets, or UNKNOWN."""
        place = bisect.bisect_right(self._starts, address) - 1
        return self._names[place] if place >= 0 else UNKNOWN

    def __len__(self) -> int:
        return len(self._starts)


def parse(text: str) -> SymbolTable:
    """The table of the text of /proc/kallsyms.

    Hidden addresses (all zero, by kptr_restrict) give an empty table: no false names. Of several names at one address
    the choice does not depend on their order: functions before edges of sections, global before local, then the shorter,
    then the alphabet.
    """
    best: dict[int, tuple[tuple[bool, bool, int, str], str]] = {}
    for line in text.splitlines():
        fields = line.split(maxsplit=3)
        if len(fields) < 3:
            continue
        address, kind, name = int(fields[0], 16), fields[1], PADDING.sub("", fields[2])
        if not address or not (kind in TEXT or name in END_OF_TEXT):
            continue
        rank = (EDGE.fullmatch(name) is not None, kind.islower(), len(name), name)
        shown = f"{name} {fields[3]}" if len(fields) == 4 else name
        if address not in best or rank < best[address][0]:
            best[address] = (rank, UNKNOWN if name in END_OF_TEXT else shown)
    starts = sorted(best)
    return SymbolTable(starts, [best[start][1] for start in starts])


class SymbolCache:
    """Tables by build id, kept as files: /proc/kallsyms is fetched once per kernel image."""

    def __init__(self) -> None:
        self._tables: dict[str, SymbolTable] = {}

    def get(self, build_id: str) -> SymbolTable | None:
        """The table, or None where the kernel's symbols are not known yet."""
        path = self._path(build_id) / "kallsyms"
        if build_id not in self._tables and path.exists():
            self._tables[build_id] = parse(path.read_text())
        return self._tables.get(build_id)

    def put(self, build_id: str, text: str) -> SymbolTable:
        cache.place(self._path(build_id), lambda folder: _write(folder / "kallsyms", text))
        return self._tables.setdefault(build_id, parse(text))

    @staticmethod
    def _path(build_id: str) -> Path:
        return cache.folder("symbols") / build_id


def _write(path: Path, text: str) -> None:
    path.write_text(text)
