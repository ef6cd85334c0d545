"""kdelta run: a plan in, results in the store, the table out."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from kdelta import __version__
from kdelta.box.exact import ExactBox
from kdelta.box.protocol import Box
from kdelta.cli.compare import show
from kdelta.cli.options import STATISTICS, store_option
from kdelta.cli.progress import RunProgress
from kdelta.kernel.resolve import identify, resolve
from kdelta.model.boot import Boot, Outcome
from kdelta.model.errors import BoxLostError, MisuseError
from kdelta.model.kernel import Kernel
from kdelta.model.plan import BoxSpec, Plan, Slot
from kdelta.model.record import BootRecord, RunRecord
from kdelta.plan import file, words
from kdelta.plan.check import check
from kdelta.plan.order import slots
from kdelta.profile.exact import read as read_profile
from kdelta.run.execute import execute
from kdelta.store.place import open_store
from kdelta.store.store import Store
from kdelta.workload.select import select

# Ends that may be the host's doing: a machine that went away, or had too little time on a slow one (--boot-limit).
REPEATED = (Outcome.LOST, Outcome.HANG)

WORDS_ONLY = ("kernels", "benchmarks", "exact", "seeds", "cpus", "memory", "baseline")


@click.command()
@click.argument("plan_file", required=False, type=click.Path(path_type=Path), metavar="[PLAN.toml]")
@click.option("-k", "kernels", multiple=True, metavar="'[NAME=]KERNEL [WORD...]'", help="A column: apt:6.1, path:FILE or running.")
@click.option("-b", "benchmarks", multiple=True, metavar="NAME", help="A suite or a benchmark: quick, ctx:procs=20,size=4096.")
@click.option("--exact", "exact", is_flag=True, help="Count instructions under QEMU.")
@click.option("--seeds", type=int, default=3, show_default=True, metavar="N", help="Boots of each kernel.")
@click.option("--cpus", type=int, default=1, show_default=True, metavar="N", help="CPUs of the guest.")
@click.option("--memory", type=int, default=512, show_default=True, metavar="MIB", help="Memory of the guest.")
@click.option("--baseline", metavar="NAME", help="The first column; by default the first -k.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Boots side by side; by default one per CPU here.")
@click.option(
    "--boot-limit", type=float, default=300.0, show_default=True, metavar="S", help="Host seconds that one boot may take."
)
@click.option("--resume", type=int, metavar="RUN", help="Complete a run that was interrupted.")
@click.option("--stat", type=click.Choice(STATISTICS), default="median", show_default=True, help="What the table shows.")
@store_option
@click.pass_context
def command(
    context: click.Context,
    plan_file: Path | None,
    kernels: tuple[str, ...],
    benchmarks: tuple[str, ...],
    exact: bool,
    seeds: int,
    cpus: int,
    memory: int,
    baseline: str | None,
    jobs: int | None,
    boot_limit: float,
    resume: int | None,
    stat: str,
    store: str | None,
) -> int:
    """Boot kernels, run benchmarks on them, store every result and print the table.

    \b
    kdelta run -k apt:6.1 -k apt:6.12 -b quick --exact
    kdelta run -k 'off=apt:6.12 init_on_alloc=0' -k 'on=apt:6.12 init_on_alloc=1' -b syscall-open --exact
    """
    if plan_file or resume is not None:
        _refuse_words(context, plan_file, resume)
    if resume is not None:
        opened = open_store(store)
        run = _resumed(opened, resume)
    else:
        box = BoxSpec(name="exact", cpus=cpus, memory=memory)
        plan = file.read(plan_file, select) if plan_file else _plan_of_words(kernels, benchmarks, exact, box, seeds, baseline)
        opened = open_store(store)
        run = _begin(opened, plan)
    try:
        _measure(opened, run, jobs or os.cpu_count() or 1, boot_limit)
    except KeyboardInterrupt:
        done = len(opened.boots(run.id))
        click.echo(f"interrupted: {done} boots are stored; `kdelta run --resume {run.id}` does the rest", err=True)
        return 130
    records = opened.boots(run.id)
    complete = show(run, records, stat)
    _raise_if_lost(run, records)
    return 0 if complete else 4


def _plan_of_words(
    kernels: Sequence[str], benchmarks: Sequence[str], exact: bool, box: BoxSpec, seeds: int, baseline: str | None
) -> Plan:
    if not kernels:
        raise MisuseError("no kernel is named", "kdelta run -k apt:oldest -k apt:newest -b quick --exact; or give a plan file")
    if not exact:
        raise MisuseError("no box is named", "this release measures in the exact lab: add --exact")
    variants = words.variants(kernels)
    return check(
        Plan(
            baseline=baseline or variants[0].name,
            variants=variants,
            boxes=(box,),
            benchmarks=select(benchmarks or ("quick",)),
            seeds=seeds,
        )
    )


def _refuse_words(context: click.Context, plan_file: Path | None, resume: int | None) -> None:
    """A plan is in one place: options that would be ignored are an error."""
    options = {option.name: option.opts[0] for option in context.command.params if option.name in WORDS_ONLY}
    typed = click.core.ParameterSource.COMMANDLINE
    given = [word for name, word in options.items() if context.get_parameter_source(name) == typed]
    if plan_file and resume is not None:
        raise MisuseError("a plan file and --resume exclude each other", "a resumed run has its plan in the store")
    if given:
        place = "the plan file" if plan_file else "the stored run"
        raise MisuseError(f"{', '.join(given)} would be ignored: the plan is in {place}", "leave it out")


def _begin(store: Store, plan: Plan) -> RunRecord:
    """Everything that can be wrong is found before the run exists."""
    _boxes(plan, 0.0)
    kernels = {variant.name: resolve(variant.kernel) for variant in plan.variants}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return store.begin(plan, kernels, uuid=str(uuid.uuid4()), started=now, kdelta_version=__version__)


def _resumed(store: Store, number: int) -> RunRecord:
    run = store.run(number)
    return msgspec.structs.replace(run, kernels={name: _again(kernel, run) for name, kernel in run.kernels.items()})


def _again(then: Kernel, run: RunRecord) -> Kernel:
    """The image that the run began with: where it was, or else where its specification leads now."""
    path = Path(then.image)
    now = identify(then.spec, path) if path.exists() else resolve(then.spec)
    if now.image_sha256 != then.image_sha256:
        raise MisuseError(
            f"'{then.spec}' is another image now ({now.release}) than when run {run.id} began ({then.release})",
            "measure the new one in a new run",
        )
    return now


def _boxes(plan: Plan, limit_seconds: float) -> dict[str, ExactBox]:
    return {spec.name: ExactBox(spec, read_profile, limit_seconds=limit_seconds) for spec in plan.boxes}


class _StoreSink:
    """Where run.execute's results go: into one run of the store."""

    def __init__(self, store: Store, run: int) -> None:
        self._store, self._run = store, run

    def add(self, slot: Slot, kernel: Kernel, boot: Boot) -> None:
        self._store.add(self._run, slot, kernel, boot)


def _measure(store: Store, run: RunRecord, jobs: int, limit_seconds: float) -> None:
    records = store.boots(run.id)
    exact_boxes = _boxes(run.plan, limit_seconds)
    for box in exact_boxes.values():
        _require_like(run, records, box)
    finished = {record.position for record in records if record.boot.outcome not in REPEATED}
    todo = [slot for slot in slots(run.plan) if slot.position not in finished]
    boxes: dict[str, Box] = dict(exact_boxes)
    with RunProgress(len(todo), jobs) as progress:
        execute(run.plan, todo, run.kernels, boxes, _StoreSink(store, run.id), progress, jobs)


def _require_like(run: RunRecord, records: Sequence[BootRecord], box: ExactBox) -> None:
    """What is added to a run must be comparable with what it holds."""
    now = box.environment()
    for record in records:
        then = record.boot.environment
        changed = [key for key in now if record.box == box.spec.name and then.get(key, now[key]) != now[key]]
        if changed:
            key = changed[0]
            raise MisuseError(
                f"run {run.id} was measured with another {key}: '{then[key]}', now '{now[key]}'",
                "counts of the two cannot be compared: begin a new run",
            )


def _raise_if_lost(run: RunRecord, records: Sequence[BootRecord]) -> None:
    lost = [record for record in records if record.boot.outcome is Outcome.LOST]
    if lost:
        first = lost[0]
        raise BoxLostError(
            f"{len(lost)} of {len(records)} boots were lost; the first ({first.variant} seed {first.seed}): {first.boot.reason}",
            f"`kdelta run --resume {run.id}` repeats them",
        )
