"""What a test system asks of the verdicts: did anything become slower by more than it may?"""

from __future__ import annotations

from enum import Enum

import msgspec

from kdelta.model.verdict import Verdict


class Threshold(msgspec.Struct, frozen=True):
    """A slowdown of `share` or more is a breach: 0.05 is 5 %. For every benchmark that has none of its own where None.

    A slowdown is of the cost: a time of at least 1 + share times the base's, or a rate of at most 1 / (1 + share) of it. So twice
    as slow is 1 for both, and a rate can fall by as much as a time can grow.
    """

    benchmark: str | None
    share: float


class Standing(Enum):
    """What a contrast is to the gate."""

    BREACH = "breach"
    TOLERATED = "tolerated"
    """Slower, by less than its threshold."""
    PASSED = "passed"
    UNDECIDED = "undecided"
    """No breach: but nothing says that there is none."""
    MISSING = "missing"
    """A side failed, or was not measured."""


class Checked(msgspec.Struct, frozen=True):
    """A contrast with what it was held against. `slowdown` is the estimated one, a share: negative where it is faster, None where
    there is no estimate.
    """

    verdict: Verdict
    standing: Standing
    threshold: float
    slowdown: float | None


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """All contrasts of a judgement, in its order. `unused` are benchmarks with a threshold that no contrast is of."""

    checked: tuple[Checked, ...]
    unused: tuple[str, ...] = ()

    def those(self, standing: Standing) -> tuple[Checked, ...]:
        return tuple(one for one in self.checked if one.standing is standing)

    @property
    def breaches(self) -> tuple[Checked, ...]:
        return self.those(Standing.BREACH)
