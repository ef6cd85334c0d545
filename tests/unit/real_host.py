"""What of this machine a visit may change, as it is now: for tests that it is the same afterwards."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kdelta.box.settings import mounts, process
from kdelta.box.settings.host import Host
from kdelta.box.settings.value import value_of

HOST = Host()
VM = "/proc/sys/vm"
PAIRS = ("dirty_bytes", "dirty_ratio", "dirty_background_bytes", "dirty_background_ratio", "overcommit_kbytes", "overcommit_ratio")
FILES = (
    *(f"{VM}/{name}" for name in (*PAIRS, "vfs_cache_pressure")),
    "/proc/sys/kernel/randomize_va_space",
    "/sys/kernel/mm/transparent_hugepage/defrag",
)
"""What these tests alone set: others may be running on this machine."""


def says(name: str) -> str:
    return Path(name).read_text().strip()


def look(folder: Path, pid: int | None = None) -> dict[str, object]:
    """Settings, and what was made in `folder` by kdelta or, with the number `pid`, elsewhere."""
    below = str(folder.resolve())
    groups = [
        *HOST.glob(f"/sys/fs/cgroup/kdelta-{pid or os.getpid()}"),
        *HOST.glob(f"/sys/fs/cgroup/*/kdelta-{pid or os.getpid()}"),
    ]
    return {
        **{name: says(name) for name in FILES if Path(name).exists()},
        "mounts": [mount.point for mount in mounts.mounts(HOST) if mounts.below(mount.point, below)],
        "loops": [file for _, file in mounts.loops(HOST) if mounts.below(file, below)],
        "swaps": mounts.swaps(HOST),
        "groups": groups,
        "enabled": [says(path) for path in HOST.glob("/sys/fs/cgroup/*/cgroup.subtree_control")],
        "processes": [one.pid for one in process.processes(HOST) if _is_of(one.pid, below)],
        "folders": sorted(path.name for path in folder.iterdir()),
    }


def _is_of(pid: int, below: str) -> bool:
    try:
        return f"{process.MARK}={below}/".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


@contextmanager
def kept() -> Iterator[None]:
    """A test of code that does not put things back must not leave this machine changed."""
    before = {name: value_of(says(name)) for name in FILES if Path(name).exists()}
    try:
        yield
    finally:
        for name, value in before.items():
            if value_of(says(name)) != value and value != "0":
                Path(name).write_text(value)


@contextmanager
def block_device(image: Path, size_mib: int = 16) -> Iterator[str]:
    """A loop device over a new file."""
    with image.open("wb") as file:
        file.truncate(size_mib << 20)
    device = subprocess.run(["losetup", "--find", "--show", image], check=True, capture_output=True, text=True).stdout.strip()
    try:
        yield device
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)
