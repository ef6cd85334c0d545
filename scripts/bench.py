"""Ratios of speed from alternated runs: what a profile and its call chains cost, what booting side by side gains, and what
looking after each round of a large run costs.

Usage: bench.py [ROUNDS]. One kernel, the quick suite's smaller benchmarks. Ratios are medians over the rounds; single times mean
nothing on a shared machine and are not printed.
"""

from __future__ import annotations

import dataclasses
import math
import random
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import msgspec

from kdelta.box import qemu
from kdelta.box.exact import ExactBox
from kdelta.box.protocol import Watch
from kdelta.judge.judgement import judge
from kdelta.kernel.resolve import resolve
from kdelta.model.boot import Boot, BootRequest, Cell, CellState, Outcome
from kdelta.model.plan import BoxSpec, Plan, Slot
from kdelta.model.record import BootRecord
from kdelta.model.sample import Sample
from kdelta.model.variant import Variant
from kdelta.plan.order import slots
from kdelta.profile.readers.exact import read
from kdelta.workload.catalogue import BENCHMARKS as BENCHMARKS_OF_ALL
from kdelta.workload.select import select

RESULTS = 30
"""Boots of a column, and results in each."""
BENCHMARKS = ("null", "syscall-open", "proc-fork", "ctx-20", "pagefault")


def boots(count: int, side_by_side: int, *, profiled: bool = True, chains: bool = False) -> Callable[[], None]:
    box = ExactBox(BoxSpec(name="exact", chains=chains), read)
    if not profiled:
        box._qemu = dataclasses.replace(qemu.find(), plugin=None)
    kernel = resolve("apt:newest")
    request = BootRequest(variant=Variant(name="bench", kernel="apt:newest"), kernel=kernel, seed=1, benchmarks=select(BENCHMARKS))

    def run() -> None:
        with ThreadPoolExecutor(side_by_side) as pool:
            list(pool.map(lambda _: box.boot(request, Watch()), range(count)))

    return run


def judged(*, sequential: bool) -> Callable[[], None]:
    """12 benchmarks, 8 variants, 6 boxes, 30 boots of each, 30 results in a boot: half a million, in memory."""
    benchmarks = tuple(msgspec.structs.replace(one, iterations=RESULTS) for one in BENCHMARKS_OF_ALL[:12])
    plan = Plan(
        baseline="v0",
        variants=tuple(Variant(name=f"v{place}", kernel="apt:newest") for place in range(8)),
        boxes=tuple(BoxSpec(name=f"box-{place}") for place in range(6)),
        benchmarks=benchmarks,
        seeds=RESULTS,
        sequential=sequential,
    )
    draw = random.Random(1)
    records = [_record(slot, draw) for slot in slots(plan)]

    def run() -> None:
        judge(plan, records)

    return run


def _record(slot: Slot, draw: random.Random) -> BootRecord:
    """Boots that vary by 1 %, results in them by half of that."""
    cells = tuple(Cell(one.name, CellState.OK) for one in slot.benchmarks)
    samples = []
    for one in slot.benchmarks:
        level, metric = math.exp(draw.gauss(math.log(1000.0), 0.01)), one.metric
        values = (level * math.exp(draw.gauss(0.0, 0.005)) for _ in range(RESULTS))
        samples += [
            Sample(benchmark=one.name, metric=metric.name, iteration=place, warmup=False, value=value, unit=metric.unit)
            for place, value in enumerate(values)
        ]
    return BootRecord(
        id=slot.position,
        position=slot.position,
        attempt=1,
        box=slot.box,
        variant=slot.variant,
        seed=slot.seed,
        benchmarks=tuple(one.name for one in slot.benchmarks),
        boot=Boot(outcome=Outcome.DONE, cells=cells, samples=tuple(samples)),
    )


def seconds(run: Callable[[], None]) -> float:
    started = time.monotonic()
    run()
    return time.monotonic() - started


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    pairs = {
        "a boot with profile, against one without": (boots(1, 1), boots(1, 1, profiled=False)),
        "a boot with call chains, against one with a flat profile": (boots(1, 1, chains=True), boots(1, 1)),
        "two boots side by side, against one after the other": (boots(2, 2), boots(2, 1)),
        "judging half a million results after each of 30 rounds, against once": (judged(sequential=True), judged(sequential=False)),
    }
    for name, (one, other) in pairs.items():
        ratios = [seconds(one) / seconds(other) for _ in range(rounds)]
        print(f"{name}: {statistics.median(ratios):.2f} (from {min(ratios):.2f} to {max(ratios):.2f}, {rounds} pairs)")


if __name__ == "__main__":
    main()
