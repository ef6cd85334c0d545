"""The program as a user starts it, with a store of its own, and what it starts in turn."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from kdelta.model.boot import Outcome
from kdelta.model.record import BootRecord
from kdelta.store.place import open_store

KERNELS = ("-k", "old=apt:oldest", "-k", "new=apt:newest")
RUN = ("run", *KERNELS, "-b", "null", "-b", "proc-fork", "--exact", "--seeds", "2")
BRIEF = ("null:operations=100", "proc-fork:operations=20")
ONE_SEED = ("run", *KERNELS, "-b", BRIEF[0], "-b", BRIEF[1], "--exact", "--seeds", "1", "--jobs", "1", "--no-chains")
"""A boot of each kernel that is over as soon as one can be."""
WAIT_SECONDS = 60


class Program:
    """kdelta with a store of its own."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self._environment = {**os.environ, "KDELTA_STORE": str(store)}
        self._started: list[subprocess.Popen[str]] = []

    def start(self, *words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "kdelta", *words]
        pipe = subprocess.PIPE
        # A shell starts what it puts in the background with Ctrl-C ignored, and that is inherited.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        process = subprocess.Popen(command, text=True, env=self._environment, stdout=pipe, stderr=pipe)
        self._started.append(process)
        return process

    def end(self) -> None:
        """Nothing that a failed test started may outlive it."""
        for process in self._started:
            process.kill()
            process.communicate()

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*words)
        out, err = process.communicate(timeout=5 * WAIT_SECONDS)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def results(self) -> dict[str, Any]:
        """What was measured by ONE_SEED: the boots' samples, and the profiles of one benchmark in one column."""
        boots = json.loads(self("compare", "--json").stdout)["boots"]
        return {"boots": boots, "profiles": json.loads(self("profile", "-b", BRIEF[1], "--json").stdout)["profiles"]}

    def stored(self) -> list[BootRecord] | None:
        """The boots of the newest run so far, None while there is no run. Without the program: that takes a second of a CPU."""
        if not self.store.exists():
            return None
        with closing(open_store(str(self.store))) as store:
            runs = store.runs()
            return store.boots(runs[-1].id) if runs else None


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(0.1)


def boots_stored(program: Program) -> int:
    """Those that came to an end."""
    return sum(one.boot.outcome is not Outcome.INTERRUPTED for one in program.stored() or ())


def guests_of(process: int) -> list[int]:
    """The guests that `process` started and that still run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        if parent == process and b"qemu-system" in words[0] and b"-kernel" in words:
            found.append(int(entry.name))
    return found
