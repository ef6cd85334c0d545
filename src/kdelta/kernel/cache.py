"""Where fetched and derived files are kept; each appears whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from kdelta.model.errors import MisuseError


def folder(*names: str) -> Path:
    """A folder below the user's cache, `$XDG_CACHE_HOME/kdelta` or `~/.cache/kdelta`; made if missing."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(base, "kdelta", *names)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MisuseError(f"the cache folder {path} cannot be made: {error.strerror}", "set XDG_CACHE_HOME to another") from error
    return path


def place(target: Path, fill: Callable[[Path], None]) -> Path:
    """Return `target`, first filled if it is missing: `fill` writes a temporary folder, which is then renamed.

    Two processes may fill at once; the first rename wins and the other's work is thrown away.
    """
    if target.exists():
        return target
    try:
        with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent, ignore_cleanup_errors=True) as temporary:
            fill(Path(temporary))
            try:
                Path(temporary).rename(target)
            except OSError:
                if not target.exists():
                    raise
    except OSError as error:
        raise MisuseError(f"{target} cannot be written: {error.strerror}", "make room, or set XDG_CACHE_HOME") from error
    return target
