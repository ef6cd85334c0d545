"""A box without a machine: it answers from a table. For trying the run loop, and as the shortest example of a box."""

from __future__ import annotations

import threading
from collections.abc import Callable

import msgspec

from kdelta.box.protocol import Watch
from kdelta.model.boot import BootRequest, Outcome
from kdelta.model.guest import BootReport, ProgramRun
from kdelta.model.kernel import RunningKernel
from kdelta.model.plan import BoxSpec


class FakeBox:
    """Every boot takes no time and yields `elapsed_ns` for each iteration; `answer` replaces the report of a request.

    With `repeats` it asks after each run of a program whether to run it again, as a box does that measures time.
    """

    def __init__(
        self, spec: BoxSpec, answer: Callable[[BootRequest], BootReport | None] = lambda request: None, *, repeats: bool = False
    ) -> None:
        self.spec = spec
        self.repeats = repeats
        self._answer = answer
        self._lock = threading.Lock()
        self.requests: list[BootRequest] = []

    def boot(self, request: BootRequest, watch: Watch) -> BootReport:
        with self._lock:
            self.requests.append(request)
        report = self._answer(request) or done(request)
        return repeated(report, watch) if self.repeats else report


def repeated(report: BootReport, watch: Watch) -> BootReport:
    """Each benchmark's runs, given out one after the other until `watch` has enough; the last one again if they run out."""
    programs = []
    for place, runs in enumerate(report.programs):
        given = [runs[0]]
        while watch.again(place, given):
            given.append(runs[min(len(given), len(runs) - 1)])
        programs.append(tuple(given))
    return msgspec.structs.replace(report, programs=tuple(programs))


def done(request: BootRequest, elapsed_ns: int = 1000, iterations: int | None = None) -> BootReport:
    """The report of a boot in which everything went well, each program run once with its `iterations`."""
    kernel = request.kernel
    lines = [_lines(iterations or benchmark.iterations, elapsed_ns) for benchmark in request.benchmarks]
    return BootReport(
        outcome=Outcome.DONE,
        running=RunningKernel(kernel.release, kernel.version, kernel.machine, kernel.build_id),
        programs=tuple((ProgramRun(lines=printed, ended=True, status=0),) for printed in lines),
        environment={"box": "fake"},
    )


def _lines(iterations: int, elapsed_ns: int) -> tuple[str, ...]:
    warmups = (f'{{"iteration": -1, "operations": 10, "elapsed_ns": {2 * elapsed_ns}, "warmup": true}}',)
    measured = (f'{{"iteration": {i}, "operations": 10, "elapsed_ns": {elapsed_ns}, "warmup": false}}' for i in range(iterations))
    return (*warmups, *measured)
