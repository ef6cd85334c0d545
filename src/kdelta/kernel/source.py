"""From what the user typed behind `--tree` to a tree of kernel sources that can be built with O=."""

from __future__ import annotations

import bz2
import difflib
import lzma
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO

from kdelta.kernel import apt, cache
from kdelta.model.errors import MisuseError, unknown

# linux-source-6.1 of Debian, linux-source-6.8.0 of Ubuntu; linux-source is an empty package that depends on one of them.
NEWEST = "linux-source"
SOURCE_PACKAGE = re.compile(rf"{NEWEST}-(?P<series>\d+(?:\.\d+)+)")

# Debian's archive in the package is compressed with xz, Ubuntu's with bzip2.
DECOMPRESSORS: dict[str, Callable[[IO[bytes]], IO[bytes]]] = {".xz": lzma.LZMAFile, ".bz2": bz2.BZ2File}
MARKS = ("Makefile", "Kconfig")
"""What stands at the top of every tree."""
ADVICE = f"give the top folder of a kernel tree, or apt:{NEWEST}"


def fetch_source(spec: str) -> Path:
    """The tree for `spec`: a path, `apt:linux-source-6.1`, `apt:6.1`, or `apt:linux-source` for the newest that apt offers.

    May download some 140 MB and unpack 1.5 GB, once. Raises MisuseError where there is no such tree or package.
    """
    scheme, _, rest = spec.partition(":")
    return _from_apt(rest) if scheme == "apt" else _from_path(spec)


def _from_path(spec: str) -> Path:
    path = Path(os.path.abspath(spec))
    if not spec or not path.is_dir():
        raise MisuseError(f"there is no folder '{spec}'", (_near(path) if spec else "") + ADVICE)
    missing = [mark for mark in MARKS if not (path / mark).is_file()]
    if missing:
        raise MisuseError(f"{path} is no tree of kernel sources: it has no {' and no '.join(missing)}", ADVICE)
    return path


def _near(path: Path) -> str:
    folders = [one.name for one in path.parent.iterdir() if one.is_dir()] if path.parent.is_dir() else []
    found = difflib.get_close_matches(path.name, folders, n=1)
    return f"did you mean '{path.parent / found[0]}'? " if found else ""


def _from_apt(wanted: str) -> Path:
    if shutil.which("apt-cache") is None:
        raise MisuseError("there is no apt on this machine", "give the path of a kernel tree")
    package = _choose(wanted, apt.debs(name for name in apt.names(f"{NEWEST}-") if SOURCE_PACKAGE.fullmatch(name)))
    target = cache.folder("sources") / f"{package.name}_{package.sha256[:16]}"
    return cache.place(target, lambda folder: _fill(package, folder))


def _choose(wanted: str, packages: Iterable[apt.Deb]) -> apt.Deb:
    offered = sorted(packages, key=_numbers)
    if not offered:
        raise MisuseError("apt lists no kernel sources", "run `apt-get update` (as root), or give the path of a kernel tree")
    known = {NEWEST: offered[-1]}
    for package in offered:
        known |= {package.name: package, package.name.removeprefix(f"{NEWEST}-"): package}
    if wanted not in known:
        raise unknown("kernel source", wanted, known, "that apt offers")
    return known[wanted]


def _numbers(package: apt.Deb) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", package.name))


def _fill(package: apt.Deb, folder: Path) -> None:
    archive = apt.download(package, folder)
    _unpack(archive, folder)
    archive.unlink()
    if not all((folder / mark).is_file() for mark in MARKS):
        raise MisuseError(f"the package {package.name} holds no tree of kernel sources", "give the path of one")


def _unpack(archive: Path, folder: Path) -> None:
    with apt.opened(archive) as members:
        for member in members:
            path = Path(member.name)
            if member.isreg() and path.suffix in DECOMPRESSORS and SOURCE_PACKAGE.fullmatch(Path(path.stem).stem):
                content = members.extractfile(member)
                assert content is not None
                _untar(archive.name, DECOMPRESSORS[path.suffix](content), folder)


def _untar(name: str, content: IO[bytes], folder: Path) -> None:
    """By GNU tar, which every Debian has: tarfile takes its time for 80000 files."""
    command = ["tar", "-x", "--strip-components=1", "--no-same-owner", "--no-same-permissions", "-C", str(folder)]
    with tempfile.TemporaryFile() as told:
        with suppress(BrokenPipeError), subprocess.Popen(command, stdin=subprocess.PIPE, stderr=told) as process:
            assert process.stdin is not None
            try:
                shutil.copyfileobj(content, process.stdin, 1 << 20)
            except (EOFError, OSError, lzma.LZMAError) as error:
                if not isinstance(error, BrokenPipeError):
                    raise MisuseError(f"{name} cannot be unpacked: {error}", "run `apt-get update`, then try again") from error
        told.seek(0)
        reason = told.read().decode(errors="replace").strip() or f"exit status {process.returncode}"
    if process.returncode:
        raise MisuseError(f"{name} cannot be unpacked: tar: {reason.splitlines()[-1]}", "make room, or set XDG_CACHE_HOME")
