"""What is to be measured: variants x boxes x benchmarks, and how often."""

from __future__ import annotations

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.variant import Variant


class BoxSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A box as the plan asks for it. `memory` is in MiB; the perturbation adds a few."""

    name: str
    kind: str = "exact"
    cpus: int = 1
    memory: int = 512


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """`baseline` names the variant that the others are compared with: the first column. Seeds are 1..`seeds`."""

    baseline: str
    variants: tuple[Variant, ...]
    boxes: tuple[BoxSpec, ...]
    benchmarks: tuple[Benchmark, ...]
    seeds: int = 3


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """One boot of the plan. `position` counts from 0 through the whole run."""

    position: int
    box: str
    variant: str
    seed: int
    benchmarks: tuple[Benchmark, ...]
