"""The programs, their parameters, and the benchmarks made of them."""

from __future__ import annotations

import msgspec

from kdelta.model.benchmark import SCRIPTS_PER_HOUR, Benchmark, Metric


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of a program: one of `words`, a whole number in [`least`, `most`], or either; or any text, where it is `free`."""

    name: str
    default: str
    meaning: str
    words: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    free: str = ""
    """What a text is that only the program can check."""

    def rule(self) -> str:
        number = (f"a whole number from {self.least} to {self.most}",) if self.most else ()
        return self.free or " or ".join((*self.words, *number))

    def accepts(self, value: str) -> bool:
        if self.free:
            return bool(value) and "\0" not in value
        return value in self.words or (self.most > 0 and self._is_number(value))

    def _is_number(self, value: str) -> bool:
        # int() refuses more than 4300 digits.
        return value.isascii() and value.isdigit() and len(value) < 20 and self.least <= int(value) <= self.most


# The bounds are those of the C programs: a plan is refused before anything is booted.
PARAMETERS: dict[str, tuple[Parameter, ...]] = {
    "null": (),
    "open": (Parameter("names", "1", "names in the path", least=1, most=63),),
    "select": (Parameter("descriptors", "200", "descriptors in the set", least=1, most=1000),),
    "mmap": (Parameter("size", "67108864", "bytes mapped", least=4096, most=1 << 34),),
    "pagefault": (
        Parameter("pages", "fresh", "fresh memory, or a cached file's", words=("fresh", "file")),
        Parameter("procs", "1", "processes at once; 0 is one for each CPU", least=0, most=1024),
    ),
    "file": (
        Parameter("work", "create", "what happens to a file", words=("create", "delete", "small")),
        Parameter("size", "0", "bytes in a file", least=0, most=1 << 20),
    ),
    "proc": (
        Parameter("child", "exit", "what the child does", words=("exit", "exec", "sh")),
        Parameter("touch", "0", "pages that the child writes to before that", least=0, most=100000),
    ),
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
    "volano": (
        Parameter("rooms", "10", "chat rooms", least=1, most=200),
        Parameter("users", "20", "users in a room, four threads each", least=2, most=200),
        Parameter("bytes", "100", "bytes in a message", least=1, most=4096),
    ),
    "kernbench": (
        Parameter("tree", "", "kernel sources to build; they are only read", free="a folder"),
        Parameter("config", "tinyconfig", "how they are configured", free="tinyconfig, defconfig or a file"),
        Parameter("target", "vmlinux", "what make builds", free="a target of the kernel's Makefile"),
        Parameter(
            "load",
            "optimal",
            "jobs at once: 1, half, 4, 2 or 16 times the CPUs, no limit, or so many",
            words=("single", "half", "optimal", "2x", "16x", "maximal"),
            least=1,
            most=65536,
        ),
    ),
    "sdet": (Parameter("scripts", "1", "scripts at once", least=1, most=1024),),
    "pingpong": (Parameter("over", "pipe", "what carries the byte", words=("pipe", "unix")),),
}

CROWD_MS = 400
"""Of an iteration of hundreds of tasks: in a shorter one their start is a tenth of the time."""

# The first is the headline; the others stand beside it. Names are those that the program prints.
KERNBENCH = (
    Metric("elapsed_s", "s"),
    Metric("user_s", "s"),
    Metric("system_s", "s"),
    Metric("percent_cpu", "%"),
    Metric("context_switches", "switches"),
    Metric("sleeps", "sleeps"),
    Metric("peak_tasks", "tasks"),
)
LOADS = ("single", "half", "optimal", "2x", "16x", "maximal")
"""Of kernbench: jobs of make, from one to as many as there are files."""
SCRIPTS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Of sdet, at once."""

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
    Benchmark(
        name="pagefault-2",
        program="pagefault",
        parameters={"procs": "2"},
        operation="write to a fresh page, unmap it, in 2 processes at once",
        operations=4096,
    ),
    Benchmark(
        name="pagefault-n",
        program="pagefault",
        parameters={"procs": "0"},
        operation="write to a fresh page, unmap it, in a process for each CPU",
        operations=4096,
    ),
    Benchmark(name="lat-file-create", program="file", operation="make an empty file", operations=4000),
    Benchmark(
        name="lat-file-create-10k",
        program="file",
        parameters={"size": "10240"},
        operation="make a file of 10 KiB",
        operations=2000,
    ),
    Benchmark(
        name="lat-file-delete",
        program="file",
        parameters={"work": "delete"},
        operation="delete an empty file",
        operations=4000,
    ),
    Benchmark(
        name="lat-file-small",
        program="file",
        parameters={"work": "small", "size": "4096"},
        operation="make a file of 4 KiB, rename, read and delete it",
        operations=1000,
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
    Benchmark(
        name="hackbench-10",
        program="hackbench",
        operation="message from a sender to a receiver",
        operations=8000,
        classic=400000,
        interval_ms=CROWD_MS,
    ),
    Benchmark(
        name="hackbench-20",
        program="hackbench",
        parameters={"groups": "20"},
        operation="message from a sender to a receiver",
        operations=16000,
        classic=800000,
        interval_ms=CROWD_MS,
    ),
    Benchmark(
        name="hackbench-50",
        program="hackbench",
        parameters={"groups": "50"},
        operation="message from a sender to a receiver",
        operations=20000,
        classic=2000000,
        interval_ms=CROWD_MS,
    ),
    Benchmark(
        name="volano",
        program="volano",
        operation="message delivered to a user of a chat room",
        operations=4000,
        classic=400000,
        interval_ms=CROWD_MS,
    ),
    Benchmark(name="pipe", program="pingpong", operation="round trip of a byte over two pipes", operations=4000),
    Benchmark(
        name="af-unix",
        program="pingpong",
        parameters={"over": "unix"},
        operation="round trip of a byte over a pair of Unix sockets",
        operations=2000,
    ),
    *(
        Benchmark(
            name=f"kernbench-{load}",
            program="kernbench",
            parameters={"tree": "apt:linux-source", "config": "defconfig", "load": load},
            operation="build of a kernel",
            metrics=KERNBENCH,
            limit_seconds=8 * 3600,
            visit_seconds=8 * 3600.0,
            warm_again=False,
        )
        for load in LOADS
    ),
    *(
        Benchmark(
            name=f"sdet-{scripts}",
            program="sdet",
            parameters={"scripts": str(scripts)},
            operation="script of a developer's commands",
            metrics=(SCRIPTS_PER_HOUR,),
            limit_seconds=1800,
            visit_seconds=600.0,
        )
        for scripts in SCRIPTS
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
    "sched": (
        "ctx-2",
        "ctx-20",
        "ctx-200",
        "hackbench-10",
        "hackbench-20",
        "hackbench-50",
        "volano",
        "pipe",
        "af-unix",
    ),
    "mem": ("mmap", "pagefault", "pagefault-file", "pagefault-2", "pagefault-n", "proc-fork", "proc-exec"),
    "fs": (
        "syscall-open",
        "mmap",
        "pagefault-file",
        "lat-file-create",
        "lat-file-create-10k",
        "lat-file-delete",
        "lat-file-small",
    ),
    "kernbench": tuple(f"kernbench-{load}" for load in LOADS),
    "sdet": tuple(f"sdet-{scripts}" for scripts in SCRIPTS),
    "all": tuple(benchmark.name for benchmark in BENCHMARKS),
}


def by_name() -> dict[str, Benchmark]:
    return {benchmark.name: benchmark for benchmark in BENCHMARKS}
