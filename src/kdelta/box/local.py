"""This machine as a box: a visit is one variant's settings on the running kernel, in which programs run one after the other."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import msgspec

from kdelta.box import limits, native, observe, process
from kdelta.box.process import Stopped
from kdelta.box.profiler import PROFILE_SECONDS, Profiler
from kdelta.box.protocol import Watch
from kdelta.box.recording import ReadStacks
from kdelta.box.settings import RefusedError, Session, Visit
from kdelta.kernel.running import running
from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import BootRequest, Outcome
from kdelta.model.errors import BoxLostError
from kdelta.model.guest import BootReport, Chains, ProgramRun
from kdelta.model.kernel import Kernel
from kdelta.model.plan import BoxSpec
from kdelta.model.variant import Variant

NO_ROOM_ADVICE = "make room, or set XDG_CACHE_HOME to a folder with more; then complete the run with --resume"

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


class LocalBox:
    """The machine in front of the user. One visit at a time, in the `session` that knows how to put things back.

    Visits that are profiled take some `profile_seconds` of each benchmark, and need `read_stacks` for what perf prints of them.
    """

    repeats = True

    def __init__(
        self, spec: BoxSpec, session: Session, read_stacks: ReadStacks, *, profile_seconds: float = PROFILE_SECONDS
    ) -> None:
        self.spec = spec
        self._session = session
        self._read_stacks = read_stacks
        self._profile_seconds = profile_seconds
        self._programs = native.path("workloads")

    def environment(self) -> dict[str, str]:
        """What a run must have all the time: its values are compared with each other only."""
        return {"programs sha256": native.checksum(native.workloads()), "compiler": native.compiler()}

    def check(self, variant: Variant, kernel: Kernel, benchmarks: Iterable[Benchmark]) -> dict[str, str]:
        """What visits of `variant` say of files that they carry: none. Raises MisuseError for what this machine does not allow."""
        limits.check(benchmarks)
        return {}

    def boot(self, request: BootRequest, watch: Watch) -> BootReport:
        started = time.monotonic()
        try:
            report = self._visited(request, watch, started)
        except OSError as error:
            raise BoxLostError(f"the visit's files cannot be written: {error}", NO_ROOM_ADVICE) from error
        return msgspec.structs.replace(report, running=running(), host_seconds=time.monotonic() - started)

    def _visited(self, request: BootRequest, watch: Watch, started: float) -> BootReport:
        programs, chains = list[tuple[ProgramRun, ...]](), list[Chains]()
        watch.said("settings")
        try:
            with self._session.visit(request.variant, drop_caches=self.spec.drop_caches) as visit:
                watched = _Watched(self.environment())
                ready = time.monotonic() - started
                profiler = self._profiler(request, visit, watch)
                for place, benchmark in enumerate(request.benchmarks):
                    programs.append(())
                    watch.said(benchmark.name)
                    if profiler:
                        chains += self._profile(place, benchmark, visit, watch, programs, profiler)
                    else:
                        self._benchmark(place, benchmark, visit, watch, programs)
                facts, warnings = watched.end()
        except RefusedError as error:
            return BootReport(outcome=Outcome.REFUSED, reason=str(error))
        except Stopped:
            return BootReport(outcome=Outcome.LOST, reason="stopped from outside", programs=tuple(programs), chains=tuple(chains))
        return BootReport(
            outcome=Outcome.DONE,
            programs=tuple(programs),
            chains=tuple(chains),
            environment={**facts, **(profiler.facts if profiler else {})},
            warnings=(*warnings, *(profiler.warnings if profiler else ())),
            ready_seconds=ready,
        )

    def _benchmark(
        self, place: int, benchmark: Benchmark, visit: Visit, watch: Watch, programs: list[tuple[ProgramRun, ...]]
    ) -> None:
        """Until `watch` has enough of it."""
        again = True
        while again:
            programs[place] = (*programs[place], self._run(benchmark, visit, watch, programs[place]))
            again = watch.again(place, programs[place])

    def _profiler(self, request: BootRequest, visit: Visit, watch: Watch) -> Profiler | None:
        if not request.profiled:
            return None
        return Profiler(visit, self._read_stacks, watch.stop, self._session.record, self._profile_seconds)

    def _profile(
        self,
        place: int,
        benchmark: Benchmark,
        visit: Visit,
        watch: Watch,
        programs: list[tuple[ProgramRun, ...]],
        profiler: Profiler,
    ) -> tuple[Chains, ...]:
        """`watch` is not asked: how often the program runs is the profile's own matter."""
        runs = list[ProgramRun]()
        try:
            return profiler.take(place, benchmark, partial(self._run, benchmark, visit, watch), runs)
        finally:
            programs[place] = tuple(runs)

    def _run(
        self,
        benchmark: Benchmark,
        visit: Visit,
        watch: Watch,
        earlier: Sequence[ProgramRun],
        words: Sequence[str] = (),
        extra: Mapping[str, str] = NO_VARIABLES,
    ) -> ProgramRun:
        return process.run(
            (*self._words(benchmark, earlier), *words),
            visit.folder,
            {**os.environ, "LC_ALL": "C", **visit.environment, **extra},
            limit_seconds=benchmark.limit_seconds,
            stop=watch.stop,
            cpus=visit.cpus,
            groups=visit.cgroup_procs,
            output=visit.home,
            started=self._session.record,
        )

    def _words(self, benchmark: Benchmark, earlier: Sequence[ProgramRun]) -> tuple[str, ...]:
        if benchmark.command:
            return benchmark.command.words
        arguments = benchmark.timed_arguments(_operations(earlier), first=not earlier)
        return (str(self._programs / benchmark.program), *arguments)


class _Line(msgspec.Struct):
    operations: int | None = None


def _operations(earlier: Sequence[ProgramRun]) -> int | None:
    """How many operations the first run found to be enough: all results of a visit are of as many."""
    try:
        return msgspec.json.decode(earlier[0].lines[-1], type=_Line).operations
    except (IndexError, msgspec.MsgspecError):
        return None


@dataclass
class _Watched:
    """The machine's state from the beginning of a visit to its end."""

    constant: dict[str, str]

    def __post_init__(self) -> None:
        self._before = observe.snapshot()
        self._own = _own_cpu_seconds()

    def end(self) -> tuple[dict[str, str], tuple[str, ...]]:
        after, own = observe.snapshot(), _own_cpu_seconds() - self._own
        facts = {**self.constant, **observe.facts()}
        return {**facts, **observe.described(self._before, after)}, observe.warnings(facts, self._before, after, own)


def _own_cpu_seconds() -> float:
    """Of this process and of all children that it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)
