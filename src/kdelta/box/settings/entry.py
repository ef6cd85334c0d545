"""What the journal holds: for each change, what undoes it. Undoing twice does no more than undoing once."""

from __future__ import annotations

import msgspec


class Values(msgspec.Struct, frozen=True, tag_field="kind", tag="values"):
    """Files of the kernel and what they said. The first was written; the others the kernel changes along with it."""

    values: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return ", ".join(f"{path} = {value}" for path, value in self.values[:1])


class Folder(msgspec.Struct, frozen=True, tag_field="kind", tag="folder"):
    """A visit's own folder, by which everything that the visit started or mounted is known."""

    path: str

    def __str__(self) -> str:
        return f"the folder {self.path} is removed"


class Mounted(msgspec.Struct, frozen=True, tag_field="kind", tag="mounted"):
    """A file system mounted at `path`, and the folder of the visit whose processes may be in it."""

    path: str
    visit: str

    def __str__(self) -> str:
        return f"{self.path} is unmounted"


class Device(msgspec.Struct, frozen=True, tag_field="kind", tag="device"):
    """A block device that gets a file system. `identity` tells it from others that may have its name later."""

    path: str
    identity: str

    def __str__(self) -> str:
        return f"kdelta's file system is wiped off {self.path}"


class Group(msgspec.Struct, frozen=True, tag_field="kind", tag="group"):
    path: str

    def __str__(self) -> str:
        return f"the control group {self.path} is removed"


class Controllers(msgspec.Struct, frozen=True, tag_field="kind", tag="controllers"):
    """Controllers that were not enabled in the file `path`, a cgroup.subtree_control."""

    path: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' '.join(self.names)} disabled in {self.path}"


class Teardown(msgspec.Struct, frozen=True, tag_field="kind", tag="teardown"):
    """The user's command, the folder that it runs in, and what is added to its environment."""

    command: str
    folder: str
    environment: dict[str, str]

    def __str__(self) -> str:
        return f"teardown: {self.command}"


class Swap(msgspec.Struct, frozen=True, tag_field="kind", tag="swap"):
    """Active swap areas and their priorities, the highest first."""

    areas: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        return f"swap on {', '.join(path for path, _ in self.areas)}"


class Timers(msgspec.Struct, frozen=True, tag_field="kind", tag="timers"):
    units: tuple[str, ...]

    def __str__(self) -> str:
        return f"{len(self.units)} timers of systemd are started"


class ProcessGroup(msgspec.Struct, frozen=True, tag_field="kind", tag="process group"):
    """A process group, when its leader started, and the folder of the visit that it belongs to."""

    group: int
    start: int
    visit: str

    def __str__(self) -> str:
        return f"the process group {self.group} is ended"


Entry = Values | Folder | Mounted | Device | Group | Controllers | Teardown | Swap | Timers | ProcessGroup
