"""Contrasts in numbers: what each look at a group says, before any of it is called a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from kdelta.judge.groups import Group
from kdelta.model.plan import EXACT
from kdelta.model.verdict import Side
from kdelta.stats.blocks import fit, residuals
from kdelta.stats.checks import drift, outliers
from kdelta.stats.contrast import Estimates, estimates, unpaired
from kdelta.stats.sequential import Looks, two_sided
from kdelta.stats.tost import tost

Array = NDArray[np.float64]

LEAST_BOOTS = 3
"""On either side: of two the standard deviation has one degree of freedom, and an interval is 13 of them wide."""
UNLIKELY = 0.05
"""What chance does less often is worth a doubt."""
LEAST_RESIDUALS = 12
"""Of fewer, normal noise often has one that looks far away."""
LEAST_SIGNS = 8
"""Rounds: of fewer, signs alone show next to nothing."""
SIGNS_ALPHA = 0.05
MOST_NUMBERS = 2**22
"""In the normal equations of groups that are solved at once: 32 MB."""


Sides = tuple[tuple[str, str, str], ...]
"""Names of box, variant and benchmark, sorted."""


@dataclass(frozen=True)
class Measured:
    """One contrast at its last look. `estimate` is the logarithm of new over base with its `se` and `df`, `variance` that of a
    boot's noise; all NaN where the boots are too few. `rounds` have both sides; where they are not `blocked` it is the lesser
    number of boots. `p` and `p_equivalent` are valid at every look.
    """

    base: Side
    new: Side
    boots: tuple[int, int]
    rounds: int
    blocked: bool
    estimate: float
    se: float
    df: float
    variance: float
    p: float
    p_equivalent: float
    doubts: tuple[str, ...]

    @property
    def enough(self) -> bool:
        return self.rounds >= LEAST_BOOTS


def measured(groups: Sequence[Group], looks: Looks, margin: float, *, doubted: bool = True) -> Iterator[Measured]:
    """The contrasts that `groups` ask for, in their order; `margin` is a logarithm. Doubts, which take long, if `doubted`."""
    known: dict[Sides, _Oddities] = {}
    for group, seen in zip(groups, _seen(groups, margin), strict=True):
        odd = _known(group, known) if doubted else _Oddities()
        yield from (_contrast(group, seen, odd, looks, column) for column in group.asked)


def _contrast(group: Group, seen: _Seen, odd: _Oddities, looks: Looks, column: int) -> Measured:
    rounds = np.flatnonzero(seen.present[:, column])
    # Where no round is in common, none of the base comes too late.
    last = int(rounds[-1]) if rounds.size and group.blocked else len(seen.present) - 1
    return Measured(
        base=group.sides[0],
        new=group.sides[column],
        boots=(int(seen.boots[last, 0]), int(seen.boots[last, column])),
        rounds=int(seen.both[last, column]),
        blocked=group.blocked,
        **_numbers(seen, last, column),
        p=_overall(seen.p[: last + 1, column], looks),
        p_equivalent=_overall(2.0 * seen.p_equivalent[: last + 1, column], looks) / 2.0,
        doubts=tuple(_doubts(group, odd, last, column, is_noisy=bool(seen.found.chance[last, column] < UNLIKELY))),
    )


# ---- each look at each group ----


@dataclass(frozen=True)
class _Seen:
    """What is known of one group after each round, (rounds, sides)."""

    present: NDArray[np.bool_]
    boots: NDArray[np.int64]
    both: NDArray[np.int64]
    """Rounds that have the base too; where there are none in common the lesser number of boots."""
    found: Estimates
    p: Array
    p_equivalent: Array

    @property
    def enough(self) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self.both >= LEAST_BOOTS
        return found


def _seen(groups: Sequence[Group], margin: float) -> list[_Seen]:
    """Groups of one shape together: a table has hundreds."""
    found: dict[int, _Seen] = {}
    for places in _stacks(groups):
        some = [groups[place] for place in places]
        found.update(zip(places, _stacked(some, margin), strict=True))
    return [found[place] for place in range(len(groups))]


def _stacks(groups: Sequence[Group]) -> Iterator[list[int]]:
    """Places of groups that fit on each other, as many as memory should hold at once."""
    alike: dict[tuple[tuple[int, ...], bool], list[int]] = {}
    for place, group in enumerate(groups):
        alike.setdefault((group.logs.shape, group.blocked), []).append(place)
    for (shape, _), places in alike.items():
        size = max(1, MOST_NUMBERS // max(1, shape[0] * shape[1] ** 2))
        yield from (places[start : start + size] for start in range(0, len(places), size))


def _stacked(groups: Sequence[Group], margin: float) -> Iterator[_Seen]:
    """Of groups of one shape."""
    logs, floor = np.stack([group.logs for group in groups]), np.array([group.floor for group in groups])[:, None, None]
    blocked = groups[0].blocked
    present = np.isfinite(logs)
    boots = np.cumsum(present, axis=1)
    both = np.cumsum(present & present[..., :1], axis=1) if blocked else np.minimum(boots, boots[..., :1])
    found = estimates(fit(logs), floor) if blocked else unpaired(logs, floor)
    enough = both >= LEAST_BOOTS
    p = np.where(enough, two_sided(found.estimate, found.se, found.df), np.nan)
    p_equivalent = np.where(enough, tost(found.estimate, found.se, found.df, margin), np.nan)
    for place in range(len(groups)):
        own = Estimates(*(getattr(found, one.name)[place] for one in fields(found)))
        yield _Seen(present[place], boots[place], both[place], own, p[place], p_equivalent[place])


def _numbers(seen: _Seen, last: int, column: int) -> dict[str, float]:
    names = ("estimate", "se", "df", "variance")
    enough = seen.enough[last, column]
    return {name: float(getattr(seen.found, name)[last, column]) if enough else np.nan for name in names}


def _overall(p: Array, looks: Looks) -> float:
    """Of the p of each look until now."""
    seen = p[np.isfinite(p)]
    if not seen.size:
        return np.nan
    return float(looks.p(np.minimum(seen.min() if looks.number > 1 else seen[-1], 1.0)))


@dataclass(frozen=True)
class _Oddities:
    """What is odd about a whole group. `far` are values that the model leaves far from the others, (rounds, sides)."""

    drift: tuple[str, ...] = ()
    far: NDArray[np.bool_] | None = None


def _known(group: Group, known: dict[Sides, _Oddities]) -> _Oddities:
    """Pairs of columns are many groups of the same sides in other orders, of which the same is odd."""
    names = [(side.box.name, side.variant, side.benchmark.name) for side in group.sides]
    order = sorted(range(len(names)), key=names.__getitem__)
    key = tuple(names[place] for place in order)
    if key not in known:
        known[key] = _oddities(replace(group, sides=tuple(group.sides[place] for place in order), logs=group.logs[:, order]))
    found = known[key]
    return found if found.far is None else _Oddities(found.drift, found.far[:, np.argsort(order)])


def _oddities(group: Group) -> _Oddities:
    """Nothing of sides without common rounds, nor of few boots."""
    present = np.isfinite(group.logs)
    if not group.blocked or present.sum() < LEAST_RESIDUALS:
        return _Oddities()
    left = residuals(group.logs)
    far = np.zeros_like(present)
    far[tuple(np.argwhere(present)[list(outliers(left[present]))].T)] = np.ptp(left[present]) > 0.0
    return _Oddities(_drift(group, present), far)


def _drift(group: Group, present: NDArray[np.bool_]) -> tuple[str, ...]:
    """Rounds that lie nearer to their neighbours than chance has it, once the columns' own means are taken off. In the exact lab
    time does not matter."""
    whole = present.all(1)
    if group.sides[0].box.kind == EXACT or not whole.any():
        return ()
    means = (group.logs[whole] - group.logs[whole].mean(0)).mean(1)
    found = drift(means)
    return tuple(f"{said}; rounds cancel that" for said in found.doubts if found.p is not None)


def _doubts(group: Group, odd: _Oddities, last: int, column: int, *, is_noisy: bool) -> Iterator[str]:
    yield from group.doubts
    for place in (0, column):
        if group.odd[place]:
            yield f"{group.odd[place]} values of {group.sides[place].variant} are 0 or less: they have no ratio and are not judged"
    if is_noisy:
        yield "its noise is larger than that of the other columns, and judged by itself"
    yield from odd.drift
    if odd.far is not None:
        yield from _far(odd.far[: last + 1, 0] | odd.far[: last + 1, column], group.logs[:, column] - group.logs[:, 0])


def _far(rounds: NDArray[np.bool_], differences: Array) -> Iterator[str]:
    """Nothing where the signs of the differences alone, which nothing far away can bend, show the change too."""
    p = _sign_test(differences[np.isfinite(differences) & (differences != 0.0)])
    if not rounds.any() or (p is not None and p <= SIGNS_ALPHA):
        return
    names = ", ".join(str(place + 1) for place in np.flatnonzero(rounds))
    signs = f"; by the signs of the differences alone p is {p:.2g}" if p is not None else ""
    yield f"round{'s' if rounds.sum() > 1 else ''} {names} far from the others{signs}"


def _sign_test(differences: Array) -> float | None:
    """None for fewer than can show anything. Source: Dixon & Mood, Journal of the American Statistical Association 41 (1946)."""
    if differences.size < LEAST_SIGNS:
        return None
    fewer = int(min((differences > 0.0).sum(), (differences < 0.0).sum()))
    return min(1.0, 2.0 * float(bdtr(fewer, differences.size, 0.5)))
