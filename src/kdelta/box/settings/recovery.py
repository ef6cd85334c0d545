"""Putting back what a session left that did not come to its end."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from kdelta.box.settings import doing, entry, journal, lock, process, signals
from kdelta.box.settings.host import Host
from kdelta.box.settings.journal import Journal
from kdelta.model.errors import MisuseError

AFTER_REBOOT = (entry.Folder, entry.Device)
"""The kernel's settings went with the kernel; these are on disks."""


class Repaired(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one journal. `failed` says what is not as it was, and why; the journal then stays."""

    journal: str
    pid: int | None = None
    restored: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def repair(host: Host | None = None) -> list[Repaired]:
    """Put back what sessions of this user left whose processes are gone. Raises MisuseError while another is measuring."""
    host = host or Host()
    with lock.held(host.lock):
        return left_over(host)


def left_over(host: Host) -> list[Repaired]:
    """As `repair`, for the holder of the lock."""
    folder = journal.folder()
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise MisuseError(f"the journal's folder {folder} cannot be read: {error.strerror}", "run it as its owner") from error
    found = [_repair(host, folder / name) for name in names if name.endswith(journal.SUFFIX)]
    return [one for one in found if one is not None]


def _repair(host: Host, path: Path) -> Repaired | None:
    """None where there is nothing to do: its process is still there, or it made no change.

    Another user's journal is not executed, whoever we are: its commands are that user's, and so are its rights.
    """
    try:
        owner = path.stat().st_uid
        if owner != os.geteuid():
            return Repaired(journal=str(path), failed=(f"it belongs to user {owner}: run kdelta as that user",))
        left = journal.load(path)
    except OSError as error:
        return Repaired(journal=str(path), failed=(f"it cannot be read: {error.strerror}",))
    if _is_alive(host, left):
        left.close()
        return None
    if left.owner is None and left.noted:
        left.close()
        return Repaired(journal=str(path), failed=("its first line is damaged: it does not say of which boot it is",))
    return _put_back(host, left)


def _is_alive(host: Host, left: Journal) -> bool:
    """Our own earlier session is over, or it would have kept us from the lock."""
    if left.owner is None or left.owner.boot_id != process.boot_id(host):
        return False
    if left.owner.pid == os.getpid():
        return False
    now = process.look(host, left.owner.pid)
    return now is not None and now.start == left.owner.start and now.state not in process.ENDED


def _put_back(host: Host, left: Journal) -> Repaired | None:
    same_boot = left.owner is not None and left.owner.boot_id == process.boot_id(host)
    restored = tuple(str(one.entry) for one in left.pending() if same_boot or isinstance(one.entry, AFTER_REBOOT))
    with signals.deferred():
        failed = doing.undo(host, left, only=None if same_boot else AFTER_REBOOT)
        complaints = [f"{one}: {error}" for one, error in failed]
        if left.unreadable:
            complaints.append(f"{left.unreadable} lines cannot be read")
        if left.pending() or left.unreadable:
            left.close()
        else:
            left.remove()
    if not restored and not complaints:
        return None
    not_restored = {str(one) for one, _ in failed}
    return Repaired(
        journal=str(left.path),
        pid=left.owner.pid if left.owner else None,
        restored=tuple(words for words in restored if words not in not_restored),
        failed=tuple(complaints),
    )
