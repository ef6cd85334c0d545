"""What the change of a benchmark is made of, by function and by subsystem: amounts that add up to the benchmark's own change."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import msgspec

from kdelta.model.errors import MisuseError
from kdelta.model.profile import INSTRUCTIONS, TICKS
from kdelta.profile.breakdown import Account, Breakdown, Item
from kdelta.profile.change import Change, Difference, Side
from kdelta.profile.idle import is_idle
from kdelta.profile.moves import AND, ARROW
from kdelta.profile.timescale import TimeScale, shares

MOST_ITEMS = 8
SECONDS = "s"


def account(
    difference: Difference,
    subsystem_of: Callable[[str], str],
    metric_old: float,
    metric_new: float,
    *,
    interval: tuple[float, float] | None = None,
    scale: TimeScale | None = None,
    subsystems: Difference | None = None,
    most: int = MOST_ITEMS,
) -> Account:
    """The account of the change of a metric, the work of an operation: instructions, or seconds where `difference` has ticks.

    `interval` is that of metric_new - metric_old. `scale` turns ticks into seconds: by default each function has its share of its
    side's metric. A contribution is a change beyond noise; in seconds on scales that differ its interval must leave 0 out, too.
    A subsystem's is the sum of those of its functions, its interval the sum of theirs, which holds however they vary together; or
    as `subsystems` says, the difference of sides that `grouped` made, which also finds what many small changes add up to.

    Raises MisuseError where a side of the metric has no value, or the scale does not fit what is counted.
    """
    _check(difference, metric_old, metric_new, scale)
    low, high = interval or (math.nan, math.nan)
    change, scales = metric_new - metric_old, _scale(difference, metric_old, metric_new, scale)
    judged = any(one.real or not math.isnan(one.q) for one in difference.changes)
    found, noise = _contributions(difference, scales, judged)
    together, left = (_by_subsystem(found, subsystem_of), noise)
    if subsystems is not None:
        together, left = _contributions(subsystems, scales, judged)
    return Account(
        old=metric_old,
        new=metric_new,
        unit=SECONDS if difference.unit == TICKS else difference.unit,
        low=low,
        high=high,
        functions=_broken_down(change, found, noise, most),
        subsystems=_broken_down(change, together, left, most),
        judged=judged,
        doubts=difference.doubts,
    )


def grouped(side: Side, subsystem_of: Callable[[str], str]) -> Side:
    """The same profiles with subsystems for functions, so that each is tested as a whole. Functions that idle stay as they are."""
    return msgspec.structs.replace(side, counts=tuple(_grouped(counts, subsystem_of) for counts in side.counts))


def newest_name(name: str) -> str:
    """What a function is called now; of one that several others were found in, the one with most of it."""
    return name.rpartition(ARROW)[2].partition(AND)[0]


def _check(difference: Difference, old: float, new: float, scale: TimeScale | None) -> None:
    for name, metric in ((difference.old, old), (difference.new, new)):
        if not math.isfinite(metric):
            raise MisuseError(f"the benchmark has no value on {name}", "without one there is no change to account for")
    if difference.unit not in (INSTRUCTIONS, TICKS):
        raise MisuseError(f"{difference.unit} cannot be turned into instructions or seconds", "take a profile that counts samples")
    if scale and difference.unit == INSTRUCTIONS:
        raise MisuseError("instructions have no time scale", "leave it out")


def _scale(difference: Difference, old: float, new: float, scale: TimeScale | None) -> TimeScale:
    if difference.unit == INSTRUCTIONS:
        return TimeScale(1.0, 1.0)
    return scale or shares(difference, old, new)


def _contributions(difference: Difference, scale: TimeScale, judged: bool) -> tuple[list[Item], Item]:
    """What changed beyond noise, and all else together."""
    scaled = [(_is_real(change, item, scale, judged), item) for change, item in _scaled(difference.changes, scale)]
    return [item for real, item in scaled if real], _sum("within noise", [item for real, item in scaled if not real])


def _scaled(changes: Iterable[Change], scale: TimeScale) -> Iterable[tuple[Change, Item]]:
    """The two sides may have other seconds a tick: the ends of the interval are as far away as the longer ones would have them."""
    longer = max(scale.old, scale.new)
    for change in changes:
        amount = scale.new * (change.new or 0.0) - scale.old * (change.old or 0.0)
        low, high = (amount + longer * (end - change.delta) for end in (change.low, change.high))
        yield change, Item(name=change.name, amount=amount, low=low, high=high)


def _is_real(change: Change, item: Item, scale: TimeScale, judged: bool) -> bool:
    if not judged:
        return item.amount != 0.0
    return change.real and (scale.old == scale.new or not item.low <= 0.0 <= item.high)


def _by_subsystem(items: Iterable[Item], subsystem_of: Callable[[str], str]) -> list[Item]:
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(subsystem_of(newest_name(item.name)), []).append(item)
    return [_sum(name, parts) for name, parts in found.items()]


def _sum(name: str, items: Sequence[Item]) -> Item:
    return Item(
        name=name,
        amount=math.fsum(item.amount for item in items),
        low=sum(item.low for item in items),
        high=sum(item.high for item in items),
        functions=sum(item.functions for item in items),
    )


def _broken_down(change: float, found: Sequence[Item], within_noise: Item, most: int) -> Breakdown:
    by_size = sorted(found, key=lambda item: (-abs(item.amount), item.name))
    amounts = [item.amount for item in found]
    return Breakdown(
        change=change,
        items=tuple(by_size[:most]),
        rest=_sum("the rest", by_size[most:]),
        within_noise=within_noise,
        outside=math.fsum([change, -within_noise.amount, *(-amount for amount in amounts)]),
        grown=math.fsum(amount for amount in amounts if amount > 0.0),
        shrunk=math.fsum(amount for amount in amounts if amount < 0.0),
    )


def _grouped(counts: dict[str, int], subsystem_of: Callable[[str], str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, count in counts.items():
        group = name if is_idle(name) else subsystem_of(name)
        found[group] = found.get(group, 0) + count
    return found
