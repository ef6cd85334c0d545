"""kdelta run: a plan in, results in the store, the table out."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import click

from kdelta.cli.measure import begin, boxes_of, located, measure, resumed
from kdelta.cli.options import STATISTICS, store_option
from kdelta.cli.paint import REPORT
from kdelta.cli.plan_options import plan_options, read_plan, refuse_words
from kdelta.cli.terminal import complain, say, width
from kdelta.inquiry.dossier import Question
from kdelta.judge.noise import false_alarms, noise
from kdelta.judge.table import incomplete
from kdelta.model.boot import Outcome
from kdelta.model.dossier import Dossier
from kdelta.model.errors import BoxLostError, MisuseError
from kdelta.model.record import BootRecord, RunRecord
from kdelta.publish.material import of_run
from kdelta.report import noise_text, verdict_text
from kdelta.store.place import open_store
from kdelta.store.store import Store

NOT_PLAN = ("jobs", "boot_limit", "resume", "stat", "store")
"""Options that do not make a plan."""


@click.command()
@plan_options
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Guests side by side; by default one per CPU here.")
@click.option(
    "--boot-limit", type=float, default=300.0, show_default=True, metavar="S", help="Host seconds that one guest may take."
)
@click.option("--resume", type=int, metavar="RUN", help="Complete a run that was interrupted.")
@click.option("--stat", type=click.Choice(STATISTICS), help="What makes the results of a boot one value.")
@store_option
@click.pass_context
def command(
    context: click.Context,
    /,
    plan_file: Path | None,
    aa: bool,
    jobs: int | None,
    boot_limit: float,
    resume: int | None,
    stat: str | None,
    store: str | None,
    **words: Any,
) -> int:
    """Measure kernels or settings, store every result and print the table.

    \b
    kdelta run
    kdelta run -b sched -k on=running -k 'off=running sysctl.kernel.sched_autogroup_enabled=0'
    kdelta run -k apt:6.1 -k apt:6.12 -b quick --exact
    """
    if plan_file and resume is not None:
        raise MisuseError("a plan file and --resume exclude each other", "a resumed run has its plan in the store")
    if plan_file or resume is not None:
        refuse_words(context, "the plan file" if plan_file else "the stored run", NOT_PLAN)
    if aa and resume is not None:
        raise MisuseError("--aa would be ignored: the plan is in the stored run", "leave it out")
    opened = open_store(store)
    run = resumed(opened, resume) if resume is not None else None
    plan = run.plan if run else located(read_plan(plan_file, aa, words))
    try:
        with ended_like_interrupt(), boxes_of(plan, boot_limit) as boxes:
            run = run or begin(opened, plan, boxes)
            measure(opened, run, boxes, jobs or os.cpu_count() or 1)
    except KeyboardInterrupt:
        rest = f": what was measured is stored; `kdelta run --resume {run.id}` does the rest" if run else ""
        complain(f"interrupted{rest}")
        return 130
    question = Question(statistic=stat)
    material = of_run(opened, run, question)
    say(verdict_text.render(material.text, width()) + (_noise(opened, material.raw) if run.plan.twin else ""), REPORT)
    _raise_if_lost(run, material.boots)
    return 4 if incomplete(material.raw.tables) else 0


def _noise(store: Store, whole: Dossier) -> str:
    """The noise that a run of a baseline against itself shows. It is stored, with the names as they are."""
    run, found = whole.run, noise(whole.run.plan, whole.boots, whole.judgement)
    store.add_noise(run, found)
    alarms = {one.box: false_alarms(store.noise([one.machine])) for one in found if one.machine}
    return f"\n{noise_text.render(run.plan, found, whole.judgement, alarms, width())}"


@contextmanager
def ended_like_interrupt() -> Iterator[None]:
    """A lost connection and a polite kill end the run as Ctrl-C does: what was changed is put back."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _raise_if_lost(run: RunRecord, records: Sequence[BootRecord]) -> None:
    lost = [record for record in records if record.boot.outcome is Outcome.LOST]
    if lost:
        first = lost[0]
        raise BoxLostError(
            f"{len(lost)} of {len(records)} boots were lost; the first ({first.variant} seed {first.seed}): {first.boot.reason}",
            f"`kdelta run --resume {run.id}` repeats them",
        )
