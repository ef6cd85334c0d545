"""The profiles of one side: from boots of a run, or from files that other tools made."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kdelta.inquiry.require import good_boots, require_profiles, require_variant
from kdelta.judge.table import measured
from kdelta.model.benchmark import Better, Metric
from kdelta.model.errors import MisuseError
from kdelta.model.plan import LOCAL, PUBLISHED, BoxSpec
from kdelta.model.profile import Stacks, by_function
from kdelta.model.published import Listing
from kdelta.model.record import BootRecord, RunRecord
from kdelta.profile.chains import added
from kdelta.profile.change import Side
from kdelta.profile.profiled import Profiled
from kdelta.profile.readers import reading
from kdelta.profile.readers.readout import Reading
from kdelta.store.store import Store

PER_OPERATION = "ns/op"
"""The unit of a metric that is the work of an operation: instructions in the exact lab, elsewhere nanoseconds."""
SYSTEM = "system_s"
"""The metric of a benchmark that knows the time that the kernel took of it, in seconds an operation."""


@dataclass(frozen=True)
class Boots:
    """Those of one run: `timed`, whose results are judged, and `profiled`, in which nothing was timed."""

    timed: Sequence[BootRecord]
    profiled: Sequence[BootRecord]


def boots_of(store: Store, run: RunRecord) -> Boots:
    return Boots(store.boots(run.id), store.boots(run.id, profiled=True))


def of_run(store: Store, run: RunRecord, found: Boots, box: BoxSpec, variant: str, benchmark: str) -> Profiled:
    """What the run, whose boots are `found`, has of `benchmark` on `variant`. In the exact lab every boot has a profile, elsewhere
    visits of their own."""
    require_variant(run, variant)
    if box.kind == PUBLISHED:
        return _of_listings(found.timed, box, variant, benchmark)
    timed = good_boots(found.timed, box.name, variant, benchmark)
    is_timed = box.kind == LOCAL
    boots = good_boots(found.profiled, box.name, variant, benchmark) if is_timed else timed
    profiles = [found for found in (store.profiles([record.id], benchmark) for record in boots) if found]
    require_profiles(profiles, f"{benchmark} on {variant}", box.kind)
    stacks = [one for record in boots for one in store.stacks([record.id], benchmark)]
    kernel = run.kernels[variant]
    metric, of_kernel = _metric(run, timed, benchmark, is_timed)
    return Profiled(
        side=Side(
            name=variant,
            counts=tuple(added([one.counts for one in found]) for found in profiles),
            work=tuple(float(sum(one.operations for one in found)) for found in profiles),
            unit=profiles[0][0].unit,
        ),
        stacks=tuple(one.counts for one in stacks) if _whole(stacks, len(profiles)) else (),
        metric=metric,
        of_kernel=of_kernel,
        hertz=profiles[0][0].hertz,
        release=kernel.release,
        build_id=kernel.build_id,
    )


def differences(boots: Iterable[BootRecord], box: str | None = None, benchmark: str | None = None) -> list[Listing]:
    """The differences of profiles that were published, of one box or of all, of one benchmark or of all."""
    every = (one for record in boots if box in (None, record.box) for one in record.listings)
    return [one for one in every if one.difference and benchmark in (None, one.benchmark)]


def _of_listings(boots: Iterable[BootRecord], box: BoxSpec, variant: str, benchmark: str) -> Profiled:
    """Profiles as they were published: of how much work is not known."""
    own = [record for record in boots if (record.box, record.variant) == (box.name, variant)]
    found = [one for record in own for one in record.listings if not one.difference and one.benchmark == benchmark]
    require_profiles(found, f"{benchmark} on {variant}", PUBLISHED)
    counts = tuple({row.name: round(row.count.value) for row in one.rows} for one in found)
    return Profiled(side=Side(name=variant, counts=counts, unit=found[0].unit))


def _whole(stacks: Sequence[Stacks], profiles: int) -> bool:
    """Half of the boots by chain would be another profile."""
    return len(stacks) == profiles


def _metric(run: RunRecord, timed: Iterable[BootRecord], benchmark: str, is_timed: bool) -> tuple[tuple[float, ...], bool]:
    """Values of boots, and whether they are of the kernel alone; none of a metric that is not the work of an operation."""
    metrics = next(one.metrics for one in run.plan.benchmarks if one.name == benchmark)
    system = next((one for one in metrics if one.name == SYSTEM and one.unit == "s"), None)
    chosen = system or metrics[0]
    factor = _factor(chosen, is_timed)
    if factor is None:
        return (), False
    each = (measured(record, benchmark, chosen.name) for record in timed)
    return tuple(factor * statistics.fmean(values) for values in each if values), chosen is system


def _factor(metric: Metric, is_timed: bool) -> float | None:
    """From a value to instructions, or seconds, of an operation; None for one that is neither."""
    if metric.better is not Better.SMALLER:
        return None
    if metric.unit == PER_OPERATION:
        return 1e-9 if is_timed else 1.0
    return 1.0 if metric.unit == "s" and is_timed else None


def read_files(paths: Sequence[Path], warn: Callable[[str], None]) -> list[Reading]:
    """What is in the files of other tools; `warn` gets what is doubtful of them. Raises MisuseError."""
    readings = []
    for path in paths:
        found = reading.read(path)
        for doubt in found.doubts:
            warn(f"{path}: {doubt}")
        readings.append(found)
    return readings


def of_files(paths: Sequence[Path], readings: Sequence[Reading], work: float | None = None, *, old: bool = False) -> Profiled:
    """The profiles that were read from `paths`, each of as much `work`, if that is known.

    Of a file that holds both sides (folded chains with two counts) the `old` one, or the new one.
    """
    for path, found in zip(paths, readings, strict=True):
        if not found.stacks:
            raise MisuseError(f"{path} is a difference of two profiles already", f"print it: kdelta profile --file {path}")
    units = sorted({found.unit for found in readings})
    if len(units) > 1:
        raise MisuseError(f"the files beside {paths[0]} count different things: {', '.join(units)}", "give profiles of one kind")
    stacks = tuple((found.before if old else {}) or found.stacks for found in readings)
    return Profiled(
        side=Side(
            name=paths[0].name,
            counts=tuple(map(by_function, stacks)),
            work=(work,) * len(paths) if work else (),
            unit=units[0],
        ),
        stacks=stacks,
    )
