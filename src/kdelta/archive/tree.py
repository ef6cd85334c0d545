"""Files below one place, whether that is a folder, a tar or a zip: read in memory, never unpacked to a disk."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from pathlib import Path, PurePosixPath

from kdelta.model.errors import MisuseError
from kdelta.profile.readers.compressed import Unpacked

MOST_BYTES = 1 << 24
"""Of one text."""
MOST_FILES = 10_000


@dataclass(frozen=True)
class Tree:
    """`files` are by name, relative and with slashes, in the order of their names; each gives its bytes, unpacked.

    Reading one raises MisuseError where it is longer than MOST_BYTES, damaged, or cannot be read.
    """

    path: str
    files: dict[str, Callable[[], bytes]]

    def names(self) -> list[str]:
        return list(self.files)

    def read(self, name: str) -> bytes:
        return self.files[name]()

    def below(self, folder: str) -> Tree:
        """What lies in `folder`, by names relative to it."""
        start = f"{folder}/" if folder else ""
        return Tree(f"{self.path}/{folder}", {n.removeprefix(start): f for n, f in self.files.items() if n.startswith(start)})


def of_folder(path: Path) -> Tree:
    """Links are not followed: what they lead to may lie elsewhere, or above."""
    files: dict[str, Callable[[], bytes]] = {}
    for file in _files(path):
        _require_few(path, len(files))
        files[file.relative_to(path).as_posix()] = lambda file=file: read_file(file)  # type: ignore[misc]
    return Tree(str(path), files)


def _files(path: Path) -> Iterator[Path]:
    for one in sorted(path.iterdir()):
        if one.is_symlink():
            continue
        if one.is_dir():
            yield from _files(one)
        elif one.is_file():
            yield one


def read_file(path: Path) -> bytes:
    """All of it, through what packed it. Raises MisuseError."""
    try:
        with path.open("rb") as file:
            return bounded(str(path), Unpacked(file))
    except OSError as error:
        raise MisuseError(f"{path} cannot be read: {error.strerror or error}", "give a file that can be") from error


def bounded(path: str, unpacked: Unpacked) -> bytes:
    """Raises MisuseError where it is longer than a text may be, or damaged."""
    parts, size = list[bytes](), 0
    for piece in unpacked:
        size += len(piece)
        if size > MOST_BYTES:
            raise MisuseError(f"{path} has more than {MOST_BYTES >> 20} MiB", "no single text is read that is longer: split it")
        parts.append(piece)
    if unpacked.damage:
        raise MisuseError(f"{path} is damaged: {unpacked.damage}", "fetch it again")
    return b"".join(parts)


def of_tar(path: str, data: bytes) -> Tree:
    """Its plain files; links and devices are passed over, and names are words, never places on this machine."""
    try:
        with tarfile.open(fileobj=BytesIO(data), mode="r:") as tar:
            found: dict[str, Callable[[], bytes]] = {}
            for member in tar:
                if member.isreg() and not member.issparse():
                    _require_few(path, len(found))
                    start, end = member.offset_data, member.offset_data + member.size
                    found[_name(member.name)] = lambda start=start, end=end: _packed(path, data[start:end])  # type: ignore[misc]
    except (tarfile.TarError, OSError, ValueError, EOFError) as error:
        raise MisuseError(f"{path} is a damaged tar file: {error}", "fetch it again") from error
    return Tree(path, dict(sorted(found.items())))


def of_zip(path: str, data: bytes) -> Tree:
    """As of_tar. What says that it is larger than a text may be is not unpacked."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as packed:
            found: dict[str, Callable[[], bytes]] = {}
            for member in packed.infolist():
                if not member.is_dir():
                    _require_few(path, len(found))
                    found[_name(member.filename)] = lambda member=member: _member(path, data, member)  # type: ignore[misc]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise MisuseError(f"{path} is a damaged zip file: {error}", "fetch it again") from error
    return Tree(path, dict(sorted(found.items())))


def _member(path: str, data: bytes, member: zipfile.ZipInfo) -> bytes:
    """Read with a bound: what it says of its size need not be so."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as packed, packed.open(member) as file:
            content = file.read(MOST_BYTES + 1)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise MisuseError(f"{path}: {_name(member.filename)} cannot be read: {error}", "unpack it, and give the folder") from error
    if len(content) > MOST_BYTES:
        raise MisuseError(f"{path}: {_name(member.filename)} has more than {MOST_BYTES >> 20} MiB", "split it")
    return _packed(path, content)


def _packed(path: str, content: bytes) -> bytes:
    return bounded(path, Unpacked(BufferedReader(BytesIO(content))))


def _name(said: str) -> str:
    """Without what leads out of the archive."""
    return "/".join(part for part in PurePosixPath(said.replace("\\", "/")).parts if part not in ("/", "..", "."))


def _require_few(path: object, count: int) -> None:
    if count >= MOST_FILES:
        raise MisuseError(f"{path} holds more than {MOST_FILES} files", "give the folders in it one by one")
