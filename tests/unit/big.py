"""A run of the size that a performance lab makes: many columns on many boxes, always the same one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from tests.unit.builders import kernel, run_record

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.plan import LOCAL, BoxSpec, Plan, Rule
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sample import Sample
from kdelta.model.variant import Variant
from kdelta.workload.catalogue import by_name

TIMED = (
    "ctx-2",
    "ctx-20",
    "ctx-200",
    "mmap",
    "select",
    "proc-exec",
    "proc-fork",
    "pagefault",
    "syscall-open",
    "af-unix",
    "hackbench-10",
    "volano",
    "null",
    "pipe",
)
"""Benchmarks of the catalogue with one metric, a time, in the order in which they are used."""
OPERATIONS = 1733
"""Of a result, so that a value has as many digits as values have."""
OUTLIER, FAILED = 97, 211
"""Every so manyth visit of a benchmark begins with an outlier, which is discarded; every so manyth fails."""
FAR = "followed by {} results within 1.00%"
NO_MEMORY = "exit status 2: no memory"


def big_run(
    benchmarks: int = 12, variants: int = 8, boxes: int = 6, boots: int = 30, samples: int = 4
) -> tuple[RunRecord, list[BootRecord]]:
    """A run in time of `boots` visits of each variant on each box, with `samples` results of each benchmark, the first a warm-up.

    Columns differ by up to 7 % in some benchmarks and not at all in others, boxes in their speed and their noise.
    """
    plan = _plan(benchmarks, variants, boxes, boots)
    run = run_record(plan, {one.name: kernel(f"6.{place}.0") for place, one in enumerate(plan.variants, start=1)})
    shape = (boots, boxes, variants, benchmarks, samples)
    return run, list(_records(plan, _nanoseconds(shape)))


def _plan(benchmarks: int, variants: int, boxes: int, boots: int) -> Plan:
    return Plan(
        baseline="v6.1",
        variants=tuple(Variant(name=f"v6.{place}", kernel=f"apt:6.{place}") for place in range(1, variants + 1)),
        boxes=tuple(BoxSpec(name=f"box-{place}", kind=LOCAL, cpus=2 << place) for place in range(boxes)),
        benchmarks=tuple(by_name()[name] for name in TIMED[:benchmarks]),
        seeds=boots,
        rule=Rule(most=max(15, boots)),
    )


def _nanoseconds(shape: tuple[int, ...]) -> NDArray[np.int64]:
    """What OPERATIONS took, by round, box, variant, benchmark and result."""
    _, boxes, variants, benchmarks, _ = shape
    random = np.random.default_rng(20240229)
    base = 10.0 ** random.uniform(2.5, 6.0, size=benchmarks)
    change = 1.0 + 0.01 * np.outer(np.arange(variants), np.arange(benchmarks) % 3 == 1)
    speed, noise = 1.0 + 0.2 * np.arange(boxes), 0.002 * (1.0 + np.arange(boxes))
    logs = random.standard_normal(shape[:-1])[..., None] + 0.3 * random.standard_normal(shape)
    values = (speed[:, None, None] * change * base)[None, ..., None] * np.exp(noise[None, :, None, None, None] * logs)
    return np.rint(OPERATIONS * values).astype(np.int64)


def _records(plan: Plan, elapsed: NDArray[np.int64]) -> Iterator[BootRecord]:
    names = tuple(one.name for one in plan.benchmarks)
    position = 0
    for seed, of_round in zip(plan.rounds, elapsed.tolist(), strict=True):
        for box, of_box in zip(plan.boxes, of_round, strict=True):
            environment = {"governor": "performance", "online CPUs": f"0-{box.cpus - 1}"}
            for variant, of_boot in zip(plan.variants, of_box, strict=True):
                boot = _boot(plan.benchmarks, of_boot, position, environment)
                yield BootRecord(
                    id=position + 1,
                    position=position,
                    attempt=1,
                    box=box.name,
                    variant=variant.name,
                    seed=seed,
                    benchmarks=names,
                    boot=boot,
                )
                position += 1


def _boot(benchmarks: Sequence[Benchmark], elapsed: list[list[int]], position: int, environment: dict[str, str]) -> Boot:
    cells: list[Cell] = []
    samples: list[Sample] = []
    for place, (benchmark, each) in enumerate(zip(benchmarks, elapsed, strict=True), start=position * len(benchmarks)):
        if place % FAILED == FAILED - 1:
            cells.append(Cell(benchmark.name, CellState.FAILED, NO_MEMORY))
            continue
        cells.append(Cell(benchmark.name, CellState.OK))
        samples += _results(benchmark, each, has_outlier=place % OUTLIER == OUTLIER - 1)
    return Boot(outcome=Outcome.DONE, cells=tuple(cells), samples=tuple(samples), environment=environment)


def _results(benchmark: Benchmark, elapsed: list[int], *, has_outlier: bool) -> Iterator[Sample]:
    for iteration, nanoseconds in enumerate(elapsed, start=-1):
        is_far = has_outlier and iteration == 0
        took = nanoseconds + nanoseconds // 10 if is_far else nanoseconds
        yield Sample(
            benchmark=benchmark.name,
            metric="time",
            iteration=iteration,
            warmup=iteration < 0,
            value=took / OPERATIONS,
            unit="ns/op",
            operations=OPERATIONS,
            elapsed_ns=took,
            discarded=FAR.format(len(elapsed) - 2) if is_far else "",
        )
