"""From boots to the answer to one question: verdicts, means over benchmarks, and whether boxes agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from kdelta.judge import published
from kdelta.judge.adjustment import ADJUSTMENTS as ADJUSTMENTS
from kdelta.judge.adjustment import USUAL as USUAL
from kdelta.judge.agreement import agreements
from kdelta.judge.groups import Group, groups
from kdelta.judge.means import means
from kdelta.judge.measured import measured
from kdelta.judge.residue import unlike
from kdelta.judge.series import cells
from kdelta.judge.verdicts import Terms, verdicts
from kdelta.model.plan import PUBLISHED, Plan, kind_of
from kdelta.model.record import BootRecord
from kdelta.model.verdict import Axis, Judgement, Side
from kdelta.stats.levels import FIRST
from kdelta.stats.sequential import Looks

Voids = dict[str, dict[frozenset[str], str]]
"""Box -> pairs of variants that cannot be compared there, with the reason."""


def judge(
    plan: Plan,
    records: Sequence[BootRecord],
    axis: Axis = Axis.COLUMNS,
    *,
    base: str | None = None,
    statistic: str | None = None,
    adjustment: str = USUAL,
    though_unlike: bool = False,
) -> Judgement:
    """What `records`, boots of `plan`, say along `axis`.

    `base` names what the others are compared with, in the axis' own terms; `statistic` makes a boot's results one value;
    `adjustment` is a key of ADJUSTMENTS. Sides that were measured with different things are refused, unless `though_unlike`.
    """
    (found,) = judge_along(
        plan, records, [axis], base=base, statistic=statistic, adjustment=adjustment, though_unlike=though_unlike
    )
    return found


def judge_along(
    plan: Plan,
    records: Sequence[BootRecord],
    axes: Iterable[Axis],
    *,
    base: str | None = None,
    statistic: str | None = None,
    adjustment: str = USUAL,
    though_unlike: bool = False,
) -> list[Judgement]:
    """As `judge`, along each of `axes`: each is a family of its own."""
    judged = JUDGES.get(kind_of(plan), _judge_measured)
    return judged(plan, records, axes, base=base, statistic=statistic, adjustment=adjustment, though_unlike=though_unlike)


def _judge_measured(
    plan: Plan,
    records: Sequence[BootRecord],
    axes: Iterable[Axis],
    *,
    base: str | None,
    statistic: str | None,
    adjustment: str,
    though_unlike: bool,
) -> list[Judgement]:
    found = cells(plan, records, statistic)
    terms = Terms(plan.alpha, math.log1p(plan.margin), looks(plan), ADJUSTMENTS[adjustment])
    voids = {box.name: {} if though_unlike else unlike(plan, box.name, records) for box in plan.boxes}
    made = []
    for axis in axes:
        asked, refused = _alike(groups(axis, plan, found, base), voids)
        contrasts = verdicts([*measured(asked, terms.looks, terms.margin)], terms)
        whole = axis not in (Axis.LOADS, Axis.BOXES, Axis.RUNS)
        made.append(
            Judgement(
                axis=axis,
                alpha=plan.alpha,
                margin=plan.margin,
                adjustment=adjustment,
                looks=(terms.looks.first, terms.looks.last) if plan.sequential else None,
                verdicts=contrasts,
                refused=tuple(refused),
                means=means(plan, found, contrasts, terms) if whole else (),
                agreements=agreements(records, contrasts) if whole else (),
            )
        )
    return made


JUDGES: dict[str, Callable[..., list[Judgement]]] = {PUBLISHED: published.judge_along}
"""Kind of box -> what judges runs of it; all others are judged by their boots."""


def looks(plan: Plan) -> Looks:
    """After which rounds is looked: a run whose rounds were fixed before is looked at once, when it has ended."""
    return Looks(FIRST, plan.seeds) if plan.sequential else Looks()


def _alike(found: Iterable[Group], voids: Voids) -> tuple[list[Group], list[str]]:
    """The groups with the contrasts that may be made, and why others may not."""
    kept, refused = list[Group](), dict[str, None]()
    for group in found:
        reasons = {place: _reason(group.sides[0], group.sides[place], voids) for place in group.asked}
        refused.update(dict.fromkeys(reason for reason in reasons.values() if reason))
        kept.append(_asking(group, [place for place, reason in reasons.items() if not reason]))
    return [group for group in kept if group.asked], list(refused)


def _asking(group: Group, places: Sequence[int]) -> Group:
    return replace(group, asked=tuple(places))


def _reason(base: Side, new: Side, voids: Voids) -> str:
    """Why the two cannot be compared; empty where they can."""
    if base.box.kind != new.box.kind:
        return f"{base.box.name} and {new.box.name}: instructions are no time"
    said = voids[new.box.name].get(frozenset((base.variant, new.variant)), "") if base.box == new.box else ""
    return f"{base.variant} and {new.variant} on {new.box.name}: {said}" if said else ""
