"""What the guest's init is told: the perturbation that a seed stands for, and the list of programs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from kdelta.box import carried
from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import BootRequest
from kdelta.model.errors import MisuseError

SETTLE_SECONDS = 60
"""Of virtual time, as a benchmark's limit is. A program of the exact lab needs about one; an idle hang costs the host nothing."""
PROGRAMS_IN_GUEST = "/bin"
MOST_MEMORY_MIB = 8
MOST_FORKS = 16
MOST_DELAY_US = 100_000
MOST_PADDING = 64
MOST_WORDS = 1023
MOST_LINE = 65534
"""What init reads of a line (csrc/guest/init.c), without its end."""

Line = tuple[str, ...]
"""Words of the job: a verb and what belongs to it."""


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


def text(request: BootRequest, fetch_symbols: bool, first: Iterable[Line] = ()) -> str:
    """The guest's /job: one instruction on a line, its words separated by tabs (csrc/guest/init.c describes them).

    `first` makes ready what the settings may be about. Raises MisuseError for what is no word of a line.
    """
    change, variant = perturbation(request.seed), request.variant
    lines: list[Line] = [("entropy", change.entropy), *first]
    lines += [("sysctl", name, value) for name, value in variant.sysctl.items()]
    lines += [("file", path, value) for path, value in variant.file.items()]
    lines += [("forks", str(change.forks)), ("delay", str(change.delay_us)), ("settle", str(SETTLE_SECONDS))]
    lines += [line for benchmark in request.benchmarks for line in runs(benchmark) * (_run(benchmark),)]
    # As long either way: a boot that need not fetch the symbols must have the same memory layout as one that does.
    lines.append(("bulk" if fetch_symbols else "skip", "kallsyms", "/proc/kallsyms"))
    return "".join(_line(words) for words in lines)


def runs(benchmark: Benchmark) -> int:
    """How often its program is started. A user's command does one iteration in each run; the first is the unmeasured one."""
    return 1 + benchmark.iterations if benchmark.command else 1


def _run(benchmark: Benchmark) -> Line:
    limit = str(benchmark.limit_seconds)
    if benchmark.command:
        program, *arguments = benchmark.command.words
        return ("command", limit, carried.locate(program), *arguments)
    return ("run", limit, f"{PROGRAMS_IN_GUEST}/{benchmark.program}", *benchmark.arguments())


def _line(words: Line) -> str:
    for word in words:
        if "\t" in word or "\n" in word:
            raise MisuseError(f"{word!r} holds a tab or a line break", "the guest's job is a text of tab-separated words")
    line = "\t".join(words)
    if len(words) > MOST_WORDS or len(line.encode()) > MOST_LINE:
        raise MisuseError(f"'{line[:60]}...' is too long", f"init reads {MOST_WORDS} words and {MOST_LINE} bytes of a line")
    return line + "\n"
