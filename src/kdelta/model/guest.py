"""What a box brings back from one boot, or one visit, before anything is made of it."""

from __future__ import annotations

import msgspec

from kdelta.model.boot import Outcome
from kdelta.model.kernel import RunningKernel


class ProgramRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a program: what it printed and how it ended. `ended` is False where the boot ended first."""

    lines: tuple[str, ...] = ()
    ended: bool = False
    status: int = -1
    signal: int = 0
    timeout: bool = False
    stderr: str = ""
    seconds: float = 0.0
    """Real time from its start to its end, where it was looked at: for caps, never a measurement."""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """Instructions per function, and by folded call chain, of the `iteration`-th timed loop of the `benchmark`-th benchmark, both
    from 0."""

    benchmark: int
    iteration: int
    counts: dict[str, int]
    chains: dict[str, int] = {}


class Chains(msgspec.Struct, frozen=True, kw_only=True):
    """Counts by folded call chain of the `benchmark`-th benchmark over all its profiled loops, in a visit that was profiled: ticks,
    `hertz` of which each CPU has in a second. `operations` are those of the loops.
    """

    benchmark: int
    counts: dict[str, int]
    operations: int
    hertz: float


class BootReport(msgspec.Struct, frozen=True, kw_only=True):
    """`programs` holds, for each benchmark in order, its runs that were started."""

    outcome: Outcome
    reason: str = ""
    running: RunningKernel | None = None
    programs: tuple[tuple[ProgramRun, ...], ...] = ()
    windows: tuple[Window, ...] = ()
    chains: tuple[Chains, ...] = ()
    warnings: tuple[str, ...] = ()
    kernel_log: str = ""
    environment: dict[str, str] = {}
    host_seconds: float = 0.0
    ready_seconds: float | None = None
