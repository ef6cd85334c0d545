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
    """Instructions per function of the `iteration`-th timed loop of the `benchmark`-th benchmark, both from 0."""

    benchmark: int
    iteration: int
    counts: dict[str, int]


class Chains(msgspec.Struct, frozen=True, kw_only=True):
    """Counts by folded call chain of the `benchmark`-th benchmark, over all its timed loops: instructions, or ticks where `hertz` says
    how often each CPU was looked at. `operations` are those of the loops, where the box knows better than the samples do.
    """

    benchmark: int
    counts: dict[str, int]
    operations: int | None = None
    hertz: float | None = None


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
