"""What the run loop knows of a box."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from kdelta.model.boot import BootRequest
from kdelta.model.guest import BootReport
from kdelta.model.plan import BoxSpec


class Watch:
    """How a caller follows a boot, and how it ends one early.

    `said` is called from the boot's thread with a few words on what is happening. Set `stop`, which several boots may
    share, and the boot ends as LOST.
    """

    def __init__(self, said: Callable[[str], None] = lambda words: None, stop: threading.Event | None = None) -> None:
        self.said = said
        self.stop = stop or threading.Event()


class Box(Protocol):
    """Boots may run side by side: `boot` is called from several threads."""

    @property
    def spec(self) -> BoxSpec: ...

    def boot(self, request: BootRequest, watch: Watch) -> BootReport:
        """Boot once and run the benchmarks. What goes wrong in the guest is in the report, never an exception.

        Raises BoxLostError where this machine cannot boot anything, for want of room.
        """
        ...
