"""Profiles per unit of work, and the difference of two sides: how large, and whether it is more than chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kdelta.model.errors import MisuseError
from kdelta.profile.change import Change, Difference, Side
from kdelta.profile.counted import Counted, counted
from kdelta.profile.exposure import Exposure, exposure
from kdelta.profile.idle import is_idle
from kdelta.profile.noise import judged

LEVEL = 0.05
"""The share of false ones among the changes that are called real; intervals hold with 1 - LEVEL."""


def compare(old: Side, new: Side, *, keep_clones: bool = False, level: float = LEVEL, per: str = "operation") -> Difference:
    """The difference of `new` from `old`, in counts per unit of work: those of a side's profiles together / their work together.

    `per` names the unit of the work; it is an old profile where a side does not say its own. Clones of a function (.isra,
    .constprop, .part, .cold) are joined under its name unless `keep_clones`. Functions that idle are not tested. Raises
    MisuseError where the sides count different things, or a side has no profiles.
    """
    if old.unit != new.unit:
        raise MisuseError(f"{old.name} counts {old.unit} and {new.name} {new.unit}", "compare profiles of one kind")
    every = counted(old, new, keep_clones)
    idle = np.fromiter(map(is_idle, every.names), np.bool_, len(every.names))
    working, waiting = every.only(~idle), every.only(idle)
    work = exposure(old, new, working, per)
    found = judged(old.unit, working, work, level)
    untold = np.full(len(waiting.names), np.nan)
    return Difference(
        old=old.name,
        new=new.name,
        changes=_changes(working, work, found.low, found.high, found.q, found.real),
        idle=_changes(waiting, work, untold, untold, untold, untold > 0.0),
        unit=old.unit,
        per=work.per,
        profiles=(len(old.counts), len(new.counts)),
        level=level,
        doubts=(*work.doubts, *found.doubts),
    )


def _changes(of: Counted, work: Exposure, *judgement: NDArray[np.float64] | NDArray[np.bool_]) -> tuple[Change, ...]:
    old, new = of.old.sum(axis=0) / work.old.sum(), of.new.sum(axis=0) / work.new.sum()
    # The names are in their order, in which ties stay.
    order = np.argsort(old - new, kind="stable")
    columns = (column[order].tolist() for column in (old, new, of.in_old, of.in_new, *judgement))
    return tuple(
        Change(name=of.names[place], old=before if had else None, new=after if has else None, low=low, high=high, q=q, real=real)
        for place, before, after, had, has, low, high, q, real in zip(order.tolist(), *columns, strict=True)
    )
