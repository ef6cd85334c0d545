"""A workload with parameters and the metrics it yields."""

from __future__ import annotations

from enum import Enum

import msgspec


class Better(Enum):
    """The direction in which a metric improves."""

    SMALLER = "smaller"
    LARGER = "larger"


class Metric(msgspec.Struct, frozen=True):
    """`unit` is that of one value; in the exact lab one nanosecond is one instruction, so `ns` is a count there."""

    name: str
    unit: str
    better: Better = Better.SMALLER


TIME_PER_OPERATION = Metric("time", "ns/op")
INTERVAL_MS = 100
"""A thousand readings of the clock would be a tenth of a percent of it, and a visit still has time for many results."""
SCRIPTS_PER_HOUR = Metric("throughput", "scripts/h", Better.LARGER)


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A user's own command. Its metric stands in what it prints where `regex` has its group, or where `json` leads.

    `files` of this machine are carried into the guest of the exact lab, to the same paths.
    """

    words: tuple[str, ...]
    regex: str = ""
    json: str = ""
    files: tuple[str, ...] = ()


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """`program` run with `parameters`; `operations` is the fixed number of one iteration in exact mode."""

    name: str
    program: str
    parameters: dict[str, str] = {}
    operation: str
    operations: int = 1
    iterations: int = 3
    getppid: int = 0
    """getppid() calls added to each operation: a known change, to check the measurement with."""
    metrics: tuple[Metric, ...] = (TIME_PER_OPERATION,)
    """The first is the one that a table shows: chosen before anything is measured."""
    needs: tuple[str, ...] = ()
    """Files that must exist where it runs."""
    descriptors: int = 0
    tasks: int = 0
    """What it needs of each at once, where that is much."""
    classic: int = 1
    """Operations of one test of the program that it is after; a table of times shows the time of so many."""
    limit_seconds: int = 200
    """What one run of the program may take: virtual seconds in the exact lab, real ones elsewhere."""
    interval_ms: int = INTERVAL_MS
    """What one timed iteration takes at least."""
    visit_seconds: float = 60.0
    """What all its runs in one visit may take, where the plan says nothing else."""
    own_visit_seconds: float | None = None
    """What the plan says of this benchmark alone; it goes before what the plan says of all."""
    warm_again: bool = True
    """Whether each run of the program begins cold, and so with an iteration that is not judged."""
    command: Command | None = None
    """Runs in place of `program`."""

    @property
    def metric(self) -> Metric:
        return self.metrics[0]

    def arguments(self) -> tuple[str, ...]:
        """The words behind `program` where work is counted: a fixed number of operations."""
        return ("--operations", str(self.operations), "--iterations", str(self.iterations), *self._common())

    def timed_arguments(self, operations: int | None, *, first: bool) -> tuple[str, ...]:
        """The words where time is measured: one iteration, of as many `operations` as the first run found, which calibrates."""
        amount = ("--interval-ms", str(self.interval_ms)) if operations is None else ("--operations", str(operations))
        warmup = "1" if first or self.warm_again else "0"
        return (*amount, "--iterations", "1", "--warmup", warmup, *self._common())

    def _common(self) -> tuple[str, ...]:
        extra = ("--getppid", str(self.getppid)) if self.getppid else ()
        return (*extra, *(f"{name}={value}" for name, value in self.parameters.items()))
