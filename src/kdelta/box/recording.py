"""One profile by perf: begun before a benchmark's windows, ended after them, and read."""

from __future__ import annotations

import io
import os
import re
import select
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, Protocol

from kdelta.box import process
from kdelta.box.control import Control
from kdelta.box.perf import Perf, environment
from kdelta.box.perf_refusal import NoProfileError, refusal
from kdelta.box.process import LOOK_MS, Stopped
from kdelta.box.tally import Tally

READY_SECONDS = 120.0
"""Until it counts: it first reads about every process that is there."""
END_SECONDS = 60.0
READ_SECONDS = 1800.0
MOST_SAID = 64 << 10
SILENT = "perf did not answer for {:g} s"
HIDDEN = "Kernel address map"
LOST = re.compile(r"\blost\b", re.IGNORECASE)
DATA = "perf.data"
PIECE = 1 << 20


class StacksRead(Protocol):
    """What a reader of the text of `perf script` found: counts by folded call chain, and what makes them doubtful."""

    @property
    def stacks(self) -> Mapping[str, int]: ...

    @property
    def doubts(self) -> Sequence[str]: ...


ReadStacks = Callable[[BinaryIO], StacksRead]


class Recording:
    """`perf record` under way. Everything raises Stopped when `stop` is set, and NoProfileError where perf gave up."""

    def __init__(
        self, perf: Perf, control: Control, profiler: subprocess.Popen[bytes], err: IO[bytes], stop: threading.Event
    ) -> None:
        self.perf, self.pid = perf, profiler.pid
        self._control, self._profiler, self._err, self._stop = control, profiler, err, stop

    @property
    def folder(self) -> Path | None:
        """What a workload needs to open and close its windows itself; None where this perf cannot."""
        return self._control.folder if self.perf.controlled else None

    def tell(self, word: str) -> None:
        """ENABLE or DISABLE; nothing where perf always counts."""
        deadline = time.monotonic() + READY_SECONDS
        if self.perf.controlled and not self._control.tell(word, self._profiler, deadline, self._stop):
            raise self._failure()

    def begun(self) -> None:
        if not self._control.answered(self._profiler, time.monotonic() + READY_SECONDS, self._stop):
            raise self._failure()

    def end(self) -> None:
        """When this returns, perf.data is complete. A perf that ended before it was told to has not recorded everything."""
        early = _status(self._profiler) is not None
        if self._profiler.stdin:
            with suppress(BrokenPipeError):
                self._profiler.stdin.close()
        if not process.wait(self._profiler, time.monotonic() + END_SECONDS, self._stop):
            raise NoProfileError(SILENT.format(END_SECONDS), "try again")
        if early or _status(self._profiler) or HIDDEN in _text(self._err):
            raise self._failure()

    def _failure(self) -> NoProfileError:
        if _status(self._profiler) is None:
            return NoProfileError(SILENT.format(READY_SECONDS), "try again")
        return refusal(_text(self._err))


@contextmanager
def recording(
    perf: Perf,
    folder: Path,
    extra: Mapping[str, str],
    stop: threading.Event,
    *,
    cpus: frozenset[int] = frozenset(),
    started: Callable[[int], None] = lambda group: None,
) -> Iterator[Recording]:
    """perf, recording into `folder`, an empty one, on `cpus` itself (all where empty). Nothing of it runs when this is left."""
    with tempfile.TemporaryFile(dir=folder) as err:
        control = Control(folder)
        try:
            words = perf.record(folder, folder / DATA)
            with process.beside(words, folder, environment(extra), err=err, cpus=cpus, started=started) as profiler:
                under_way = Recording(perf, control, profiler, err, stop)
                under_way.begun()
                yield under_way
        finally:
            control.close()


def read(
    perf: Perf,
    folder: Path,
    extra: Mapping[str, str],
    stop: threading.Event,
    reader: ReadStacks,
    tally: Tally,
    started: Callable[[int], None] = lambda group: None,
) -> StacksRead:
    """What `reader` finds in the text of what was recorded into `folder`; `tally` counts in it. Raises NoProfileError."""
    words = perf.script(folder / DATA)
    with (
        tempfile.TemporaryFile(dir=folder) as err,
        process.beside(words, folder, environment(extra), err=err, out=subprocess.PIPE, started=started) as script,
    ):
        assert script.stdout is not None
        deadline = time.monotonic() + READ_SECONDS
        with io.BufferedReader(_Pipe(script.stdout.fileno(), deadline, stop, tally), PIECE) as text:
            found = reader(text)
            while text.read(PIECE):
                pass
        if not process.wait(script, deadline, stop) or _status(script):
            raise refusal(_text(err))
        lost = [f"perf: {line.strip()}" for line in _text(err).splitlines() if LOST.search(line)]
        return _Found(found.stacks, (*found.doubts, *lost))


@dataclass(frozen=True)
class _Found:
    stacks: Mapping[str, int]
    doubts: Sequence[str]


class _Pipe(io.RawIOBase):
    """What a program writes, read without waiting for ever: raises Stopped, and NoProfileError after the `deadline`."""

    def __init__(self, descriptor: int, deadline: float, stop: threading.Event, tally: Tally) -> None:
        self._descriptor, self._deadline, self._stop, self._tally = descriptor, deadline, stop, tally
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._poll.poll(LOOK_MS):
            if self._stop.is_set():
                raise Stopped
            if time.monotonic() > self._deadline:
                raise NoProfileError(f"perf script did not end within {READ_SECONDS:g} s", "profile fewer CPUs")
        size = os.readv(self._descriptor, [buffer])
        self._tally.add(bytes(buffer[:size]))
        return size


def _text(file: IO[bytes]) -> str:
    """Without moving where its writer is."""
    return os.pread(file.fileno(), MOST_SAID, 0).decode("utf-8", "replace")


def _status(program: subprocess.Popen[bytes]) -> int | None:
    """How it ended, by exit status or signal; 0 is well, None not yet. It is not reaped: its number serves to end what it left."""
    found = os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return None if found is None else found.si_status
