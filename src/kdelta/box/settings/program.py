"""Programs of the machine that change it: run with a limit, tethered to this process, and never left running."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kdelta.box import native
from kdelta.box.settings.errors import RefusedError

LIMIT_SECONDS = 120.0
MOST_OUTPUT = 1 << 20
LAST_LINES = 5
MORE_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
"""Not on every PATH, and mkfs lies there."""

PACKAGES = {
    **dict.fromkeys(("mkfs.ext2", "mkfs.ext3", "mkfs.ext4"), "e2fsprogs"),
    "mkfs.xfs": "xfsprogs",
    "mkfs.btrfs": "btrfs-progs",
    "systemctl": "systemd",
}
"""Program -> package, as Debian, Ubuntu, Fedora and Arch call it; all others are in util-linux."""


@dataclass(frozen=True)
class Done:
    """How a program ended, and all it printed."""

    status: int
    output: str = ""

    @property
    def last(self) -> str:
        """Its last words, on one line."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return " | ".join(lines[-LAST_LINES:]) or "it said nothing"


def find(name: str) -> str:
    """Where a program is. Raises RefusedError where it is not."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:{MORE_FOLDERS}")
    if found is None:
        raise RefusedError(f"there is no program {name}", f"install {PACKAGES.get(name, 'util-linux')}")
    return found


def run(
    words: Sequence[str],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    limit_seconds: float = LIMIT_SECONDS,
) -> Done:
    """Run `words` in a session of its own (Ctrl-C is ours to handle), with `environment` added to ours.

    What it prints goes to a file: a pipe would be waited for as long as something that it started holds it. Raises
    RefusedError where there is no such program, or it is still running after `limit_seconds`.
    """
    tethered = [str(native.path("host", "tether")), str(os.getpid()), find(words[0]), *words[1:]]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            tethered,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
        try:
            status = process.wait(limit_seconds)
        except subprocess.TimeoutExpired:
            raise RefusedError(f"{words[0]} was still running after {limit_seconds:.0f} s") from None
        finally:
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        said.seek(0)
        return Done(status, said.read(MOST_OUTPUT).decode(errors="replace"))


def require(done: Done, what: str, advice: str = "") -> Done:
    """Raises RefusedError, with the program's last words, where it did not end well."""
    if done.status:
        how = f"ended by signal {-done.status}" if done.status < 0 else f"ended with status {done.status}"
        raise RefusedError(f"{what} {how}: {done.last}", advice)
    return done
