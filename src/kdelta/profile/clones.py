"""Copies and parts that compilers make of a function, and the name of that function."""

from __future__ import annotations

import re
from collections.abc import Mapping

# What GCC and Clang put behind the name of a copy or a part of a function.
CLONE = re.compile(r"(?P<base>[^.\s]\S*?)(?:\.(?:isra|constprop|part|cold|llvm)(?:\.\d+)*)+(?P<module> \[.*\])?")


def base_name(name: str) -> str:
    """The function of which `name` is a clone, its module kept; `name` itself where it is none."""
    match = CLONE.fullmatch(name)
    return match["base"] + (match["module"] or "") if match else name


def without_clones(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts of clones joined under the name of their function; their sum stays."""
    found: dict[str, int] = {}
    for name, count in counts.items():
        base = base_name(name)
        found[base] = found.get(base, 0) + count
    return found
