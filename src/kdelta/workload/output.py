"""What a workload prints: one JSON object per iteration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.sample import Sample

Count = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
"""What the programs print is a C long."""


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    iteration: Count
    operations: Count
    elapsed_ns: Count
    warmup: bool


def read(benchmark: Benchmark, lines: Iterable[str]) -> tuple[tuple[Sample, ...], tuple[str, ...]]:
    """The samples in `lines`, and a warning for each line that is none. A value that cannot be is not a sample."""
    samples: list[Sample] = []
    warnings: list[str] = []
    for line in lines:
        try:
            samples.append(_sample(benchmark, msgspec.json.decode(line, type=_Line)))
        except (msgspec.MsgspecError, ValueError) as error:
            warnings.append(f"{benchmark.name}: not a result: {line[:200]!r} ({error})")
    return tuple(samples), tuple(warnings)


def _sample(benchmark: Benchmark, line: _Line) -> Sample:
    if line.operations <= 0 or line.elapsed_ns <= 0:
        raise ValueError("operations and elapsed_ns must be positive")
    return Sample(
        benchmark=benchmark.name,
        metric=benchmark.metric.name,
        iteration=line.iteration,
        warmup=line.warmup,
        value=line.elapsed_ns / line.operations,
        unit=benchmark.metric.unit,
        operations=line.operations,
        elapsed_ns=line.elapsed_ns,
    )
