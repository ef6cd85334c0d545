"""The run loop: boots side by side, each handed to the sink when it has ended, its results at once where the box tells them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol

from kdelta.box.protocol import Box, Watch
from kdelta.model.boot import Boot, BootRequest
from kdelta.model.kernel import Kernel
from kdelta.model.plan import Plan, Rule, Slot
from kdelta.run.follow import Follower, StreamSink
from kdelta.run.interpret import interpret
from kdelta.run.source import Source


class Sink(StreamSink, Protocol):
    """Where results go. `add` returns when everything of the boot is durable; it is called from one thread only."""

    def add(self, slot: Slot, kernel: Kernel, boot: Boot) -> None: ...


class Observer(Protocol):
    """Who wants to know how a run goes. `said` is called from the boots' threads."""

    def started(self, slot: Slot) -> None: ...
    def said(self, slot: Slot, words: str) -> None: ...
    def ended(self, slot: Slot, boot: Boot) -> None: ...


def execute(
    plan: Plan,
    source: Source,
    kernels: Mapping[str, Kernel],
    boxes: Mapping[str, Box],
    sink: Sink,
    observer: Observer,
    jobs: int,
) -> None:
    """Boot every slot of `source`, `jobs` at a time. `kernels` are by variant, `boxes` by name.

    A boot that fails is stored like any other, and the next goes on. On KeyboardInterrupt, or when the sink raises, the
    running boots are ended; nothing is stored of them but the results that their box told before, and the exception goes on.
    """
    running: dict[Future[Boot], Slot] = {}
    stop = threading.Event()
    variants = {variant.name: variant for variant in plan.variants}

    def start(slot: Slot) -> None:
        kernel, variant = kernels[slot.variant], variants[slot.variant]
        seed = slot.seed + variant.seed_shift
        request = BootRequest(variant=variant, kernel=kernel, seed=seed, benchmarks=slot.benchmarks, profiled=slot.profiled)
        rule = plan.rule if boxes[slot.box].repeats else None

        def said(words: str) -> None:
            observer.said(slot, words)

        # What was not timed is stored whole, at its end.
        watch = Watch(said, stop) if slot.profiled else Watch(said, stop, Follower(slot, kernel, plan.rule, sink, said))
        observer.started(slot)
        running[pool.submit(_boot, boxes[slot.box], request, watch, rule)] = slot

    with ThreadPoolExecutor(jobs, thread_name_prefix="boot") as pool:
        try:
            _fill(running, source, start, jobs)
            while running:
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    slot = running.pop(future)
                    boot = future.result()
                    sink.add(slot, kernels[slot.variant], boot)
                    observer.ended(slot, boot)
                    source.ended(slot, boot)
                _fill(running, source, start, jobs)
        finally:
            stop.set()


def _fill(running: Mapping[Future[Boot], object], source: Source, start: Callable[[Slot], None], jobs: int) -> None:
    while len(running) < jobs and (slot := source.take()) is not None:
        start(slot)


def _boot(box: Box, request: BootRequest, watch: Watch, rule: Rule | None) -> Boot:
    return interpret(request, box.boot(request, watch), rule)


def within(budget_seconds: float | None, slots: Iterable[Slot]) -> Iterator[Slot]:
    """`slots` until the round in which the budget, counted from here, is used up: rounds stay whole."""
    started, seed = time.monotonic(), None
    for slot in slots:
        new_round = seed is not None and slot.seed != seed
        if budget_seconds is not None and new_round and time.monotonic() - started >= budget_seconds:
            return
        seed = slot.seed
        yield slot
