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

from kdelta.cli import from_words
from kdelta.cli.compare import show
from kdelta.cli.measure import begin, boxes_of, located, measure, resumed
from kdelta.cli.options import STATISTICS, store_option
from kdelta.model.boot import Outcome
from kdelta.model.errors import BoxLostError, MisuseError
from kdelta.model.plan import Plan
from kdelta.model.record import BootRecord, RunRecord
from kdelta.plan import file
from kdelta.store.place import open_store
from kdelta.workload.command import command as command_of
from kdelta.workload.select import select

# Options that do not make a plan.
NOT_PLAN = ("plan_file", "jobs", "boot_limit", "resume", "stat", "store")
CATALOGUE = file.Catalogue(select, command_of)


@click.command()
@click.argument("plan_file", required=False, type=click.Path(path_type=Path), metavar="[PLAN.toml]")
@click.option("-k", "kernels", multiple=True, metavar="'[NAME=]KERNEL [WORD...]'", help="A column: running, apt:6.1, path:FILE.")
@click.option("-b", "benchmarks", multiple=True, metavar="NAME", help="A suite or a benchmark: quick, ctx:procs=20,size=4096.")
@click.option("--exact", "exact", is_flag=True, help="Boot the kernels in QEMU and count instructions.")
@click.option("--rounds", "--seeds", "seeds", type=int, default=3, show_default=True, metavar="N", help="Boots of each column.")
@click.option("--rule", type=click.Choice(("settled", "fixed")), default="settled", show_default=True, help="When is enough.")
@click.option(
    "--results", type=int, default=3, show_default=True, metavar="N", help="Results that must agree; with fixed: that are taken."
)
@click.option("--spread", default="1%", show_default=True, metavar="PCT", help="How far settled results may lie apart.")
@click.option("--most", type=int, metavar="N", help="Results at most of a benchmark in one visit; 15.")
@click.option("--limit", metavar="TIME", help="Time at most for a benchmark in one visit: 60s.")
@click.option("--budget", metavar="TIME", help="Begin no round after that time: 2h.")
@click.option("--tree", metavar="TREE", help="What kernbench builds: a folder, or apt:linux-source-6.1.")
@click.option("--config", metavar="CONFIG", help="Its configuration: tinyconfig, defconfig or a file.")
@click.option("--quiet", metavar="NAMES", help="Quiet the machine for the run: governor,turbo,smt,aslr,swap,timers,watchdog.")
@click.option("--drop-caches", is_flag=True, help="Drop clean pages before each visit.")
@click.option("--command", "run", metavar="WORDS", help="A command of your own as a benchmark.")
@click.option("--regex", default="", metavar="REGEX", help="Where its metric stands: one group in round brackets.")
@click.option("--metric-json", "json", default="", metavar="PATH", help="Or where in the JSON that it prints: $.results[0].time.")
@click.option("--unit", metavar="UNIT", help="What its metric is in.")
@click.option(
    "--better", type=click.Choice(("smaller", "larger")), default="smaller", show_default=True, help="Its good direction."
)
@click.option("--cpus", type=int, default=1, show_default=True, metavar="N", help="CPUs of the guest.")
@click.option("--memory", type=int, default=512, show_default=True, metavar="MIB", help="Memory of the guest.")
@click.option("--baseline", metavar="NAME", help="The first column; by default the first -k.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Guests side by side; by default one per CPU here.")
@click.option(
    "--boot-limit", type=float, default=300.0, show_default=True, metavar="S", help="Host seconds that one guest may take."
)
@click.option("--resume", type=int, metavar="RUN", help="Complete a run that was interrupted.")
@click.option("--stat", type=click.Choice(STATISTICS), help="What the table shows: min of settled results, else median.")
@store_option
@click.pass_context
def command(
    context: click.Context,
    /,
    plan_file: Path | None,
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
    if plan_file or resume is not None:
        _refuse_words(context, plan_file, resume)
    opened = open_store(store)
    run = resumed(opened, resume) if resume is not None else None
    plan = run.plan if run else _read(plan_file, words)
    try:
        with ended_like_interrupt(), boxes_of(plan, boot_limit) as boxes:
            run = run or begin(opened, plan, boxes)
            measure(opened, run, boxes, jobs or os.cpu_count() or 1)
    except KeyboardInterrupt:
        rest = f": what was measured is stored; `kdelta run --resume {run.id}` does the rest" if run else ""
        click.echo(f"interrupted{rest}", err=True)
        return 130
    records = opened.boots(run.id)
    complete = show(run, records, stat)
    _raise_if_lost(run, records)
    return 0 if complete else 4


def _read(plan_file: Path | None, words: dict[str, Any]) -> Plan:
    return located(file.read(plan_file, CATALOGUE) if plan_file else from_words.plan(from_words.Words(**words)))


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


def _refuse_words(context: click.Context, plan_file: Path | None, resume: int | None) -> None:
    """A plan is in one place: options that would be ignored are an error."""
    options = {option.name: "/".join(option.opts) for option in context.command.params if option.name not in NOT_PLAN}
    typed = click.core.ParameterSource.COMMANDLINE
    given = [word for name, word in options.items() if name and context.get_parameter_source(name) == typed]
    if plan_file and resume is not None:
        raise MisuseError("a plan file and --resume exclude each other", "a resumed run has its plan in the store")
    if given:
        place = "the plan file" if plan_file else "the stored run"
        raise MisuseError(f"{', '.join(given)} would be ignored: the plan is in {place}", "leave it out")


def _raise_if_lost(run: RunRecord, records: Sequence[BootRecord]) -> None:
    lost = [record for record in records if record.boot.outcome is Outcome.LOST]
    if lost:
        first = lost[0]
        raise BoxLostError(
            f"{len(lost)} of {len(records)} boots were lost; the first ({first.variant} seed {first.seed}): {first.boot.reason}",
            f"`kdelta run --resume {run.id}` repeats them",
        )
