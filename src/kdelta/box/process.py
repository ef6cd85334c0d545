"""Programs run on this machine: started tethered to this process, limited in time, and ended with all they started."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import IO

from kdelta.box import native
from kdelta.model.guest import ProgramRun

MOST_OUTPUT = 16 << 20
MOST_STDERR = 64 << 10
LOOK_MS = 250
"""How often is looked whether to stop: rarely, since looking takes time from what is measured."""
PR_SET_CHILD_SUBREAPER = 36
"""Linux 3.4, include/uapi/linux/prctl.h."""


class Stopped(Exception):  # noqa: N818 - not an error: the caller asked for it
    """The run was ended from outside, and says nothing."""


def run(
    words: Sequence[str],
    folder: Path,
    environment: dict[str, str],
    *,
    limit_seconds: float,
    stop: threading.Event,
    cpus: frozenset[int] = frozenset(),
    groups: Sequence[Path] = (),
    output: Path | None = None,
    started: Callable[[int], None] = lambda group: None,
) -> ProgramRun:
    """Run `words` in `folder` and wait for the end; nothing that it started is left when this returns.

    `cpus` are those it may use (all where empty), `groups` the cgroup.procs files that it joins, `output` the folder for what
    it prints; `started` is told its process group. Raises Stopped when `stop` is set.
    """
    _adopt_orphans()
    tethered = _tethered(words, cpus, groups)
    with _files(output) as (out, err):
        began = time.monotonic()
        process = subprocess.Popen(
            tethered, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        try:
            started(process.pid)
            in_time = wait(process, began + limit_seconds, stop)
        finally:
            _sweep(process)
        seconds = time.monotonic() - began
        status = process.returncode
        return ProgramRun(
            lines=tuple(_text(out, MOST_OUTPUT).splitlines()),
            ended=True,
            status=max(status, -1),
            signal=max(-status, 0) if in_time else 0,
            timeout=not in_time,
            stderr=_text(err, -MOST_STDERR),
            seconds=seconds,
        )


@contextlib.contextmanager
def beside(
    words: Sequence[str],
    folder: Path,
    environment: dict[str, str],
    *,
    err: IO[bytes],
    out: int = subprocess.DEVNULL,
    cpus: frozenset[int] = frozenset(),
    started: Callable[[int], None] = lambda group: None,
) -> Iterator[subprocess.Popen[bytes]]:
    """`words` run while others do, and are ended with all that they started when the context is left.

    Their standard input is a pipe whose other end this process alone holds: it ends when this process does, however that is.
    """
    _adopt_orphans()
    process = subprocess.Popen(
        _tethered(words, cpus, ()),
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=out,
        stderr=err,
        start_new_session=True,
    )
    try:
        started(process.pid)
        yield process
    finally:
        _sweep(process)
        for pipe in filter(None, (process.stdin, process.stdout)):
            pipe.close()


def _tethered(words: Sequence[str], cpus: frozenset[int], groups: Sequence[Path]) -> list[str]:
    where = [word for cpu in sorted(cpus) for word in ("-c", str(cpu))]
    where += [word for group in groups for word in ("-g", str(group))]
    return [str(native.path("host", "tether")), str(os.getpid()), *where, *words]


def wait(process: subprocess.Popen[bytes], deadline: float, stop: threading.Event) -> bool:
    """Whether it ended in time; raises Stopped when `stop` is set.

    Asleep on the process itself: Popen.wait with a limit polls twenty times a second.
    """
    descriptor = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        while time.monotonic() < deadline:
            if poll.poll(min(LOOK_MS, 1000 * (deadline - time.monotonic()))):
                return True
            if stop.is_set():
                raise Stopped
        return False
    finally:
        os.close(descriptor)


def _sweep(process: subprocess.Popen[bytes]) -> None:
    """The program leads a group of its own; what it left behind would disturb the next one."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-process.pid, 0)


@cache
def _adopt_orphans() -> None:
    """What a program leaves behind becomes a child of this process, which can wait for it and sees what it cost."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")


@contextlib.contextmanager
def _files(folder: Path | None) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Not pipes: a reader would run beside the program."""
    with tempfile.TemporaryFile(dir=folder) as out, tempfile.TemporaryFile(dir=folder) as err:
        yield out, err


def _text(file: IO[bytes], most: int) -> str:
    """The first `most` bytes, or the last where it is negative."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size + most, 0) if most < 0 else 0)
    return file.read(abs(most)).decode("utf-8", "replace")
