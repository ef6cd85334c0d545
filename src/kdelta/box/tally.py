"""How many samples a text of `perf script` holds, and how many of them are of processes that measure."""

from __future__ import annotations

from collections.abc import Iterable

END_OF_SAMPLE = b"\n\n"


class Tally:
    """Fed with the text as it is read, in pieces cut anywhere. A sample's first line names its process as `PID/TID`."""

    def __init__(self, own: Iterable[int] = ()) -> None:
        self._own = [f" {pid}/".encode() for pid in own]
        self._rest = b""
        self.samples = 0
        self.own = 0

    def add(self, piece: bytes) -> None:
        self.samples += self._count(END_OF_SAMPLE, piece)
        self.own += sum(self._count(process, piece) for process in self._own)
        kept = max(map(len, (END_OF_SAMPLE, *self._own))) - 1
        self._rest = (self._rest + piece)[-kept:]

    def _count(self, what: bytes, piece: bytes) -> int:
        """Those that end in `piece`: the one that a cut goes through is in the rest with all but its end."""
        before = self._rest[max(0, len(self._rest) - len(what) + 1) :]
        return (before + piece).count(what)

    def share(self) -> float:
        """Of the samples, those of the processes; 0 of none."""
        return self.own / self.samples if self.samples else 0.0
