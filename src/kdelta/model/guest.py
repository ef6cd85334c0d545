"""What a box brings back from one boot, before anything is made of it."""

from __future__ import annotations

import msgspec

from kdelta.model.boot import Outcome
from kdelta.model.kernel import RunningKernel


class ProgramRun(msgspec.Struct, frozen=True, kw_only=True):
    """One program of the list: what it printed and how it ended. `ended` is False where the boot ended first."""

    lines: tuple[str, ...] = ()
    ended: bool = False
    status: int = -1
    signal: int = 0
    timeout: bool = False
    stderr: str = ""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """Instructions per function of the `iteration`-th timed loop of the `program`-th program, both from 0."""

    program: int
    iteration: int
    counts: dict[str, int]


class BootReport(msgspec.Struct, frozen=True, kw_only=True):
    """`programs` holds those that were started, in order."""

    outcome: Outcome
    reason: str = ""
    running: RunningKernel | None = None
    programs: tuple[ProgramRun, ...] = ()
    windows: tuple[Window, ...] = ()
    warnings: tuple[str, ...] = ()
    kernel_log: str = ""
    environment: dict[str, str] = {}
    host_seconds: float = 0.0
    ready_seconds: float | None = None
