"""The kernel that this machine runs, from what it says of itself: its image need not be here."""

from __future__ import annotations

import gzip
import hashlib
import platform
import zlib
from pathlib import Path

from kdelta.kernel.unpack import build_id_in
from kdelta.model.kernel import Kernel, RunningKernel

SPEC = "running"


def running(root: Path = Path("/")) -> RunningKernel:
    """Who runs now. The build id is None where /sys/kernel/notes cannot be read."""
    name = platform.uname()
    return RunningKernel(name.release, name.version, name.machine, build_id_in(_read(root / "sys/kernel/notes") or b""))


def identify_running(root: Path = Path("/")) -> Kernel:
    """The running kernel as a plan's kernel, with the checksum of its configuration where that can be read."""
    now = running(root)
    config = _configuration(root, now.release)
    return Kernel(
        spec=SPEC,
        release=now.release,
        version=now.version,
        machine=now.machine,
        build_id=now.build_id,
        config_sha256=hashlib.sha256(config).hexdigest() if config else None,
    )


def _configuration(root: Path, release: str) -> bytes | None:
    """Of the kernel itself where it carries it, else the file that distributions put beside the image."""
    try:
        own = gzip.decompress((root / "proc/config.gz").read_bytes())
    except (OSError, EOFError, zlib.error):
        own = b""
    return own or _read(root / "boot" / f"config-{release}")


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
