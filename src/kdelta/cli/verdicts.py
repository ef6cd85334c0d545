"""The report of verdicts: what `kdelta compare` and `kdelta run` print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kdelta.cli.options import STATISTICS, require_benchmark, require_box, require_variant
from kdelta.judge.account import account
from kdelta.judge.findings import findings
from kdelta.judge.judgement import USUAL, judge
from kdelta.judge.residue import residue
from kdelta.judge.table import tables
from kdelta.model.plan import Plan
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.verdict import Axis, Judgement
from kdelta.report import head, min_table, troubles, verdict_table
from kdelta.report.sentences import sentences

NAMED: dict[Axis, Callable[[RunRecord, str], None]] = {Axis.LOADS: require_benchmark, Axis.BOXES: require_box}
"""Axis -> what its sides are called by; those of others are variants."""


@dataclass(frozen=True)
class Asked:
    """What is compared, and how."""

    axis: Axis = Axis.COLUMNS
    base: str | None = None
    statistic: str | None = None
    holm: bool = False
    though_unlike: bool = False


def judgement(run: RunRecord, records: Sequence[BootRecord], asked: Asked) -> Judgement:
    """Raises MisuseError for a base that there is not."""
    if asked.base is not None:
        NAMED.get(asked.axis, require_variant)(run, asked.base)
    return judge(
        run.plan,
        records,
        asked.axis,
        base=asked.base,
        statistic=asked.statistic,
        adjustment="Holm" if asked.holm else USUAL,
        though_unlike=asked.though_unlike,
    )


def text(run: RunRecord, records: Sequence[BootRecord], asked: Asked, found: Judgement, profiled: Sequence[BootRecord] = ()) -> str:
    """The head, each box with its values and its verdicts, what holds for all of them, and what they say together.

    Where there is nothing to compare, values with their spread. Of the `profiled` visits only what went wrong is told.
    """
    plan, is_compared = run.plan, bool(found.verdicts or found.refused)
    parts = [head.render(run, records, account(plan, records))]
    for box, values in zip(plan.boxes, tables(plan, records, asked.statistic or STATISTICS[0]), strict=True):
        below = verdict_table.table(found, box) if is_compared else min_table.render_spread(values)
        parts += [min_table.render(values), below, troubles.hidden(box, residue(plan, box.name, records))]
    if is_compared:
        pairs = judgement(run, records, replace(asked, axis=Axis.PAIRS)) if _has_pairs(plan, asked) else None
        parts += [verdict_table.legend(found), sentences(findings(found, pairs))]
    every = [*records, *profiled]
    parts.append(troubles.failures(plan, every) + troubles.warnings(plan, every))
    return "\n".join(part for part in parts if part)


def _has_pairs(plan: Plan, asked: Asked) -> bool:
    """Whether there are two columns beside the base."""
    return asked.axis is Axis.COLUMNS and len(plan.variants) > 2
