"""Boots with given values, for tests of what is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

import msgspec
import numpy as np
from tests.unit.builders import BOX, boot, failed_boot, plan, record

from kdelta.model.boot import Boot, Cell, CellState
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.record import BootRecord

Values = Mapping[tuple[str, str], Sequence[float | None]]
"""(variant, benchmark) -> the boots' values by round; None where the benchmark failed."""


def boots(
    of: Plan, values: Values, *, box: str = BOX.name, environment: Mapping[str, Mapping[str, str]] | None = None
) -> list[BootRecord]:
    """One boot of each variant in each round, every benchmark with one result of that value; `environment` is by variant."""
    positions = count()
    made = []
    for place, seed in enumerate(of.rounds):
        for variant in of.variants:
            found = {one.name: values.get((variant.name, one.name), ()) for one in of.benchmarks}
            row = {name: column[place] for name, column in found.items() if place < len(column)}
            if row:
                facts = dict((environment or {}).get(variant.name, {}))
                came = msgspec.structs.replace(_boot(row), environment=facts)
                made.append(record(came, variant.name, seed=seed, box=box, position=next(positions)))
    return made


def _boot(row: Mapping[str, float | None]) -> Boot:
    good = boot({name: [value] for name, value in row.items() if value is not None})
    bad = failed_boot([Cell(name, CellState.FAILED, "exit status 1") for name, value in row.items() if value is None])
    return msgspec.structs.replace(good, cells=good.cells + bad.cells)


def noisy(rounds: int, *, ratio: float = 1.0, sd: float = 0.01, seed: int = 1, start: float = 1000.0) -> list[float]:
    """Values about `start` times `ratio` with normal noise of `sd` on their logarithms."""
    noise = np.random.default_rng(seed).normal(0.0, sd, rounds)
    return [float(value) for value in start * ratio * np.exp(noise)]


def planned(
    variants: Sequence[str] = ("old", "new"),
    names: Sequence[str] = ("null",),
    *,
    rounds: int = 5,
    sequential: bool = False,
    boxes: Sequence[BoxSpec] = (BOX,),
) -> Plan:
    return msgspec.structs.replace(plan(variants, names, seeds=rounds, boxes=boxes), sequential=sequential)
