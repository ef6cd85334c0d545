"""A profile for another program: what the writers of exports are given."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kdelta.model.errors import MisuseError
from kdelta.model.profile import INSTRUCTIONS, TICKS

MOST = 1e30
"""A count that no profile has, of which a million can still be added."""


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """`counts` are by folded chain, whole or per unit of work. `hertz` is how often each CPU was looked at, of ticks."""

    name: str
    counts: Mapping[str, float]
    unit: str = INSTRUCTIONS
    hertz: float | None = None

    def __post_init__(self) -> None:
        check(self.counts)

    @property
    def seconds(self) -> float | None:
        """What a count stands for; None where that is no time, or is not known."""
        return 1.0 / self.hertz if self.unit == TICKS and self.hertz else None


def check(counts: Mapping[str, float]) -> None:
    """Refuse counts that are none, of which nothing can be drawn or exported."""
    for chain, count in counts.items():
        if not 0.0 <= count <= MOST:
            raise MisuseError(f"the count of a call chain is {count}: {chain[-100:]!r}", f"counts are from 0 to {MOST:g}")
