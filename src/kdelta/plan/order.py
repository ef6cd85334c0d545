"""The order of boots: rounds, in each of which every variant is booted once on each box."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TypeVar

from kdelta.model.plan import Plan, Slot

T = TypeVar("T")


def slots(plan: Plan) -> Iterator[Slot]:
    """Every boot of `plan`. The seed is the round.

    The variants' order is drawn for each round; the benchmarks' order too, shared by all variants of the round: what one
    benchmark leaves behind for the next is then common to them.
    """
    position = 0
    for seed in plan.rounds:
        benchmarks = shuffled(plan.benchmarks, f"benchmarks {seed}")
        for box in plan.boxes:
            for variant in shuffled(plan.variants, f"variants {box.name} {seed}"):
                yield Slot(position=position, box=box.name, variant=variant.name, seed=seed, benchmarks=tuple(benchmarks))
                position += 1


def shuffled(items: Sequence[T], key: str) -> list[T]:
    """`items` in an order drawn by `key`: the same with every release of Python, which does not promise that of random."""
    return [item for _, item in sorted(enumerate(items), key=lambda pair: _draw(f"{key} {pair[0]}"))]


def _draw(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
