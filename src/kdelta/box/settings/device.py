"""A block device that a visit may overwrite: only one with nothing on it, or with what kdelta itself left there."""

from __future__ import annotations

import os
import stat

from kdelta.box.settings import mounts, process, program
from kdelta.box.settings.entry import Device
from kdelta.box.settings.errors import NotRestoredError, RefusedError, refused
from kdelta.box.settings.host import Host
from kdelta.box.settings.maker import OURS

HEAD = 1 << 20
NOTHING_FOUND = 2
"""blkid's exit status."""


def claim(host: Host, path: str) -> Device:
    """What undoes a file system on the device `path`. Raises RefusedError where it may not be overwritten."""
    with refused("mount", f"the device {path} cannot be used", "give an unused block device, or leave `device` out"):
        real = host.real(path)
        mode = host.path(real).stat()
        if not stat.S_ISBLK(mode.st_mode):
            raise RefusedError(f"`mount`: {path} is no block device", "give one such as /dev/sdb1, or leave `device` out")
        used = _use(host, real, f"{os.major(mode.st_rdev)}:{os.minor(mode.st_rdev)}")
        if used:
            raise RefusedError(f"`mount`: {path} is in use: {used}", "give a device that nothing uses")
        content = "" if _is_ours(host, real) else _content(host, real)
    if content:
        raise RefusedError(
            f"`mount`: there is something on {path}: {content}",
            f"if it may be lost: wipefs -a {path} && dd if=/dev/zero of={path} bs=1M count=1",
        )
    return Device(real, _identity(host, real))


def wipe(host: Host, entry: Device) -> None:
    """Take kdelta's file system off again, also a half made one; what somebody else made since is left alone."""
    if not host.exists(entry.path):
        return
    half_made = _identity(host, entry.path) == entry.identity and not _signature(host, entry.path)
    if not half_made and not _is_ours(host, entry.path):
        return
    program.require(host.run(["wipefs", "--all", "--quiet", entry.path]), f"wipefs {entry.path}")
    descriptor = os.open(host.path(entry.path), os.O_WRONLY | os.O_EXCL | os.O_CLOEXEC)
    try:
        os.write(descriptor, bytes(HEAD))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    left = _content(host, entry.path)
    if left:
        raise NotRestoredError(f"{entry.path} could not be wiped: {left}")


def _identity(host: Host, path: str) -> str:
    """A name of the device that no other gets before the next boot, as far as the kernel numbers them (diskseq, since 5.15)."""
    number = host.path(path).stat().st_rdev
    folder = host.real(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    sequences = (f"{folder}/diskseq", f"{os.path.dirname(folder)}/diskseq")
    sequence = next((host.read(one).strip() for one in sequences if host.exists(one)), "")
    return f"{process.boot_id(host)} {os.major(number)}:{os.minor(number)} {sequence}"


def _use(host: Host, path: str, number: str) -> str:
    """Who uses the device; empty where nobody does."""
    for mount in mounts.mounts(host):
        if number == mount.number or path == mount.source:
            return f"it is mounted at {mount.point}"
    if path in [host.real(area) for area, _ in mounts.swaps(host)]:
        return "it is swap space"
    holders = host.names(f"/sys/dev/block/{number}/holders")
    if holders:
        return f"it is part of {', '.join(holders)}"
    for loop, file in mounts.loops(host):
        if host.real(file) == path:
            return f"it is under {loop}"
    try:
        # The kernel's own word, which also knows of what is in no table: an exclusive opening fails as long as there is another.
        os.close(os.open(host.path(path), os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
    except OSError as error:
        return str(error.strerror)
    return ""


def _probe(host: Host, path: str) -> dict[str, str]:
    """What blkid finds on the device itself, beside its cache. Not knowing is not the same as finding nothing."""
    done = host.run(["blkid", "--probe", "--output", "export", path], environment={"LC_ALL": "C"})
    if done.status == NOTHING_FOUND:
        return {}
    found = dict(line.split("=", 1) for line in done.output.splitlines() if "=" in line)
    return {"TYPE": f"blkid: {done.last}", **found} if done.status else found


def _is_ours(host: Host, path: str) -> bool:
    return _probe(host, path).get("UUID", "").startswith(OURS)


def _signature(host: Host, path: str) -> str:
    found = _probe(host, path)
    return found.get("TYPE") or found.get("PTTYPE") or ""


def _content(host: Host, path: str) -> str:
    """What lies on the device: a signature, or bytes that are not zero where every file system and database begins."""
    signature = _signature(host, path)
    if signature:
        return signature
    with host.path(path).open("rb", buffering=0) as device:
        return "its first MiB is not zero" if any(device.read(HEAD)) else ""
