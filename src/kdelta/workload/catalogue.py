"""The programs, their parameters, and the benchmarks made of them."""

from __future__ import annotations

import msgspec

from kdelta.model.benchmark import Benchmark


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of a program: either one of `words`, or a whole number in [`least`, `most`]."""

    name: str
    default: str
    meaning: str
    words: tuple[str, ...] = ()
    least: int = 0
    most: int = 0

    def rule(self) -> str:
        return " or ".join(self.words) if self.words else f"a whole number from {self.least} to {self.most}"

    def accepts(self, value: str) -> bool:
        if self.words:
            return value in self.words
        # int() refuses more than 4300 digits.
        return value.isascii() and value.isdigit() and len(value) < 20 and self.least <= int(value) <= self.most


# The bounds are those of the C programs: a plan is refused before anything is booted.
PARAMETERS: dict[str, tuple[Parameter, ...]] = {
    "null": (),
    "open": (Parameter("names", "1", "names in the path", least=1, most=63),),
    "select": (Parameter("descriptors", "200", "descriptors in the set", least=1, most=1000),),
    "mmap": (Parameter("size", "67108864", "bytes mapped", least=4096, most=1 << 34),),
    "pagefault": (Parameter("pages", "fresh", "fresh memory, or a cached file's", words=("fresh", "file")),),
    "proc": (Parameter("child", "exit", "what the child does", words=("exit", "exec", "sh")),),
    "ctx": (
        Parameter("procs", "2", "processes in the ring", least=2, most=10000),
        Parameter("size", "0", "bytes summed by each at each hop", least=0, most=1 << 30),
    ),
    "hackbench": (
        Parameter("groups", "10", "groups of 20 senders and 20 receivers", least=1, most=1000),
        Parameter("bytes", "100", "bytes in a message", least=1, most=65536),
        Parameter("over", "socket", "what carries the messages", words=("socket", "pipe")),
        Parameter("as", "process", "what a task is", words=("process", "thread")),
    ),
}

# Operations of one iteration in exact mode: enough that the spread over seeds is layout, not a few slow paths met or missed.
BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(name="null", program="null", operation="getppid()", operations=20000),
    Benchmark(name="syscall-open", program="open", operation="open() and close()", operations=6000),
    Benchmark(name="select", program="select", operation="select() on a set of descriptors", operations=400),
    Benchmark(name="mmap", program="mmap", operation="map a file, write to a tenth, unmap", operations=24),
    Benchmark(name="pagefault", program="pagefault", operation="write to a fresh page, unmap it", operations=8192),
    Benchmark(
        name="pagefault-file",
        program="pagefault",
        parameters={"pages": "file"},
        operation="read a cached file's page, unmap it",
        operations=16384,
    ),
    Benchmark(name="proc-fork", program="proc", operation="fork, child exits, wait", operations=200),
    Benchmark(
        name="proc-exec",
        program="proc",
        parameters={"child": "exec"},
        operation="fork, child executes a static program, wait",
        operations=60,
    ),
    Benchmark(
        name="proc-sh",
        program="proc",
        parameters={"child": "sh"},
        operation="fork, child runs sh -c, wait",
        operations=40,
        needs=("/bin/sh",),
    ),
    Benchmark(name="ctx-2", program="ctx", operation="hop of a token in a ring", operations=2000),
    Benchmark(name="ctx-20", program="ctx", parameters={"procs": "20"}, operation="hop of a token in a ring", operations=2000),
    Benchmark(name="ctx-200", program="ctx", parameters={"procs": "200"}, operation="hop of a token in a ring", operations=2000),
    Benchmark(name="hackbench-10", program="hackbench", operation="message from a sender to a receiver", operations=8000),
    Benchmark(
        name="hackbench-20",
        program="hackbench",
        parameters={"groups": "20"},
        operation="message from a sender to a receiver",
        operations=16000,
    ),
    Benchmark(
        name="hackbench-50",
        program="hackbench",
        parameters={"groups": "50"},
        operation="message from a sender to a receiver",
        operations=20000,
    ),
)

SUITES: dict[str, tuple[str, ...]] = {
    "quick": (
        "ctx-2",
        "ctx-20",
        "ctx-200",
        "mmap",
        "select",
        "proc-exec",
        "proc-fork",
        "syscall-open",
        "null",
        "pagefault",
        "hackbench-10",
    ),
    "sched": ("ctx-2", "ctx-20", "ctx-200", "hackbench-10", "hackbench-20", "hackbench-50"),
    "mem": ("mmap", "pagefault", "pagefault-file", "proc-fork", "proc-exec"),
    "all": tuple(benchmark.name for benchmark in BENCHMARKS),
}


def by_name() -> dict[str, Benchmark]:
    return {benchmark.name: benchmark for benchmark in BENCHMARKS}
