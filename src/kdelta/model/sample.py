"""What was measured: raw, never altered, never overwritten."""

from __future__ import annotations

import msgspec


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One value of one metric from one iteration inside one boot.

    `elapsed_ns` over `operations` is `value`, in `unit`. Iterations before 0 are the warm-up: kept, and not judged.
    """

    benchmark: str
    metric: str
    iteration: int
    warmup: bool
    value: float
    unit: str
    operations: int
    elapsed_ns: int


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """Instructions per function of one timed loop. `counts` are whole numbers over all `operations` of the loop.

    Functions of modules carry the module in brackets behind the name. `[user]` is all code outside the kernel,
    `[unknown]` kernel code that no symbol covers.
    """

    benchmark: str
    iteration: int
    operations: int
    counts: dict[str, int]

    def total(self) -> int:
        return sum(self.counts.values())
