"""Ratios of speed from alternated runs: what a profile costs, and what booting side by side gains.

Usage: bench.py [ROUNDS]. One kernel, the quick suite's smaller benchmarks. Ratios are medians over the rounds; single times mean
nothing on a shared machine and are not printed.
"""

from __future__ import annotations

import dataclasses
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from kdelta.box import qemu
from kdelta.box.exact import ExactBox
from kdelta.box.protocol import Watch
from kdelta.kernel.resolve import resolve
from kdelta.model.boot import BootRequest
from kdelta.model.plan import BoxSpec
from kdelta.model.variant import Variant
from kdelta.profile.exact import read
from kdelta.workload.select import select

BENCHMARKS = ("null", "syscall-open", "proc-fork", "ctx-20", "pagefault")


def boots(count: int, side_by_side: int, *, profiled: bool = True) -> Callable[[], None]:
    box = ExactBox(BoxSpec(name="exact"), read)
    if not profiled:
        box._qemu = dataclasses.replace(qemu.find(), plugin=None)
    kernel = resolve("apt:newest")
    request = BootRequest(variant=Variant(name="bench", kernel="apt:newest"), kernel=kernel, seed=1, benchmarks=select(BENCHMARKS))

    def run() -> None:
        with ThreadPoolExecutor(side_by_side) as pool:
            list(pool.map(lambda _: box.boot(request, Watch()), range(count)))

    return run


def seconds(run: Callable[[], None]) -> float:
    started = time.monotonic()
    run()
    return time.monotonic() - started


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    pairs = {
        "a boot with profile, against one without": (boots(1, 1), boots(1, 1, profiled=False)),
        "two boots side by side, against one after the other": (boots(2, 2), boots(2, 1)),
    }
    for name, (one, other) in pairs.items():
        ratios = [seconds(one) / seconds(other) for _ in range(rounds)]
        print(f"{name}: {statistics.median(ratios):.2f} (from {min(ratios):.2f} to {max(ratios):.2f}, {rounds} pairs)")


if __name__ == "__main__":
    main()
