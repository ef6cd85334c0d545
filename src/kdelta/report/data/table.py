"""Samples and verdicts as long tables: a row for each, with all that tells it from the others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from kdelta.model.dossier import Dossier
from kdelta.model.verdict import Verdict
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


VERDICT_COLUMNS = (
    "box",
    "benchmark",
    "base",
    "new",
    "base_benchmark",
    "base_box",
    "metric",
    "unit",
    "better",
    "answer",
    "ratio",
    "ratio_low",
    "ratio_high",
    "p",
    "p_adjusted",
    "rounds",
    "base_boots",
    "new_boots",
    "boot_sd",
    "visible",
    "needed_rounds",
    "why",
    "doubts",
)
"""`base` and `new` are columns of the run; a box or a benchmark of the base's own differs along the axis of boxes or of loads."""


def verdict_columns(dossier: Dossier) -> Columns:
    """Every verdict, as it is: ratios new over base, `boot_sd` and `visible` as shares. None is what is not known, and an end
    that an interval does not have."""
    rows = [_verdict(one) for one in dossier.judgement.verdicts]
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(VERDICT_COLUMNS)
    return {name: list(values) for name, values in zip(VERDICT_COLUMNS, columns, strict=True)}


def _verdict(one: Verdict) -> tuple[Any, ...]:
    base, new, metric = one.base, one.new, one.new.benchmark.metric
    ratio, low, high = (one.ratio.value, one.ratio.low or math.inf, one.ratio.high) if one.ratio else (None, None, None)
    return (
        new.box.name,
        new.benchmark.name,
        base.variant,
        new.variant,
        base.benchmark.name,
        base.box.name,
        metric.name,
        metric.unit,
        metric.better.value,
        one.answer.value,
        *map(_known, (ratio, low, high, one.p, one.p_adjusted)),
        one.rounds,
        *one.boots,
        *map(_known, (one.sd, one.visible)),
        one.needed,
        one.why,
        "; ".join(one.doubts),
    )


def _known(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
