"""One visit at a time on a machine. The lock is a socket without a file: it goes with its process, however that ends."""

from __future__ import annotations

import contextlib
import errno
import socket
import struct
from collections.abc import Iterator

from kdelta.model.errors import MisuseError

CREDENTIALS = struct.Struct("3i")
"""pid, uid and gid: unix(7), SO_PEERCRED."""


@contextlib.contextmanager
def held(name: str) -> Iterator[None]:
    """Raises MisuseError where another process holds the lock `name`."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as ours:
        try:
            ours.bind(f"\0{name}")
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise MisuseError(f"another kdelta is measuring here{_holder(name)}", "wait until it has ended") from error
        ours.listen()
        yield


def _holder(name: str) -> str:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as theirs:
        theirs.setblocking(False)
        theirs.connect(f"\0{name}")
        pid, _, _ = CREDENTIALS.unpack(theirs.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))
        return f": process {pid}" if pid else ""
    return ""
