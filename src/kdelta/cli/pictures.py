"""Files that a profile, or a difference of two, is written to: pictures, and what other programs read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from kdelta.cli.files import write
from kdelta.model.errors import MisuseError, unknown
from kdelta.profile.profiled import Profiled
from kdelta.report import firefox, folded_text, speedscope
from kdelta.report.named import Named

F = TypeVar("F", bound=Callable[..., Any])

EXPORTS = ("folded", "speedscope", "firefox")


def export_option(function: F) -> F:
    """--export, which may be repeated: what `parsed` takes."""
    return click.option(
        "--export",
        "exports",
        multiple=True,
        metavar="FORMAT=FILE",
        help="Write the profiles for another program: folded, speedscope or firefox.",
    )(function)


def parsed(words: Sequence[str]) -> list[tuple[str, Path]]:
    """FORMAT=FILE, as it was typed. Raises MisuseError."""
    found = []
    for word in words:
        name, equals, path = word.partition("=")
        if not equals or not path:
            raise MisuseError(f"--export {word}", f"write FORMAT=FILE; formats: {', '.join(EXPORTS)}")
        if name not in EXPORTS:
            raise unknown("format", name, EXPORTS, "to export")
        found.append((name, Path(path)))
    return found


def export(wanted: Sequence[tuple[str, Path]], sides: Sequence[Profiled], title: str) -> None:
    """Write the total counts of one profile, or of two."""
    for name, path in wanted:
        write(path, _exported(name, sides, title))


def _exported(name: str, sides: Sequence[Profiled], title: str) -> bytes:
    if name == "folded":
        return _folded(sides).encode()
    named = [Named(name=side.side.name, counts=side.counts, unit=side.side.unit, hertz=side.hertz) for side in sides]
    return speedscope.render(named, title=title) if name == "speedscope" else firefox.render(named, title=title)


def _folded(sides: Sequence[Profiled]) -> str:
    counts = [side.counts for side in sides]
    return folded_text.render(counts[0]) if len(counts) == 1 else folded_text.render_pair(counts[0], counts[1])
