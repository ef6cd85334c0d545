"""The report of verdicts: what `kdelta compare` and `kdelta run` print."""

from __future__ import annotations

from kdelta.model.dossier import Dossier
from kdelta.report import head, min_table, troubles, verdict_table
from kdelta.report.sentences import sentences
from kdelta.report.text import WIDTH


def render(dossier: Dossier, width: int = WIDTH) -> str:
    """The head, each box with its values and its verdicts, what holds for all of them, and what they say together.

    Where there is nothing to compare, values with their spread.
    """
    plan, judgement = dossier.run.plan, dossier.judgement
    parts = [head.render(dossier.run, dossier.boots, dossier.account, width)]
    for box, values, hidden in zip(plan.boxes, dossier.tables, dossier.hidden, strict=True):
        below = verdict_table.table(judgement, box, width) if dossier.is_compared else min_table.render_spread(values, width)
        parts += [min_table.render(values, width), below, troubles.hidden(box, hidden, width)]
    if dossier.is_compared:
        parts += [verdict_table.legend(judgement, width), sentences(dossier.findings, width)]
    every = [*dossier.boots, *dossier.profiled]
    parts.append(troubles.failures(plan, every, width) + troubles.warnings(plan, every, width))
    return "\n".join(part for part in parts if part)
