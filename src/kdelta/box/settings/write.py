"""A value in a file of the kernel, below /proc or /sys: written, read back, and put back with all that changed along."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from kdelta.box.settings import value
from kdelta.box.settings.change import SYSCTL_FOLDER, Write
from kdelta.box.settings.coupled import ONE_WAY, TRIGGERS, WORD_BY_WORD, along
from kdelta.box.settings.entry import Values
from kdelta.box.settings.errors import NotRestoredError, RefusedError, missing, refused
from kdelta.box.settings.host import Host
from kdelta.box.settings.work import Visit, Work

PLACES = re.compile(r"/(proc|sys)/")
OF_A_PROCESS = re.compile(r"/proc/\d+/")
DEBUG_FOLDER = "/sys/kernel/debug"
PASSES = 3
"""To put back coupled files: one may only take its value when the other has given way."""


def make(work: Work, change: Write, visit: Visit) -> Visit:
    set_value(work, change)
    return visit


def set_value(work: Work, change: Write) -> None:
    """Raises RefusedError where the file is no setting, or does not say `change.value` afterwards."""
    host = work.host
    with refused(change.key, f"{change.name} cannot be looked at"):
        path = _setting(host, change)
    with refused(change.key, f"{change.name} cannot be read back, and so could not be put back"):
        text = host.read(path)
    former = value.value_of(text)
    if _holds(path, change.value, former):
        return
    work.note(Values(((path, former), *_readable(host, along(host, path)))))
    with refused(change.key, f"{change.name} did not take '{change.value}'", f"it says: {value.fold(text)}"):
        for word in _written(path, change.value):
            host.write(path, word)
    check(host, change)


def check(host: Host, change: Write) -> None:
    """Raises RefusedError where the file does not say what it should (any more)."""
    path = host.real(change.path)
    with refused(change.key, f"{change.name} cannot be read back"):
        text = host.read(path)
    if not _holds(path, change.value, value.value_of(text)):
        raise RefusedError(
            f"`{change.key}`: {change.name} was set to '{change.value}' and says '{value.fold(text)}'",
            "write the value as the kernel shows it, and leave out what contradicts it",
        )


def restore(host: Host, entry: Values) -> None:
    """Write what differs from its former value, until nothing does. Raises NotRestoredError where something still does."""
    said = ""
    for _ in range(PASSES):
        differing = [(path, former) for path, former in entry.values if not _is(host, path, former)]
        for path, former in differing:
            try:
                if not _is(host, path, former):
                    _write_back(host, path, former)
            except OSError as error:
                said = f" ({error.strerror})"
                _give_way(host, entry, path)
    left = [path for path, former in entry.values if not _is(host, path, former)]
    if left:
        raise NotRestoredError(f"{left[0]} should say '{dict(entry.values)[left[0]]}' and does not{said}")


def _give_way(host: Host, entry: Values, refusing: str) -> None:
    """vm.dirty_bytes refuses the 0 that it says as long as its ratio is in force: any other ratio makes it say so."""
    for path, former in entry.values:
        if path != refusing and former == "0" and "/vm/" in path:
            with contextlib.suppress(OSError):
                host.write(path, "1")


def _is(host: Host, path: str, former: str) -> bool:
    """A file that is gone went with what it belonged to: nothing is left to put back."""
    try:
        return value.same(former, value.value_of(host.read(path)))
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _write_back(host: Host, path: str, former: str) -> None:
    now = host.read(path).split() if path in WORD_BY_WORD else []
    for word in [word for word in former.split() if word not in now] if now else [former]:
        host.write(path, word)


def _written(path: str, text: str) -> list[str]:
    return text.split() if path in WORD_BY_WORD else [text]


def _holds(path: str, wanted: str, found: str) -> bool:
    return set(wanted.split()) <= set(found.split()) if path in WORD_BY_WORD else value.same(wanted, found)


def _readable(host: Host, paths: list[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        with contextlib.suppress(OSError):
            yield path, value.value_of(host.read(path))


def _setting(host: Host, change: Write) -> str:
    """The file's real path. Raises RefusedError where it is none that can be set for a visit and put back."""
    path = host.real(change.path)
    if not PLACES.match(path):
        raise RefusedError(f"`{change.key}`: {change.name} does not lie below /proc or /sys", "set other files in `setup`")
    if OF_A_PROCESS.match(path):
        raise RefusedError(f"`{change.key}`: {change.name} belongs to one process", "set it in `setup`")
    if not host.path(path).is_file():
        raise _missing(host, change, path)
    if path in TRIGGERS:
        raise RefusedError(f"`{change.key}`: {change.name} starts something and keeps no value", TRIGGERS[path])
    forbidden = ONE_WAY.get(path, frozenset())
    if forbidden is None or value.fold(change.value) in forbidden:
        raise RefusedError(
            f"`{change.key}`: {change.name} = {change.value} cannot be put back before the next boot",
            "leave it out, or set it yourself",
        )
    return path


def _missing(host: Host, change: Write, path: str) -> RefusedError:
    """Names the first part of the path that is not there, beside what lies in its folder."""
    folder = path
    while not host.path(folder).is_dir():
        folder, _, _ = folder.rpartition("/")
    if folder.startswith(DEBUG_FOLDER) and not host.names(DEBUG_FOLDER):
        return RefusedError(
            f"`{change.key}`: {change.name} lies in debugfs, which is not mounted", f"mount -t debugfs none {DEBUG_FOLDER}"
        )
    if folder == path:
        return RefusedError(f"`{change.key}`: {change.name} is a folder", f"it holds: {', '.join(host.names(path)[:20])}")
    wanted = "/".join([folder, path[len(folder) + 1 :].split("/")[0]])
    known = [f"{folder}/{name}" for name in host.names(folder)]
    if change.key != "sysctl":
        return missing(change.key, wanted, "file", known)
    return missing(change.key, _sysctl(wanted), "sysctl", map(_sysctl, known))


def _sysctl(path: str) -> str:
    """The name of a sysctl, from its path."""
    return path[len(SYSCTL_FOLDER) + 1 :].translate(str.maketrans("./", "/."))
