"""One bootup of one variant on one box: what is asked for and what came of it."""

from __future__ import annotations

from enum import Enum

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.kernel import Kernel, RunningKernel
from kdelta.model.profile import Profile, Stacks
from kdelta.model.sample import Sample
from kdelta.model.variant import Variant


class Outcome(Enum):
    """How a boot ended. Only a DONE boot ran to its final marker."""

    DONE = "done"
    PANIC = "panic"
    HANG = "hang"
    REFUSED = "refused"
    """The box could not be made what the variant asks for."""
    WRONG_KERNEL = "wrong kernel"
    LOST = "lost"
    """The machine went away, from outside: nothing is known about the kernel, and the boot may be repeated."""
    INTERRUPTED = "interrupted"
    """It was begun, and its end was never stored. What was measured until then is."""


class CellState(Enum):
    """How one benchmark of one boot ended."""

    OK = "ok"
    FAILED = "failed"
    NOT_HERE = "not possible here"
    KILLED = "killed"
    TIMEOUT = "timeout"


class BootRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`seed` perturbs the boot's layout; `benchmarks` are in the order in which they run. Where it is `profiled`, a box that
    measures time takes a profile instead, and no time is judged.
    """

    variant: Variant
    kernel: Kernel
    seed: int
    benchmarks: tuple[Benchmark, ...]
    profiled: bool = False


class Cell(msgspec.Struct, frozen=True, gc=False):
    """The state of one benchmark in one boot, with the reason where it is not OK, or is OK but did not settle."""

    benchmark: str
    state: CellState
    reason: str = ""


class Boot(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a BootRequest. `cells` has one entry for each benchmark asked for, also those never reached."""

    outcome: Outcome
    reason: str = ""
    running: RunningKernel | None = None
    cells: tuple[Cell, ...]
    samples: tuple[Sample, ...] = ()
    profiles: tuple[Profile, ...] = ()
    stacks: tuple[Stacks, ...] = ()
    warnings: tuple[str, ...] = ()
    kernel_log: str = ""
    environment: dict[str, str] = {}
    """What the values depend on, and the state of the machine: QEMU's release, compiler, processor, load, ..."""
    host_seconds: float = 0.0
    """Host time from the start of the machine or the visit to its end: a label, never a measurement."""
    ready_seconds: float | None = None
    """Host time until the first benchmark started."""
