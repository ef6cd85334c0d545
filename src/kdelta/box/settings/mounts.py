"""What is mounted, what is swapped to, and which loop devices lie over which files."""

from __future__ import annotations

import contextlib
import os
import re
import time
from typing import NamedTuple

from kdelta.box.settings.errors import NotRestoredError
from kdelta.box.settings.host import Host

BUSY_SECONDS = 5.0
UMOUNT_SECONDS = 600.0
"""It writes back what is dirty."""
LOOK_SECONDS = 0.05
MOST_TABLE = 1 << 26
ESCAPE = re.compile(r"\\([0-7]{3})")


class Mounted(NamedTuple):
    """A line of /proc/self/mountinfo. `number` is major:minor; `options` are those of the mount and of the file system."""

    number: str
    point: str
    options: tuple[str, ...]
    type: str
    source: str


def unescaped(text: str) -> str:
    """The kernel writes white space in names as octal numbers."""
    return ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)


def mounts(host: Host) -> list[Mounted]:
    """All mounts that this process sees, later ones over earlier ones (proc_pid_mountinfo(5))."""
    found = []
    for line in host.read("/proc/self/mountinfo", MOST_TABLE).splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, source, options) = before.split(), after.split(" ")[:3]
        both = tuple(dict.fromkeys(f"{fields[5]},{options}".split(",")))
        found.append(Mounted(fields[2], unescaped(fields[4]), both, kind, unescaped(source)))
    return found


def at(host: Host, point: str) -> Mounted | None:
    return next((mount for mount in reversed(mounts(host)) if mount.point == point), None)


def swaps(host: Host) -> list[tuple[str, int]]:
    """Active swap areas and their priorities, the highest first."""
    lines = host.read("/proc/swaps").splitlines()[1:] if host.exists("/proc/swaps") else []
    areas = [(unescaped(line.split()[0]), int(line.split()[-1])) for line in lines]
    return sorted(areas, key=lambda area: -area[1])


def loops(host: Host) -> list[tuple[str, str]]:
    """Loop devices in use, and the files that they lie over."""
    found = []
    for path in host.glob("/sys/block/loop*/loop/backing_file"):
        with contextlib.suppress(OSError):
            device = path.split("/")[-3]
            found.append((f"/dev/{device}", host.read(path).rstrip("\n").removesuffix(" (deleted)")))
    return found


def below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def unmount(host: Host, folder: str) -> None:
    """Unmount all that is mounted at or below `folder`, the latest first, and free the loop devices over files in it."""
    deadline = time.monotonic() + BUSY_SECONDS
    while points := [mount.point for mount in reversed(mounts(host)) if below(mount.point, folder)]:
        said = host.run(["umount", points[0]], limit_seconds=UMOUNT_SECONDS).last
        if time.monotonic() > deadline:
            raise NotRestoredError(f"{points[0]} cannot be unmounted ({said}){_users(host, points[0])}")
        if at(host, points[0]):
            time.sleep(LOOK_SECONDS)
    for device, file in loops(host):
        if below(file, folder):
            host.run(["losetup", "--detach", device])


def _users(host: Host, point: str) -> str:
    """The processes that have something open there, for a message."""
    found = set()
    for path in host.glob("/proc/[0-9]*/cwd") + host.glob("/proc/[0-9]*/root") + host.glob("/proc/[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if below(os.readlink(host.path(path)), point):
                found.add(int(path.split("/")[2]))
    return f": in use by process {' '.join(map(str, sorted(found)))}" if found else ""
