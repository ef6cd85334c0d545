"""A workload with parameters and the metric it yields."""

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
    better: Better


TIME_PER_OPERATION = Metric("time", "ns/op", Better.SMALLER)


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """`program` run with `parameters`; `operations` is the fixed number of one iteration in exact mode."""

    name: str
    program: str
    parameters: dict[str, str] = {}
    operation: str
    operations: int
    iterations: int = 3
    getppid: int = 0
    """getppid() calls added to each operation: a known change, to check the measurement with."""
    metric: Metric = TIME_PER_OPERATION
    needs: tuple[str, ...] = ()
    """Files that must exist where it runs."""

    def arguments(self) -> tuple[str, ...]:
        """The command line of the program in exact mode."""
        extra = ("--getppid", str(self.getppid)) if self.getppid else ()
        words = tuple(f"{name}={value}" for name, value in self.parameters.items())
        return ("--operations", str(self.operations), "--iterations", str(self.iterations), *extra, *words)
