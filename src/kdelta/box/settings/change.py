"""What is to be done for a variant: plain values, in the order in which they are done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from kdelta.box.settings.errors import RefusedError
from kdelta.model.cpus import cpu_list
from kdelta.model.variant import Mount, Variant

SYSCTL_FOLDER = "/proc/sys"


class Online(msgspec.Struct, frozen=True):
    """Exactly `cpus` are online."""

    cpus: frozenset[int]


class Write(msgspec.Struct, frozen=True):
    """The file `path` of the kernel says `value`. `key` and `name` are what the user calls it."""

    key: str
    name: str
    path: str
    value: str


class Group(msgspec.Struct, frozen=True):
    """A control group of the visit's own, with these values in its files."""

    values: tuple[tuple[str, str], ...]


class FileSystem(msgspec.Struct, frozen=True):
    mount: Mount


class Commands(msgspec.Struct, frozen=True):
    setup: str
    teardown: str


class Bind(msgspec.Struct, frozen=True):
    """No change of the machine: the workloads are to run on `cpus`, which must be possible."""

    cpus: frozenset[int]


class DropCaches(msgspec.Struct, frozen=True):
    """Clean pages, dentries and inodes are dropped. Nothing brings them back but use."""


class SmtOff(msgspec.Struct, frozen=True):
    """One hardware thread of each core is online."""


class SwapOff(msgspec.Struct, frozen=True):
    """No swap area is active."""


class TimersOff(msgspec.Struct, frozen=True):
    """No timer of systemd is active."""


Change = Online | Write | Group | FileSystem | Commands | Bind | DropCaches | SmtOff | SwapOff | TimersOff


def changes(variant: Variant, *, drop_caches: bool = False) -> tuple[Change, ...]:
    """The changes of a visit in the order in which they are made. Raises RefusedError for what is no setting.

    CPUs come first, since the kernel scales some sysctls with their number; the caches last, since all else fills them.
    """
    return tuple(_changes(variant, drop_caches))


def _changes(variant: Variant, drop_caches: bool) -> Iterator[Change]:
    if variant.online:
        yield Online(_cpus("online", variant.online))
    for name, value in variant.sysctl.items():
        yield Write("sysctl", name, sysctl_path(name), value)
    for name, value in variant.file.items():
        yield Write("file", name, name, value)
    if variant.cgroup:
        yield Group(tuple(variant.cgroup.items()))
    if variant.mount:
        yield FileSystem(variant.mount)
    if variant.setup or variant.teardown:
        yield Commands(variant.setup, variant.teardown)
    if variant.bind:
        yield Bind(_cpus("bind", variant.bind))
    if drop_caches:
        yield DropCaches()


def sysctl_path(name: str) -> str:
    """Where a sysctl lies. As in sysctl(8) the first separator decides: after a dot, a slash stands for a dot in a name."""
    first = next((letter for letter in name if letter in "./"), ".")
    path = name.translate(str.maketrans("./", "/.")) if first == "." else name
    return str(PurePosixPath(SYSCTL_FOLDER, path.lstrip("/")))


def _cpus(key: str, text: str) -> frozenset[int]:
    try:
        return cpu_list(text)
    except ValueError as error:
        raise RefusedError(f"`{key}`: {error}", 'write numbers and ranges: "0", "0-3,8"') from error
