"""One running QEMU: started tethered to this process, watched over QMP, and always ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from qemu.qmp import EventListener, QMPClient, QMPError

from kdelta.box import native
from kdelta.box.channel import Bulk, Event, decode
from kdelta.box.protocol import Watch

POLL_SECONDS = 0.1
CLOCK_SECONDS = 5.0
"""Of silence, before the guest's clock is looked at. That wakes QEMU's main loop, and when it wakes while a guest falls idle
QEMU 7.2 loses count now and then: of 16 boots that idled for 2800 virtual seconds 3 differed with a look every 2 seconds, 1 with
none, and with looks ten times a second 4 of 12."""
QUIT_SECONDS = 10.0
ANSWER_SECONDS = 30.0
MOST_SILENT_VIRTUAL_SECONDS = 700
"""Beyond the guest's own limits: an init that says nothing for so long is gone, and the kernel idles."""

CONTROL_FAULTS = (QMPError, OSError, EOFError)
"""What goes wrong between us and QEMU; TimeoutError is an OSError."""


class Ending(Enum):
    """Why a machine ended."""

    POWERED_OFF = "powered off"
    RESET = "reset"
    """With panic=-1 a panic resets at once, and -no-reboot makes that an end."""
    SILENT = "silent"
    OUT_OF_TIME = "out of time"
    GONE = "gone"
    STOPPED = "stopped"


@dataclass(frozen=True)
class End:
    """`virtual_seconds` is the guest's clock when last looked at, None if it never was.

    `bulks` are the texts that the guest kept in locked memory, by name.
    """

    how: Ending
    detail: str = ""
    virtual_seconds: int | None = None
    bulks: dict[str, bytes] = field(default_factory=dict)


class DataTail:
    """The data channel's file as it grows, line by line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0
        self._rest = b""

    def new_lines(self) -> list[str]:
        """The lines that were completed since the last call."""
        if not self._path.exists():
            return []
        with self._path.open("rb") as data:
            data.seek(self._at)
            text = data.read()
        self._at += len(text)
        *lines, self._rest = (self._rest + text).split(b"\n")
        return [line.decode("utf-8", "replace") for line in lines]


class SilenceWatch:
    """How long, in the guest's own time, nothing was heard from it."""

    def __init__(self) -> None:
        self.seconds: int | None = None
        self._heard_at: int | None = None
        self._heard = False

    def heard(self) -> None:
        self._heard = True

    def silence(self, now: int) -> int:
        """Note that the guest's clock stands at `now` seconds; the seconds since the last `heard`."""
        if self._heard or self._heard_at is None:
            self._heard_at, self._heard = now, False
        self.seconds = now
        return now - self._heard_at


@dataclass(frozen=True)
class Limits:
    """After `host_seconds`, or `silent_seconds` of the guest's own time without a word from it, a machine is ended."""

    host_seconds: float
    silent_seconds: int = MOST_SILENT_VIRTUAL_SECONDS


def run(command: Callable[[int], list[str]], folder: Path, limits: Limits, watch: Watch, heard: Callable[[Event], None]) -> End:
    """Start the machine that `command(control descriptor)` describes and come back when it has ended, however it did.

    `heard` is called for each event on the data channel (`folder`/data) as it arrives. Beyond its `limits`, or when
    `watch.stop` is set, the machine is killed.
    """
    return asyncio.run(_run(command, folder, limits, watch, heard))


async def _run(
    command: Callable[[int], list[str]], folder: Path, limits: Limits, watch: Watch, heard: Callable[[Event], None]
) -> End:
    ours, theirs = socket.socketpair()
    with ours, _started(command(theirs.fileno()), theirs, folder) as process:
        client = QMPClient("kdelta")
        try:
            await asyncio.wait_for(client.connect(ours), ANSWER_SECONDS)
            return await _follow(process, client, folder, limits, watch, heard)
        except CONTROL_FAULTS:
            return await _gone(process, folder)
        finally:
            with contextlib.suppress(*CONTROL_FAULTS):
                await client.disconnect()


@contextlib.contextmanager
def _started(command: list[str], control: socket.socket, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The process, in a session of its own (Ctrl-C is ours to handle); killed on the way out if it still runs."""
    tethered = [str(native.path("host", "tether")), str(os.getpid()), *command]
    with control, (folder / "stderr").open("wb") as errors:
        process = subprocess.Popen(
            tethered,
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=[control.fileno()],
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


async def _follow(
    process: subprocess.Popen[bytes],
    client: QMPClient,
    folder: Path,
    limits: Limits,
    watch: Watch,
    heard: Callable[[Event], None],
) -> End:
    tail, silence, bulks = DataTail(folder / "data"), SilenceWatch(), list[Bulk]()
    deadline = time.monotonic() + limits.host_seconds
    next_look = time.monotonic() + CLOCK_SECONDS
    with client.listener("SHUTDOWN") as shutdown:
        while True:
            cause = await _next_shutdown(shutdown)
            for line in tail.new_lines():
                silence.heard()
                next_look = time.monotonic() + CLOCK_SECONDS
                event = decode(line)
                if event is not None:
                    heard(event)
                if isinstance(event, Bulk):
                    bulks.append(event)
            if cause:
                return await _after_shutdown(process, client, cause, folder, bulks)
            if watch.stop.is_set():
                return End(Ending.STOPPED, "stopped from outside", silence.seconds)
            if process.poll() is not None:
                return await _gone(process, folder)
            if time.monotonic() > deadline:
                return End(Ending.OUT_OF_TIME, "the limit of host time is over", silence.seconds)
            if time.monotonic() > next_look:
                next_look = time.monotonic() + CLOCK_SECONDS
                if silence.silence(await _virtual_seconds(client)) > limits.silent_seconds:
                    return End(Ending.SILENT, "virtual time runs on, but init says nothing", silence.seconds)


async def _next_shutdown(shutdown: EventListener) -> str | None:
    """The reason of a SHUTDOWN event, or None when none came in time."""
    try:
        event = await asyncio.wait_for(shutdown.get(), POLL_SECONDS)
    except TimeoutError:
        return None
    data: Any = event["data"]
    return str(data["reason"])


async def _ask(client: QMPClient, command: str, arguments: dict[str, object] | None = None) -> object:
    """A QEMU that does not answer must not keep us from our deadline."""
    return await asyncio.wait_for(client.execute(command, arguments), ANSWER_SECONDS)


async def _virtual_seconds(client: QMPClient) -> int:
    """The guest's clock. With clock=vm the RTC runs on virtual time; asking for it does not stop the guest."""
    now: Any = await _ask(client, "qom-get", {"path": "/machine", "property": "rtc-time"})
    return int((now["tm_mday"] * 24 + now["tm_hour"]) * 3600 + now["tm_min"] * 60 + now["tm_sec"])


async def _after_shutdown(process: subprocess.Popen[bytes], client: QMPClient, cause: str, folder: Path, bulks: list[Bulk]) -> End:
    """The machine is stopped and its memory still there (-no-shutdown): fetch what the guest kept, then let it go."""
    if cause == "guest-reset":
        return End(Ending.RESET)
    if cause != "guest-shutdown":
        return End(Ending.GONE, f"QEMU was shut down: {cause}")
    fetched = {bulk.name: await _fetch(client, bulk, folder / f"bulk-{bulk.name}") for bulk in bulks}
    with contextlib.suppress(*CONTROL_FAULTS):
        await _ask(client, "quit")
    await _wait(process)
    return End(Ending.POWERED_OFF, bulks=fetched)


async def _fetch(client: QMPClient, bulk: Bulk, path: Path) -> bytes:
    """Init powered off from the first CPU, so its address space is that CPU's still."""
    where = {"val": bulk.address, "size": bulk.size, "filename": str(path), "cpu-index": 0}
    await _ask(client, "memsave", where)
    return path.read_bytes()


async def _wait(process: subprocess.Popen[bytes]) -> bool:
    """Whether the process ended in time by itself. If not, it is killed on the way out."""
    try:
        await asyncio.to_thread(process.wait, QUIT_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


async def _gone(process: subprocess.Popen[bytes], folder: Path) -> End:
    """QEMU ended by itself, or somebody ended it: say how, in its own last words."""
    if not await _wait(process):
        return End(Ending.GONE, "QEMU does not answer")
    said = (folder / "stderr").read_text(errors="replace").strip()
    last = said.splitlines()[-1] if said else "it said nothing"
    return End(Ending.GONE, f"QEMU ended with status {process.poll()}: {last}")
