"""How much work each of the profiles of two sides stands for, counted or concluded from the profiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kdelta.profile.change import Side
from kdelta.profile.counted import Counted, Counts
from kdelta.stats.counts import Scale, median_ratio

Array = NDArray[np.float64]

OLD_PROFILE = "old profile"
"""The unit of work where nothing is known of it: what an old profile stands for, on average."""

TOTALS = "the totals are set equal instead, so what one function takes more the others seem to take less, and nothing is tested"


@dataclass(frozen=True)
class Exposure:
    """`old` and `new` are per profile, in units of `per`. `error` is that of the logarithm of the ratio of both sides.

    `known` is whether changes can be tested.
    """

    old: Array
    new: Array
    per: str
    error: float = 0.0
    known: bool = True
    doubts: tuple[str, ...] = ()


def exposure(old: Side, new: Side, working: Counted, per: str = "operation") -> Exposure:
    """The work of both sides where each says it; else by the median ratio of the functions in `working`, which has no idle ones.

    With 2 profiles or more a side each has its own ratio, to the sum of all; otherwise the profiles of a side count alike.
    """
    if old.work and new.work:
        return Exposure(np.array(old.work, dtype=np.float64), np.array(new.work, dtype=np.float64), per)
    single = min(len(working.old), len(working.new)) < 2
    return _by_side(working) if single else _by_profile(working)


def _by_side(working: Counted) -> Exposure:
    scale = median_ratio(working.old.sum(axis=0), working.new.sum(axis=0))
    if np.isnan(scale.ratio):
        return _by_total(working, scale)
    old, new = len(working.old), len(working.new)
    return Exposure(
        np.ones(old), np.full(new, scale.ratio * old / new), OLD_PROFILE, scale.error, doubts=(_doubt(scale.functions),)
    )


def _by_profile(working: Counted) -> Exposure:
    every: Counts = np.concatenate([working.old, working.new])
    scales = [median_ratio(every.sum(axis=0), one) for one in every]
    least = min(scales, key=lambda scale: scale.functions)
    if any(np.isnan(scale.ratio) for scale in scales):
        return _by_total(working, least)
    ratios, old = np.array([scale.ratio for scale in scales]), len(working.old)
    ratios /= ratios[:old].mean()
    return Exposure(ratios[:old], ratios[old:], OLD_PROFILE, doubts=(_doubt(least.functions),))


def _by_total(working: Counted, scale: Scale) -> Exposure:
    """Shares of the total can be compared whatever it stands for, but not tested."""
    totals = np.concatenate([working.old, working.new]).sum(axis=1).astype(np.float64)
    old = len(working.old)
    if not totals.all():
        return Exposure(np.ones(old), np.ones(len(totals) - old), OLD_PROFILE, known=False, doubts=scale.doubts)
    totals /= totals[:old].mean()
    return Exposure(totals[:old], totals[old:], OLD_PROFILE, known=False, doubts=(*scale.doubts, TOTALS))


def _doubt(functions: int) -> str:
    known = f"how much work the profiles stand for is not known: taken from the median ratio of {functions} functions"
    return f"{known}, which is right as long as fewer than half of them changed"
