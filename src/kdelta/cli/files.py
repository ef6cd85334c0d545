"""Files that a command writes for its user: whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from kdelta.model.errors import MisuseError


def write(path: Path, content: bytes) -> None:
    """Raises MisuseError where that is not possible; a file that was there before is then as it was.

    What is no plain file, as a pipe or a terminal, is written to.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            beside.write_bytes(content)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise MisuseError(f"{path} cannot be written: {error.strerror}", "name a file in a folder that is there") from error
