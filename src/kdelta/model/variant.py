"""A column of a table: a kernel plus settings."""

from __future__ import annotations

import msgspec


class Mount(msgspec.Struct, frozen=True, kw_only=True):
    """A file system made for each visit, in which the workloads keep their files.

    `device` is a block device that is overwritten; without one it is a loop device over a file of `size_mib`, and memory
    in the exact lab. `mkfs` and `options` are words for mkfs and mount. A `size_mib` of 0 is a plan's not yet checked.
    """

    type: str
    options: str = ""
    mkfs: str = ""
    device: str = ""
    size_mib: int = 0


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """`kernel` is a specification such as `apt:6.12`; `cmdline` are words added to the kernel's command line.

    The other settings are made before anything is measured, read back, and refused if they did not stick.
    """

    name: str
    kernel: str
    cmdline: tuple[str, ...] = ()
    sysctl: dict[str, str] = {}
    file: dict[str, str] = {}
    """Absolute path below /sys or /proc -> value."""
    bind: str = ""
    """CPUs that the workloads may use: "0", "0-3,8"."""
    online: str = ""
    """CPUs that stay online; the others are taken offline."""
    cgroup: dict[str, str] = {}
    """File of the workloads' own control group -> value: "memory.max"."""
    mount: Mount | None = None
    setup: str = ""
    teardown: str = ""
    """Commands of the shell around each visit; one that fails refuses it."""
    seed_shift: int = 0
    """Added to the exact lab's seeds: the same kernel measured twice has other layouts the second time."""
