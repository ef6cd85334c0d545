"""The lines of lmbench's result files: what each title measures, and sizes as they were meant (lmbench 2 and 3, src/*.c)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from kdelta.archive import lmbench_names as names
from kdelta.archive.lmbench_names import Named, bandwidth, own
from kdelta.model.published import Number

MB = 1e6
"""lmbench's megabyte; its kilobyte is 1000 bytes too."""
OURS_MMAP = 1 << 26
"""Bytes that our own `mmap` maps."""

Name = Callable[[re.Match[str]], Named]

SCALARS: tuple[tuple[re.Pattern[str], Named | Name], ...] = tuple(
    (re.compile(pattern), what)
    for pattern, what in (
        (r"Simple syscall", names.NULL),
        (r"Simple (?:open/close)", names.OPEN),
        (r"Simple (read|write|stat|fstat)", lambda found: own(found[1])),
        (r"Select on (\d+) fd(?:'s)?", lambda found: names.select(found[1])),
        (r"Select on (\d+) tcp fd(?:'s)?", lambda found: names.select(found[1], "tcp")),
        (r"Signal handler installation", names.SIGNAL_INSTALL),
        (r"Signal handler overhead", names.SIGNAL),
        (r"Protection fault", names.PROTECTION_FAULT),
        (r"Pipe latency", names.PIPE),
        (r"AF_UNIX sock stream latency", names.UNIX),
        (r"Process fork\+exit", names.FORK),
        (r"Process fork\+execve", names.EXEC),
        (r"Process fork\+/bin/sh(?: -c)?", names.SHELL),
        (r"Pagefaults on \S+", names.PAGE_FAULT),
        (r"File \S+ write bandwidth", bandwidth("file-write")),
        (r"(?:AF_UNIX sock stream) bandwidth", names.BW_UNIX),
        (r"Pipe bandwidth", names.BW_PIPE),
        (r"(UDP|TCP|RPC/udp|RPC/tcp) latency using (\S+)", lambda found: _network(found[1], found[2])),
        (r"TCP/IP connection cost to (\S+)", lambda found: _network("tcp-connect", found[1])),
        (r"integer (bit|add|mul|div|mod)", lambda found: own(f"int-{found[1]}")),
        (r"(int64|uint64) (bit|add|mul|div|mod)", lambda found: own(f"uint64-{found[2]}")),
        (r"(float|double) (add|mul|div)", lambda found: own(f"{found[1]}-{found[2]}")),
        (r"(float|double) bogomflops", lambda found: own(f"{found[1]}-bogo")),
        (r"(Fcntl lock|Fifo|Semaphore) latency", lambda found: own(kebab(found[1]))),
    )
)

CURVES = {
    "read bandwidth": "file-reread",
    "read open2close bandwidth": "file-open2close",
    "Mmap read bandwidth": "mmap-reread",
    "Mmap read open2close bandwidth": "mmap-open2close",
    "libc bcopy unaligned": "bcopy-libc",
    "libc bcopy aligned": "bcopy-libc-aligned",
    "unrolled bcopy unaligned": "bcopy-hand",
    "unrolled partial bcopy unaligned": "bcopy-hand-partial",
    "Memory bzero bandwidth": "mem-bzero",
    "Memory read bandwidth": "mem-read",
    "Memory partial read bandwidth": "mem-read-partial",
    "Memory write bandwidth": "mem-write",
    "Memory partial write bandwidth": "mem-write-partial",
    "Memory partial read/write bandwidth": "mem-read-write-partial",
    "Socket bandwidth using localhost": "tcp",
}
"""Titles of curves of MB/s over sizes in MB, and what comes of them."""


def scalar(title: str) -> Named | None:
    """What a line `title: number unit` measures; None where it is no known one."""
    for pattern, what in SCALARS:
        if match := pattern.fullmatch(title):
            return what if isinstance(what, Named) else what(match)
    return None


def _network(what: str, host: str) -> Named:
    name = kebab(what)
    return own(name if host == "localhost" else f"remote-{name}")


def kebab(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def sized(name: str, size: int) -> Named:
    """A point of a curve of bandwidths."""
    return bandwidth(f"{name}-{_words(size)}", size=str(size))


def mapped(size: int) -> Named:
    """A file of which so many bytes are mapped, a tenth of them touched, and unmapped."""
    name = "mmap" if size == OURS_MMAP else f"mmap-{_words(size)}"
    return Named("mmap", name, {"size": str(size)})


def loaded(stride: str, size: int) -> Named:
    """Memory of so many bytes is read, a word every `stride` bytes, each read waiting for the one before."""
    return own(f"memory-{stride}-{_words(size)}", stride=stride, size=str(size))


def meant(printed: Number) -> int:
    """The bytes that were meant by a size in MB: of those that it may stand for, the roundest in powers of two.

    The same size is printed as 1.048576 by one program and as 1.05 by the next.
    """
    half = printed.step / 2 * 1.001
    least, most = math.ceil((printed.value - half) * MB), math.floor((printed.value + half) * MB)
    if least > most or most < 1:
        return max(0, round(printed.value * MB))
    for bits in range(most.bit_length(), -1, -1):
        if (found := most >> bits << bits) >= max(least, 1):
            return found
    return most


def _words(size: int) -> str:
    for unit, bits in (("m", 20), ("k", 10)):
        if size and not size % (1 << bits):
            return f"{size >> bits}{unit}"
    return str(size)
