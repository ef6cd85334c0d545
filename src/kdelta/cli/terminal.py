"""Where commands print for people: what is written, how wide, and in which colours.

All texts pass here. Names and reasons come from guests, programs and other people's stores: what could move the cursor or
change the terminal is shown as an escape. Only JSON is printed elsewhere, as it is.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

import click

from kdelta.cli.paint import WARNINGS, Marks, painted
from kdelta.report.presentable import escaped

NARROWEST, WIDEST = 60, 100
"""Columns of a report: narrower ones break its tables, and lines longer than that are hard to read."""


def is_live(stream: TextIO) -> bool:
    """Whether `stream` is a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def is_coloured(stream: TextIO) -> bool:
    """By --color, or else by NO_COLOR (no-color.org: any value but an empty one) and the terminal."""
    context = click.get_current_context(silent=True)
    if context is not None and context.color is not None:
        return context.color
    return is_live(stream) and not os.environ.get("NO_COLOR")


def columns() -> int | None:
    """Those of the terminal, or what COLUMNS says; None where there is none, and lines have no end."""
    return shutil.get_terminal_size((WIDEST, 24)).columns if sys.stdout.isatty() else None


def width() -> int:
    """Columns of a report. In a file they are always the same: it does not depend on the window that it was written in."""
    return min(max(columns() or WIDEST, NARROWEST), WIDEST)


def say(text: str, marks: Marks = WARNINGS) -> None:
    """Print `text` as it is, with its line ends, painted by `marks` where there is colour."""
    _write(text, marks, sys.stdout)


def complain(text: str) -> None:
    """Print a line on standard error."""
    _write(f"{text}\n", WARNINGS, sys.stderr)


def warn(text: str) -> None:
    complain(f"WARNING: {text}")


def _write(text: str, marks: Marks, stream: TextIO) -> None:
    fit = _encodable("\n".join(map(escaped, text.split("\n"))), stream)
    # Colour is decided here, and `escaped` left no other sequence that click could take away.
    click.echo(painted(fit, marks) if is_coloured(stream) else fit, nl=False, err=stream is sys.stderr, color=True)


def _encodable(text: str, stream: TextIO) -> str:
    """With an escape for what the locale has no code for: a report is not lost for one letter."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
