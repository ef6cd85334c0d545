"""From boots to sheets: means, standard deviations and ranges of all metrics."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence

from kdelta.judge import printed_sheet
from kdelta.judge.results import Came, Judged, by_variant, came, settles
from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import CellState
from kdelta.model.cpus import cpu_list
from kdelta.model.plan import PUBLISHED, BoxSpec, Plan
from kdelta.model.record import BootRecord
from kdelta.model.sheet import Block, Figure, Line, Sheet
from kdelta.model.variant import Variant
from kdelta.stats.summary import spread

CPU_FACTS = ("allowed CPUs", "online CPUs")
"""Of a visit's environment."""

Columns = Mapping[str, Came]
Make = Callable[[Plan, BoxSpec, Sequence[BootRecord]], Sheet]

SHEETS: dict[str, Make] = {PUBLISHED: printed_sheet.sheet}
"""Kind of box -> what makes its sheet; those of all others are made of boots."""


def sheets(plan: Plan, records: Sequence[BootRecord]) -> list[Sheet]:
    """One sheet per box of `plan`, with a block per benchmark and a line per variant.

    A block is made of the samples that carry its benchmark's name, and of no others: loads are never pooled.
    """
    return [SHEETS.get(box.kind, _sheet)(plan, box, records) for box in plan.boxes]


def _sheet(plan: Plan, box: BoxSpec, records: Sequence[BootRecord]) -> Sheet:
    columns: Mapping[str, Sequence[Judged]] = by_variant(plan, box, records)
    found = [{name: came(plan, box, one, of) for name, of in columns.items()} for one in plan.benchmarks]
    within = all(len(cell.visits) <= 1 for row in found for cell in row.values())
    cpus = {variant.name: _cpus(box, variant, [one.record for one in columns[variant.name]]) for variant in plan.variants}
    blocks = (_block(one, row, within, cpus) for one, row in zip(plan.benchmarks, found, strict=True))
    return Sheet(box=box, within=within, agreed=settles(plan, box), blocks=tuple(blocks))


def _block(benchmark: Benchmark, columns: Columns, within: bool, cpus: Mapping[str, int | None]) -> Block:
    lines: list[Line] = []
    headline = benchmark.metric.name
    for variant, found in columns.items():
        figures = {metric.name: _figure(_values(found, metric.name, within)) for metric in benchmark.metrics if found.visits}
        base = lines[0].figures if lines else figures
        whole = headline in base and headline in figures and base[headline].mean != 0.0
        lines.append(
            Line(
                variant=variant,
                visits=len(found.visits),
                results=sum(len(visit.values[headline]) for visit in found.visits),
                figures=figures,
                of_base=100.0 * figures[headline].mean / base[headline].mean if whole else None,
                state=found.state,
                cpus=cpus[variant],
                notes=found.notes,
            )
        )
    return Block(benchmark, tuple(lines))


def _values(found: Came, metric: str, within: bool) -> list[float]:
    if within:
        return [value for visit in found.visits for value in visit.values[metric]]
    return [statistics.fmean(visit.values[metric]) for visit in found.visits]


def _figure(values: Sequence[float]) -> Figure:
    found = spread(values)
    return Figure(mean=statistics.fmean(values), sd=found.sd, sd_percent=found.sd_percent, least=min(values), most=max(values))


def _cpus(box: BoxSpec, variant: Variant, records: Iterable[BootRecord]) -> int | None:
    """How many CPUs the tasks could use, None where that is not known, or was not the same in all visits."""
    facts = [record.boot.environment for record in records if record.boot.environment]
    counts = {_usable(box, variant, each) for each in facts or [{}]}
    return counts.pop() if len(counts) == 1 else None


def _usable(box: BoxSpec, variant: Variant, facts: Mapping[str, str]) -> int | None:
    limits = (*(facts.get(fact, "") for fact in CPU_FACTS), variant.bind, variant.online, variant.cgroup.get("cpuset.cpus", ""))
    try:
        sets = [cpu_list(limit) for limit in limits if limit]
    except ValueError:
        return None
    return len(frozenset.intersection(*sets)) or None if sets else box.cpus


def whole(found: Iterable[Sheet]) -> bool:
    """Whether every line that was asked for has a value."""
    lines = (line for sheet in found for block in sheet.blocks for line in block.lines)
    return all(line.figures or line.state is CellState.NOT_HERE for line in lines)
