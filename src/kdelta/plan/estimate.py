"""What a plan takes: boots, and the time that earlier runs on the same kind of machine took for them."""

from __future__ import annotations

import heapq
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import CellState, Outcome
from kdelta.model.noise import Cost, measured_on
from kdelta.model.plan import LOCAL, BoxSpec, Plan
from kdelta.model.record import BootRecord, RunRecord

LEAST_ROUNDS = 3
"""Of a plan that ends with its verdicts."""
NEWEST = 3
"""Runs that are asked how long something took: older ones had another kdelta."""

Past = tuple[RunRecord, Sequence[BootRecord]]
Known = tuple[float, frozenset[int]]
"""Seconds, and the numbers of the runs that tell them."""


def estimate(plan: Plan, machines: Mapping[str, str], history: Sequence[Past], jobs: int) -> Cost:
    """`machines` are by name of the box, as model.noise.machine says them; `history` are earlier runs, newest first.

    A boot takes the median of those of the newest runs with the same benchmarks. Where there is none, a visit of a local box is
    put together from its benchmarks, each as long as it took by the same rule. `jobs` guests run side by side where no box
    measures time.
    """
    own = {box.name: list(_on(machines.get(box.name, ""), plan, box, history)) for box in plan.boxes}
    parts = {box.name: _by_benchmark(plan, own[box.name]) for box in plan.boxes if box.kind == LOCAL}
    boots = {box.name: _boot(plan, box, own[box.name], parts.get(box.name, {})) for box in plan.boxes}
    seconds = {name: known[0] if known else None for name, known in boots.items()}
    boots_a_round, at_once = len(plan.variants) * len(plan.boxes), 1 if parts else jobs
    least = min(LEAST_ROUNDS, plan.seeds) if plan.sequential else plan.seeds
    return Cost(
        least=least * boots_a_round,
        most=plan.seeds * boots_a_round,
        boots=seconds,
        benchmarks={name: {benchmark: known[0] for benchmark, known in found.items()} for name, found in parts.items()},
        least_seconds=_whole(plan, least, seconds, at_once),
        most_seconds=_whole(plan, plan.seeds, seconds, at_once),
        runs=tuple(sorted({run for known in boots.values() if known for run in known[1]})),
    )


def _on(machine: str, plan: Plan, box: BoxSpec, history: Iterable[Past]) -> Iterator[Past]:
    """Each run with its boots on `machine`, if it measured as `plan` does: by the same rule, where there is one."""
    for run, records in history:
        names = {one.name for one in run.plan.boxes if machine and measured_on(run.plan, one, records) == machine}
        if names and (box.kind != LOCAL or run.plan.rule == plan.rule):
            yield run, [record for record in records if record.box in names]


def _boot(plan: Plan, box: BoxSpec, history: Sequence[Past], benchmarks: Mapping[str, Known]) -> Known | None:
    wanted = {benchmark.name for benchmark in plan.benchmarks}
    if whole := _median(history, lambda record: record.boot.host_seconds if _is_whole(box, record, wanted) else None):
        return whole
    if box.kind != LOCAL or benchmarks.keys() != wanted:
        return None
    ready = _median(history, lambda record: record.boot.ready_seconds) or (0.0, frozenset())
    each = [ready, *benchmarks.values()]
    return sum(seconds for seconds, _ in each), frozenset(run for _, runs in each for run in runs)


def _is_whole(box: BoxSpec, record: BootRecord, wanted: Set[str]) -> bool:
    """Whether it ran what is `wanted`: in the last rounds of a run that ends with its verdicts less is left. A visit that was
    interrupted and resumed has the time of its last part alone."""
    ended = record.boot.outcome is Outcome.DONE and (box.kind != LOCAL or record.attempt == 1)
    return ended and set(record.benchmarks) == wanted


def _by_benchmark(plan: Plan, history: Sequence[Past]) -> dict[str, Known]:
    found = {one.name: _median(history, partial(_spent, one)) for one in plan.benchmarks}
    return {name: known for name, known in found.items() if known}


def _spent(benchmark: Benchmark, record: BootRecord) -> float | None:
    """The seconds of all results in one visit, warm-ups too; None where it did not end well, or a program told its metric only."""
    if (benchmark.name, CellState.OK) not in [(cell.benchmark, cell.state) for cell in record.boot.cells]:
        return None
    own = [sample for sample in record.boot.samples if sample.benchmark == benchmark.name]
    spent = [sample.elapsed_ns for sample in own if sample.metric == benchmark.metric.name]
    known = [elapsed for elapsed in spent if elapsed is not None]
    return sum(known) / 1e9 if known and len(known) == len(spent) else None


def _median(history: Iterable[Past], seconds: Callable[[BootRecord], float | None]) -> Known | None:
    """Over the boots of the newest runs that tell it."""
    told = ((run.id, [found for record in records if (found := seconds(record)) is not None]) for run, records in history)
    newest = [(run, values) for run, values in told if values][:NEWEST]
    if not newest:
        return None
    return statistics.median(value for _, values in newest for value in values), frozenset(run for run, _ in newest)


def _whole(plan: Plan, rounds: int, boots: Mapping[str, float | None], at_once: int) -> float | None:
    """A plan that ends with its verdicts waits for the end of each round."""
    known = [seconds for seconds in boots.values() if seconds is not None]
    if len(known) < len(boots):
        return None
    one_round = [seconds for seconds in known for _ in plan.variants]
    return rounds * _together(one_round, at_once) if plan.sequential else _together(one_round * rounds, at_once)


def _together(each: Iterable[float], at_once: int) -> float:
    """How long it takes where the next begins as soon as one of so many has ended."""
    ends = [0.0] * at_once
    for seconds in each:
        heapq.heapreplace(ends, ends[0] + seconds)
    return max(ends)
