"""From a stored run and a question to all that is said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from kdelta.inquiry.require import require_benchmark, require_box, require_variant
from kdelta.judge.account import account
from kdelta.judge.findings import findings
from kdelta.judge.gate import gate
from kdelta.judge.judgement import USUAL as USUAL_ADJUSTMENT
from kdelta.judge.judgement import judge_along
from kdelta.judge.residue import residue
from kdelta.judge.results import cut
from kdelta.judge.sheet import sheets
from kdelta.judge.table import tables
from kdelta.model.dossier import Dossier
from kdelta.model.gate import Threshold
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.verdict import Axis, Judgement
from kdelta.store.store import Store

NAMED: dict[Axis, Callable[[RunRecord, str], None]] = {Axis.LOADS: require_benchmark, Axis.BOXES: require_box}
"""Axis -> what its sides are called by; those of others are variants."""
USUAL_STATISTIC = "median"


@dataclass(frozen=True)
class Question:
    """What is compared, and how. `statistic` makes the results of a boot one value: a key of stats.summary.STATISTICS."""

    axis: Axis = Axis.COLUMNS
    base: str | None = None
    statistic: str | None = None
    holm: bool = False
    though_unlike: bool = False
    thresholds: tuple[Threshold, ...] = ()

    def renamed(self, show: Callable[[str], str]) -> Question:
        """The same of a run whose names are as `show` makes them."""
        thresholds = tuple(Threshold(one.benchmark and show(one.benchmark), one.share) for one in self.thresholds)
        return replace(self, base=self.base and show(self.base), thresholds=thresholds)


USUAL = Question()


def read(store: Store, run: RunRecord, question: Question = USUAL) -> Dossier:
    """The dossier of a run in `store`. Raises MisuseError as `gather` does."""
    return gather(run, store.boots(run.id), store.boots(run.id, profiled=True), question)


def gather(
    run: RunRecord,
    boots: Sequence[BootRecord],
    profiled: Sequence[BootRecord] = (),
    question: Question = USUAL,
    left_out: Sequence[str] = (),
) -> Dossier:
    """`left_out` says what else is not compared, and why. Raises MisuseError for a base that there is not."""
    plan = run.plan
    judgement, *pairs = _judged(run, boots, question)
    judgement = msgspec.structs.replace(judgement, refused=(*judgement.refused, *left_out))
    return Dossier(
        run=run,
        boots=tuple(boots),
        profiled=tuple(profiled),
        cuts=tuple(cut(plan, record) for record in boots),
        account=account(plan, boots),
        judgement=judgement,
        gate=gate(judgement, question.thresholds),
        findings=findings(judgement, *pairs) if judgement.verdicts or judgement.refused else (),
        tables=tuple(tables(plan, boots, question.statistic or USUAL_STATISTIC)),
        sheets=tuple(sheets(plan, boots)),
        hidden=tuple(residue(plan, box.name, boots) for box in plan.boxes),
    )


def _judged(run: RunRecord, boots: Sequence[BootRecord], question: Question) -> list[Judgement]:
    """What was asked for; and where it is of columns, of which there are two beside the base, what these say among themselves."""
    if question.base is not None:
        NAMED.get(question.axis, require_variant)(run, question.base)
    pairs = [Axis.PAIRS] if question.axis is Axis.COLUMNS and len(run.plan.variants) > 2 else []
    return judge_along(
        run.plan,
        boots,
        [question.axis, *pairs],
        base=question.base,
        statistic=question.statistic,
        adjustment="Holm" if question.holm else USUAL_ADJUSTMENT,
        though_unlike=question.though_unlike,
    )
