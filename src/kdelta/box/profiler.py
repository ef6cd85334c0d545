"""Profiles of the benchmarks of a visit: each runs once to see how long it takes, then for some seconds that are profiled."""

from __future__ import annotations

import math
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from kdelta.box import perf, recording, ticks
from kdelta.box.control import DISABLE, ENABLE, VARIABLE
from kdelta.box.perf_refusal import NoProfileError
from kdelta.box.recording import ReadStacks, Recording
from kdelta.box.settings import Visit
from kdelta.box.tally import Tally
from kdelta.model.benchmark import Benchmark
from kdelta.model.errors import KdeltaError
from kdelta.model.guest import Chains, ProgramRun

PROFILE_SECONDS = 5.0
"""Of timed loops: some five thousand samples of each CPU."""
PART_OF_LIMIT = 0.25
"""Of what one run may take: loops are slower in a profile, and their warm-up is not in it."""
MOST_RUNS = 1000
"""Of a command: each is a result in the store."""
LEAST_SAMPLES = 0.75
"""Of those that were due of the CPU that a loop keeps busy. The clock of an idle one may stand still: none are due there."""
MOST_OWN = 0.02
FACT = "profiler during"
"""In a visit's environment."""


def examine() -> str:
    """What profiles on this machine are taken with, by taking one of nothing. Raises NoProfileError where none can be."""
    stop = threading.Event()
    with tempfile.TemporaryDirectory(prefix="kdelta-") as name:
        tool = perf.find(Path(name), {}, stop)
        with recording.recording(tool, Path(name), {}, stop) as under_way:
            under_way.end()
    return str(tool)


class Run(Protocol):
    """Runs the benchmark's program after its runs `earlier`, with more words and a larger environment."""

    def __call__(self, earlier: Sequence[ProgramRun], words: Sequence[str] = ..., extra: Mapping[str, str] = ...) -> ProgramRun: ...


class _Line(msgspec.Struct):
    """What a program prints of an iteration. Those that count other things than time print `metrics`."""

    warmup: bool
    operations: int = 1
    elapsed_ns: int | None = None


@dataclass(frozen=True)
class _Found:
    counts: Mapping[str, int]
    hertz: float
    doubts: Sequence[str]


NO_PROFILE = _Found({}, 0.0, ())


@dataclass
class Profiler:
    """What keeps it from a profile is one of `warnings`, and no reason not to run the benchmark."""

    visit: Visit
    read: ReadStacks
    stop: threading.Event
    started: Callable[[int], None] = lambda group: None
    seconds: float = PROFILE_SECONDS
    root: Path = Path("/")
    warnings: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)

    def take(self, place: int, benchmark: Benchmark, run: Run, runs: list[ProgramRun]) -> tuple[Chains, ...]:
        """The profile of the `place`-th benchmark, or none. What was run stands in `runs`, also when this raises Stopped."""
        runs.append(run(()))
        if not _well(runs[0]):
            return ()
        try:
            found = self._found(benchmark, run, runs)
            if not all(map(_well, runs)):
                return ()
            if not found.counts:
                raise NoProfileError("it has no samples", "use a benchmark that takes longer")
        except KdeltaError as error:
            self._warn(f"no profile of {benchmark.name}: {error}; {error.advice}")
            return ()
        for doubt in found.doubts:
            self._warn(f"profile of {benchmark.name}: {doubt}")
        operations = len(runs) - 1 if benchmark.command else sum(line.operations for line in _lines(runs[1]))
        return (Chains(benchmark=place, counts=dict(found.counts), operations=operations, hertz=found.hertz),)

    def _found(self, benchmark: Benchmark, run: Run, runs: list[ProgramRun]) -> _Found:
        """By perf; where it does not even begin, by the kernel's own ticks, if they may be read."""
        try:
            return self._by_perf(benchmark, run, runs)
        except NoProfileError as error:
            if len(runs) > 1 or not ticks.is_usable(self.root):
                raise
            return self._by_ticks(benchmark, run, runs, f"{error}; {error.advice}")

    def _by_perf(self, benchmark: Benchmark, run: Run, runs: list[ProgramRun]) -> _Found:
        extra = self.visit.environment
        with tempfile.TemporaryDirectory(prefix="profile-", dir=self.visit.home) as name:
            folder = Path(name)
            tool = perf.find(folder, extra, self.stop).over(_seconds(runs[0], timed=True))
            others = os.sched_getaffinity(0) - self.visit.cpus if self.visit.cpus else frozenset[int]()
            with recording.recording(tool, folder, extra, self.stop, cpus=frozenset(others), started=self.started) as under_way:
                self._run(benchmark, run, runs, under_way)
                under_way.end()
            if not all(map(_well, runs)):
                return NO_PROFILE
            tally = Tally((under_way.pid, os.getpid()))
            found = recording.read(tool, folder, extra, self.stop, self.read, tally, self.started)
        self.facts[FACT] = f"{tool}, {tally.share():.2%} of its samples in perf and kdelta"
        timed = tool.controlled and not benchmark.command
        own = _doubts(tool, tally, sum(_seconds(one, timed=timed) for one in runs[1:]))
        return _Found(found.stacks, tool.hertz, (*found.doubts, *own))

    def _by_ticks(self, benchmark: Benchmark, run: Run, runs: list[ProgramRun], why: str) -> _Found:
        rate = ticks.hertz(self.root)
        ticks.reset(self.root)
        self._run(benchmark, run, runs, None)
        counts, step = ticks.read(self.root)
        self.facts[FACT] = f"/proc/profile, {rate} Hz, {step} bytes a counter"
        merged = (f"/proc/profile counts {step} bytes at once, and small functions as one",) if step > ticks.ALIGNED else ()
        return _Found(counts, rate, (f"ticks of /proc/profile over whole runs, without callers: {why}", *merged))

    def _run(self, benchmark: Benchmark, run: Run, runs: list[ProgramRun], under_way: Recording | None) -> None:
        seconds = min(self.seconds, PART_OF_LIMIT * benchmark.limit_seconds)
        if benchmark.command:
            self._run_command(run, runs, under_way, seconds)
            return
        # Of options that stand twice, the last one holds.
        count = max(1, math.ceil(seconds / _seconds(runs[0], timed=True)))
        folder = under_way.folder if under_way else None
        runs.append(run(runs[:1], ("--iterations", str(count)), {VARIABLE: str(folder)} if folder else {}))

    def _run_command(self, run: Run, runs: list[ProgramRun], under_way: Recording | None, seconds: float) -> None:
        """Its window is the whole run, of which there are as many as it takes."""
        while len(runs) == 1 or (_well(runs[-1]) and len(runs) < MOST_RUNS and sum(one.seconds for one in runs[1:]) < seconds):
            if under_way:
                under_way.tell(ENABLE)
            runs.append(run(runs))
            if under_way:
                under_way.tell(DISABLE)

    def _warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)


def _doubts(tool: perf.Perf, tally: Tally, seconds: float) -> Iterator[str]:
    due = tool.hertz * seconds
    if not tool.controlled:
        yield f"of whole runs, not of their timed loops: perf {tool.version} cannot be told when to count, that of Linux 5.9 can"
    if tool.event == perf.CPU_CLOCK and tally.samples < LEAST_SAMPLES * due:
        yield f"{tally.samples} samples of {due:.0f} that were due: the host ran others, or perf was throttled"
    if tally.share() > MOST_OWN:
        yield f"{tally.share():.1%} of the samples are in perf and kdelta themselves (limit {MOST_OWN:.0%})"


def _well(run: ProgramRun) -> bool:
    return run.ended and not (run.status or run.signal or run.timeout)


def _lines(run: ProgramRun) -> Iterator[_Line]:
    """Of measured iterations. A command prints what it likes."""
    for line in run.lines:
        try:
            found = msgspec.json.decode(line, type=_Line)
        except msgspec.MsgspecError:
            continue
        if not found.warmup:
            yield found


def _seconds(run: ProgramRun, *, timed: bool) -> float:
    """Of the iterations alone where they are `timed`; of the whole run where they are not, or it does not say."""
    elapsed = sum(line.elapsed_ns or 0 for line in _lines(run)) if timed else 0
    return elapsed / 1e9 or run.seconds
