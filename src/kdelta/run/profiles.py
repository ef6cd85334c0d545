"""From the windows and chains that a box brought back to profiles that may be stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kdelta.model.boot import BootRequest
from kdelta.model.guest import BootReport, Window
from kdelta.model.profile import TICKS, Profile, Stacks, by_function
from kdelta.model.sample import Sample


def profiles(request: BootRequest, report: BootReport, samples: Sequence[Sample]) -> tuple[Profile, ...]:
    """One for each timed loop of the exact lab, and one for each benchmark of a visit that was profiled."""
    counted = (
        Profile(benchmark=name, iteration=window.iteration, operations=operations, counts=window.counts)
        for name, operations, window in _measured(request, report.windows, samples)
    )
    ticked = (
        Profile(
            benchmark=one.benchmark,
            iteration=0,
            operations=one.operations,
            counts=by_function(one.counts),
            unit=one.unit,
            hertz=one.hertz,
        )
        for one in _ticked(request, report)
    )
    return (*counted, *ticked)


def stacks(request: BootRequest, report: BootReport, samples: Sequence[Sample]) -> tuple[Stacks, ...]:
    """One for each benchmark that has any: what its timed loops hold, added up."""
    operations: Counter[str] = Counter()
    chains: dict[str, Counter[str]] = {}
    for name, done, window in _measured(request, report.windows, samples):
        operations[name] += done
        chains.setdefault(name, Counter()).update(window.chains)
    counted = (Stacks(benchmark=name, operations=operations[name], counts=dict(found)) for name, found in chains.items() if found)
    return (*counted, *_ticked(request, report))


def _measured(request: BootRequest, windows: Sequence[Window], samples: Sequence[Sample]) -> Iterator[tuple[str, int, Window]]:
    """Each window with its benchmark and the operations of its loop. The n-th of a benchmark belongs to its n-th measured
    iteration; one without its sample is dropped.
    """
    operations = {(sample.benchmark, sample.iteration): sample.operations for sample in samples if not sample.warmup}
    for window in windows:
        name = request.benchmarks[window.benchmark].name if window.benchmark < len(request.benchmarks) else ""
        if (name, window.iteration) in operations:
            yield name, operations[name, window.iteration], window


def _ticked(request: BootRequest, report: BootReport) -> Iterator[Stacks]:
    for chains in report.chains:
        name = request.benchmarks[chains.benchmark].name
        yield Stacks(benchmark=name, operations=chains.operations, counts=chains.counts, unit=TICKS, hertz=chains.hertz)
