"""A visit as it goes: every result stored at once, and the rule asked after each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from kdelta.model.boot import Cell
from kdelta.model.guest import ProgramRun
from kdelta.model.kernel import Kernel
from kdelta.model.plan import Rule, Slot
from kdelta.model.sample import Sample
from kdelta.run.judgement import headline, judged
from kdelta.run.rule import progress


class StreamSink(Protocol):
    """Where results of a boot go that is still under way; both return when they are durable."""

    def took(self, slot: Slot, kernel: Kernel, samples: Sequence[Sample]) -> None: ...
    def closed(self, slot: Slot, cell: Cell, discards: dict[int, str]) -> None: ...


class Follower:
    """What a box asks after each run of a program: whether to run it again. Called from the boot's thread."""

    def __init__(self, slot: Slot, kernel: Kernel, rule: Rule, sink: StreamSink, said: Callable[[str], None]) -> None:
        self._slot, self._kernel, self._rule, self._sink, self._said = slot, kernel, rule, sink, said

    def __call__(self, place: int, runs: Sequence[ProgramRun]) -> bool:
        benchmark = self._slot.benchmarks[place]
        found = judged(benchmark, runs, self._rule)
        self._sink.took(self._slot, self._kernel, found.readings[-1].samples)
        self._said(f"{benchmark.name}: {progress(self._rule, headline(benchmark, found.readings))}")
        if not found.again:
            self._sink.closed(self._slot, found.cell, found.discards)
        return found.again
