"""/proc/profile, the kernel's own profile: where each tick of the clock found it, and where no user was (Linux 2.0 to 6.x).

It is there after booting with `profile=SHIFT`, or `echo SHIFT > /sys/kernel/profiling`, which lasts until the next boot. Idle CPUs
without a tick (NO_HZ) do not count, and time in user space never does.
"""

from __future__ import annotations

import gzip
import os
import platform
import re
import zlib
from array import array
from collections import Counter
from pathlib import Path

from kdelta.box.perf_refusal import NoProfileError
from kdelta.kernel.symbols import UNKNOWN, SymbolTable, parse

PROFILE, KALLSYMS = "proc/profile", "proc/kallsyms"
COUNTER = 4
"""Bytes of one, an `atomic_t`; the first of the file is how many bytes of code each stands for (kernel/profile.c, read_profile)."""
RESET = b"0"
"""Any one byte; four would set the multiplier of the tick, where a processor still has one."""
ALIGNED = 16
"""Bytes to which functions are aligned: a counter for more code than this may be for several."""
START = re.compile(r"^([0-9a-f]+) \w _stext$", re.MULTILINE)
HZ = re.compile(rb"^CONFIG_HZ=(\d+)$", re.MULTILINE)


def is_usable(root: Path = Path("/")) -> bool:
    """Whether the file is there, and this user may reset and read it."""
    return os.access(root / PROFILE, os.R_OK | os.W_OK)


def reset(root: Path = Path("/")) -> None:
    """All counters to zero. Raises NoProfileError where this user may not."""
    try:
        (root / PROFILE).write_bytes(RESET)
    except OSError as error:
        raise NoProfileError(f"/proc/profile cannot be reset: {error.strerror}", "run as root") from error


def read(root: Path = Path("/")) -> tuple[dict[str, int], int]:
    """The ticks by function, and how many bytes of code one counter stands for. Raises NoProfileError."""
    try:
        content = (root / PROFILE).read_bytes()  # first: to read the symbols takes ticks
        symbols = (root / KALLSYMS).read_text(errors="replace")
    except OSError as error:
        raise NoProfileError(f"{error.filename} cannot be read: {error.strerror}", "run as root") from error
    table, start = parse(symbols), START.search(symbols)
    if start is None or not len(table):
        raise NoProfileError("the kernel hides its symbols from this user", "sysctl kernel.kptr_restrict=0, or run as root")
    return decode(content, table, int(start[1], 16))


def decode(content: bytes, symbols: SymbolTable, start: int) -> tuple[dict[str, int], int]:
    """Of the whole file, for code that begins at `start`. Raises NoProfileError where it is none.

    What lies beyond the code, such as modules, older kernels count in the last counter (before Linux 6.11): it has no name.
    """
    counters = array("I")
    if counters.itemsize != COUNTER or len(content) % COUNTER or len(content) < 2 * COUNTER:
        raise NoProfileError(f"/proc/profile has {len(content)} bytes, not a step and counters", "boot with profile=2")
    counters.frombytes(content)
    step, last = counters[0], len(counters) - 1
    if step.bit_count() != 1:
        raise NoProfileError(f"/proc/profile says that a counter is for {step} bytes", "boot with profile=2")
    found = Counter[str]()
    for place, ticks in enumerate(counters[1:], 1):
        if ticks:
            found[UNKNOWN if place == last else symbols.name_of(start + (place - 1) * step)] += ticks
    return dict(sorted(found.items())), step


def hertz(root: Path = Path("/")) -> int:
    """Ticks in a second on a CPU that is not idle: CONFIG_HZ. Raises NoProfileError where no configuration says it.

    The multiplier that util-linux's readprofile -M sets is 1 on x86 for ever, and is not asked for elsewhere.
    """
    found = HZ.search(_configuration(root))
    if found is None:
        raise NoProfileError("the tick of /proc/profile is not known", f"put the kernel's configuration into {_place(root)}")
    return int(found[1])


def _configuration(root: Path) -> bytes:
    for path, unpack in ((root / "proc/config.gz", gzip.decompress), (_place(root), bytes)):
        try:
            return unpack(path.read_bytes())
        except (OSError, EOFError, zlib.error):
            continue
    return b""


def _place(root: Path) -> Path:
    return root / "boot" / f"config-{platform.uname().release}"
