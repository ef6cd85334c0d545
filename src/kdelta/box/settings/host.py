"""The machine whose settings are changed: its kernel's files and its programs."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kdelta.box.settings import program
from kdelta.box.settings.errors import needs_root
from kdelta.box.settings.program import Done

MOST_BYTES = 1 << 16
"""A setting is short; a file of /proc that never ends is none."""


class Run(Protocol):
    """How a program is run: see `program.run`."""

    def __call__(
        self,
        words: Sequence[str],
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        limit_seconds: float = program.LIMIT_SECONDS,
    ) -> Done: ...


@dataclass(frozen=True)
class Host:
    """Files are named as on the machine, "/proc/swaps"; `root` stands before each, and `run` runs programs: tests have others.

    `lock` is the name under which only one process at a time may measure. Methods raise OSError.
    """

    root: Path = Path("/")
    run: Run = program.run
    lock: str = "kdelta-local"

    def path(self, name: str) -> Path:
        return self.root / name.lstrip("/")

    def named(self, path: Path | str) -> str:
        """The machine's name of a path: the inverse of `path`."""
        return "/" + os.path.relpath(path, self.root)

    def real(self, name: str) -> str:
        """`name` without symbolic links."""
        return self.named(os.path.realpath(self.path(name)))

    def exists(self, name: str) -> bool:
        return self.path(name).exists()

    def names(self, folder: str) -> list[str]:
        """What lies in `folder`; nothing where there is none."""
        path = self.path(folder)
        return sorted(os.listdir(path)) if path.is_dir() else []

    def glob(self, pattern: str) -> list[str]:
        return sorted(f"/{name}" for name in glob.glob(pattern.lstrip("/"), root_dir=self.root, recursive=True))

    def read(self, name: str, most: int = MOST_BYTES) -> str:
        """The whole text. Never waits: some files of /proc give their bytes as they come."""
        descriptor = os.open(self.path(name), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            content = b""
            while chunk := os.read(descriptor, MOST_BYTES):
                content += chunk
                if len(content) > most:
                    raise OSError(errno.EFBIG, "it is too long for a setting")
            return content.decode()
        except UnicodeDecodeError as error:
            raise OSError(errno.EILSEQ, "it is not text") from error
        finally:
            os.close(descriptor)

    def write(self, name: str, value: str) -> None:
        """In one call, which is what the kernel's files take."""
        descriptor = os.open(self.path(name), os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
        try:
            os.write(descriptor, f"{value}\n".encode())
        finally:
            os.close(descriptor)

    def make_folder(self, name: str) -> None:
        self.path(name).mkdir()

    def remove_folder(self, name: str) -> None:
        self.path(name).rmdir()

    def require_root(self, key: str) -> None:
        """Raises RefusedError where the programs that `key` needs would fail for want of rights."""
        if self.root == Path("/") and os.geteuid() != 0:
            raise needs_root(key)
