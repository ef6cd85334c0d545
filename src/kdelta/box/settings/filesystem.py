"""A file system of the visit's own: made, mounted, looked at, and gone afterwards with all that was in it."""

from __future__ import annotations

import dataclasses
import os

from kdelta.box.settings import device, maker, mounts, process, program, value
from kdelta.box.settings.change import FileSystem
from kdelta.box.settings.entry import Mounted
from kdelta.box.settings.errors import RefusedError, refused
from kdelta.box.settings.host import Host
from kdelta.box.settings.work import Visit, Work
from kdelta.model.variant import Mount

DEFAULT_MIB = 512
MKFS_SECONDS = 3600.0

# Of these the kernel shows whether they hold; those of a file system it may leave out where they are its defaults.
SHOWN = frozenset(("ro", "rw", "nosuid", "nodev", "noexec", "noatime", "nodiratime", "relatime", "sync", "dirsync", "lazytime"))


def make(work: Work, change: FileSystem, visit: Visit) -> Visit:
    """Raises RefusedError where the kernel or a program does not make of it what was asked for."""
    host, mount = work.host, change.mount
    host.require_root("mount")
    _require_known(host, mount.type)
    if mount.device:
        claimed = device.claim(host, mount.device)
        work.note(claimed)
        source = claimed.path
    else:
        source = f"{visit.home}/image"
        _allocate(source, mount.size_mib or DEFAULT_MIB)
    done = host.run(maker.command(mount, source), environment=_environment(visit), limit_seconds=MKFS_SECONDS)
    program.require(done, f"`mount`: mkfs.{mount.type}", "see `mkfs` and `size_mib`")
    point = f"{visit.home}/mnt"
    os.mkdir(point)
    work.note(Mounted(point, str(visit.home)))
    # The kernel frees a loop device that mount made when it is unmounted, whoever unmounts it.
    options = [word for word in (mount.options, "" if mount.device else "loop") if word]
    words = ["mount", "-t", mount.type, *(("-o", ",".join(options)) if options else ()), source, point]
    program.require(host.run(words, environment=_environment(visit)), "`mount`: mount", "see `options`")
    _check(host, mount, source, point)
    return dataclasses.replace(visit, folder=visit.home / "mnt", environment={**visit.environment, "TMPDIR": point})


def unmount(host: Host, entry: Mounted) -> None:
    """What the visit left running would keep it busy."""
    process.kill(lambda: process.marked(host, entry.visit))
    mounts.unmount(host, entry.path)


def _environment(visit: Visit) -> dict[str, str]:
    return {**visit.environment, "LC_ALL": "C"}


def _require_known(host: Host, kind: str) -> None:
    """A module that mount would load stays loaded: whether it is there is the user's decision."""
    known = {line.split()[-1] for line in host.read("/proc/filesystems").splitlines()}
    if kind not in known:
        raise RefusedError(f"`mount`: the running kernel does not know the file system {kind}", f"modprobe {kind}")


def _allocate(path: str, size_mib: int) -> None:
    """With all its blocks: a file with holes would grow while it is measured."""
    with (
        refused("mount", f"{path} of {size_mib} MiB cannot be made", "make room, or set a smaller `size_mib`"),
        open(path, "xb") as image,
    ):
        os.posix_fallocate(image.fileno(), 0, size_mib << 20)


def _check(host: Host, mount: Mount, source: str, point: str) -> None:
    found = mounts.at(host, point)
    if found is None or found.type != mount.type or not _over(host, found.source, source):
        says = f"{found.type} of {found.source}" if found else "nothing"
        raise RefusedError(f"`mount`: {mount.type} of {source} was mounted at {point}, and {says} is there")
    for option in mount.options.split(",") if mount.options else ():
        if not is_shown(option, found.options):
            raise RefusedError(
                f"`mount`: the option {option} did not hold; the kernel shows {','.join(found.options)}",
                "write it as the kernel shows it, or leave it out",
            )


def _over(host: Host, found: str, source: str) -> bool:
    return found == source or (found, source) in mounts.loops(host)


def is_shown(option: str, shown: tuple[str, ...]) -> bool:
    """Whether nothing that the kernel shows contradicts `option`. It appends what it decided itself: compress=zstd:3."""
    name, equals, wanted = option.partition("=")
    if option in SHOWN:
        return option in shown
    says = [one.partition("=")[2] for one in shown if one.partition("=")[0] == name]
    return not equals or not says or any(value.agrees(wanted, one.partition(":")[0]) or wanted == one for one in says)
