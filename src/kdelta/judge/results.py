"""The results of one benchmark of one variant on one box that are judged, boot by boot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import Cell, CellState
from kdelta.model.plan import LOCAL, BoxSpec, Plan, Repeat
from kdelta.model.record import BootRecord
from kdelta.model.words import WORDS, alike
from kdelta.stats.warmup import truncation


@dataclass(frozen=True)
class Judged:
    """A boot with its results that may be judged: benchmark -> metric -> values, in order."""

    record: BootRecord
    values: dict[str, dict[str, list[float]]]


@dataclass(frozen=True)
class Visit:
    """The judged results of one boot or visit: metric -> values, in order. `cut` results more were taken for its warm-up."""

    values: dict[str, list[float]]
    cut: int


@dataclass(frozen=True)
class Came:
    """`visits` are those with results, in the order of their seeds. Without any, `state` is how the first one ended that did not
    end well, None if there was none.
    """

    visits: tuple[Visit, ...]
    state: CellState | None
    notes: tuple[str, ...]


def judged(record: BootRecord) -> Judged:
    """In one pass: there may be a million samples, and a boot is looked at for each of its benchmarks."""
    values: dict[str, dict[str, list[float]]] = {}
    for sample in record.boot.samples:
        if sample.counts:
            values.setdefault(sample.benchmark, {}).setdefault(sample.metric, []).append(sample.value)
    return Judged(record, values)


def by_variant(plan: Plan, box: BoxSpec, records: Iterable[BootRecord]) -> dict[str, list[Judged]]:
    """The boots on `box` of each variant of `plan`, baseline first, in the order of their seeds."""
    columns: dict[str, list[Judged]] = {variant.name: [] for variant in plan.variants}
    for record in sorted(records, key=lambda record: record.seed):
        if record.box == box.name and record.variant in columns:
            columns[record.variant].append(judged(record))
    return columns


def came(plan: Plan, box: BoxSpec, benchmark: Benchmark, boots: Sequence[Judged]) -> Came:
    """What came of `benchmark` in `boots`, those of one variant.

    A boot has results only where the benchmark ended well: half of its iterations would be another benchmark.
    """
    cells = [(one, cell) for one in boots for cell in one.record.boot.cells if cell.benchmark == benchmark.name]
    cuts = cuts_warmup(plan, box)
    visits = [visit(one, benchmark, cuts) for one, cell in cells if cell.state is CellState.OK]
    good = tuple(one for one in visits if benchmark.metric.name in one.values)
    failed = [cell.state for _, cell in cells if cell.state is not CellState.OK]
    state = CellState.OK if good else next(iter(failed), None)
    planned = 0 if (plan.sequential or plan.apart) and cells else plan.seeds
    return Came(good, state, tuple(_notes([(one.record, cell) for one, cell in cells], planned, box)))


def settles(plan: Plan, box: BoxSpec) -> bool:
    """Whether the results of a visit are those that agreed."""
    return box.kind == LOCAL and plan.rule.repeat is Repeat.SETTLED


def cuts_warmup(plan: Plan, box: BoxSpec) -> bool:
    """Whether the results of a visit are cut by MSER: the settled rule throws its warm-up away itself, and counts have none."""
    return box.kind == LOCAL and plan.rule.repeat is Repeat.FIXED


def visit(boot: Judged, benchmark: Benchmark, cuts: bool) -> Visit:
    """The judged results of `benchmark` in one boot. All metrics are cut where the first one says so."""
    found = boot.values.get(benchmark.name, {})
    cut = truncation(found.get(benchmark.metric.name, [])) if cuts else 0
    return Visit({metric: values[cut:] for metric, values in found.items()}, cut)


def cut(plan: Plan, record: BootRecord) -> dict[str, int]:
    """Benchmark -> how many of its results in one boot were cut as warm-up, where any were."""
    if not cuts_warmup(plan, plan.box(record.box)):
        return {}
    ended_well = {cell.benchmark for cell in record.boot.cells if cell.state is CellState.OK}
    boot = judged(record)
    found = {one.name: visit(boot, one, cuts=True).cut for one in plan.benchmarks if one.name in ended_well}
    return {name: count for name, count in found.items() if count}


def _notes(cells: Sequence[tuple[BootRecord, Cell]], planned: int, box: BoxSpec) -> Iterator[str]:
    """How cells ended that did not end well or did not settle, each kind of ending once with the seeds that had it."""
    words = WORDS[box.kind]
    endings: dict[str, list[tuple[str, str]]] = {}
    for record, cell in cells:
        if cell.state is not CellState.OK or cell.reason:
            ending = cell.reason if cell.state is CellState.OK else f"{cell.state.value}: {cell.reason}"
            endings.setdefault(alike(ending), []).append((str(record.seed), ending))
    for same in endings.values():
        seeds, texts = zip(*same, strict=True)
        yield f"{words.number} {', '.join(seeds)} {texts[0]}{_of_first(texts, words.number, seeds[0])}"
    missing = planned - len(cells)
    if missing > 0:
        yield f"{missing} of {words.units(planned)} {'is' if missing == 1 else 'are'} not measured yet"


def _of_first(texts: Sequence[str], number: str, seed: str) -> str:
    """Whose figures are shown, where they differ."""
    return f" ({number} {seed})" if len(set(texts)) > 1 else ""
