"""What is to be measured: variants x boxes x benchmarks, and how often."""

from __future__ import annotations

from enum import Enum

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.variant import Variant

EXACT, LOCAL, PUBLISHED = "exact", "local", "published"
"""Kinds of box: guests in QEMU whose instructions are counted, and this machine, where time is measured; and a place of which
others published what they measured, which no plan can ask for."""


class BoxSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A box as the plan asks for it. `memory` is in MiB, of a guest; the perturbation adds a few. `cpus` of the local box
    are those that it has. `quiet` names what is quieted for the whole run, `drop_caches` drops clean pages before each visit.
    `chains` is whether the exact lab's profiles are by call chain, which takes it longer.
    """

    name: str
    kind: str = "exact"
    cpus: int = 1
    memory: int = 512
    quiet: tuple[str, ...] = ()
    drop_caches: bool = False
    chains: bool = True


class Repeat(Enum):
    """How often a benchmark is run in one visit of a box that measures time."""

    FIXED = "fixed"
    SETTLED = "settled"


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """`results` are taken, or `results` in a row within `spread` (0.01: the largest at most 1 % above the smallest).

    `most` results and `limit_seconds` for one benchmark in one visit (None: the benchmark's own) always win.
    """

    repeat: Repeat = Repeat.SETTLED
    results: int = 3
    spread: float = 0.01
    most: int = 15
    limit_seconds: float | None = None


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """`baseline` names the variant that the others are compared with: the first column. Seeds are `seeds` from `first_seed` on.

    A seed is a round: every variant once on every box. `rule` is for boxes that measure time. `budget_seconds` ends the
    run after the round in which it is used up; None for no end. Where it is `sequential`, what is decided is measured no more,
    and `seeds` are the most rounds.
    """

    baseline: str
    variants: tuple[Variant, ...]
    boxes: tuple[BoxSpec, ...]
    benchmarks: tuple[Benchmark, ...]
    seeds: int = 3
    rule: Rule = Rule()
    budget_seconds: float | None = None
    first_seed: int = 1
    sequential: bool = False
    margin: float = 0.01
    """The share up to which a change does not matter: 0.01 is 1 %."""
    alpha: float = 0.05
    """The level of all verdicts together."""
    profiles: int = 0
    """Visits of each variant more, on boxes that measure time, in which a profile is taken and nothing is timed."""
    twin: str = ""
    """The variant that is the baseline again, where the run measures the noise of the boxes; empty for any other run."""
    apart: bool = False
    """Whether its columns are those of two runs: they have no rounds in common, and each as many boots as its run came to. Such a
    plan is made to compare them, by `inquiry.pair`, and never stored."""

    @property
    def rounds(self) -> range:
        """The seeds, in order."""
        return range(self.first_seed, self.first_seed + self.seeds)

    @property
    def profiled_rounds(self) -> range:
        """Those in which nothing is timed: after the others."""
        return range(self.rounds.stop, self.rounds.stop + self.profiles)

    def box(self, name: str) -> BoxSpec:
        return next(box for box in self.boxes if box.name == name)


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """One boot of the plan. `position` counts from 0 through the whole run. In a `profiled` one nothing is timed."""

    position: int
    box: str
    variant: str
    seed: int
    benchmarks: tuple[Benchmark, ...]
    profiled: bool = False


def kind_of(plan: Plan) -> str:
    """That of its boxes; of several kinds that of the first. Those of a published run are of one kind."""
    return next((box.kind for box in plan.boxes), EXACT)


def is_published(plan: Plan) -> bool:
    return kind_of(plan) == PUBLISHED
