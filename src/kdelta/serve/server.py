"""The server that answers a browser, until it is told to end."""

from __future__ import annotations

import errno
import logging
import os
import socket
from typing import Any

from waitress.server import create_server
from waitress.wasyncore import close_all

from kdelta.model.errors import MisuseError
from kdelta.serve import guard
from kdelta.serve.app import create_app
from kdelta.store.store import Store

THREADS = 4
ADVICE = "another program may have it, or only root may: choose one with --port; 0 is any that is free"
NOT_OURS = "it is no address of this machine: give one of its own with --host, or leave that out"


class Server:
    """Bound to `host` and `port` when it is made; 0 is any port that is free. `store` must be one that is only read.

    Raises MisuseError where it cannot be bound.
    """

    def __init__(self, store: Store, host: str, port: int) -> None:
        address = _address(host, port)
        # Requests that wait for a thread are no news to who looks at a page.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        try:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            bound = socket.create_server((address, port), family=family)
        except OSError as error:
            # Python adds the address to the text of the error; the number has the text alone.
            why = os.strerror(error.errno) if error.errno else str(error)
            advice = NOT_OURS if error.errno == errno.EADDRNOTAVAIL else ADVICE
            raise MisuseError(f"{_shown(host)}:{port} cannot be served on: {why}", advice) from error
        self._server: Any = create_server(create_app(store, host), sockets=[bound], threads=THREADS, ident="kdelta")
        self.is_loopback = guard.is_loopback(address)
        self.url = f"http://{_shown(host)}:{bound.getsockname()[1]}/"

    def run(self) -> None:
        """Answers until KeyboardInterrupt or SystemExit is raised in it, or `end` is called in another thread."""
        self._server.run()

    def end(self) -> None:
        self._server.trigger.pull_trigger(self.close)

    def close(self) -> None:
        """Of one that does not run."""
        self._server.task_dispatcher.shutdown()
        close_all(self._server._map)


def _address(host: str, port: int) -> str:
    """The first that `host` stands for."""
    try:
        return str(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4][0])
    except (OSError, UnicodeError) as error:
        raise MisuseError(f"'{host}' is no address of this machine", "leave --host out, or name 127.0.0.1 or ::1") from error


def _shown(host: str) -> str:
    """As in a URL."""
    return f"[{host}]" if ":" in host else host
