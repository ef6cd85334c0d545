"""How many results were taken, and why some of them are not judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from kdelta.judge.results import cut
from kdelta.model.account import Account
from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import CellState
from kdelta.model.plan import PUBLISHED, Plan, kind_of
from kdelta.model.record import BootRecord
from kdelta.model.sample import Sample

WARMUP = "warm-up"
CUT = "cut as warm-up (MSER-1)"
NOT_WELL = "of benchmarks that did not end well"


def account(plan: Plan, records: Iterable[BootRecord]) -> Account:
    """What became of each result in `records`; warm-ups first, then the reasons that they were discarded for.

    Of what others published it is of each number that was read.
    """
    return ACCOUNTS.get(kind_of(plan), _measured)(plan, records)


def _measured(plan: Plan, records: Iterable[BootRecord]) -> Account:
    benchmarks = {benchmark.name: benchmark for benchmark in plan.benchmarks}
    found: Counter[str] = Counter()
    for record in records:
        ended_well = {cell.benchmark for cell in record.boot.cells if cell.state is CellState.OK}
        for sample in _results(record, benchmarks):
            found[_reason(sample, sample.benchmark in ended_well)] += 1
        dropped = sum(cut(plan, record).values())
        found.update({CUT: dropped, "": -dropped})
    reasons = {why: count for why, count in found.items() if why and count}
    first = {why: reasons[why] for why in (WARMUP,) if why in reasons}
    return Account(taken=found.total(), judged=found[""], reasons=first | dict(sorted(reasons.items())))


def _published(plan: Plan, records: Iterable[BootRecord]) -> Account:
    records, judged, reasons = list(records), 0, Counter[str]()
    for entry in (entry for record in records for entry in record.published):
        judged += len(entry.samples) + len(entry.figures)
        reasons.update(one.reason for one in entry.discarded)
    judged += sum(len(one.rows) for record in records for one in record.listings)
    return Account(taken=judged + reasons.total(), judged=judged, reasons=dict(sorted(reasons.items())))


ACCOUNTS: dict[str, Callable[[Plan, Iterable[BootRecord]], Account]] = {PUBLISHED: _published}
"""Kind of box -> who accounts for its results; all others are counted by boots."""


def _results(record: BootRecord, benchmarks: dict[str, Benchmark]) -> Iterator[Sample]:
    """One sample of each result: that of its benchmark's first metric."""
    for sample in record.boot.samples:
        if sample.benchmark in benchmarks and sample.metric == benchmarks[sample.benchmark].metric.name:
            yield sample


def _reason(sample: Sample, ended_well: bool) -> str:
    """Empty where it is judged."""
    if sample.warmup:
        return WARMUP
    return sample.discarded or ("" if ended_well else NOT_WELL)
