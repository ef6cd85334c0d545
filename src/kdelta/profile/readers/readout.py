"""What a reader of a profile that others made brings back."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kdelta.model.profile import TICKS
from kdelta.profile.change import Change

EVENTS = "events"
"""What the counter counted (cycles, nanoseconds of cpu-clock), where a text does not tell the samples of a function."""
SHARES = "0.01 % of the profile"
"""Of stacks, where a text has percents alone."""
PERCENT = "% of the profile"
"""Of changes, where a text has percents alone."""


class BlockChange(msgspec.Struct, frozen=True):
    """Cycles of one execution of a basic block, new - old, and their standard deviation in percent (`perf diff -c cycles`)."""

    name: str
    block: str
    cycles: int
    deviation: float | None = None


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One profile, or one difference of two.

    `stacks` are counts by folded chain (chains.folded), in `unit`; a flat profile has chains of one function. `before` is the old
    side of a text that has two counts on a line, whose new side is `stacks`. `changes` are those of a text that is a difference
    itself, without its total, in `unit`; so is `total_change`.

    `total` is the total that is printed, or follows from a percent that is, in `unit`: larger than the sum of `stacks` where a list
    was cut. `samples` is how many were taken, rounded where the text rounds it, 0 where it does not say. `periods` is the sum of
    what the counter counted for the samples read, 0 where it is not printed. `doubts` say what was left out, and what is not sure.
    """

    format: str
    stacks: dict[str, int] = {}
    before: dict[str, int] = {}
    unit: str = TICKS
    event: str = ""
    total: int | None = None
    samples: int = 0
    periods: int = 0
    changes: tuple[Change, ...] = ()
    total_change: Change | None = None
    blocks: tuple[BlockChange, ...] = ()
    doubts: tuple[str, ...] = ()


def holding(said: Mapping[str, object]) -> tuple[str, ...]:
    """The sentences of which what stands behind them is so."""
    return tuple(text for text, holds in said.items() if holds)
