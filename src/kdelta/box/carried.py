"""What a user's command takes along into the guest, to the same paths: the program, its files, and what those need to run.

Sources: ldd(1), ld.so(8), "Interpreter scripts" in execve(2).
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from kdelta.box import native
from kdelta.model.benchmark import Command
from kdelta.model.errors import MisuseError

GUESTS_OWN = ("/dev", "/proc", "/sys", "/vol")
"""What is mounted there hides what was carried; the last is MOUNT_FOLDER of csrc/guest/program.h."""
LIBRARY = re.compile(r"\s+(?:\S+ => )?(/.+) \(0x[0-9a-f]+\)")
NO_LIBRARY = re.compile(r"\s+(\S+) => not found")
ENV = "env"

LOADER_CACHE = "/etc/ld.so.cache"
LOADER_FOLDERS = re.compile(r"/(?:usr/)?lib(?:64|/x86_64-linux-gnu)?")
"""Where the loader looks without its cache: Debian's, and everybody's."""


@dataclass(frozen=True)
class Carried:
    """`files` by absolute path, with their modes: regular files, links, and folders that would else not be there."""

    files: dict[str, bytes] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)

    @property
    def mib(self) -> int:
        return sum(map(len, self.files.values())) >> 20


def locate(word: str) -> str:
    """The absolute path of the program that `word` names, by its path or on the PATH. Raises MisuseError if there is none."""
    found = shutil.which(word)
    if found is None:
        raise MisuseError(f"there is no program {word}", "name an executable file by its path, or one on the PATH")
    return os.path.abspath(found)


@lru_cache(maxsize=16)
def carry(commands: tuple[Command, ...]) -> Carried:
    """All that `commands` need. Read once: what is changed while a run goes on is not in it.

    Raises MisuseError where something is missing, or cannot be had in the guest.
    """
    files: dict[str, Path] = {}
    for command in commands:
        program = locate(command.words[0])
        _require_program(program)
        _take(program, files)
        for name in command.files:
            for path in _below(os.path.abspath(name)):
                _take(path, files)
    _take_libraries(files)
    return _read(files)


def _require_program(path: str) -> None:
    with _opened(Path(path)) as file:
        head = file.read(native.ELF_HEADER)
    if not head.startswith(b"#!") and not native.is_x86_64(head):
        raise MisuseError(f"{path} is neither an x86-64 program nor a script that begins with #!", "name another program")


def _below(path: str) -> Iterator[str]:
    """`path`, and all that lies in it. Links to folders are not followed there: they are carried as links."""
    if not os.path.isdir(path) or not os.path.islink(path):
        yield path
    for folder, folders, names in os.walk(path):
        yield from (os.path.join(folder, name) for name in sorted(folders + names))


def _take(path: str, files: dict[str, Path]) -> None:
    """Put `path` into `files`, and where it is a script all that interprets it."""
    if path in files:
        return
    if any(path == own or path.startswith(f"{own}/") for own in GUESTS_OWN):
        raise MisuseError(f"{path} cannot be carried: the guest has its own {path[:5].rstrip('/')}", "put the file elsewhere")
    if not os.path.lexists(path):
        raise MisuseError(f"there is no file {path}", "a command's `files` are files or folders of this machine")
    files[path] = Path(path)
    if os.path.isfile(path) and os.access(path, os.X_OK):
        for interpreter in _interpreters(Path(path)):
            _take(interpreter, files)


def _interpreters(script: Path) -> list[str]:
    """The program behind #!, and with env the one that it looks for."""
    with _opened(script) as file:
        line = file.readline(256)
    if not line.startswith(b"#!"):
        return []
    words = line[2:].decode("latin-1").split()
    try:
        sought = [word for word in words[1:] if not word.startswith("-") and "=" not in word][:1]
        return [locate(word) for word in (words[:1] + (sought if Path(words[0]).name == ENV else []))]
    except (IndexError, MisuseError) as error:
        raise MisuseError(
            f"the script {script} begins with '{line.decode('latin-1').strip()}', and that program is not here",
            "install its interpreter, or correct the line",
        ) from error


def _take_libraries(files: dict[str, Path]) -> None:
    dynamic = [path for path in files if os.path.isfile(path) and _is_dynamic(Path(path))]
    if not dynamic:
        return
    libraries = set(_libraries(dynamic))
    for library in sorted(libraries):
        _take(library, files)
    elsewhere = [path for path in libraries if not LOADER_FOLDERS.fullmatch(os.path.dirname(path))]
    if elsewhere and os.path.exists(LOADER_CACHE):
        _take(LOADER_CACHE, files)


def _is_dynamic(path: Path) -> bool:
    """A program with an interpreter, or a library. A static one that can lie anywhere looks like a library: ldd knows better."""
    with _opened(path) as file:
        head = file.read(native.ELF_HEADER)
        return native.is_x86_64(head) and (head[16:18] == native.ET_DYN or not native.is_static(head + file.read()))


def _libraries(programs: list[str]) -> Iterator[str]:
    """What the loader would load. Without the variables that lead it elsewhere: the guest has none of them."""
    if shutil.which("ldd") is None:
        raise MisuseError("there is no ldd on this machine", "link the program statically, or install ldd")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")} | {"LC_ALL": "C"}
    said = subprocess.run(["ldd", *programs], capture_output=True, text=True, errors="replace", env=environment, check=False)
    for line in said.stdout.splitlines():
        missing = NO_LIBRARY.match(line)
        if missing:
            raise MisuseError(
                f"the library {missing[1]} of {' or '.join(programs)} is not here", "install it, or link the program statically"
            )
        found = LIBRARY.match(line)
        if found:
            yield os.path.normpath(found[1])


def _read(files: dict[str, Path]) -> Carried:
    carried = Carried()
    for name, path in sorted(files.items()):
        link = path.is_symlink() and not path.is_file()
        mode = path.lstat().st_mode if link else path.stat().st_mode
        if not link and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise MisuseError(f"{path} is neither file nor folder", "leave it out of `files`")
        carried.files[name] = os.readlink(path).encode() if link else _content(path) if stat.S_ISREG(mode) else b""
        carried.modes[name] = mode
    return carried


def _content(path: Path) -> bytes:
    with _opened(path) as file:
        return file.read()


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise MisuseError(f"{path} cannot be read: {error.strerror}", "a command and its `files` must be readable") from error
