"""The guest's first file system: a cpio archive in the kernel's `newc` form, the same bytes for the same content.

Source: Documentation/driver-api/early-userspace/buffer-format.rst of the kernel.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

DIRECTORY_MODE = stat.S_IFDIR | 0o755
PROGRAM_MODE = stat.S_IFREG | 0o755
NO_MODES: Mapping[str, int] = MappingProxyType({})


def build(files: Mapping[str, bytes], modes: Mapping[str, int] = NO_MODES) -> bytes:
    """Pack `files` (absolute guest path -> content) as files of root, with the folders they lie in.

    They are executable files unless `modes` has another type and mode for them (stat.st_mode); a link's content is where it
    leads. Nothing else of the host gets in: no owner, no time, no inode number, and the order is that of the paths.
    """
    archive = bytearray()
    for inode, (path, mode, content) in enumerate(_entries(files, modes), start=1):
        archive += _entry(path.lstrip("/"), mode, content, inode)
    archive += _entry("TRAILER!!!", 0, b"", 0)
    return bytes(archive) + b"\0" * (-len(archive) % 512)


def _entries(files: Mapping[str, bytes], modes: Mapping[str, int]) -> Iterator[tuple[str, int, bytes]]:
    folders = {str(parent) for path in files for parent in PurePosixPath(path).parents} - {"/"}
    entries = {folder: (DIRECTORY_MODE, b"") for folder in folders}
    entries |= {path: (modes.get(path, PROGRAM_MODE), content) for path, content in files.items()}
    for path in sorted(entries):
        yield path, *entries[path]


def _entry(name: str, mode: int, content: bytes, inode: int) -> bytes:
    encoded = name.encode() + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    fields = (inode, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + encoded
    return _padded(head) + _padded(content)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
