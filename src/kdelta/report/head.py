"""What a reader must know before the numbers: which kernels, how often, measured how."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kdelta.model.account import Account
from kdelta.model.kernel import Kernel
from kdelta.model.plan import EXACT, PUBLISHED, Plan, kind_of
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.words import WORDS, Words
from kdelta.report import published
from kdelta.report.boxes import boxes
from kdelta.report.settings import settings
from kdelta.report.text import WIDTH, counted, folded, wrapped

WORDED = {"the visit was interrupted": "of interrupted visits"}
"""Reasons that do not go behind a number."""


def render(run: RunRecord, records: Sequence[BootRecord], account: Account, width: int = WIDTH) -> str:
    """The run, its columns with what the kernels said they are, what became of the results, and what the boxes are.

    Of what others published who did, and what is not known.
    """
    return HEADS.get(kind_of(run.plan), _measured)(run, records, account, width)


def _measured(run: RunRecord, records: Sequence[BootRecord], account: Account, width: int) -> str:
    which = "Two runs" if run.plan.apart else f"Run {run.id}, {began(run)}"
    lines = [folded(f"{which}: {amount(run.plan, records)}.", "  ", width=width)]
    for variant in run.plan.variants:
        kernel = run.kernels[variant.name]
        told = (
            f"  {variant.name}: {' '.join([kernel.release, *settings(variant)])}",
            f"    {kernel.version}",
            f"    {identity(kernel)}",
        )
        lines += [folded(one, "      ", width=width) for one in told]
    return "\n".join([*lines, wrapped(results(account), width=width), *boxes(run.plan, records, width)]) + "\n"


Head = Callable[[RunRecord, Sequence[BootRecord], Account, int], str]
HEADS: dict[str, Head] = {PUBLISHED: published.head}
"""Kind of box -> the head of its runs; all others were measured."""


def began(run: RunRecord) -> str:
    """The minute, in words."""
    return f"{run.started[:16].replace('T', ' ')} UTC"


def identity(kernel: Kernel) -> str:
    """By what `kernel` is known, best first."""
    if kernel.build_id:
        return f"build id {kernel.build_id}"
    return f"image sha256 {kernel.image_sha256}" if kernel.image_sha256 else "no build id: known by release and version alone"


def amount(plan: Plan, boots: Sequence[BootRecord]) -> str:
    """How many boots or visits, which, and how many are missing."""
    if plan.apart:
        return f"{_words(plan).units(len(boots))}; the columns have no rounds in common"
    if plan.sequential:
        return _sequential(plan, boots)
    words, planned = _words(plan), plan.seeds * len(plan.variants) * len(plan.boxes)
    missing = f", {planned - len(boots)} of them not measured yet" if len(boots) < planned else ""
    alone = "this layout" if words is WORDS[EXACT] else "these visits"
    seeds = (
        f"{words.number}s {plan.rounds[0]} to {plan.rounds[-1]}"
        if plan.seeds > 1
        else f"one {words.number}: a statement about {alone} only"
    )
    return f"{words.units(planned)} ({seeds}){missing}"


def _sequential(plan: Plan, boots: Sequence[BootRecord]) -> str:
    """A run that ends when everything is decided has no number of boots that it should have."""
    words, seeds = _words(plan), [boot.seed for boot in boots]
    which = f"{words.number}s {min(seeds)} to {max(seeds)}" if seeds else "none yet"
    return f"{words.units(len(boots))} ({which}; measured until decided, at most {plan.seeds} rounds)"


def _words(plan: Plan) -> Words:
    """Those of the exact lab where the plan has boxes of several kinds."""
    kinds = {box.kind for box in plan.boxes}
    return next(words for kind, words in WORDS.items() if kind in kinds)


def results(account: Account) -> str:
    """How many were taken, how many are judged, and why the others are not."""
    reasons = ", ".join(_reason(count, why) for why, count in account.reasons.items())
    said = f"; not judged: {reasons}" if reasons else ""
    return f"Results: {account.taken} taken, {account.judged} judged{said}."


def _reason(count: int, why: str) -> str:
    """Either a word for what is counted, or words for what came of it."""
    return counted(count, why) if why == "warm-up" else f"{count} {WORDED.get(why, why)}"
