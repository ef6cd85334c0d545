"""kdelta serve: the pages of a store, for a browser."""

from __future__ import annotations

import signal
from contextlib import closing
from types import FrameType

import click

from kdelta.cli.options import store_option
from kdelta.cli.terminal import say, warn
from kdelta.serve.server import Server
from kdelta.store.place import open_store

ANYBODY = """\
{url} answers everyone who can reach this machine: there is no password, and what
  the store holds (kernels, command lines, machines, results) can be read by all of them."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to answer on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8462, show_default=True, metavar="N", help="The port; 0 is any that is free."
)
@store_option
def command(host: str, port: int, store: str | None) -> None:
    """Show all runs of the store in a browser: list, search, reports, any two columns, a benchmark over kernels.

    The store is only read, and only this machine can ask, unless --host says otherwise.
    """
    with closing(open_store(store, read_only=True)) as opened, closing(Server(opened, host, port)) as server:
        if not server.is_loopback:
            warn(ANYBODY.format(url=server.url))
        signal.signal(signal.SIGTERM, _end)
        say(f"{server.url}  (Ctrl-C ends it)\n")
        server.run()


def _end(number: int, frame: FrameType | None) -> None:
    """As Ctrl-C does."""
    raise KeyboardInterrupt
