"""From what a box brought back to what may be stored."""

from __future__ import annotations

import re

from kdelta.model.boot import Boot, BootRequest, Cell, CellState, Outcome
from kdelta.model.guest import BootReport, ProgramRun
from kdelta.model.kernel import mismatch
from kdelta.model.plan import Rule
from kdelta.run.judgement import Judged, judged, unjudged
from kdelta.run.profiles import profiles, stacks

COMPLAINT = re.compile(r"(?:BUG:|WARNING:|Oops:|general protection fault|INFO: task .* blocked|rcu: INFO:).*")


PROFILED = "taken beside a profile"
"""Why a result of a profiled visit is not judged."""


def interpret(request: BootRequest, report: BootReport, rule: Rule | None = None) -> Boot:
    """What came of `request`. If the kernel that ran is not the one asked for, no sample is kept."""
    wrong = _wrong_kernel(request, report)
    outcome, reason = (Outcome.WRONG_KERNEL, wrong) if wrong else (report.outcome, report.reason)
    runs = () if wrong else report.programs
    found = [
        _judged(request, place, runs[place] if place < len(runs) else (), outcome, rule) for place in range(len(request.benchmarks))
    ]
    samples = tuple(sample for one in found for sample in one.samples)
    odd = [warning for one in found for warning in one.warnings]
    return Boot(
        outcome=outcome,
        reason=reason,
        running=report.running,
        cells=tuple(one.cell for one in found),
        samples=samples,
        profiles=() if wrong else profiles(request, report, samples),
        stacks=() if wrong else stacks(request, report, samples),
        warnings=(*report.warnings, *odd, *_complaints(report.kernel_log)),
        kernel_log=report.kernel_log,
        environment=report.environment,
        host_seconds=report.host_seconds,
        ready_seconds=report.ready_seconds,
    )


def _judged(request: BootRequest, place: int, runs: tuple[ProgramRun, ...], outcome: Outcome, rule: Rule | None) -> Judged:
    """What came of the benchmark at `place`; in a profiled visit nothing that is judged."""
    benchmark = request.benchmarks[place]
    found = unjudged(benchmark, runs, PROFILED) if request.profiled else judged(benchmark, runs, rule)
    if runs and all(run.ended for run in runs):
        return found
    when = "while it ran" if runs else "before it was started"
    cell = Cell(benchmark.name, CellState.FAILED, f"the boot ended {when}: {outcome.value}")
    return Judged(cell, found.readings)


def _wrong_kernel(request: BootRequest, report: BootReport) -> str | None:
    """Why what was measured is not known to be of the kernel asked for; None where it is, or nothing was measured."""
    if report.running is None:
        return "the guest never said which kernel it runs" if report.programs else None
    return mismatch(request.kernel, report.running)


def _complaints(kernel_log: str) -> list[str]:
    """The first line in which the kernel complained: what it measured after that is doubtful."""
    found = COMPLAINT.search(kernel_log)
    return [f"the kernel complained: {found[0].strip()}"] if found else []
