"""From a plan to a run in the store: boxes opened, kernels found, every boot measured that is missing."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from kdelta import __version__
from kdelta.box import limits
from kdelta.box.exact import ExactBox
from kdelta.box.local import LocalBox
from kdelta.box.settings import Session
from kdelta.cli.progress import RunProgress
from kdelta.cli.rule import VerdictRule
from kdelta.kernel.resolve import identify, resolve
from kdelta.kernel.running import identify_running
from kdelta.kernel.source import fetch_source
from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import Boot, Cell, Outcome
from kdelta.model.errors import MisuseError
from kdelta.model.kernel import Kernel
from kdelta.model.plan import EXACT, LOCAL, BoxSpec, Plan, Slot, is_published
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sample import Sample
from kdelta.plan.order import slots
from kdelta.profile.readers import perf_script
from kdelta.profile.readers.exact import read as read_profile
from kdelta.run.execute import execute, within
from kdelta.run.source import After, Rounds, Source, Straight
from kdelta.store.store import Store

# Ends that may be the host's doing: a machine that went away, or had too little time on a slow one (--boot-limit).
REPEATED = (Outcome.LOST, Outcome.HANG, Outcome.INTERRUPTED)

AnyBox = ExactBox | LocalBox


@contextmanager
def boxes_of(plan: Plan, boot_limit_seconds: float) -> Iterator[dict[str, AnyBox]]:
    """The boxes of `plan`, ready. On this machine everything that the plan sets was set once, read back and put back."""
    with ExitStack() as stack:
        yield {spec.name: _box(plan, spec, boot_limit_seconds, stack) for spec in plan.boxes}


def _box(plan: Plan, spec: BoxSpec, boot_limit_seconds: float, stack: ExitStack) -> AnyBox:
    if spec.kind == EXACT:
        return ExactBox(spec, read_profile, limit_seconds=boot_limit_seconds)
    limits.raise_descriptors()
    limits.check(plan.benchmarks)  # before settings are tried: it costs nothing
    session = stack.enter_context(Session())
    session.quiet(spec)
    session.rehearse(plan.variants, drop_caches=spec.drop_caches)
    return LocalBox(spec, session, perf_script.read)


def begin(store: Store, plan: Plan, boxes: Mapping[str, AnyBox]) -> RunRecord:
    """A new run. Everything that can be wrong is found before it exists."""
    kernels = {variant.name: _kernel(variant.kernel, plan) for variant in plan.variants}
    for box in boxes.values():
        for variant in plan.variants:
            box.check(variant, kernels[variant.name], plan.benchmarks)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return store.begin(plan, kernels, uuid=str(uuid.uuid4()), started=now, kdelta_version=__version__)


def _kernel(spec: str, plan: Plan) -> Kernel:
    """On this machine alone the running kernel needs no image."""
    return identify_running() if all(box.kind == LOCAL for box in plan.boxes) else resolve(spec)


def located(plan: Plan) -> Plan:
    """`plan` with what only this machine can say: its CPUs, and the trees that kernbench builds as folders, fetched if need be.

    A guest has no compiler: for it nothing is fetched, and kernbench says there that it cannot run.
    """
    if all(box.kind == EXACT for box in plan.boxes):
        return plan
    boxes = tuple(_counted(box) if box.kind == LOCAL else box for box in plan.boxes)
    for config in sorted(_parameters(plan, "config")):
        if "/" in config and not Path(config).is_file():
            raise MisuseError(f"there is no configuration {config}", "give the path of a file, tinyconfig or defconfig")
    found = {spec: str(fetch_source(spec)) for spec in sorted(_parameters(plan, "tree"))}
    return msgspec.structs.replace(plan, boxes=boxes, benchmarks=tuple(_with_tree(one, found) for one in plan.benchmarks))


def _counted(box: BoxSpec) -> BoxSpec:
    return msgspec.structs.replace(box, cpus=os.cpu_count() or 1)


def _parameters(plan: Plan, name: str) -> set[str]:
    """The values that benchmarks have for the parameter `name`."""
    return {benchmark.parameters[name] for benchmark in plan.benchmarks if name in benchmark.parameters}


def _with_tree(benchmark: Benchmark, found: Mapping[str, str]) -> Benchmark:
    if "tree" not in benchmark.parameters:
        return benchmark
    return msgspec.structs.replace(benchmark, parameters={**benchmark.parameters, "tree": found[benchmark.parameters["tree"]]})


def resumed(store: Store, number: int) -> RunRecord:
    """A run to be completed, with the kernels that it began with."""
    run = store.run(number)
    if is_published(run.plan):
        raise MisuseError(f"run {number} was published by others", "there is nothing to measure: `kdelta compare` shows it")
    return msgspec.structs.replace(run, kernels={name: _again(kernel, run) for name, kernel in run.kernels.items()})


def _again(then: Kernel, run: RunRecord) -> Kernel:
    """The image that the run began with: where it was, or else where its specification leads now."""
    if not then.image:
        now = identify_running()
    else:
        path = Path(then.image)
        now = identify(then.spec, path) if path.exists() else resolve(then.spec)
    if now.key != then.key:
        raise MisuseError(
            f"'{then.spec}' is another kernel now ({now.release}) than when run {run.id} began ({then.release})",
            "measure the new one in a new run",
        )
    return now


class StoreSink:
    """Where run.execute's results go: into one run of the store, those of a visit as they come."""

    def __init__(self, store: Store, run: int) -> None:
        self._store, self._run = store, run
        self._open: dict[int, int] = {}

    def _boot(self, slot: Slot, kernel: Kernel) -> int:
        if slot.position not in self._open:
            self._open[slot.position] = self._store.open_boot(self._run, slot, kernel)
        return self._open[slot.position]

    def took(self, slot: Slot, kernel: Kernel, samples: Sequence[Sample]) -> None:
        self._store.append(self._boot(slot, kernel), samples)

    def closed(self, slot: Slot, cell: Cell, discards: dict[int, str]) -> None:
        self._store.close_cell(self._open[slot.position], cell, discards)

    def add(self, slot: Slot, kernel: Kernel, boot: Boot) -> None:
        if slot.position in self._open:
            self._store.close_boot(self._open.pop(slot.position), boot)
        else:
            self._store.add(self._run, slot, kernel, boot)


def measure(store: Store, run: RunRecord, boxes: Mapping[str, AnyBox], jobs: int) -> None:
    """Boot what is missing. A machine whose time is measured does nothing else meanwhile."""
    records = [*store.boots(run.id), *store.boots(run.id, profiled=True)]
    for box in boxes.values():
        _require_like(run, records, box)
    todo = list(_missing(run.plan, records))
    at_once = 1 if any(box.repeats for box in boxes.values()) else jobs
    with RunProgress(todo, at_once) as progress:
        sink = StoreSink(store, run.id)
        execute(run.plan, _source(store, run, todo, progress.note), run.kernels, boxes, sink, progress, at_once)


def _source(store: Store, run: RunRecord, todo: Sequence[Slot], say: Callable[[str], None]) -> Source:
    """Boots in the order of the plan; where it is sequential, those of a round when the ones before have been judged.

    Profiles are taken at the end, also where the budget is used up: it is for timing.
    """
    budget, timed = run.plan.budget_seconds, [slot for slot in todo if not slot.profiled]
    rounds = Rounds(timed, VerdictRule(store, run, say), budget) if run.plan.sequential else Straight(within(budget, timed))
    return After(rounds, Straight(slot for slot in todo if slot.profiled))


def _missing(plan: Plan, records: Sequence[BootRecord]) -> Iterator[Slot]:
    """What is not measured yet: whole boots, but of an interrupted visit only the benchmarks that did not end."""
    earlier = {record.position: record for record in records}
    for slot in slots(plan):
        record = earlier.get(slot.position)
        if record is None or record.boot.outcome in REPEATED:
            ended = _ended(plan, record) if record else set()
            left = tuple(benchmark for benchmark in slot.benchmarks if benchmark.name not in ended)
            yield msgspec.structs.replace(slot, benchmarks=left)


def _ended(plan: Plan, record: BootRecord) -> set[str]:
    """The benchmarks of an interrupted visit that need not run again."""
    is_visit = plan.box(record.box).kind == LOCAL and record.boot.outcome is Outcome.INTERRUPTED
    return {cell.benchmark for cell in record.boot.cells} if is_visit else set()


def _require_like(run: RunRecord, records: Sequence[BootRecord], box: AnyBox) -> None:
    """What is added to a run must be comparable with what it holds."""
    own = box.environment()
    carried = {one.name: box.check(one, run.kernels[one.name], run.plan.benchmarks) for one in run.plan.variants}
    for record in (record for record in records if record.box == box.spec.name):
        then, now = record.boot.environment, {**own, **carried[record.variant]}
        changed = [key for key in now if then.get(key, now[key]) != now[key]]
        if changed:
            key = changed[0]
            raise MisuseError(
                f"run {run.id} was measured with another {key}: '{then[key]}', now '{now[key]}'",
                "the values of the two cannot be compared: begin a new run",
            )
