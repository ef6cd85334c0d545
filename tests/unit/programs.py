"""The workloads, run on this machine as a user runs them, and looked at while they run."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import kdelta

FOLDER = Path(kdelta.__file__).parent / "native" / "workloads"
PATIENCE = 120
"""Seconds until a program counts as hung."""

Done = subprocess.CompletedProcess[str]


def run(folder: Path, program: str, *arguments: str, shell: str = "") -> Done:
    """Run it with `folder` for temporary files; `shell` are commands before it."""
    command = ["/bin/sh", "-c", f'{shell}; exec "$0" "$@"'] if shell else []
    return subprocess.run(
        [*command, str(FOLDER / program), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "TMPDIR": str(folder), "LC_ALL": "C"},
    )


def refused(done: Done) -> bool:
    """Misused: nothing was measured, and one line says why."""
    return (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def results(done: Done) -> list[dict[str, int]]:
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def bytes_moved(folder: Path, program: str, *arguments: str) -> tuple[int, int]:
    """What the program and its processes have read and written when it has ended, by the kernel's account; without its results."""
    if not Path("/proc/self/io").exists():
        pytest.skip("this kernel does not count what a process reads and writes")
    command = [str(FOLDER / program), *arguments]
    environment = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        io = dict(line.split(": ") for line in Path(f"/proc/{process.pid}/io").read_text().splitlines())
        printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    return int(io["rchar"]), int(io["wchar"]) - len(printed)


@contextlib.contextmanager
def endless(program: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The program with a million iterations; what is left of it at the end is killed."""
    command = [str(FOLDER / program), "--iterations", "1000000", *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def children(process: subprocess.Popen[str], count: int) -> list[int]:
    """The children of `process` as soon as there are `count` of them."""
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    for _ in range(PATIENCE * 100):
        assert process.poll() is None
        found = [int(word) for word in path.read_text().split()]
        if len(found) >= count:
            return found
        time.sleep(0.01)
    raise AssertionError(f"there are not {count} children")


def apart(*options: str) -> list[str]:
    """The words that run a command in namespaces of its own; the test is skipped where that is not allowed."""
    command = ["unshare", "--map-root-user", *options]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("namespaces are not possible here")
    return command


def with_in_environment(text: str) -> list[str]:
    """Processes, whoever's children they are, whose environment holds `text`; variables are separated by NUL."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if text.encode() in (process / "environ").read_bytes():
                found.append(process.name)
    return found


def until(holds: Callable[[], bool]) -> None:
    """Wait for what must come to be."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
