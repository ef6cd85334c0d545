"""The subject of a mail: what changed against what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from kdelta.model.dossier import Dossier
from kdelta.model.finding import missing, names
from kdelta.model.plan import EXACT
from kdelta.model.verdict import Answer, Verdict
from kdelta.report.figures import amount
from kdelta.report.mail.places import columns
from kdelta.report.text import boxes, counted

WIDTH = 70
"""Columns of the line, its head with it."""
HEAD = "Subject: "
NO_VALUE = "without a value"


def subject(dossier: Dossier) -> str:
    """One line. Where not all of it fits, names are left out before counts, and never those of what is slower or not decided."""
    texts = list(_texts(dossier))
    return HEAD + next((text for text in texts if len(HEAD + text) <= WIDTH), texts[-1][: WIDTH - len(HEAD)])


def _texts(dossier: Dossier) -> Iterator[str]:
    """The best first."""
    plan, verdicts = dossier.run.plan, dossier.judgement.verdicts
    if plan.twin:
        flagged = sum(verdict.answer in (Answer.SLOWER, Answer.FASTER) for verdict in verdicts)
        counts = [f"{flagged} of {counted(len(verdicts), 'contrast')} flagged"]
        sides = [f"{plan.baseline} against itself", "a kernel against itself"]
    elif verdicts:
        counts, sides = list(_counts(dossier)), list(_sides(dossier, verdicts))
    else:
        what = f"{counted(len(plan.benchmarks), 'benchmark')} on {boxes(len(plan.boxes))}"
        counts = [f"{what}, nothing could be compared" if dossier.is_compared else f"{what}, nothing to compare with"]
        sides = [", ".join(variant.name for variant in plan.variants), counted(len(plan.variants), "column")]
    yield from (": ".join(pair) for pair in product(sides, counts))


def _sides(dossier: Dossier, verdicts: Sequence[Verdict]) -> Iterator[str]:
    called = [names(dossier.judgement.axis, verdict) for verdict in verdicts]
    news, bases = (list(dict.fromkeys(found)) for found in ([one.new for one in called], [one.base for one in called]))
    base = bases[0] if len(bases) == 1 else "each other"
    yield f"{', '.join(news)} against {base}"
    if len(news) > 1:
        yield f"{len(news)} {columns(dossier.run, len(news))} against {base}"
    yield f"{counted(len({*news, *bases}), 'column')} compared"


def _counts(dossier: Dossier) -> Iterator[str]:
    """With all kinds of answers, and then without those that a reader can do without."""
    judgement = dossier.judgement
    found = Counter(NO_VALUE if missing(verdict) else verdict.answer.value for verdict in judgement.verdicts)
    within = f"{Answer.EQUIVALENT.value} within {amount(judgement.margin)}"
    needed = [(word, word) for word in (Answer.SLOWER.value, Answer.FASTER.value)]
    needed += [(Answer.UNDECIDED.value, Answer.UNDECIDED.value), (NO_VALUE, NO_VALUE)]
    kinds = [[*needed[:2], (Answer.EQUIVALENT.value, said), *needed[2:]] for said in (within, Answer.EQUIVALENT.value)]
    listed = [_listed(found, kind) for kind in (*kinds, needed) if any(found[word] for word, _ in kind)]
    exact = all(verdict.new.box.kind == EXACT for verdict in judgement.verdicts)
    yield from (f"{said} (instructions)" for said in listed if exact)
    yield from listed


def _listed(found: Counter[str], words: Sequence[tuple[str, str]]) -> str:
    """`5 of 11 slower, 3 faster`; `all 11 undecided`; `undecided` of a single one."""
    total = found.total()
    there = [(found[word], said) for word, said in words if found[word]]
    (first, said), *others = there
    every = "both" if total == 2 else f"all {total}"
    start = said if total == 1 else f"{every} {said}" if first == total else f"{first} of {total} {said}"
    return ", ".join([start, *(f"{count} {other}" for count, other in others)])
