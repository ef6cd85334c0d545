"""What a program prints, and the samples in it: one JSON object per iteration, or a user's command's own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from kdelta.model.benchmark import Benchmark, Metric
from kdelta.model.guest import ProgramRun
from kdelta.model.sample import Sample
from kdelta.workload import extract

Count = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
"""What the programs print is a C long."""
HOUR_NS = 3600 * 10**9


class _Timed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    iteration: Count
    operations: Count
    elapsed_ns: Count
    warmup: bool


class _Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    iteration: Count
    warmup: bool
    metrics: dict[str, float]


_LINES: dict[bool, type[_Timed] | type[_Measured]] = {False: _Timed, True: _Measured}


@dataclass(frozen=True)
class Reading:
    """What one run of a program printed. `warnings` has one for each line that is no result."""

    samples: tuple[Sample, ...]
    warnings: tuple[str, ...] = ()


def read(benchmark: Benchmark, runs: Sequence[ProgramRun]) -> list[Reading]:
    """The samples of each run, their iterations numbered through all of them: measured ones from 0 up, warm-ups from -1 down."""
    readings, measured, warm = list[Reading](), 0, 0
    for place, run in enumerate(runs):
        found = _of_command(benchmark, run, place) if benchmark.command else _of_program(benchmark, run)
        readings.append(Reading(tuple(_renumbered(found.samples, measured, warm)), found.warnings))
        measured += len({sample.iteration for sample in found.samples if not sample.warmup})
        warm += len({sample.iteration for sample in found.samples if sample.warmup})
    return readings


def _renumbered(samples: Sequence[Sample], measured: int, warm: int) -> Iterator[Sample]:
    for sample in samples:
        moved = sample.iteration - warm if sample.warmup else sample.iteration + measured
        yield msgspec.structs.replace(sample, iteration=moved)


def _of_program(benchmark: Benchmark, run: ProgramRun) -> Reading:
    samples: list[Sample] = []
    warnings: list[str] = []
    for line in run.lines:
        try:
            samples += _samples(benchmark, msgspec.json.decode(line, type=_LINES[_prints_metrics(benchmark)]))
        except (msgspec.MsgspecError, ValueError) as error:
            warnings.append(f"{benchmark.name}: not a result: {line[:200]!r} ({error})")
    return Reading(tuple(samples), tuple(warnings))


def _prints_metrics(benchmark: Benchmark) -> bool:
    return benchmark.metric.unit not in FROM_TIME


def _samples(benchmark: Benchmark, line: _Timed | _Measured) -> Iterator[Sample]:
    """A value that cannot be is not a sample."""
    if isinstance(line, _Measured):
        if line.metrics.keys() != {metric.name for metric in benchmark.metrics}:
            raise ValueError(f"the metrics {', '.join(metric.name for metric in benchmark.metrics)} are needed")
        for metric in benchmark.metrics:
            yield _sample(benchmark, metric, line.iteration, line.warmup, line.metrics[metric.name])
        return
    if line.operations <= 0 or line.elapsed_ns <= 0:
        raise ValueError("operations and elapsed_ns must be positive")
    value = FROM_TIME[benchmark.metric.unit](line.operations, line.elapsed_ns)
    sample = _sample(benchmark, benchmark.metric, line.iteration, line.warmup, value)
    yield msgspec.structs.replace(sample, operations=line.operations, elapsed_ns=line.elapsed_ns)


# unit -> its value from operations and the nanoseconds that they took
FROM_TIME = {
    "ns/op": lambda operations, elapsed_ns: elapsed_ns / operations,
    "scripts/h": lambda operations, elapsed_ns: operations * HOUR_NS / elapsed_ns,
}


def _sample(benchmark: Benchmark, metric: Metric, iteration: int, warmup: bool, value: float) -> Sample:
    return Sample(benchmark=benchmark.name, metric=metric.name, iteration=iteration, warmup=warmup, value=value, unit=metric.unit)


def _of_command(benchmark: Benchmark, run: ProgramRun, place: int) -> Reading:
    """A command is run once before it is judged: its first run is the warm-up."""
    if benchmark.command is None or not run.ended or run.status:
        return Reading(())
    try:
        value = extract.metric(benchmark.command, "\n".join(run.lines), run.stderr)
    except ValueError as error:
        return Reading((), (str(error),))
    return Reading((_sample(benchmark, benchmark.metric, -1 if place == 0 else 0, place == 0, value),))
