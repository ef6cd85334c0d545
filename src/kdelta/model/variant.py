"""A column of a table: a kernel plus settings."""

from __future__ import annotations

import msgspec


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """`kernel` is a specification such as `apt:6.12`; `cmdline` are words added to the kernel's command line.

    `sysctl` values are set before anything is measured, read back, and refused if they did not stick.
    """

    name: str
    kernel: str
    cmdline: tuple[str, ...] = ()
    sysctl: dict[str, str] = {}
