"""The lines under a sample's header in what `perf script` prints: one frame each, the innermost first.

    address symbol+offset (file)

Source: tools/perf/util/evsel_fprintf.c of Linux 4.1 to 6.12. Symbols hold blanks, commas and parentheses, files blanks and
parentheses; the file is in the last parenthesis. `perf script -F` may leave out the symbol, the offset or the file.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable

from kdelta.model.profile import SEPARATOR, UNKNOWN
from kdelta.profile.readers import naming
from kdelta.profile.readers.perf_header import header

INLINED = " (inlined)"
"""In place of the file, for a function that was inlined into the next outer one."""

LOWEST_CODE = 1 << 16
"""Nothing is mapped below it (vm.mmap_min_addr): an outer frame there without a file is what a register held, no caller."""

KERNEL_SPACE = 1 << 63

MOST_LINES, LONGEST_LINE = 1 << 17, 256
MOST_CALLERS_BYTES = 1 << 26
"""Bounds of what is remembered of a text, whose lines and chains repeat."""

_ADDRESS = re.compile(r"[0-9a-f]{1,16}(?: |$)")


class Line(enum.Enum):
    """What is no frame with a name."""

    HEADER = "the line of another sample"
    EMPTY = "an end of a sample"
    NOISE = "a frame where no code can be"
    OTHER = "anything else"


class Frames:
    """Names of frames, and chains of them. `hidden` is that functions of the kernel were met, and none had a name."""

    def __init__(self) -> None:
        self._lines: dict[bytes, str | Line] = {}
        self._callers: dict[bytes, str | None] = {}
        self._callers_room = MOST_CALLERS_BYTES
        self._kernel = self._named = False
        self.strange = b""

    @property
    def hidden(self) -> bool:
        return self._kernel and not self._named

    def chain(self, body: bytes) -> str | None:
        """The folded chain of the frames in `body`, None where that is more than one sample. Other lines are passed over."""
        first, _, rest = body.partition(b"\n")
        leaf = self._lines.get(first) or self.line(first)
        if not isinstance(leaf, str):
            return self._joined(body)
        callers = self._callers[rest] if rest in self._callers else self._remembered(rest)
        if callers is None:
            return None
        return f"{callers};{leaf}" if callers else leaf

    def _remembered(self, rest: bytes) -> str | None:
        """The chain of `rest`, which has no innermost frame."""
        callers = self._joined(rest, whole=False) if rest else ""
        self._callers_room -= len(rest) + LONGEST_LINE
        if self._callers_room < 0:
            self._callers.clear()
            self._callers_room = MOST_CALLERS_BYTES
        self._callers[rest] = callers
        return callers

    def _joined(self, body: bytes, whole: bool = True) -> str | None:
        found = [self.line(line) for line in body.split(b"\n")]
        return None if Line.HEADER in found or Line.EMPTY in found else joined(found, whole)

    def line(self, line: bytes) -> str | Line:
        """The name of the frame that `line` is, or what it is instead."""
        known = self._lines.get(line)
        if known is None:
            known = self._read(line)
            if len(line) <= LONGEST_LINE and known is not Line.HEADER:
                if len(self._lines) >= MOST_LINES:
                    self._lines.clear()
                self._lines[line] = known
        return known

    def _read(self, line: bytes) -> str | Line:
        if not line.strip():
            return Line.EMPTY
        if line.startswith(b"#") or b" PERF_RECORD_" in line:
            return Line.OTHER
        if not line.startswith(b"\t") and header(line):
            return Line.HEADER
        name = self.frame(line)
        if name is Line.OTHER:
            self.strange = self.strange or line
        return name

    def frame(self, line: bytes) -> str | Line:
        """The name of the frame in `line`; one without a file has a tab in front, as perf prints it."""
        text = line.decode(errors="replace").strip()
        address = _ADDRESS.match(text)
        symbol, file = _split(text[address.end() :].strip()) if address else ("", None)
        if address is None or (file is None and not line.startswith(b"\t")):
            return Line.OTHER
        at = int(address[0], 16)
        if file == INLINED.strip(" ()"):
            return naming.function(symbol, "") + INLINED
        where = naming.place(file or "", kernel=at >= KERNEL_SPACE)
        name = naming.function(symbol, where)
        self._note(name, where, at)
        return Line.NOISE if at < LOWEST_CODE and name == UNKNOWN + naming.NOWHERE else name

    def _note(self, name: str, where: str, address: int) -> None:
        if not naming.is_user(where):
            self._kernel = True
            self._named = self._named or (address > 0 and not name.startswith(UNKNOWN))


def joined(frames: Iterable[str | Line], whole: bool = True) -> str:
    """The folded chain of frames that come innermost first. Noise is dropped from the outer end, but not where it is the innermost
    frame: `whole` says that this is among them."""
    found = [frame for frame in frames if frame is not Line.OTHER]
    while len(found) > whole and found[-1] is Line.NOISE:
        found.pop()
    names = [frame if isinstance(frame, str) else UNKNOWN + naming.NOWHERE for frame in reversed(found)]
    return SEPARATOR.join(names)


def _split(text: str) -> tuple[str, str | None]:
    """Symbol and file of `symbol (file)`; None where there is no file."""
    if not text.endswith(")"):
        return text, None
    start = naming.file_start(text)
    if start and text[start - 1] != " ":
        return text, None
    return text[:start].strip(), text[start + 1 : -1]


def resolved(chain: str) -> str:
    """The chain with each inlined function in the file, or module, of the one that it was inlined into."""
    where, names = naming.NOWHERE, []
    for name in chain.split(SEPARATOR):
        if name.endswith(INLINED):
            names.append(name.removesuffix(INLINED) + where)
        else:
            where = naming.place_of(name)
            names.append(name)
    return SEPARATOR.join(names)
