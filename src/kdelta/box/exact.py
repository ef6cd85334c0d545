"""The exact lab: a kernel booted in QEMU under instruction counting. One guest instruction is one virtual nanosecond."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec

from kdelta.box import cargo, channel, initramfs, job, machine, native, qemu
from kdelta.box.cargo import Cargo
from kdelta.box.channel import Event, Told
from kdelta.box.machine import End, Ending
from kdelta.box.protocol import Watch
from kdelta.kernel import cache
from kdelta.kernel.symbols import SymbolCache, SymbolTable, parse
from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import BootRequest, Outcome
from kdelta.model.errors import BoxLostError, MisuseError
from kdelta.model.guest import BootReport, ProgramRun, Window
from kdelta.model.kernel import Kernel
from kdelta.model.plan import BoxSpec
from kdelta.model.variant import Variant

LIMIT_SECONDS = 300.0
ROOM_BYTES = 256 << 20
ROOM_LEFT_BYTES = 1 << 20
NO_ROOM_ADVICE = "make room, or set XDG_CACHE_HOME to a folder with more"
PANIC = re.compile(r"Kernel panic - not syncing: .*")
CONSOLE_LINES = 3

ReadProfile = Callable[[Iterable[str], Callable[[int], str]], Iterable[Window]]
"""A reader of the plugin's file: its lines and the name of the function at an address -> windows."""

NO_CARGO = Cargo()

OUTCOMES = {
    Ending.RESET: Outcome.PANIC,
    Ending.SILENT: Outcome.HANG,
    Ending.OUT_OF_TIME: Outcome.HANG,
    Ending.GONE: Outcome.LOST,
    Ending.STOPPED: Outcome.LOST,
}


class ExactBox:
    """A box of QEMU guests. Each boot has a folder of its own, removed afterwards; the only thing shared are symbols."""

    repeats = False

    def __init__(
        self,
        spec: BoxSpec,
        read_profile: ReadProfile,
        *,
        limit_seconds: float = LIMIT_SECONDS,
        programs: dict[str, bytes] | None = None,
    ) -> None:
        """Raises MisuseError where QEMU, or a program of ours, is missing. `programs` replaces the workloads."""
        self.spec = spec
        self._read_profile = read_profile
        self._limit_seconds = limit_seconds
        self._programs = native.workloads() if programs is None else programs
        self._init = native.path("guest", "init").read_bytes()
        self._qemu = qemu.find()
        self._symbols = SymbolCache()

    def environment(self) -> dict[str, str]:
        """What the values depend on, apart from kernel, settings and seed: compare only like with like."""
        return {
            "qemu": self._qemu.version,
            "qemu options": " ".join(qemu.options(self.spec)),
            "kernel words": qemu.kernel_words(self.spec, (), 0),
            "programs sha256": native.checksum(self._files(job_text="")),
            "compiler": native.compiler(),
            "profile": self._qemu.plugin.name if self._qemu.plugin else f"none ({self._qemu.why_no_plugin})",
        }

    def check(self, variant: Variant, kernel: Kernel, benchmarks: Iterable[Benchmark]) -> dict[str, str]:
        """What boots of `variant` will say of the files that they carry. Raises MisuseError for what they cannot be given."""
        load = cargo.load(self.spec, variant, kernel, benchmarks)
        self._files("", load)
        return load.facts

    def boot(self, request: BootRequest, watch: Watch) -> BootReport:
        started = time.monotonic()
        listener = _Listener(request, watch, started)
        try:
            load = cargo.load(self.spec, request.variant, request.kernel, request.benchmarks)
            with _work_folder() as folder:
                end = self._run(request, load, folder, watch, listener)
                _require_room(folder, ROOM_LEFT_BYTES)
                report = self._report(request, load, folder, end)
        except OSError as error:
            raise BoxLostError(f"the boot's files cannot be written: {error}", NO_ROOM_ADVICE) from error
        return _timed(report, listener, time.monotonic() - started)

    def _files(self, job_text: str, load: Cargo = NO_CARGO) -> dict[str, bytes]:
        programs = {f"{job.PROGRAMS_IN_GUEST}/{name}": content for name, content in self._programs.items()}
        shell = native.shell()
        extra = {native.SHELL: shell} if shell else {}
        own = {"/init": self._init, "/job": job_text.encode(), **programs, **extra}
        for path in load.files.keys() & own.keys() - extra.keys():
            raise MisuseError(f"{path} cannot be carried: the guest has a file of its own there", "name it by another path")
        return {**load.files, **own}

    def _run(self, request: BootRequest, load: Cargo, folder: Path, watch: Watch, heard: Callable[[Event], None]) -> End:
        change = job.perturbation(request.seed)
        text = job.text(request, fetch_symbols=self._wants_symbols(request.kernel, load), first=load.lines)
        (folder / "initramfs").write_bytes(initramfs.build(self._files(text, load), load.modes))
        words = qemu.kernel_words(self.spec, (*load.cmdline, *request.variant.cmdline), change.padding)

        def command(control: int) -> list[str]:
            return qemu.command(self._qemu, self.spec, folder, change, request.kernel.boot_image, words, control)

        silent = machine.MOST_SILENT_VIRTUAL_SECONDS + max((one.limit_seconds for one in request.benchmarks), default=0)
        return machine.run(command, folder, machine.Limits(self._limit_seconds, silent), watch, heard)

    def _wants_symbols(self, kernel: Kernel, load: Cargo) -> bool:
        known = kernel.build_id is not None and self._symbols.get(kernel.build_id) is not None
        return self._qemu.plugin is not None and (bool(load.modules) or not known)

    def _report(self, request: BootRequest, load: Cargo, folder: Path, end: End) -> BootReport:
        told = channel.listen(machine.DataTail(folder / "data").new_lines())
        outcome, reason = _judge(end, told, folder / "console", self._limit_seconds)
        table = self._table(request.kernel, load, told, end)
        return BootReport(
            outcome=outcome,
            reason=reason,
            running=told.running(),
            programs=tuple(by_benchmark(request.benchmarks, told.programs)),
            windows=tuple(of_benchmarks(request.benchmarks, self._windows(folder / "profile", table))),
            warnings=tuple(told.warnings),
            kernel_log=told.kernel_log,
            environment={**self.environment(), **load.facts, **told.facts()},
        )

    def _table(self, kernel: Kernel, load: Cargo, told: Told, end: End) -> SymbolTable | None:
        """Where modules lie differs from boot to boot: with them the symbols are this boot's own."""
        running = told.running()
        build_id = (running and running.build_id) or kernel.build_id or kernel.image_sha256
        fetched = end.bulks.get("kallsyms")
        if fetched is None:
            return None if load.modules else self._symbols.get(build_id)
        text = fetched.decode("latin-1")
        return parse(text) if load.modules else self._symbols.put(build_id, text)

    def _windows(self, path: Path, table: SymbolTable | None) -> Iterator[Window]:
        if not path.exists() or table is None:
            return
        with path.open() as lines:
            yield from self._read_profile(lines, table.name_of)


def by_benchmark(benchmarks: Sequence[Benchmark], programs: Iterable[ProgramRun]) -> Iterator[tuple[ProgramRun, ...]]:
    """The runs of each benchmark that was begun, out of all in the order in which they were started."""
    left = iter(programs)
    for benchmark in benchmarks:
        taken = tuple(islice(left, job.runs(benchmark)))
        if not taken:
            return
        yield taken


def of_benchmarks(benchmarks: Sequence[Benchmark], windows: Iterable[Window]) -> Iterator[Window]:
    """`windows` of programs as those of benchmarks. Each run of a command is one iteration, but the first is unmeasured."""
    places = [(place, run) for place, benchmark in enumerate(benchmarks) for run in range(job.runs(benchmark))]
    for window in windows:
        if window.benchmark >= len(places):
            continue
        place, run = places[window.benchmark]
        if benchmarks[place].command is None:
            yield msgspec.structs.replace(window, benchmark=place)
        elif run and window.iteration == 0:
            yield msgspec.structs.replace(window, benchmark=place, iteration=run - 1)


class _Listener:
    """Passes on what is happening, and notes when the first benchmark started."""

    def __init__(self, request: BootRequest, watch: Watch, started: float) -> None:
        self._names = [benchmark.name for benchmark in request.benchmarks for _ in range(job.runs(benchmark))]
        self._watch = watch
        self._started = started
        self.ready_seconds: float | None = None

    def __call__(self, event: Event) -> None:
        if isinstance(event, channel.Start) and event.program < len(self._names):
            if self.ready_seconds is None:
                self.ready_seconds = time.monotonic() - self._started
            self._watch.said(f"{self._names[event.program]} ({event.program + 1} of {len(self._names)})")
        elif isinstance(event, channel.Hello):
            self._watch.said("settling")


def _timed(report: BootReport, listener: _Listener, seconds: float) -> BootReport:
    return msgspec.structs.replace(report, host_seconds=seconds, ready_seconds=listener.ready_seconds)


def _judge(end: End, told: Told, console: Path, limit_seconds: float) -> tuple[Outcome, str]:
    """What the end of the machine says about the boot. Only the final marker makes it DONE."""
    if told.refused:
        return Outcome.REFUSED, f"{told.refused.what}: {told.refused.why}"
    if end.how is Ending.POWERED_OFF and told.done:
        return Outcome.DONE, ""
    if end.how is Ending.POWERED_OFF:
        return Outcome.PANIC, "the guest powered off without its final marker"
    text = console.read_text(errors="replace") if console.exists() else ""
    panic = PANIC.search(text)
    if panic:
        return Outcome.PANIC, panic[0].strip()
    where = f"{len(told.programs)} programs started; last console lines: {_last_lines(text)}"
    clock = "not seen" if end.virtual_seconds is None else f"{end.virtual_seconds} s"
    details = {
        Ending.RESET: f"the guest reset itself; {where}",
        Ending.OUT_OF_TIME: f"no end within {limit_seconds:.0f} s of host time (the guest's clock: {clock}); {where}",
        Ending.SILENT: f"{end.detail} (the guest's clock: {clock}); {where}",
    }
    return OUTCOMES[end.how], details.get(end.how, end.detail)


def _last_lines(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(lines[-CONSOLE_LINES:]) or "none"


def _require_room(folder: Path, wanted: int) -> None:
    """A full disk cuts off what the guest told, and looks like a fault of the kernel."""
    free = shutil.disk_usage(folder).free
    if free < wanted:
        raise BoxLostError(f"{folder} has {free >> 20} MiB left; a boot needs {wanted >> 20}", NO_ROOM_ADVICE)


@contextmanager
def _work_folder() -> Iterator[Path]:
    """A folder of this boot. Those of processes that were killed are cleared away first."""
    base = cache.folder("work")
    for left in base.glob("*-*"):
        if not Path(f"/proc/{left.name.split('-')[0]}").exists():
            shutil.rmtree(left, ignore_errors=True)
    _require_room(base, ROOM_BYTES)
    folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=base))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
