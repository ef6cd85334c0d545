"""What the guest's init is told: the perturbation that a seed stands for, and the list of programs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from kdelta.model.boot import BootRequest
from kdelta.model.errors import MisuseError

SETTLE_SECONDS = 60
PROGRAM_SECONDS = 200
"""Limits in virtual seconds. A program of the exact lab needs about one; an idle hang reaches the limit at no cost."""
PROGRAMS_IN_GUEST = "/bin"
MOST_MEMORY_MIB = 8
MOST_FORKS = 16
MOST_DELAY_US = 100_000
MOST_PADDING = 64


@dataclass(frozen=True)
class Perturbation:
    """What makes boots of one kernel differ where layout luck differs between real boots.

    Entropy reaches address-space and slab randomisation; the rest moves allocations and the timer's phase.
    """

    entropy: str
    """Hexadecimal, for the kernel's entropy pool."""
    memory_mib: int
    padding: int
    """Characters added to the kernel's command line."""
    delay_us: int
    forks: int


def perturbation(seed: int) -> Perturbation:
    """The same for the same seed on every machine: SHAKE-256 of the seed, cut in pieces."""
    stream = hashlib.shake_256(f"kdelta perturbation {seed}".encode()).digest(80)
    numbers = [int.from_bytes(stream[64 + 4 * i : 68 + 4 * i], "big") for i in range(4)]
    return Perturbation(
        entropy=stream[:64].hex(),
        memory_mib=numbers[0] % MOST_MEMORY_MIB,
        padding=numbers[1] % MOST_PADDING,
        delay_us=numbers[2] % MOST_DELAY_US,
        forks=numbers[3] % MOST_FORKS,
    )


def text(request: BootRequest, fetch_symbols: bool) -> str:
    """The guest's /job: one instruction on a line, its words separated by tabs (csrc/guest/init.c describes them)."""
    change = perturbation(request.seed)
    lines: list[tuple[str, ...]] = [("entropy", change.entropy)]
    lines += [("sysctl", name, value) for name, value in request.variant.sysctl.items()]
    lines += [("forks", str(change.forks)), ("delay", str(change.delay_us)), ("settle", str(SETTLE_SECONDS))]
    for benchmark in request.benchmarks:
        program = f"{PROGRAMS_IN_GUEST}/{benchmark.program}"
        lines.append(("run", str(PROGRAM_SECONDS), program, *benchmark.arguments()))
    # As long either way: a boot that need not fetch the symbols must have the same memory layout as one that does.
    lines.append(("bulk" if fetch_symbols else "skip", "kallsyms", "/proc/kallsyms"))
    return "".join(_line(words) for words in lines)


def _line(words: tuple[str, ...]) -> str:
    for word in words:
        if "\t" in word or "\n" in word:
            raise MisuseError(f"{word!r} holds a tab or a line break", "the guest's job is a text of tab-separated words")
    return "\t".join(words) + "\n"
