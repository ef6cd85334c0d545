"""The interval of a difference, from those of what is subtracted: for values whose own intervals are lopsided or end at 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """Values with their intervals `low`..`high`, all of one shape."""

    value: Array
    low: Array
    high: Array


def difference(old: Estimate, new: Estimate) -> tuple[Array, Array]:
    """The ends of the interval of `new` - `old`, two independent estimates, at the level that theirs have.

    Each end lies as far from the difference as the two that lead there do, squared and summed. Source: Zou and Donner, Statistics
    in Medicine 27 (2008), whose name for it is MOVER.
    """
    middle = new.value - old.value
    low = middle - np.hypot(new.value - new.low, old.high - old.value)
    return low, middle + np.hypot(new.high - new.value, old.value - old.low)
