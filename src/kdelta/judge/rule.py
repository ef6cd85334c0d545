"""The verdict rule: what is still worth measuring after each round."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scipy.special import stdtrit

from kdelta.judge.judgement import judge, looks
from kdelta.model.boot import CellState
from kdelta.model.plan import Plan
from kdelta.model.record import BootRecord
from kdelta.model.verdict import Answer, Judgement, Side, Verdict

UNTESTABLE = 2
"""Boots without a result, and none with one: what failed twice is not tried again."""

Cell = tuple[str, str, str]
"""Names of box, variant and benchmark."""


@dataclass(frozen=True)
class Standing:
    """How a sequential run stands after some rounds.

    `wanted` are the cells that the next round measures: those of undecided contrasts, and of the baseline beside them. `futile`
    are undecided contrasts which, by their noise so far, not even all rounds will show to be equivalent; `untestable` cells failed.
    """

    judgement: Judgement
    wanted: frozenset[Cell]
    futile: tuple[Verdict, ...]
    untestable: frozenset[Cell]


def standing(plan: Plan, records: Sequence[BootRecord]) -> Standing:
    """How `plan` stands after `records`, all boots of its rounds so far.

    What is futile leaves where the plan has a budget: the time is better spent on the others. Contrasts that left do not come
    back: their own p stays, and the adjusted one can only fall with those of the others.
    """
    judgement = judge(plan, records)
    untestable = _untestable(records)
    futile = tuple(verdict for verdict in judgement.verdicts if _is_futile(plan, verdict))
    left = {id(verdict) for verdict in futile} if plan.budget_seconds is not None else set()
    live = [one for one in judgement.verdicts if one.answer is Answer.UNDECIDED and id(one) not in left]
    sides = [side for one in live if not {_cell(one.base), _cell(one.new)} & untestable for side in (one.base, one.new)]
    return Standing(judgement, frozenset(map(_cell, sides)), futile, untestable)


def _cell(side: Side) -> Cell:
    return side.box.name, side.variant, side.benchmark.name


def _untestable(records: Iterable[BootRecord]) -> frozenset[Cell]:
    came: dict[Cell, list[bool]] = {}
    for record in records:
        for cell in record.boot.cells:
            came.setdefault((record.box, record.variant, cell.benchmark), []).append(cell.state is CellState.OK)
    return frozenset(cell for cell, good in came.items() if len(good) >= UNTESTABLE and not any(good))


def _is_futile(plan: Plan, verdict: Verdict) -> bool:
    """Whether it looks like no change that matters, and the last round's interval will be too wide to show it."""
    if verdict.answer is not Answer.UNDECIDED or verdict.ratio is None or verdict.sd is None:
        return False
    level = looks(plan).level(2.0 * plan.alpha)
    half = -float(stdtrit(plan.seeds - 1, level / 2.0)) * verdict.sd * math.sqrt(2.0 / plan.seeds)
    margin = math.log1p(plan.margin)
    return half > margin and abs(math.log(verdict.ratio.value)) < margin


def announcements(before: Standing | None, now: Standing) -> Mapping[str, list[Verdict]]:
    """What the last round decided, and what is futile since: by "decided" and "futile"."""
    known = {} if before is None else {_both(one): one.answer for one in before.judgement.verdicts}
    was_futile = set() if before is None else {_both(one) for one in before.futile}
    decided = [
        one for one in now.judgement.verdicts if one.answer is not Answer.UNDECIDED and one.answer is not known.get(_both(one))
    ]
    return {"decided": decided, "futile": [one for one in now.futile if _both(one) not in was_futile]}


def _both(verdict: Verdict) -> tuple[Cell, Cell]:
    return _cell(verdict.base), _cell(verdict.new)
