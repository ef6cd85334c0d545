"""What making a change needs, and what a visit becomes by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kdelta.box.settings.entry import Entry
from kdelta.box.settings.host import Host


@dataclass(frozen=True)
class Work:
    """`note` writes what undoes a change to the journal, and is called before the change is made."""

    host: Host
    note: Callable[[Entry], None]


@dataclass(frozen=True)
class Visit:
    """Where the settings of a variant hold.

    Workloads run in `folder`: the variant's file system, or an empty folder. What a visit starts gets `environment` added to
    its own, so that it is found when it must be ended, writes its process number to each of `cgroup_procs`, and may use
    `cpus` (all where empty).
    """

    home: Path
    """The visit's own folder, in which its file system is mounted."""
    folder: Path
    environment: Mapping[str, str]
    cgroup_procs: tuple[Path, ...] = ()
    cpus: frozenset[int] = frozenset()
