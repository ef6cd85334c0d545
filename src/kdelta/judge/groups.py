"""What is compared with what: the contrasts of a question, in groups that share their rounds and so their noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from kdelta.judge.series import Key, Series
from kdelta.model.benchmark import Benchmark
from kdelta.model.plan import EXACT, BoxSpec, Plan
from kdelta.model.variant import Variant
from kdelta.model.verdict import Axis, Side

Array = NDArray[np.float64]
Cells = Mapping[Key, Series]

TWO_RUNS = "measured in two runs: what changed on the machine between them is not told from the kernel"


@dataclass(frozen=True)
class Group:
    """`logs` is (rounds, sides), the base first; `asked` are the sides that are compared with it, by place.

    `floor` is the least variance that the sides' resolution can show. Sides on two boxes, or of two runs, have no rounds in common:
    they are not `blocked`.
    """

    sides: tuple[Side, ...]
    logs: Array
    floor: float
    asked: tuple[int, ...]
    odd: tuple[int, ...]
    """Boots of each side whose value has no logarithm."""
    blocked: bool = True
    doubts: tuple[str, ...] = ()
    """What a reader must know of all of them."""


def groups(axis: Axis, plan: Plan, cells: Cells, base: str | None = None) -> list[Group]:
    """The contrasts along `axis`. `base` names the variant, the benchmark or the box, as the axis has it, that the others are
    compared with: without one the plan's baseline, and else the first.
    """
    return list(_ALONG[axis](plan, cells, base))


def _columns(plan: Plan, cells: Cells, base: str | None) -> Iterator[Group]:
    first = _place(plan.variants, base or plan.baseline)
    order = [first, *(place for place in range(len(plan.variants)) if place != first)]
    yield from (_blocked(plan, cells, box, benchmark, order) for box, benchmark in _cells(plan))


def _pairs(plan: Plan, cells: Cells, base: str | None) -> Iterator[Group]:
    """All columns stand for the noise; those behind the base are asked for."""
    names = range(len(plan.variants))
    for box, benchmark in _cells(plan):
        for first in names[:-1]:
            order = [first, *names[first + 1 :], *names[:first]]
            yield _blocked(plan, cells, box, benchmark, order, asked=len(names) - first - 1)


def _kernels(plan: Plan, cells: Cells, base: str | None) -> Iterator[Group]:
    yield from _among(plan, cells, base, lambda one: msgspec.structs.replace(one, name="", kernel="", seed_shift=0))


def _settings(plan: Plan, cells: Cells, base: str | None) -> Iterator[Group]:
    yield from _among(plan, cells, base, lambda one: one.kernel)


def _among(plan: Plan, cells: Cells, base: str | None, alike: Callable[[Variant], object]) -> Iterator[Group]:
    """Columns that are `alike` against the first of them, or against the base where it is one."""
    families: dict[bytes, list[int]] = {}
    for place, variant in enumerate(plan.variants):
        families.setdefault(msgspec.json.encode(alike(variant), order="deterministic"), []).append(place)
    for family in families.values():
        order = sorted(family, key=lambda place: plan.variants[place].name != base)
        if len(order) > 1:
            yield from (_blocked(plan, cells, box, benchmark, order) for box, benchmark in _cells(plan))


def _loads(plan: Plan, cells: Cells, base: str | None) -> Iterator[Group]:
    """Benchmarks of one program and metric, within each column."""
    families: dict[object, list[Benchmark]] = {}
    for benchmark in plan.benchmarks:
        if benchmark.command is None:
            families.setdefault((benchmark.program, benchmark.metric), []).append(benchmark)
    for family in families.values():
        loads = sorted(family, key=lambda one: one.name != base)
        for box in plan.boxes:
            for place, variant in enumerate(plan.variants):
                if len(loads) > 1:
                    sides = [Side(box=box, variant=variant.name, benchmark=one) for one in loads]
                    yield _group(sides, [(cells[box.name, one.name], place) for one in loads])


def _boxes(plan: Plan, cells: Cells, base: str | None) -> Iterator[Group]:
    boxes = sorted(plan.boxes, key=lambda box: box.name != base)
    for benchmark in plan.benchmarks:
        for place, variant in enumerate(plan.variants):
            for other in boxes[1:]:
                pair = (boxes[0], other)
                sides = [Side(box=box, variant=variant.name, benchmark=benchmark) for box in pair]
                yield _group(sides, [(cells[box.name, benchmark.name], place) for box in pair], blocked=False)


def _runs(plan: Plan, cells: Cells, base: str | None) -> Iterator[Group]:
    """Columns of two runs. A machine may be another one by the second; the exact lab is what its boots recorded."""
    first = _place(plan.variants, base or plan.baseline)
    order = [first, *(place for place in range(len(plan.variants)) if place != first)]
    for box, benchmark in _cells(plan):
        sides = [Side(box=box, variant=plan.variants[place].name, benchmark=benchmark) for place in order]
        group = _group(sides, [(cells[box.name, benchmark.name], place) for place in order], blocked=False)
        yield group if box.kind == EXACT else replace(group, doubts=(TWO_RUNS,))


_ALONG: dict[Axis, Callable[[Plan, Cells, str | None], Iterator[Group]]] = {
    Axis.COLUMNS: _columns,
    Axis.PAIRS: _pairs,
    Axis.KERNELS: _kernels,
    Axis.SETTINGS: _settings,
    Axis.LOADS: _loads,
    Axis.BOXES: _boxes,
    Axis.RUNS: _runs,
}


def _cells(plan: Plan) -> Iterator[tuple[BoxSpec, Benchmark]]:
    return ((box, benchmark) for box in plan.boxes for benchmark in plan.benchmarks)


def _place(variants: Iterable[Variant], name: str) -> int:
    return [variant.name for variant in variants].index(name)


def _blocked(plan: Plan, cells: Cells, box: BoxSpec, benchmark: Benchmark, order: Sequence[int], asked: int | None = None) -> Group:
    """Columns of one table's row."""
    sides = [Side(box=box, variant=plan.variants[place].name, benchmark=benchmark) for place in order]
    return _group(sides, [(cells[box.name, benchmark.name], place) for place in order], asked)


def _group(
    sides: Sequence[Side], columns: Sequence[tuple[Series, int]], asked: int | None = None, *, blocked: bool = True
) -> Group:
    return Group(
        sides=tuple(sides),
        logs=np.stack([series.logs[:, place] for series, place in columns], axis=-1),
        floor=max(series.floor for series, _ in columns),
        asked=tuple(range(1, len(sides) if asked is None else asked + 1)),
        odd=tuple(series.odd.get(side.variant, 0) for (series, _), side in zip(columns, sides, strict=True)),
        blocked=blocked,
    )
