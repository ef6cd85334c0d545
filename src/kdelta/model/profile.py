"""Where a benchmark's work went: counts by function and by call chain."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

INSTRUCTIONS, TICKS = "instructions", "ticks"
"""What is counted: every instruction of a guest of the exact lab, or samples taken so many times a second."""

USER = "[user]"
"""All code outside the kernel, where its functions are not told apart."""
UNKNOWN = "[unknown]"
"""Code of the kernel that no symbol covers."""

SEPARATOR = ";"
"""Between the functions of a chain, which therefore hold none."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """Counts by function of one timed loop, or in time of all that one visit profiled of a benchmark.

    `counts` are whole numbers over all `operations` of the loop. Functions of modules carry the module in brackets behind the
    name, those of programs and libraries the file in round brackets. `hertz` is how often each CPU was looked at, where
    `unit` is ticks.
    """

    benchmark: str
    iteration: int
    operations: int
    counts: dict[str, int]
    unit: str = INSTRUCTIONS
    hertz: float | None = None

    def total(self) -> int:
        return sum(self.counts.values())


class Stacks(msgspec.Struct, frozen=True, kw_only=True):
    """Counts by call chain of one benchmark in one boot, all its timed loops together: those of its profiles, summed.

    A chain is folded: its functions joined by SEPARATOR, the outermost first; the last one was executing.
    """

    benchmark: str
    operations: int
    counts: dict[str, int]
    unit: str = INSTRUCTIONS
    hertz: float | None = None


def by_function(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts by chain -> counts by the function that was executing; their sum stays."""
    found: dict[str, int] = {}
    for chain, count in counts.items():
        name = chain.rpartition(SEPARATOR)[2]
        found[name] = found.get(name, 0) + count
    return found
