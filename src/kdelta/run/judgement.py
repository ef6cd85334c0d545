"""How one benchmark of one boot ended, from the runs of its program."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import Cell, CellState
from kdelta.model.guest import ProgramRun
from kdelta.model.plan import Rule
from kdelta.model.sample import Sample
from kdelta.run.rule import step
from kdelta.workload.output import Reading, read

NOT_HERE = 77
"""The exit status of a program that cannot run where it is (automake's convention, and the C programs' own)."""
MOST_STDERR = 200


@dataclass(frozen=True)
class Judged:
    """A benchmark's end so far. `again`: the rule wants one run more. `discards`: iteration -> why it is not judged."""

    cell: Cell
    readings: list[Reading]
    again: bool = False
    discards: dict[int, str] = field(default_factory=dict)

    @property
    def samples(self) -> tuple[Sample, ...]:
        found = (sample for reading in self.readings for sample in reading.samples)
        return tuple(_discarded(sample, self.discards) for sample in found)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the program printed that is no result, each once, where the cell does not say it."""
        found = (warning for reading in self.readings for warning in reading.warnings)
        return tuple(warning for warning in dict.fromkeys(found) if warning != self.cell.reason)


def _discarded(sample: Sample, discards: dict[int, str]) -> Sample:
    reason = discards.get(sample.iteration, "")
    return msgspec.structs.replace(sample, discarded=reason) if reason else sample


def judged(benchmark: Benchmark, runs: Sequence[ProgramRun], rule: Rule | None) -> Judged:
    """Exit status and presence of every result are both required. Without a `rule` the results are those of `iterations`."""
    readings = read(benchmark, runs)
    state, reason = _end(runs)
    if state is CellState.OK:
        reason = _missing(benchmark, readings, rule)
        state = CellState.FAILED if reason else state
    if state is not CellState.OK or rule is None:
        return Judged(Cell(benchmark.name, state, reason), readings)
    results = headline(benchmark, readings)
    limits = (benchmark.own_visit_seconds, rule.limit_seconds, benchmark.visit_seconds)
    limit = next(seconds for seconds in limits if seconds is not None)
    said = step(rule, results, sum(run.seconds for run in runs), limit)
    return Judged(Cell(benchmark.name, state, said.note), readings, said.again, said.discards)


def unjudged(benchmark: Benchmark, runs: Sequence[ProgramRun], why: str) -> Judged:
    """Of runs that ended, however many results they printed: all are kept, and none is judged."""
    readings = read(benchmark, runs)
    iterations = {sample.iteration for reading in readings for sample in reading.samples}
    return Judged(Cell(benchmark.name, *_end(runs)), readings, discards=dict.fromkeys(iterations, why))


def headline(benchmark: Benchmark, readings: Sequence[Reading]) -> list[float]:
    """The values of the first metric that are no warm-up, in order."""
    found = (sample for reading in readings for sample in reading.samples)
    return [sample.value for sample in found if sample.metric == benchmark.metric.name and not sample.warmup]


def _missing(benchmark: Benchmark, readings: Sequence[Reading], rule: Rule | None) -> str:
    """What is wrong with the results of programs that ended well; empty where nothing is."""
    odd = [warning for reading in readings for warning in reading.warnings]
    printed = [sample.iteration for reading in readings for sample in reading.samples if sample.metric == benchmark.metric.name]
    measured = [iteration for iteration in printed if iteration >= 0]
    wanted = benchmark.iterations if rule is None else len(readings) - bool(benchmark.command)
    if len(measured) != wanted:
        return odd[-1] if odd and benchmark.command else f"it printed {len(measured)} results instead of {wanted}"
    return "" if measured == list(range(wanted)) else f"it printed the iterations {measured}"


def _end(runs: Sequence[ProgramRun]) -> tuple[CellState, str]:
    """That of the first run that did not end well, if there is one."""
    return next((ending for ending in map(_ending, runs) if ending[0] is not CellState.OK), (CellState.OK, ""))


def _ending(run: ProgramRun) -> tuple[CellState, str]:
    said = run.stderr.strip()[-MOST_STDERR:]
    state, reason = _state(run)
    return state, f"{reason}: {said}" if reason and said else reason


def _state(run: ProgramRun) -> tuple[CellState, str]:
    if run.timeout:
        return CellState.TIMEOUT, "it did not end within its limit of time"
    if run.signal:
        return CellState.KILLED, f"killed by signal {run.signal} ({_signal_name(run.signal)})"
    if run.status == NOT_HERE:
        return CellState.NOT_HERE, "not possible here"
    if run.status:
        return CellState.FAILED, f"exit status {run.status}"
    return CellState.OK, ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
