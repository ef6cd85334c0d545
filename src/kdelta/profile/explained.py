"""What is said of the difference of two sides' profiles, as one value."""

from __future__ import annotations

from dataclasses import dataclass

from kdelta.model.profile import INSTRUCTIONS
from kdelta.profile import charge
from kdelta.profile.breakdown import Account
from kdelta.profile.change import Difference
from kdelta.profile.moves import Move
from kdelta.profile.profiled import Profiled


@dataclass(frozen=True)
class Explained:
    """`old` and `new` are as they are compared: charged where that was asked for. `account` is None where it is not known how much
    work the profiles stand for. `callers` are of both sides, before anything was charged; empty unless it was."""

    old: Profiled
    new: Profiled
    difference: Difference
    moves: tuple[Move, ...]
    account: Account | None
    callers: tuple[charge.Account, ...] = ()

    @property
    def accounted(self) -> str:
        """What the account is of, beside the benchmark's own value."""
        if self.old.metric and self.new.metric:
            return ""
        return ", profile" if self.difference.unit == INSTRUCTIONS else ", CPU time"


@dataclass(frozen=True)
class Where:
    """Where the change of `benchmark` on `box` is: in which functions, from one variant to another."""

    box: str
    benchmark: str
    explained: Explained
