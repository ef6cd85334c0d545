"""What was measured, where and how: written from what really ran."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kdelta.model.dossier import Dossier
from kdelta.model.kernel import Kernel
from kdelta.model.plan import EXACT, LOCAL, BoxSpec, Plan, is_published
from kdelta.model.variant import Variant
from kdelta.report import boxes as notes
from kdelta.report import head, published
from kdelta.report.figures import BLANK, amount
from kdelta.report.mail.places import columns
from kdelta.report.mail.sealed import MAIL
from kdelta.report.settings import settings
from kdelta.report.text import boxes, counted, wrapped

Call = Callable[[BoxSpec], str]
"""What a box is called."""
KINDS = {
    EXACT: notes.EXACT_NOTE.replace("Exact:", "Counted:"),
    LOCAL: "Measured: time. Visits of one bootup share its luck of layout, and say nothing about that of another.",
}
"""Kind of box -> what its numbers mean."""
LONGEST = 24
"""Characters of a name to which the others are aligned."""


def kernels(dossier: Dossier) -> str:
    """A line for each column: what it is, and by what its kernel is known. Of those of others names are all there is."""
    run = dossier.run
    if is_published(run.plan):
        called = ", ".join(variant.name for variant in run.plan.variants)
        return wrapped(f"The {columns(run, len(run.plan.variants))}, as they are called there: {called}.", width=MAIL) + "\n"
    names = [variant.name for variant in run.plan.variants]
    width = max((len(name) for name in names if len(name) <= LONGEST), default=0) + 2
    lines = (_kernel(variant, run.kernels[variant.name], width) for variant in run.plan.variants)
    return "\n".join([f"The {columns(run, len(names))}:", "", *lines]) + "\n"


def _kernel(variant: Variant, kernel: Kernel, width: int) -> str:
    asked, identity = (
        " ".join([kernel.release, *settings(variant)]),
        head.identity(kernel).replace("build id ", f"build{BLANK}id{BLANK}"),
    )
    return wrapped(f"{variant.name:>{width}}: {asked}, {kernel.version}, {identity}", " " * (width + 2), width=MAIL)


def machines(dossier: Dossier, call: Call) -> str:
    """A line for each box: what it is, and what was done to it. Of what others published where it stands."""
    if is_published(dossier.run.plan):
        told = (wrapped(f"  {one}", "    ", width=MAIL) for one in published.texts(dossier.run))
        return "\n".join(["Published in:", "", *told]) + "\n"
    lines = (wrapped(f"  {call(box)}: {_machine(dossier, box)}", "    ", width=MAIL) for box in dossier.run.plan.boxes)
    return "\n".join(["The box:" if len(dossier.run.plan.boxes) == 1 else "The boxes:", "", *lines]) + "\n"


def _machine(dossier: Dossier, box: BoxSpec) -> str:
    if box.kind != EXACT:
        facts = notes.facts(box, dossier.boots)
        return f"a real machine{facts and ': '}{facts}{notes.quieted(box)}"
    qemu = notes.versions([record for record in dossier.boots if record.box == box.name])
    return f"a guest with {counted(box.cpus, 'CPU')} and {box.memory} MiB under QEMU{f' {qemu}' if qemu else ''}"


def method(dossier: Dossier) -> str:
    """One paragraph in brackets, after Ingo Molnar's."""
    what, said = ("Published: ", _of_others(dossier)) if is_published(dossier.run.plan) else ("Test method: ", _sentences(dossier))
    return wrapped(f"[ {what}{' '.join(said)} ]", width=MAIL) + "\n"


def _of_others(dossier: Dossier) -> Iterator[str]:
    """Nothing of it is claimed to have been measured here."""
    yield published.NOT_HERE
    yield published.numbers(dossier.account)
    yield from published.unknown(dossier.boots)
    yield from (f"{what}: {said}." for what, said in published.facts(dossier.run))
    yield from [_rule(dossier)] if dossier.is_compared else []
    yield from (f"Doubtful: {one}." for one in published.remarks(dossier.run))


def _sentences(dossier: Dossier) -> Iterator[str]:
    plan, kinds = dossier.run.plan, {box.kind for box in dossier.run.plan.boxes}
    each = f"{len(plan.variants)} {columns(dossier.run, len(plan.variants))}"
    what = f"{counted(len(plan.benchmarks), 'benchmark')} of {each} on {boxes(len(plan.boxes))}"
    yield f"{what}, {head.amount(plan, dossier.boots)}."
    yield from [_order(plan, columns(dossier.run, 1))] if len(plan.variants) > 1 and not plan.apart else []
    yield from _repetition(plan, kinds)
    yield head.results(dossier.account)
    yield from [_rule(dossier)] if dossier.is_compared else []
    yield from (
        text.format(qemu=notes.versions(dossier.boots) or "of an unknown release") for kind, text in KINDS.items() if kind in kinds
    )
    yield from _besides(dossier)


def _order(plan: Plan, noun: str) -> str:
    each = "" if len(plan.boxes) == 1 else " on each box"
    drawn = "in an order drawn anew; that of the benchmarks was drawn for the round"
    return f"In each round every {noun} was measured once{each}, {drawn}."


def _repetition(plan: Plan, kinds: set[str]) -> Iterator[str]:
    """How often a benchmark ran in a boot or visit."""
    if LOCAL in kinds:
        yield f"Each benchmark: {notes.repetition(plan.rule)}."
    if EXACT in kinds:
        times = sorted({benchmark.iterations for benchmark in plan.benchmarks})
        several = f"{times[0]} to {times[-1]}" if len(times) > 1 else f"{times[0]}"
        yield f"Each benchmark ran {several} times in each boot of the guest, a fixed number of operations each time."


def _rule(dossier: Dossier) -> str:
    judgement = dossier.judgement
    together = f", adjusted for all contrasts ({judgement.adjustment})" if len(judgement.verdicts) > 1 else ""
    return f"Decided at a level of {amount(judgement.alpha)}{together}, with a margin of {amount(judgement.margin)}."


def _besides(dossier: Dossier) -> Iterator[str]:
    """That nothing differed that nobody asked for. Of a machine of which nothing is recorded that cannot be said."""
    if not any(dossier.hidden) and len(dossier.run.plan.variants) > 1 and any(one.boot.environment for one in dossier.boots):
        yield "Nothing else that is recorded of the machine differed between the columns."
