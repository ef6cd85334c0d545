"""From what a box brought back to what may be stored."""

from __future__ import annotations

import re
import signal

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import Boot, BootRequest, Cell, CellState, Outcome
from kdelta.model.guest import BootReport, ProgramRun, Window
from kdelta.model.kernel import mismatch
from kdelta.model.sample import Profile, Sample
from kdelta.workload import output

NOT_HERE = 77
"""The exit status of a program that cannot run where it is (automake's convention, and the C programs' own)."""
MOST_STDERR = 200
COMPLAINT = re.compile(r"(?:BUG:|WARNING:|Oops:|general protection fault|INFO: task .* blocked|rcu: INFO:).*")


def interpret(request: BootRequest, report: BootReport) -> Boot:
    """What came of `request`. If the kernel that ran is not the one asked for, no sample is kept."""
    wrong = _wrong_kernel(request, report)
    outcome, reason = (Outcome.WRONG_KERNEL, wrong) if wrong else (report.outcome, report.reason)
    runs = () if wrong else report.programs
    cells, samples, warnings = [], list[Sample](), list(report.warnings)
    for place, benchmark in enumerate(request.benchmarks):
        run = runs[place] if place < len(runs) else None
        found, odd = output.read(benchmark, run.lines if run else ())
        cells.append(_cell(benchmark, run, found, outcome))
        samples += found
        warnings += odd
    return Boot(
        outcome=outcome,
        reason=reason,
        running=report.running,
        cells=tuple(cells),
        samples=tuple(samples),
        profiles=() if wrong else tuple(_profiles(request, report.windows, samples)),
        warnings=(*warnings, *_complaints(report.kernel_log)),
        kernel_log=report.kernel_log,
        environment=report.environment,
        host_seconds=report.host_seconds,
        ready_seconds=report.ready_seconds,
    )


def _wrong_kernel(request: BootRequest, report: BootReport) -> str | None:
    """Why what was measured is not known to be of the kernel asked for; None where it is, or nothing was measured."""
    if report.running is None:
        return "the guest never said which kernel it runs" if report.programs else None
    return mismatch(request.kernel, report.running)


def _complaints(kernel_log: str) -> list[str]:
    """The first line in which the kernel complained: what it measured after that is doubtful."""
    found = COMPLAINT.search(kernel_log)
    return [f"the kernel complained: {found[0].strip()}"] if found else []


def _cell(benchmark: Benchmark, run: ProgramRun | None, samples: tuple[Sample, ...], outcome: Outcome) -> Cell:
    """Exit status and presence of every iteration are both required."""
    if run is None or not run.ended:
        when = "before it was started" if run is None else "while it ran"
        return Cell(benchmark.name, CellState.FAILED, f"the boot ended {when}: {outcome.value}")
    state, reason = _ending(run)
    printed = [sample.iteration for sample in samples if not sample.warmup]
    if state is CellState.OK and len(printed) != benchmark.iterations:
        return Cell(benchmark.name, CellState.FAILED, f"it printed {len(printed)} results instead of {benchmark.iterations}")
    if state is CellState.OK and printed != list(range(benchmark.iterations)):
        return Cell(benchmark.name, CellState.FAILED, f"it printed the iterations {printed}")
    said = run.stderr.strip()[-MOST_STDERR:]
    return Cell(benchmark.name, state, f"{reason}: {said}" if reason and said else reason)


def _ending(run: ProgramRun) -> tuple[CellState, str]:
    if run.timeout:
        return CellState.TIMEOUT, "it did not end within its limit of virtual time"
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


def _profiles(request: BootRequest, windows: tuple[Window, ...], samples: list[Sample]) -> list[Profile]:
    """The n-th window of a program belongs to its n-th measured iteration; a window without its sample is dropped."""
    operations = {(sample.benchmark, sample.iteration): sample.operations for sample in samples if not sample.warmup}
    profiles = []
    for window in windows:
        name = request.benchmarks[window.program].name if window.program < len(request.benchmarks) else ""
        if (name, window.iteration) in operations:
            count = operations[name, window.iteration]
            profiles.append(Profile(benchmark=name, iteration=window.iteration, operations=count, counts=window.counts))
    return profiles
