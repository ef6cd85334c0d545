"""What must be undone, on the disk before it is done: a crash at any point leaves all that is needed to put things back.

A file of JSON lines for each session: its owner, then entries as changes are made. What was undone is noted, and when all
since a mark is, the file is cut back to it.
"""

from __future__ import annotations

import contextlib
import errno
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from kdelta.box.settings import process
from kdelta.box.settings.entry import Entry
from kdelta.box.settings.errors import RefusedError
from kdelta.box.settings.host import Host
from kdelta.model.errors import MisuseError

SUFFIX = ".jsonl"


class Owner(msgspec.Struct, frozen=True, tag_field="kind", tag="owner"):
    """The process that made the changes; `start` in clock ticks since the boot `boot_id`."""

    pid: int
    start: int
    boot_id: str


class Undone(msgspec.Struct, frozen=True, tag_field="kind", tag="undone"):
    at: int


Line = Entry | Owner | Undone


def folder() -> Path:
    """`$XDG_STATE_HOME/kdelta/journal` or `~/.local/state/kdelta/journal`; made if missing."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    path = Path(base, "kdelta", "journal")
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise MisuseError(f"the journal's folder {path} cannot be made: {error.strerror}", "set XDG_STATE_HOME") from error
    return path


class Noted(NamedTuple):
    """`at` is where the entry begins in the file."""

    at: int
    entry: Entry


@dataclass
class Journal:
    """`noted` are the entries not cut away; `unreadable` counts lines that are damaged or of a newer kdelta."""

    path: Path
    descriptor: int
    owner: Owner | None = None
    noted: list[Noted] = field(default_factory=list)
    undone: set[int] = field(default_factory=set)
    end: int = 0
    unreadable: int = 0

    def mark(self) -> int:
        return len(self.noted)

    def pending(self, mark: int = 0) -> list[Noted]:
        """Entries since `mark` that were not undone, the newest first."""
        return [one for one in reversed(self.noted[mark:]) if one.at not in self.undone]

    def note(self, entry: Entry, *, sync: bool = True) -> None:
        """Comes back when `entry` is on the disk. Raises RefusedError where it cannot be.

        Without `sync` it is safe from the end of this process, but not from that of the machine.
        """
        start = self.end
        try:
            self._append(entry, sync)
        except OSError as error:
            raise RefusedError(f"{self.path} cannot be written: {error.strerror}", "make room, or set XDG_STATE_HOME") from error
        self.noted.append(Noted(start, entry))

    def note_undone(self, one: Noted) -> None:
        """A full disk must not stop the rest from being undone: undoing once more does no harm."""
        self.undone.add(one.at)
        with contextlib.suppress(OSError):
            self._append(Undone(one.at), sync=False)

    def cut(self, mark: int) -> None:
        """Forget all since `mark`."""
        if mark < len(self.noted):
            end = self.noted[mark].at
            os.ftruncate(self.descriptor, end)
            self.end = end
            del self.noted[mark:]
            self.undone = {at for at in self.undone if at < self.end}

    def _append(self, line: Line, sync: bool) -> None:
        """What an earlier, interrupted attempt left behind the end is overwritten, not kept."""
        data = msgspec.json.encode(line) + b"\n"
        os.ftruncate(self.descriptor, self.end)
        written = os.pwrite(self.descriptor, data, self.end)
        if written < len(data):
            raise OSError(errno.ENOSPC, "there is no room")
        if sync:
            os.fsync(self.descriptor)
        self.end += len(data)

    def close(self) -> None:
        """Close the file. It stays."""
        os.close(self.descriptor)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        _sync(self.path.parent)
        self.close()


def create(host: Host) -> Journal:
    """The journal of this process."""
    pid = os.getpid()
    this = process.look(host, pid)
    owner = Owner(pid, this.start if this else 0, process.boot_id(host))
    place = folder()
    number = 0
    while (path := place / f"{pid}-{owner.start}-{number}{SUFFIX}").exists():
        number += 1
    try:
        journal = Journal(path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), owner)
        journal._append(owner, sync=True)
        _sync(place)
    except OSError as error:
        raise MisuseError(f"{path} cannot be written: {error.strerror}", "make room, or set XDG_STATE_HOME") from error
    return journal


def load(path: Path) -> Journal:
    """The journal in `path`, to go on with. A last line that was not finished was not followed by a change: it is dropped."""
    journal = Journal(path, os.open(path, os.O_RDWR | os.O_CLOEXEC))
    *lines, _torn = path.read_bytes().split(b"\n")
    for line in lines:
        start, journal.end = journal.end, journal.end + len(line) + 1
        try:
            _take(journal, msgspec.json.decode(line, type=Line), start)
        except (msgspec.MsgspecError, UnicodeError):
            journal.unreadable += 1
    return journal


def _take(journal: Journal, line: Line, start: int) -> None:
    match line:
        case Owner():
            journal.owner = line
        case Undone(at=at):
            journal.undone.add(at)
        case _:
            journal.noted.append(Noted(start, line))


def _sync(place: Path) -> None:
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
