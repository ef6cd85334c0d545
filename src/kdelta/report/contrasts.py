"""The contrasts of one box as they are shown together: in groups of the same sides, with what is said of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kdelta.model.finding import names
from kdelta.model.verdict import Judgement, Verdict
from kdelta.report.text import counted

UP = "^"
"""Marks a row in which larger is better, where in others smaller is."""


@dataclass(frozen=True)
class Group:
    """Contrasts of the sides called `new` and `base`. `label` is short where all groups have one base."""

    new: str
    base: str
    label: str
    verdicts: list[Verdict]

    @property
    def title(self) -> str:
        return f"{self.new} against {self.base}"


def groups(judgement: Judgement, found: Iterable[Verdict]) -> list[Group]:
    """In the order in which their sides are first met."""
    met: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in found:
        called = names(judgement.axis, verdict)
        met.setdefault((called.new, called.base), []).append(verdict)
    bases = {base for _, base in met}
    return [Group(new, base, new if len(bases) == 1 else f"{new} against {base}", of) for (new, base), of in met.items()]


def common(verdict: Verdict) -> int:
    """Rounds in common; two boxes have none, whatever is counted."""
    return verdict.rounds if verdict.base.box.name == verdict.new.box.name else 0


def rounds(verdict: Verdict) -> str:
    """`5`, or `5+4` boots where there are no rounds in common; with about how many are needed, `5/~30`.

    Of what others published `5+?`: the results that are behind each side, as far as that is stated.
    """
    if verdict.results:
        return "+".join("?" if count is None else str(count) for count in verdict.results)
    found = str(common(verdict)) if common(verdict) else f"{verdict.boots[0]}+{verdict.boots[1]}"
    return f"{found}/~{verdict.needed}" if verdict.needed else found


def said(verdict: Verdict) -> list[str]:
    """Why it is undecided, what must be known, and boots that others do not match."""
    both = common(verdict)
    alone = both and verdict.boots != (both, both)
    boots = f"{verdict.boots[0]} boots of the base and {verdict.boots[1]} of the new side, with {counted(both, 'round')} in common"
    return [text for text in (verdict.why, *verdict.doubts, boots if alone else "") if text]
