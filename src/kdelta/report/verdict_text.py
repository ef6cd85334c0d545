"""The report of verdicts: what `kdelta compare` and `kdelta run` print."""

from __future__ import annotations

from kdelta.model.dossier import Dossier
from kdelta.report import head, min_table, troubles, verdict_table
from kdelta.report.sentences import sentences


def render(dossier: Dossier) -> str:
    """The head, each box with its values and its verdicts, what holds for all of them, and what they say together.

    Where there is nothing to compare, values with their spread.
    """
    plan, judgement = dossier.run.plan, dossier.judgement
    parts = [head.render(dossier.run, dossier.boots, dossier.account)]
    for box, values, hidden in zip(plan.boxes, dossier.tables, dossier.hidden, strict=True):
        below = verdict_table.table(judgement, box) if dossier.is_compared else min_table.render_spread(values)
        parts += [min_table.render(values), below, troubles.hidden(box, hidden)]
    if dossier.is_compared:
        parts += [verdict_table.legend(judgement), sentences(dossier.findings)]
    every = [*dossier.boots, *dossier.profiled]
    parts.append(troubles.failures(plan, every) + troubles.warnings(plan, every))
    return "\n".join(part for part in parts if part)
