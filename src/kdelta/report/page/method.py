"""How a run was measured: kernels, boxes, rounds, the rule, and what became of the results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from kdelta.model.dossier import Dossier
from kdelta.model.kernel import Kernel
from kdelta.model.plan import EXACT, PUBLISHED, BoxSpec, Plan, is_published
from kdelta.model.words import WORDS
from kdelta.report import published
from kdelta.report.boxes import boxes as notes
from kdelta.report.figures import amount
from kdelta.report.settings import settings
from kdelta.report.text import counted
from kdelta.report.verdict_table import legend

MISSING = "-"
ROUNDS = "every column once on each box in a round, in an order drawn for that round; so is that of the benchmarks"
APART = "the columns are of two runs, and have no rounds in common"


@dataclass(frozen=True)
class Column:
    """A variant with what its kernel said it is."""

    name: str
    release: str
    version: str
    build_id: str
    settings: tuple[str, ...]


@dataclass(frozen=True)
class Method:
    """`facts` are of the run, `boxes` their names with what they are, `notes` what their numbers mean, `rules` how was decided."""

    columns: tuple[Column, ...]
    facts: tuple[tuple[str, str], ...]
    boxes: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    rules: tuple[str, ...]


def method(dossier: Dossier) -> Method:
    """All of it in words, each fact behind its label."""
    run = dossier.run
    return Method(
        columns=tuple(_column(one.name, tuple(settings(one)), run.kernels[one.name]) for one in run.plan.variants),
        facts=tuple(_facts(dossier)),
        boxes=tuple((box.name, _box(box)) for box in run.plan.boxes),
        notes=tuple(" ".join(note.split()) for note in notes(run.plan, dossier.boots)),
        rules=tuple(_paragraphs(legend(msgspec.structs.replace(dossier.judgement, refused=())))) if dossier.is_compared else (),
    )


def _column(name: str, words: tuple[str, ...], kernel: Kernel) -> Column:
    identity = kernel.build_id or (f"image sha256 {kernel.image_sha256}" if kernel.image_sha256 else MISSING)
    return Column(name, kernel.release, kernel.version, identity, words)


def _facts(dossier: Dossier) -> Iterator[tuple[str, str]]:
    run, account = dossier.run, dossier.account
    if is_published(run.plan):
        yield from _of_others(dossier)
        return
    if not run.plan.apart:
        yield "run", f"{run.id}, {run.started[:16].replace('T', ' ')} UTC, {run.uuid}"
    yield "measured by", f"kdelta {run.kdelta_version}"
    yield "boots", _boots(run.plan, len(dossier.boots))
    if dossier.profiled:
        yield "boots only profiled", str(len(dossier.profiled))
    yield "order", APART if run.plan.apart else ROUNDS
    yield "results taken", str(account.taken)
    yield "results judged", str(account.judged)
    yield from ((f"not judged: {why}", str(count)) for why, count in account.reasons.items())
    yield "margin", f"{amount(run.plan.margin)}: up to that a change does not matter"
    yield "level", f"{amount(run.plan.alpha)}, of all verdicts together"


def _of_others(dossier: Dossier) -> Iterator[tuple[str, str]]:
    """Who published it and where, what is said of the method, and what is not."""
    run, account = dossier.run, dossier.account
    yield "run", f"{run.id}, imported {run.started[:16].replace('T', ' ')} UTC, {run.uuid}"
    yield "read by", f"kdelta {run.kdelta_version}"
    yield from (("published in", text) for text in published.texts(run))
    yield "numbers", published.numbers(account)
    yield from (("not stated", said) for said in published.unknown(dossier.boots))
    yield from published.facts(run)
    yield from (("doubtful", said) for said in published.remarks(run))
    yield "margin", f"{amount(run.plan.margin)}: up to that a change does not matter"
    yield "level", f"{amount(run.plan.alpha)}, of all verdicts together"


def _boots(plan: Plan, measured: int) -> str:
    """How many of those planned; a run that ends when everything is decided has no number that it should have."""
    if plan.apart:
        return str(measured)
    boxes = "one box" if len(plan.boxes) == 1 else f"{len(plan.boxes)} boxes"
    each = f"{counted(plan.seeds, 'round')} of {counted(len(plan.variants), 'column')} on {boxes}"
    planned = plan.seeds * len(plan.variants) * len(plan.boxes)
    if plan.sequential:
        return f"{measured}, measured until decided, at most {each}"
    return f"{measured}, {each}" + (f"; {planned - measured} not measured" if measured < planned else "")


def _box(box: BoxSpec) -> str:
    if box.kind == PUBLISHED:
        return published.NOT_HERE
    words = WORDS[box.kind]
    what = "guests whose instructions are counted" if box.kind == EXACT else "time is measured"
    memory = f", {box.memory} MiB" if box.kind == EXACT else ""
    quiet = f"; quieted: {', '.join(box.quiet)}" if box.quiet else ""
    return f"{box.kind}: {what}; {counted(box.cpus, 'CPU')}{memory}{quiet}; repeated by {words.unit}"


def _paragraphs(text: str) -> Iterator[str]:
    """Lines that were wrapped, joined again: those that go on are indented."""
    found: list[str] = []
    for line in text.splitlines():
        if line.startswith("  ") and found:
            found[-1] += f" {line.strip()}"
        elif line.strip():
            found.append(line.strip())
    yield from found
