"""Small values for tests, in which every field that a test does not name has a plain one; and a look into a store's file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
from hypothesis import strategies as st
from sqlalchemy import Engine, event

from kdelta.box import fake
from kdelta.model.benchmark import TIME_PER_OPERATION, Benchmark, Metric
from kdelta.model.boot import Boot, BootRequest, Cell, CellState, Outcome
from kdelta.model.guest import BootReport, Chains, ProgramRun, Window
from kdelta.model.kernel import Kernel, RunningKernel
from kdelta.model.plan import BoxSpec, Plan, Slot
from kdelta.model.profile import INSTRUCTIONS, TICKS, Profile, Stacks
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sample import Sample
from kdelta.model.variant import Variant
from kdelta.plan.order import slots
from kdelta.run.execute import execute
from kdelta.run.source import Straight
from kdelta.store.place import open_store
from kdelta.store.store import Store

BOX = BoxSpec(name="exact")
TABLES = ("kernels", "runs", "boots", "cells", "samples", "profiles", "stacks")
"""Of the store."""


def kernel(release: str = "6.1.0", build_id: str | None = "ab" * 20) -> Kernel:
    return Kernel(
        spec=f"path:vmlinuz-{release}",
        image=f"vmlinuz-{release}",
        image_sha256=release.encode().hex().ljust(64, "0"),
        machine="x86_64",
        release=release,
        version="#1 SMP",
        build_id=build_id,
    )


def benchmark(name: str = "null", *, program: str = "null", iterations: int = 3, metric: Metric = TIME_PER_OPERATION) -> Benchmark:
    return Benchmark(name=name, program=program, operation=f"one {name}", operations=10, iterations=iterations, metrics=(metric,))


def benchmarks(names: Iterable[str]) -> tuple[Benchmark, ...]:
    return tuple(benchmark(name) for name in names)


def variant(name: str = "old", *, cmdline: Sequence[str] = (), sysctl: dict[str, str] | None = None) -> Variant:
    return Variant(name=name, kernel=f"path:vmlinuz-{name}", cmdline=tuple(cmdline), sysctl=sysctl or {})


def plan(
    variants: Sequence[str] = ("old", "new"), names: Sequence[str] = ("null",), *, seeds: int = 1, boxes: Sequence[BoxSpec] = (BOX,)
) -> Plan:
    return Plan(
        baseline=variants[0],
        variants=tuple(variant(name) for name in variants),
        boxes=tuple(boxes),
        benchmarks=benchmarks(names),
        seeds=seeds,
    )


def request(*wanted: Benchmark, of: Variant | None = None, seed: int = 1) -> BootRequest:
    return BootRequest(variant=of or variant(), kernel=kernel(), seed=seed, benchmarks=wanted or (benchmark(),))


def slot(position: int = 0, name: str = "old", *, seed: int = 1, names: Sequence[str] = ("null",)) -> Slot:
    return Slot(position=position, box=BOX.name, variant=name, seed=seed, benchmarks=benchmarks(names))


def sample(value: float, *, name: str = "null", iteration: int = 0) -> Sample:
    """Iterations before 0 are warm-ups."""
    return Sample(
        benchmark=name,
        metric="time",
        iteration=iteration,
        warmup=iteration < 0,
        value=value,
        unit="ns/op",
        operations=10,
        elapsed_ns=round(10 * value),
    )


def samples(values: Iterable[float], *, name: str = "null") -> tuple[Sample, ...]:
    return tuple(sample(value, name=name, iteration=i) for i, value in enumerate(values))


def profile(counts: dict[str, int], *, name: str = "null", iteration: int = 0, operations: int = 10) -> Profile:
    return Profile(benchmark=name, iteration=iteration, operations=operations, counts=counts)


def stacks(counts: dict[str, int], *, name: str = "null", operations: int = 30) -> Stacks:
    return Stacks(benchmark=name, operations=operations, counts=counts)


def boot(values: Mapping[str, Sequence[float]], *, profiles: Sequence[Profile] = (), warnings: Sequence[str] = ()) -> Boot:
    """A boot in which every benchmark of `values` ended well."""
    return Boot(
        outcome=Outcome.DONE,
        cells=tuple(Cell(name, CellState.OK) for name in values),
        samples=tuple(one for name, found in values.items() for one in samples(found, name=name)),
        profiles=tuple(profiles),
        warnings=tuple(warnings),
        environment={"qemu": "7.2.22"},
    )


def failed_boot(cells: Sequence[Cell], outcome: Outcome = Outcome.DONE, reason: str = "") -> Boot:
    return Boot(outcome=outcome, reason=reason, cells=tuple(cells))


def record(came: Boot, name: str = "old", *, seed: int = 1, box: str = BOX.name, position: int = 0) -> BootRecord:
    return BootRecord(
        id=position + 1,
        position=position,
        attempt=1,
        box=box,
        variant=name,
        seed=seed,
        benchmarks=tuple(cell.benchmark for cell in came.cells),
        boot=came,
    )


def run_record(of: Plan, kernels: dict[str, Kernel] | None = None) -> RunRecord:
    return RunRecord(
        id=7,
        uuid="00000000-0000-4000-8000-000000000007",
        started="2024-02-29T12:34:56+00:00",
        plan=of,
        kernels=kernels or {one.name: kernel(f"6.{place}.0") for place, one in enumerate(of.variants, start=1)},
        kdelta_version="0.1.0",
    )


COUNTS = st.integers(min_value=-(2**63), max_value=2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.sampled_from(["null", "ctx:procs=20", "größe"])
ANY_BOOT = st.builds(
    Boot,
    outcome=st.sampled_from(Outcome),
    reason=st.text(),
    running=st.none() | st.builds(RunningKernel, st.text(), st.text(), st.text(), st.none() | st.text()),
    cells=st.lists(st.builds(Cell, NAMES, st.sampled_from(CellState), st.text()), max_size=3).map(tuple),
    samples=st.lists(
        st.builds(
            Sample,
            benchmark=NAMES,
            metric=st.text(),
            iteration=st.integers(-5, 5),
            warmup=st.booleans(),
            value=FLOATS,
            unit=st.text(),
            operations=COUNTS,
            elapsed_ns=st.none() | COUNTS,
        ),
        max_size=3,
    ).map(tuple),
    profiles=st.lists(
        st.builds(
            Profile,
            benchmark=st.just("null"),
            iteration=st.integers(0, 5),
            operations=COUNTS,
            counts=st.dictionaries(st.text(), st.integers(0, 2**64 - 1), max_size=3),
            unit=st.sampled_from([INSTRUCTIONS, TICKS]),
            hertz=st.none() | FLOATS,
        ),
        max_size=3,
    ).map(tuple),
    stacks=st.lists(
        st.builds(
            Stacks,
            benchmark=st.just("null"),
            operations=COUNTS,
            counts=st.dictionaries(st.text(), st.integers(0, 2**64 - 1), max_size=3),
            unit=st.sampled_from([INSTRUCTIONS, TICKS]),
            hertz=st.none() | FLOATS,
        ),
        max_size=2,
    ).map(tuple),
    warnings=st.lists(st.text(), max_size=2).map(tuple),
    kernel_log=st.text(),
    environment=st.dictionaries(st.text(), st.text(), max_size=2),
    host_seconds=FLOATS,
    ready_seconds=st.none() | FLOATS,
)


def sql(path: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement).fetchall()


def row_counts(path: Path) -> dict[str, int]:
    return {table: sql(path, f"SELECT count(*) FROM {table}")[0][0] for table in TABLES}


@contextmanager
def most_pages(count: int) -> Iterator[None]:
    """Databases opened inside cannot grow beyond `count` pages: a full disk."""

    def limit(connection: Any, record: object) -> None:
        connection.execute(f"PRAGMA max_page_count={count}")

    event.listen(Engine, "connect", limit)
    try:
        yield
    finally:
        event.remove(Engine, "connect", limit)


# ---- a store that was measured, without a machine ----

Mishaps = Mapping[tuple[str, int], BootReport | BaseException]
"""What comes of some boots, by variant and seed, in place of good results."""

# Nanoseconds for the ten operations of one iteration.
COSTS = {("null", "old"): 1000, ("null", "new"): 1500, ("ctx-2", "old"): 4000, ("ctx-2", "new"): 1600}
LOST = BootReport(outcome=Outcome.LOST, reason="QEMU ended with status -9")
BROKEN = BootReport(outcome=Outcome.DONE, programs=((ProgramRun(ended=True, status=1, stderr="no memory"),),) * 2)


def ticked(asked: BootRequest) -> BootReport:
    """What a profiled visit brings back: as many ticks as COSTS has nanoseconds, and idle ones."""
    return msgspec.structs.replace(
        fake.done(asked, 1000),
        chains=tuple(
            Chains(
                benchmark=place,
                counts={"do_syscall_64;schedule": COSTS[one.name, asked.variant.name], "do_idle;default_idle": 500},
                operations=10**6,
                hertz=997.0,
            )
            for place, one in enumerate(asked.benchmarks)
        ),
    )


def answer(asked: BootRequest, mishaps: Mishaps, environment: dict[str, str]) -> BootReport:
    """Good results by COSTS with their profiles, unless there was a mishap."""
    if asked.profiled:
        return ticked(asked)
    mishap = mishaps.get((asked.variant.name, asked.seed))
    if isinstance(mishap, BaseException):
        raise mishap
    costs = [COSTS[one.name, asked.variant.name] for one in asked.benchmarks]
    each = [
        fake.done(msgspec.structs.replace(asked, benchmarks=(one,)), cost)
        for one, cost in zip(asked.benchmarks, costs, strict=True)
    ]
    windows = tuple(
        Window(
            benchmark=program,
            iteration=iteration,
            counts={"schedule": cost - 500, "_raw_spin_lock": 200, "[user]": 300},
            chains={"do_syscall_64;schedule": cost - 500, "do_syscall_64;schedule;_raw_spin_lock": 200, "[user]": 300},
        )
        for program, cost in enumerate(costs)
        for iteration in range(asked.benchmarks[program].iterations)
    )
    if mishap and mishap.programs:
        return msgspec.structs.replace(mishap, running=each[0].running)
    return mishap or msgspec.structs.replace(
        each[0], programs=tuple(one.programs[0] for one in each), windows=windows, environment=environment
    )


class StoreSink:
    """Of run.execute: into a run of the store, telling nobody."""

    def __init__(self, store: Store, run: int) -> None:
        self._store, self._run = store, run

    def add(self, slot: Slot, kernel: Kernel, boot: Boot) -> None:
        self._store.add(self._run, slot, kernel, boot)

    def took(self, slot: Slot, kernel: Kernel, samples: Sequence[Sample]) -> None: ...
    def closed(self, slot: Slot, cell: Cell, discards: dict[int, str]) -> None: ...
    def started(self, slot: Slot) -> None: ...
    def said(self, slot: Slot, words: str) -> None: ...
    def ended(self, slot: Slot, boot: Boot) -> None: ...


def fill(
    place: Path, of: Plan, mishaps: Mishaps | None = None, *, started: str = "2024-02-29T12:34:56+00:00", jobs: int = 1
) -> None:
    """A run of `of` in the store at `place`, on a fake box."""
    box = fake.FakeBox(BOX, lambda asked: answer(asked, mishaps or {}, {"qemu": "7.2.22"}))
    kernels = {one.name: kernel(one.name) for one in of.variants}
    with closing(open_store(str(place))) as store:
        run = store.begin(of, kernels, uuid=started, started=started, kdelta_version="0.1.0")
        sink = StoreSink(store, run.id)
        execute(of, Straight(slots(of)), kernels, {spec.name: box for spec in of.boxes}, sink, sink, jobs)


class Lab(fake.FakeBox):
    """In place of the exact lab in `kdelta run`: boots take no time, and go as `mishaps` say."""

    mishaps: Mishaps = MappingProxyType({})
    qemu = "7.2.22"

    def __init__(self, spec: BoxSpec, read_profile: object, limit_seconds: float) -> None:
        super().__init__(spec, lambda asked: answer(asked, self.mishaps, self.environment()))

    def environment(self) -> dict[str, str]:
        return {"qemu": self.qemu}

    def check(self, variant: Variant, kernel: Kernel, benchmarks: Iterable[Benchmark]) -> dict[str, str]:
        return {}


@dataclass(frozen=True)
class Ended:
    """How the program ended, and what it said."""

    code: int
    out: str
    err: str


Kdelta = Callable[..., Ended]
"""The program, from its arguments to its end."""
