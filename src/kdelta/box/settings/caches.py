"""Dropping clean caches."""

from __future__ import annotations

import os

from kdelta.box.settings.change import DropCaches
from kdelta.box.settings.errors import refused
from kdelta.box.settings.work import Visit, Work

DROP = "/proc/sys/vm/drop_caches"
ALL = "3"
"""Pages, dentries and inodes: Documentation/admin-guide/sysctl/vm.rst."""


def drop(work: Work, change: DropCaches, visit: Visit) -> Visit:
    """What is dirty cannot be dropped, and is written first."""
    with refused("drop_caches", f"{DROP} cannot be written"):
        os.sync()
        work.host.write(DROP, ALL)
    return visit
