"""How fast the text of `perf script` is read, and how much memory that takes.

Usage: bench_stacks.py [SAMPLES [ROUNDS]]. The text has 15 to 25 frames a sample, 4,000 different call chains, other offsets in
their innermost functions, and other times in each sample: a million samples are 1.3 gigabytes. Where KDELTA_STACKCOLLAPSE is the
path of FlameGraph's stackcollapse-perf.pl, it reads the same file in turn, and the ratio of medians is printed; the times of one
reader alone mean little on a shared machine. The difference of two profiles of this size is timed last.
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from kdelta.model.profile import TICKS, by_function
from kdelta.profile.change import Side
from kdelta.profile.difference import compare
from kdelta.profile.readers import perf_script

CHAINS, FUNCTIONS, OFFSETS = 4000, 3000, 16
KERNEL, USER = "[kernel.kallsyms]", "/usr/lib/x86_64-linux-gnu/libc.so.6"
COMMS = ("swapper", "kworker/0:1-events", "cc1", "DOM Worker", "qemu-system-x86", "bash")
SCRIPT = "KDELTA_STACKCOLLAPSE"


def _symbols(draw: random.Random) -> list[str]:
    words = ("alloc", "do", "ext4", "fault", "file", "folio", "free", "get", "handle", "map", "mm", "page", "slab", "sys", "vfs")
    return ["_".join(draw.choices(words, k=draw.randint(2, 4))) + f"_{number}" for number in range(FUNCTIONS)]


def _frame(symbols: list[str], place: int, offset: int, user: bool) -> bytes:
    base = 0x7F0000000000 if user else 0xFFFFFFFF81000000
    return f"\t{base + place * 4096 + offset:16x} {symbols[place]}+0x{offset:x} ({USER if user else KERNEL})\n".encode()


def _bodies(draw: random.Random, symbols: list[str]) -> list[tuple[list[bytes], bytes]]:
    """For each chain, its innermost frame at several offsets, and the rest."""
    found = []
    for _ in range(CHAINS):
        places = [draw.randrange(FUNCTIONS) for _ in range(draw.randint(15, 25))]
        leaves = [_frame(symbols, places[0], draw.randrange(4096), False) for _ in range(OFFSETS)]
        callers = [_frame(symbols, place, place % 4000, depth > len(places) - 4) for depth, place in enumerate(places[1:])]
        found.append((leaves, b"".join(callers)))
    return found


def _text(samples: int, seed: int) -> Iterator[bytes]:
    """Chains that are met as 1, 1/2, 1/3 and so on; `seed` draws the samples, not the chains."""
    bodies = _bodies(random.Random(1), _symbols(random.Random(1)))
    draw = random.Random(seed)
    weights = [1.0 / rank for rank in range(1, CHAINS + 1)]
    for number, (leaves, callers) in enumerate(draw.choices(bodies, weights, k=samples)):
        comm, seconds = COMMS[number % len(COMMS)], 1000.0 + number / 997.0
        head = f"{comm} {1000 + number % 60000} [{number % 16:03d}] {seconds:.6f}:    1003009 cpu-clock: \n"
        yield head.encode() + leaves[draw.randrange(OFFSETS)] + callers + b"\n"


def write(path: Path, samples: int, seed: int) -> None:
    with path.open("wb", buffering=1 << 20) as file:
        file.writelines(_text(samples, seed))


def ours(path: Path) -> float:
    start = time.perf_counter()
    with path.open("rb") as file:
        perf_script.read(file)
    return time.perf_counter() - start


def theirs(script: str, path: Path) -> float:
    start = time.perf_counter()
    with path.open("rb") as file:
        subprocess.run(["perl", script], stdin=file, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def _peak() -> float:
    """MiB that this process ever had resident."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def _side(path: Path) -> Side:
    with path.open("rb") as file:
        reading = perf_script.read(file)
    return Side(name=path.name, counts=(by_function(reading.stacks),), unit=TICKS)


def compared(old: Side, new: Side) -> float:
    start = time.perf_counter()
    compare(old, new)
    return time.perf_counter() - start


def main(samples: int = 1_000_000, rounds: int = 3) -> None:
    script = os.environ.get(SCRIPT)
    with tempfile.TemporaryDirectory(prefix="bench-stacks-") as folder:
        old, new = Path(folder) / "old.txt", Path(folder) / "new.txt"
        write(old, samples, 1)
        before = _peak()
        times: list[tuple[float, float]] = []
        for _ in range(rounds):
            times.append((ours(old), theirs(script, old) if script else 0.0))
        own, other = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"perf script text of {samples:,} samples, {old.stat().st_size / 1e6:,.0f} MB")
        print(f"  read:       {samples / own:,.0f} samples a second; {_peak():.0f} MiB at most, {before:.0f} before")
        if script:
            print(f"  against stackcollapse-perf.pl: {other / own:.1f} times as fast (median of {rounds} alternated rounds)")
        write(new, samples, 2)
        sides = _side(old), _side(new)
        print(f"  difference: {len(sides[0].counts[0]):,} functions, {compared(*sides):.3f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
