"""The visit's own folder, and all that hangs on it."""

from __future__ import annotations

import contextlib
import shutil

from kdelta.box.settings import mounts, process
from kdelta.box.settings.entry import Folder
from kdelta.box.settings.host import Host


def remove(host: Host, entry: Folder) -> None:
    """End what was started in the visit, unmount what lies below its folder, then remove it.

    In this order, and never further than it succeeds: removing a folder reaches into what is mounted in it.
    """
    process.kill(lambda: process.marked(host, entry.path))
    mounts.unmount(host, entry.path)
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(entry.path)
