"""What a variant asks for beside its kernel, in the words in which it is typed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from kdelta.model.variant import Mount, Variant


def settings(variant: Variant) -> Iterator[str]:
    """One word each, in the order in which they take effect."""
    yield from variant.cmdline
    yield from (f"sysctl.{name}={value}" for name, value in variant.sysctl.items())
    yield from (f"{path}={value}" for path, value in variant.file.items())
    cpus = {"online": variant.online, "bind": variant.bind}
    yield from (f"{name}={value}" for name, value in cpus.items() if value)
    yield from (f"cgroup.{name}={value}" for name, value in variant.cgroup.items())
    if variant.mount:
        yield _mount(variant.mount)
    if variant.seed_shift:
        yield f"seeds + {variant.seed_shift}"
    yield from (
        f"{name}={shlex.quote(value)}" for name, value in (("setup", variant.setup), ("teardown", variant.teardown)) if value
    )


def _mount(mount: Mount) -> str:
    """What it is made with and where it lies behind the two that have a word."""
    place = mount.device or (f"{mount.size_mib} MiB" if mount.size_mib else "")
    details = ", ".join(detail for detail in (f"mkfs {mount.mkfs}" if mount.mkfs else "", place) if detail)
    return f"mount={':'.join(part for part in (mount.type, mount.options) if part)}" + (f" ({details})" if details else "")
