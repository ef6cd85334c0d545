"""How much time ticks stand for."""

from __future__ import annotations

import msgspec

from kdelta.model.errors import MisuseError
from kdelta.profile.change import Difference
from kdelta.profile.exposure import OLD_PROFILE


class TimeScale(msgspec.Struct, frozen=True):
    """The seconds of an operation that one tick per unit of work stands for, on the old and on the new side."""

    old: float
    new: float


def cpu_time(difference: Difference, hertz: float) -> TimeScale:
    """Each tick is 1 / hertz seconds of one CPU: what was busy, which with several CPUs is more than what elapsed."""
    if difference.per == OLD_PROFILE:
        raise MisuseError("ticks per operation are not known: the profiles do not say how much work was done", "give it, or a time")
    return TimeScale(1.0 / hertz, 1.0 / hertz)


def shares(difference: Difference, seconds_old: float, seconds_new: float) -> TimeScale:
    """Each function has its share of the ticks, idle ones left out, of so many seconds an operation, elapsed or of the system."""
    total = difference.total
    seconds = ((seconds_old, total.old), (seconds_new, total.new))
    return TimeScale(*(time / ticks if ticks else 0.0 for time, ticks in seconds))
