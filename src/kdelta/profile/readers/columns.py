"""Columns of a table that perf prints: by the dots under their names, or by a separator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_PART = re.compile(r"\S+(?: \S+)*")
_SEPARATED = re.compile(r"\s*# ?(?:Overhead|Children|Self|Baseline|Samples|Period)(?:/\d+)? *([,;:|!~^&\t])")


class Columns(NamedTuple):
    """`spans` are where the dots are: values may be wider, but two blanks stand between them. With a `separator` there are none."""

    names: tuple[str, ...]
    spans: tuple[tuple[int, int], ...] = ()
    separator: str = ""

    def has(self, name: str) -> bool:
        return any(one.startswith(name) for one in self.names)

    def cells(self, line: str) -> dict[str, str]:
        """What is under each name; a name with nothing under it is missing."""
        if self.separator:
            parts = zip(self.names, line.split(self.separator, len(self.names) - 1), strict=False)
            return {name: text.strip() for name, text in parts if text.strip()}
        found: dict[str, list[str]] = {}
        for part in _PART.finditer(line):
            found.setdefault(self.names[self._under(part.start(), part.end())], []).append(part[0])
        return {name: "  ".join(parts) for name, parts in found.items()}

    def _under(self, start: int, end: int) -> int:
        """The column that has most of start..end; the last one has no end."""
        last = len(self.spans) - 1
        shared = [min(end, end if place == last else right) - max(start, left) for place, (left, right) in enumerate(self.spans)]
        return shared.index(max(shared))


def is_ruler(line: str) -> bool:
    """Whether `line` has the dots under the names of columns, and nothing else."""
    return "..." in line and line.lstrip().startswith("#") and not line.strip(" #.\t")


def ruled(names: str, ruler: str) -> Columns:
    """The columns under the line `names`, where `ruler` has its dots."""
    spans = [match.span() for match in re.finditer(r"\.+", ruler)]
    found = tuple(names[left:right].strip() for left, right in spans)
    return Columns(found, tuple(spans))


def separated(line: str) -> Columns | None:
    """The columns that `line` names, if it does, with a separator between them (perf report -t)."""
    match = _SEPARATED.match(line)
    if match is None:
        return None
    names = (name.strip() for name in line.strip().lstrip("#").split(match[1]))
    return Columns(tuple(names), separator=match[1])


def headed(lines: Iterator[str]) -> Iterator[tuple[str, Columns | None]]:
    """Each line, and where it ends a table's head the columns of what follows."""
    before = ""
    for line in lines:
        found = ruled(before, line) if is_ruler(line) else separated(line)
        yield line, found
        before = line
