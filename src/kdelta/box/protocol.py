"""What the run loop knows of a box."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from kdelta.model.boot import BootRequest
from kdelta.model.guest import BootReport, ProgramRun
from kdelta.model.plan import BoxSpec

Again = Callable[[int, Sequence[ProgramRun]], bool]
"""Asked after each run of a program, with the benchmark's place and all its runs so far: whether to run it once more."""


class Watch:
    """How a caller follows a boot, decides in it, and ends it early.

    `said` is called from the boot's thread with a few words on what is happening, `again` by boxes that repeat. Set `stop`,
    which several boots may share, and the boot ends as LOST.
    """

    def __init__(
        self,
        said: Callable[[str], None] = lambda words: None,
        stop: threading.Event | None = None,
        again: Again = lambda place, runs: False,
    ) -> None:
        self.said = said
        self.stop = stop or threading.Event()
        self.again = again


class Box(Protocol):
    """A box that `repeats` measures time, runs each program until `Watch.again` has enough, and boots one at a time. Others
    run each once per boot, for repeating would give the same number, and boot side by side, from several threads."""

    @property
    def spec(self) -> BoxSpec: ...

    @property
    def repeats(self) -> bool: ...

    def boot(self, request: BootRequest, watch: Watch) -> BootReport:
        """Boot once, or begin a visit, and run the benchmarks. What goes wrong in it is in the report, never an exception.

        Raises BoxLostError where this machine cannot boot anything, for want of room.
        """
        ...
