"""The visit's own control group: on a version 2 hierarchy, or in each version 1 hierarchy that has a named controller."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from collections.abc import Iterable

from kdelta.box.settings import mounts, process, program, value
from kdelta.box.settings.change import Group
from kdelta.box.settings.entry import Controllers
from kdelta.box.settings.entry import Group as Made
from kdelta.box.settings.errors import NotRestoredError, RefusedError, missing, refused
from kdelta.box.settings.host import Host
from kdelta.box.settings.work import Visit, Work

REMOVE_SECONDS = 5.0
LOOK_SECONDS = 0.01
CORE = "cgroup"
"""Its files steer the group itself, not what is in it."""
ENABLED = "cgroup.subtree_control"
CPUSET = ("cpuset.cpus", "cpuset.mems")
JOIN = 'for file; do echo $$ > "$file" || exit; done'


def make(work: Work, change: Group, visit: Visit) -> Visit:
    """Raises RefusedError where a file is not there, a value does not stick, or no process could be in the group."""
    host = work.host
    places = {name: _place(host, name) for name, _ in change.values}
    groups = list(dict.fromkeys(f"{place}/kdelta-{os.getpid()}" for place in places.values()))
    with refused("cgroup", "no control group can be made"):
        _enable(work, places)
        for group in groups:
            _make(work, group)
    for name, wanted in change.values:
        _set(host, f"{places[name]}/kdelta-{os.getpid()}", name, wanted)
    procs = tuple(host.path(f"{group}/cgroup.procs") for group in groups)
    joined = host.run(["/bin/sh", "-c", JOIN, "join", *map(str, procs)], environment=visit.environment)
    program.require(joined, "`cgroup`: a process cannot join the group: a shell", "the values leave it nothing to run with")
    return dataclasses.replace(visit, cgroup_procs=procs)


def remove(host: Host, entry: Made) -> None:
    """End what is left inside, also in groups below, and remove them from the bottom up."""
    if not host.exists(entry.path):
        return
    process.kill(lambda: _inside(host, entry.path))
    deadline = time.monotonic() + REMOVE_SECONDS
    for group in reversed(_below(host, entry.path)):
        while host.exists(group):
            try:
                host.remove_folder(group)
            except OSError as error:
                # What was killed takes a moment to leave.
                if time.monotonic() > deadline:
                    raise NotRestoredError(f"{group} cannot be removed: {error.strerror}") from error
                time.sleep(LOOK_SECONDS)


def disable(host: Host, entry: Controllers) -> None:
    for name in set(entry.names) & set(host.read(entry.path).split()):
        host.write(entry.path, f"-{name}")
    left = set(entry.names) & set(host.read(entry.path).split())
    if left:
        raise NotRestoredError(f"{' '.join(sorted(left))} could not be disabled in {entry.path}")


def _place(host: Host, name: str) -> str:
    """Where the hierarchy is mounted that has the controller of the file `name`."""
    controller = name.partition(".")[0]
    if controller == CORE or "/" in name:
        raise RefusedError(f"`cgroup`: '{name}' is no file of a controller", 'write for instance "memory.max"')
    places = _places(host)
    if controller not in places:
        raise missing("cgroup", controller, "controller", places)
    return places[controller]


def _places(host: Host) -> dict[str, str]:
    """Controller -> mount point. One that a version 1 hierarchy has, version 2 has not."""
    found = dict[str, str]()
    for mount in mounts.mounts(host):
        if mount.type == "cgroup2":
            names = host.read(f"{mount.point}/cgroup.controllers").split()
        else:
            names = list(mount.options) if mount.type == "cgroup" else []
        found |= {name: mount.point for name in names if name not in found and name not in ("rw", "ro") and "=" not in name}
    return found


def _enable(work: Work, places: dict[str, str]) -> None:
    """A version 2 group has only the files of controllers that its parent enables for it."""
    for place in dict.fromkeys(places.values()):
        path = f"{place}/{ENABLED}"
        if work.host.exists(path):
            wanted = {name.partition(".")[0] for name, where in places.items() if where == place}
            lacking = tuple(sorted(wanted - set(work.host.read(path).split())))
            if lacking:
                work.note(Controllers(path, lacking))
                work.host.write(path, " ".join(f"+{name}" for name in lacking))


def _make(work: Work, group: str) -> None:
    """One of this name is left by a process that had our number before us."""
    host = work.host
    work.note(Made(group))
    remove(host, Made(group))
    host.make_folder(group)
    # Nothing can join a version 1 cpuset before both are said: cgroup-v1/cpusets.rst.
    for name in CPUSET:
        if host.exists(f"{group}/{name}") and not host.exists(f"{os.path.dirname(group)}/{ENABLED}"):
            host.write(f"{group}/{name}", host.read(f"{os.path.dirname(group)}/{name}").strip())


def _set(host: Host, group: str, name: str, wanted: str) -> None:
    path = f"{group}/{name}"
    if not host.exists(path):
        raise missing("cgroup", name, "file", [file for file in host.names(group) if not file.startswith(f"{CORE}.")])
    with refused("cgroup", f"{name} cannot be read back"):
        host.read(path)
    with refused("cgroup", f"{name} did not take '{wanted}'"):
        host.write(path, wanted)
    says = host.read(path)
    if not value.agrees(wanted, says):
        raise RefusedError(
            f"`cgroup`: {name} was set to '{wanted}' and says '{value.fold(says)}'", "write the value as the kernel shows it"
        )


def _below(host: Host, group: str) -> list[str]:
    """The group and those in it, parents first."""
    folders = [f"{group}/{name}" for name in host.names(group) if host.path(f"{group}/{name}").is_dir()]
    return [group, *(one for folder in folders for one in _below(host, folder))]


def _inside(host: Host, group: str) -> list[int]:
    return [pid for one in _below(host, group) for pid in _pids(host, f"{one}/cgroup.procs")]


def _pids(host: Host, path: str) -> Iterable[int]:
    with contextlib.suppress(OSError):
        return [int(word) for word in host.read(path).split()]
    return []
