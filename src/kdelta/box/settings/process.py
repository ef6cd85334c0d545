"""The processes of a visit: known by what they inherited, and ended without hitting others."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from kdelta.box.settings.errors import NotRestoredError
from kdelta.box.settings.host import Host

MARK = "KDELTA_VISIT"
"""In the environment of all that a visit starts: the visit's folder."""
KILL_SECONDS = 10.0
LOOK_SECONDS = 0.01
ENDED = ("Z", "X")


class Process(NamedTuple):
    """`start` is in clock ticks since boot: with the number it is the process's identity (proc_pid_stat(5))."""

    pid: int
    state: str
    group: int
    start: int


def boot_id(host: Host) -> str:
    return host.read("/proc/sys/kernel/random/boot_id").strip()


def look(host: Host, pid: int) -> Process | None:
    """The process `pid`, None where there is none. Its name may hold spaces and brackets: fields count from the last one."""
    try:
        fields = host.read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    except OSError:
        return None
    return Process(pid, fields[0], int(fields[2]), int(fields[19]))


def processes(host: Host) -> Iterator[Process]:
    """All that have not ended, but this one."""
    for name in host.names("/proc"):
        found = look(host, int(name)) if name.isdigit() and int(name) != os.getpid() else None
        if found and found.state not in ENDED:
            yield found


def is_marked(host: Host, pid: int, visit: str) -> bool:
    with contextlib.suppress(OSError):
        return f"{MARK}={visit}".encode() in host.path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return False


def marked(host: Host, visit: str) -> list[int]:
    """Processes that were started in the visit whose folder is `visit`, however far they went from their parents."""
    return [process.pid for process in processes(host) if is_marked(host, process.pid, visit)]


def members(host: Host, group: int, start: int, visit: str) -> list[int]:
    """Those of the process group `group` whose leader started at `start`.

    Without that leader the number may be another group's by now: then a member must bear the visit's mark.
    """
    leader = look(host, group)
    ours = leader is not None and leader.start == start
    return [one.pid for one in processes(host) if one.group == group and (ours or is_marked(host, one.pid, visit))]


def is_empty(group: int) -> bool:
    """Whether the process group has no process any more, without a look at each: something may be measured meanwhile."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def kill(find: Callable[[], list[int]]) -> None:
    """End what `find` finds, until it finds nothing. Raises NotRestoredError where something does not die."""
    deadline = time.monotonic() + KILL_SECONDS
    while found := find():
        _kill(found, find)
        if time.monotonic() > deadline:
            raise NotRestoredError(f"these processes do not end: {' '.join(map(str, found))}")
        time.sleep(LOOK_SECONDS)


def _kill(pids: list[int], find: Callable[[], list[int]]) -> None:
    """Between finding a number and killing it the number may have become another's: what is held open cannot."""
    held: dict[int, int] = {}
    try:
        for pid in pids:
            with contextlib.suppress(OSError):
                held[pid] = os.pidfd_open(pid)
        for pid in held.keys() & set(find()):
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(held[pid], signal.SIGKILL)
    finally:
        for descriptor in held.values():
            os.close(descriptor)
