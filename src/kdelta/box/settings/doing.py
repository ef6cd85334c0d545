"""The two tables: a change -> how it is made, and an entry of the journal -> how it is undone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from kdelta.box.settings import caches, change, command, cpus, device, entry, filesystem, folder, group, process, quiet, write
from kdelta.box.settings.errors import refused
from kdelta.box.settings.host import Host
from kdelta.box.settings.journal import Journal
from kdelta.box.settings.work import Visit, Work

# With the key under which the user asked for it.
MAKE: dict[type[change.Change], tuple[str, Callable[[Work, Any, Visit], Visit]]] = {
    change.Online: ("online", cpus.online),
    change.Write: ("file", write.make),
    change.Group: ("cgroup", group.make),
    change.FileSystem: ("mount", filesystem.make),
    change.Commands: ("setup", command.make),
    change.Bind: ("bind", cpus.bind),
    change.DropCaches: ("drop_caches", caches.drop),
    change.SmtOff: (quiet.KEY, cpus.smt_off),
    change.SwapOff: (quiet.KEY, quiet.swap_off),
    change.TimersOff: (quiet.KEY, quiet.timers_off),
}


def _end_group(host: Host, one: entry.ProcessGroup) -> None:
    process.kill(lambda: process.members(host, one.group, one.start, one.visit))


UNDO: dict[type[entry.Entry], Callable[[Host, Any], None]] = {
    entry.Values: write.restore,
    entry.Folder: folder.remove,
    entry.Mounted: filesystem.unmount,
    entry.Device: device.wipe,
    entry.Group: group.remove,
    entry.Controllers: group.disable,
    entry.Teardown: command.tear_down,
    entry.Swap: quiet.swap_on,
    entry.Timers: quiet.timers_on,
    entry.ProcessGroup: _end_group,
}

ONCE = (entry.Teardown,)
"""The user's own, which need not stand being repeated: done when it ran, however it ended."""


def make(work: Work, changes: Sequence[change.Change], visit: Visit) -> Visit:
    """Make all `changes`, then look whether a later one took an earlier one back."""
    for one in changes:
        key, made = MAKE[type(one)]
        with refused(key, "this machine lacks something"):
            visit = made(work, one, visit)
    for one in changes:
        if isinstance(one, change.Write):
            write.check(work.host, one)
    return visit


Failure = tuple[entry.Entry, Exception]


def undo(host: Host, journal: Journal, mark: int = 0, only: tuple[type, ...] | None = None) -> list[Failure]:
    """Undo all since `mark`, the newest first, and forget it. Returns what failed, with the reason; that stays in the journal.

    Only entries of the kinds `only` are undone where it is given; the others need not be.
    """
    failed = []
    for noted in journal.pending(mark):
        one = noted.entry
        try:
            if only is None or isinstance(one, only):
                UNDO[type(one)](host, one)
        except Exception as error:  # one that cannot be undone must not keep the others from it
            failed.append((one, error))
            if not isinstance(one, ONCE):
                continue
        journal.note_undone(noted)
    if not journal.pending(mark):
        with contextlib.suppress(OSError):
            journal.cut(mark)
    return failed
