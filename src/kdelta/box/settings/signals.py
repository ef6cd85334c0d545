"""Signals that wait until things are put back."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
"""SIGINT last: its handler raises, and must be the last to come back."""


@contextmanager
def deferred() -> Iterator[None]:
    """What arrives during the body is raised when it has ended.

    Python handles signals in the main thread only; in another no Ctrl-C arrives. They are caught, not blocked: a blocked one
    is delivered to another thread, and from there to the main thread's handler all the same.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came = list[int]()

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    former = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        for number in SIGNALS:
            signal.signal(number, note)
        yield
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL if former[number] is None else former[number])
        for arrived in came:
            signal.raise_signal(arrived)
