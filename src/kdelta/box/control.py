"""The two FIFOs by which `perf record --control` (Linux 5.9) is told when to count, and says that it has heard."""

from __future__ import annotations

import os
import select
import subprocess
import threading
import time
from pathlib import Path

from kdelta.box.process import LOOK_MS, Stopped

ENABLE, DISABLE = "enable", "disable"
CONTROL, ACK = "control", "ack"
"""Their names in the folder that KDELTA_PROFILE names (csrc/wl.h)."""
VARIABLE = "KDELTA_PROFILE"
ANSWER = b"\n"
"""The end of each answer, "ack" and, of most releases, a zero behind it."""
MOST_ANSWER = 64


class Control:
    """Makes the FIFOs in `folder`. A workload may use them instead, while this end is silent.

    Nobody but the profiler holds an end of `ack` to write to: when the profiler is gone, so is the answer that a reader waits for.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in (CONTROL, ACK):
            os.mkfifo(folder / name, 0o600)
        self._ack = os.open(folder / ACK, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        self._control = os.open(folder / CONTROL, os.O_RDWR | os.O_CLOEXEC)

    def close(self) -> None:
        os.close(self._ack)
        os.close(self._control)

    def tell(self, word: str, profiler: subprocess.Popen[bytes], deadline: float, stop: threading.Event) -> bool:
        """Whether `word` was answered."""
        os.write(self._control, f"{word}\n".encode())
        return self.answered(profiler, deadline, stop)

    def answered(self, profiler: subprocess.Popen[bytes], deadline: float, stop: threading.Event) -> bool:
        """Whether an answer comes before the `profiler` ends, and before `deadline`. Raises Stopped when `stop` is set."""
        ended = os.pidfd_open(profiler.pid)
        try:
            poll = select.poll()
            poll.register(self._ack, select.POLLIN)
            poll.register(ended, select.POLLIN)
            while time.monotonic() < deadline:
                ready = dict(poll.poll(LOOK_MS))
                if ready.get(self._ack, 0) & select.POLLIN and ANSWER in os.read(self._ack, MOST_ANSWER):
                    return True
                if ended in ready:
                    return False
                if stop.is_set():
                    raise Stopped
            return False
        finally:
            os.close(ended)
