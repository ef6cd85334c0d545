"""The line in front of a sample's frames in what `perf script` prints.

    comm pid[/tid] [cpu] flags time: period event: text of a tracepoint, or the one frame

Source: tools/perf/builtin-script.c of Linux 4.1 to 6.12. The comm may hold blanks, and `perf script -F` may leave any field out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST_HEADER = 4096
"""Bytes that are looked at: a comm has at most 15, and the text of a tracepoint comes last."""

_TASK = rb"(?:^|\s)-?\d+(?:/ *-?\d+)? +(?:\[\d+\] +)?"
_TIME = rb"(?:[A-Za-z]{1,4} +)?\d+\.\d+: *"
_EVENT = rb"(?:(\d{1,18}) +)?(raw \S+?|[^\s\d\[]\S*?):(?=\s|$)"

_WHOLE = re.compile(_TASK + _TIME + _EVENT)
_PARTS = (
    re.compile(_TASK + _EVENT),
    re.compile(rb"^\s*(?:" + _TIME + rb")?" + _EVENT),
    re.compile(_TASK + _TIME + rb"()()$"),
)


class Header(NamedTuple):
    """`period` is 0 and `event` is empty where they are not printed.

    One that is not `whole` lacks a time, a task or an event, and may be a line of prose: frames must follow it.
    """

    line: bytes
    start: int
    end: int
    period: int
    event: bytes
    whole: bool

    @property
    def comm(self) -> str:
        return self.line[: self.start].strip().decode(errors="replace")

    @property
    def text(self) -> bytes:
        """What stands behind the event."""
        return self.line[self.end :].strip()


def whole_header(line: bytes) -> Header | None:
    """The header that `line` is, if it has a task, a time and an event."""
    match = _WHOLE.search(line, 0, LONGEST_HEADER)
    return match and _header(line, match, whole=True)


def header(line: bytes) -> Header | None:
    """The header that `line` is."""
    found = whole_header(line)
    if found is not None or b" PERF_RECORD_" in line:
        return found
    matches = (pattern.search(line.rstrip(), 0, LONGEST_HEADER) for pattern in _PARTS)
    match = next(filter(None, matches), None)
    return match and _header(line, match, whole=False)


def _header(line: bytes, match: re.Match[bytes], whole: bool) -> Header:
    return Header(line, match.start(), match.end(), int(match[1] or 0), match[2], whole)
