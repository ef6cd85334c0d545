"""The program on a terminal that is none but to it: a pseudo-terminal of this machine."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence

PROGRAM = [sys.executable, "-m", "kdelta"]
ROWS = 24


def in_terminal(words: Sequence[str], columns: int, environment: Mapping[str, str]) -> str:
    """What the program writes to a terminal of so many columns, with the line ends of a file."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
    program = subprocess.Popen(
        [*PROGRAM, *words], stdin=theirs, stdout=theirs, stderr=theirs, env={**plain, "TERM": "xterm", **environment}
    )
    os.close(theirs)
    written = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    program.wait()
    return written.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    """Linux ends a terminal that nobody has open on the other side with an error (EIO)."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""
