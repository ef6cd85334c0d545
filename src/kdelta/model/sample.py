"""What was measured: raw, never altered, never overwritten."""

from __future__ import annotations

import msgspec


class Sample(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One value of one metric from one iteration inside one boot.

    `elapsed_ns` over `operations` is the `value` of a time per operation; `elapsed_ns` is None where a program printed its
    metric itself. Iterations are numbered through the boot. A warm-up is kept, and not judged; so is what was `discarded`,
    which says why.
    """

    benchmark: str
    metric: str
    iteration: int
    warmup: bool
    value: float
    unit: str
    operations: int = 1
    elapsed_ns: int | None = None
    discarded: str = ""

    @property
    def counts(self) -> bool:
        """Whether it is judged."""
        return not self.warmup and not self.discarded
