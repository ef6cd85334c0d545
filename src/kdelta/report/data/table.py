"""Samples as one long table: a row for each, with all that tells it from the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kdelta.model.dossier import Dossier
from kdelta.report.data.measured import Metrics, Taken, metrics, taken

COLUMNS = (
    "run",
    "box",
    "variant",
    "kernel_release",
    "build_id",
    "benchmark",
    "metric",
    "unit",
    "better",
    "seed",
    "position",
    "attempt",
    "iteration",
    "warmup",
    "discarded",
    "judged",
    "value",
    "operations",
    "elapsed_ns",
)
"""In this order in every table; docs/data.md says what each holds."""

Columns = dict[str, list[Any]]
"""Lists of equal length, a value for each row. None is what there is not."""


def sample_columns(dossier: Dossier) -> Columns:
    """Every sample of the run, also those that are not judged, in the order of the boots and then as they were taken.

    `run` is the run's UUID. `discarded` is None for a sample that was not discarded.
    """
    known = metrics(dossier)
    rows = [row for one in taken(dossier) for row in _rows(dossier, one, known)]
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
    return {name: list(values) for name, values in zip(COLUMNS, columns, strict=True)}


def _rows(dossier: Dossier, one: Taken, known: dict[str, Metrics]) -> Iterator[tuple[Any, ...]]:
    record, kernel = one.record, dossier.run.kernels[one.record.variant]
    where = (dossier.run.uuid, record.box, record.variant, kernel.release, kernel.build_id)
    when = (record.seed, record.position, record.attempt)
    for sample, judged in zip(record.boot.samples, one.judged, strict=True):
        better = known[sample.benchmark][sample.metric, sample.unit]
        yield (
            *where,
            sample.benchmark,
            sample.metric,
            sample.unit,
            better.value if better else None,
            *when,
            sample.iteration,
            sample.warmup,
            sample.discarded or None,
            judged,
            sample.value,
            sample.operations,
            sample.elapsed_ns,
        )
