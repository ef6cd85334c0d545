"""The order of boots: rounds, in each of which every variant is booted once on each box."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TypeVar

from kdelta.model.plan import LOCAL, Plan, Slot

T = TypeVar("T")


def slots(plan: Plan) -> Iterator[Slot]:
    """Every boot of `plan`, then the profiled ones of boxes that measure time. The seed is the round.

    The variants' order is drawn for each round; the benchmarks' order too, shared by all variants of the round: what one
    benchmark leaves behind for the next is then common to them.
    """
    timed = ((seed, box, False) for seed in plan.rounds for box in plan.boxes)
    profiled = ((seed, box, True) for seed in plan.profiled_rounds for box in plan.boxes if box.kind == LOCAL)
    position = 0
    for seed, box, is_profiled in (*timed, *profiled):
        benchmarks = tuple(shuffled(plan.benchmarks, f"benchmarks {seed}"))
        for variant in shuffled(plan.variants, f"variants {box.name} {seed}"):
            yield Slot(
                position=position, box=box.name, variant=variant.name, seed=seed, benchmarks=benchmarks, profiled=is_profiled
            )
            position += 1


def shuffled(items: Sequence[T], key: str) -> list[T]:
    """`items` in an order drawn by `key`: the same with every release of Python, which does not promise that of random."""
    return [item for _, item in sorted(enumerate(items), key=lambda pair: _draw(f"{key} {pair[0]}"))]


def _draw(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
