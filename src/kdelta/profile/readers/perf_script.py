"""The reader of what `perf script` prints: every sample, with its call chain.

A sample is its header (perf_header) and its frames (frames), and ends at an empty line. Without call chains the one frame stands
behind the header, and no line is empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kdelta.model.profile import UNKNOWN
from kdelta.profile.readers.frames import INLINED, Frames, Line, joined, resolved
from kdelta.profile.readers.lines import LONGEST, Lines, Source
from kdelta.profile.readers.naming import HIDDEN_DOUBT, tidy, without_kernel_names
from kdelta.profile.readers.perf_header import Header, header, whole_header
from kdelta.profile.readers.readout import Reading, holding
from kdelta.profile.readers.tally import Tally, renamed

FORMAT = "perf script"

MOST_EVENTS = 64
"""That are told apart in a doubt; a recording has a few."""

OTHER_EVENTS = b"others"

_LOST = re.compile(rb" PERF_RECORD_LOST(?:_SAMPLES)? +lost +(\d{1,15})")


# Stricter than what is read: addresses have four digits, and files a path or a name in brackets.
_FRAME = re.compile(r"\s*[0-9a-f]{4,16} \S.* \([\[/].*\)$|\t *[0-9a-f]{4,16} \S")
_OWN_FRAME = re.compile(rb"[0-9a-f]{6,16}(?: |$)")


def recognises(lines: Sequence[str]) -> bool:
    """Whether one of the lines is a header with a time, or a frame."""
    return any(_FRAME.match(line) or whole_header(line.encode()) for line in lines)


def read(source: Source) -> Reading:
    """One count for each sample of the event that comes first; those of others are left out, with a doubt that says how many.

    A sample without frames counts as `[unknown] (comm)`. Outer frames where no code can be are dropped: unwinding makes them.
    Functions that perf shows as inlined are frames as all others.
    """
    lines, samples = Lines(source), _Samples()
    for block, goes_on in _blocks(lines):
        samples.add(block, goes_on)
    return samples.reading(lines)


def _blocks(lines: Lines) -> Iterator[tuple[bytes, bool]]:
    """What stands between empty lines, and whether that goes on a block that was longer than LONGEST."""
    kept, goes_on = b"", False
    for text in lines.blocks():
        *whole, kept = (kept + text).split(b"\n\n")
        for block in whole:
            yield block, goes_on
            goes_on = False
        if len(kept) > LONGEST and kept.endswith(b"\n"):
            yield kept, goes_on
            kept, goes_on = b"", True
    yield (kept if lines.ended else _without_cut_line(kept)), goes_on


def _without_cut_line(block: bytes) -> bytes:
    """A last line that has no end stays if it is a whole frame."""
    before, _, last = block.rpartition(b"\n")
    return block if last.endswith(b")") else before


class _Samples:
    """Counts of the samples met so far: those with a header, and apart from them those without."""

    def __init__(self) -> None:
        self._frames = Frames()
        self._counts, self._bare = Tally(), Tally()
        self._first: bytes | None = None
        self._others: dict[bytes, int] = {}
        self._periods = self._empty = self._lost = 0
        self._cut = False

    def add(self, block: bytes, goes_on: bool) -> None:
        """A header and its frames, or whatever else stands between two empty lines."""
        line, _, body = block.strip(b"\n").partition(b"\n")
        found = None if goes_on else header(line)
        chain = self._frames.chain(body) if found and body else None
        if found and chain:
            self._count(found, chain)
        elif block:
            self._by_line(block.split(b"\n"), goes_on)

    def _by_line(self, lines: list[bytes], goes_on: bool) -> None:
        current: Header | None = None
        frames: list[str | Line] = []
        for line in lines:
            kind = self._frames.line(line)
            if kind is Line.HEADER or kind is Line.EMPTY:
                self._end(current, frames, goes_on)
                current, frames, goes_on = header(line), [], False
            elif kind is not Line.OTHER:
                frames.append(kind)
            elif lost := _LOST.search(line):
                self._lost += int(lost[1])
        self._end(current, frames, goes_on)

    def _end(self, current: Header | None, frames: list[str | Line], goes_on: bool) -> None:
        if current is not None:
            self._count(current, joined(frames) or self._own_frame(current.text))
        elif frames and goes_on:
            self._cut = True
        elif frames:
            self._bare.add(joined(frames), 1)

    def _own_frame(self, text: bytes) -> str:
        """The chain of the one frame behind a header."""
        return joined([self._frames.line(b"\t" + text)]) if _OWN_FRAME.match(text) else ""

    def _count(self, found: Header, chain: str) -> None:
        if not (found.whole or chain):
            return
        if found.event != self._first and self._is_other(found.event):
            return
        self._periods += found.period
        self._empty += not chain
        self._counts.add(chain or f"{UNKNOWN} ({tidy(found.comm)})", 1)

    def _is_other(self, event: bytes) -> bool:
        """Whether another event came first."""
        if self._first is None:
            self._first = event
            return False
        name = event if event in self._others or len(self._others) < MOST_EVENTS else OTHER_EVENTS
        self._others[name] = self._others.get(name, 0) + 1
        return True

    def reading(self, lines: Lines) -> Reading:
        """Of all that was met; samples without a header count where no sample has one."""
        tally = self._bare if self._first is None else self._counts
        stacks = tally.result()
        return Reading(
            format=FORMAT,
            stacks=self._final(stacks),
            event=tidy((self._first or b"").decode(errors="replace")),
            samples=sum(stacks.values()),
            periods=self._periods,
            doubts=(*self._doubts(stacks, lines), *tally.doubts(), *lines.doubts()),
        )

    def _final(self, stacks: dict[str, int]) -> dict[str, int]:
        """Inlined functions are known by the file only now, and hidden ones by their names."""
        stacks = renamed(stacks, resolved) if any(INLINED in chain for chain in stacks) else stacks
        return renamed(stacks, without_kernel_names) if self._frames.hidden else stacks

    def _doubts(self, stacks: dict[str, int], lines: Lines) -> tuple[str, ...]:
        bare = 0 if self._first is None else sum(self._bare.result().values())
        inlined = sum(count for chain, count in stacks.items() if chain.endswith(INLINED))
        first = (self._first or b"").decode(errors="replace")
        others = ", ".join(f"{name.decode(errors='replace')} ({count:,})" for name, count in self._others.items())
        strange = self._frames.strange[:60].decode(errors="replace").strip()
        said = {
            f"only the samples of {tidy(first)} are counted, not those of {tidy(others)}": others,
            HIDDEN_DOUBT: self._frames.hidden,
            f"samples without frames are counted as {UNKNOWN} (comm): {self._empty:,}": self._empty,
            f"samples in functions that were inlined, which other texts may not tell apart (--no-inline): {inlined:,}": inlined,
            f"samples lost by perf: {self._lost:,}": self._lost,
            f"samples left out, as they have no line of their own: {bare:,}": bare,
            f"outer frames of samples longer than {LONGEST:,} bytes are left out": self._cut,
            f"lines that are no part of a sample are passed over, such as '{tidy(strange)}'": strange,
        }
        return holding(said)
