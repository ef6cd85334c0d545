"""What holds for every line of a mail, whatever stands in it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from kdelta.report.figures import BLANK
from kdelta.report.presentable import escaped

MAIL = 78
"""Columns: what is still unbroken when it is quoted."""
INDENT = "    "

HAZARD = re.compile(r"From |\.(?!\.\.$)|--? ?$")
"""Beginnings of lines that mean something: to a mailbox, to SMTP, to readers that cut off signatures. The three dots that stand for
what a difference leaves out are needed as they are, and are harmless.
"""


def sealed(parts: Iterable[str]) -> str:
    """`parts` with a blank line between them, in ASCII, no line wider than a mail; one line break at the end."""
    text = "\n".join(part for part in parts if part)
    return "\n".join(map(_line, text.split("\n"))).rstrip("\n") + "\n"


def _line(line: str) -> str:
    """What is too wide all the same is broken wherever it must be."""
    plain = escaped(line.replace(BLANK, " "), ascii_only=True).rstrip()
    harmless = f" {plain}" if HAZARD.match(plain) else plain
    return harmless if len(harmless) <= MAIL else textwrap.fill(harmless, MAIL, subsequent_indent=INDENT, break_on_hyphens=False)
