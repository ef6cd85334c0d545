"""What a sequential run says between its rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kdelta.model.plan import Plan
from kdelta.model.verdict import Verdict
from kdelta.report.text import counted


def announcement(plan: Plan, rounds: int, news: Mapping[str, Sequence[Verdict]]) -> Iterator[str]:
    """A line for what was decided after `rounds` rounds, and one for what the rounds left will not decide."""
    after = f"after {counted(rounds, 'round')}"
    decided = [f"{_where(plan, one)} {one.answer.value}" for one in news.get("decided", ())]
    if decided:
        yield f"{after} decided: {', '.join(decided)}"
    futile = [
        f"{_where(plan, one)} (about {one.needed} rounds needed)" if one.needed else _where(plan, one)
        for one in news.get("futile", ())
    ]
    if futile:
        kept = "measured on, as no budget is set" if plan.budget_seconds is None else "left out, as the budget is for the others"
        yield f"{after} futile: {plan.seeds} rounds are too few for {', '.join(futile)}; {kept}"


def _where(plan: Plan, verdict: Verdict) -> str:
    """As few names as tell it from the others."""
    names = [verdict.new.benchmark.name]
    if len(plan.variants) > 2:
        names.append(f"of {verdict.new.variant}")
    if len(plan.boxes) > 1:
        names.append(f"on {verdict.new.box.name}")
    return " ".join(names)
