"""What the store gives back: a run as it was begun, and boots with their place in it."""

from __future__ import annotations

import msgspec

from kdelta.model.boot import Boot
from kdelta.model.kernel import Kernel
from kdelta.model.plan import Plan


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`kernels` are by variant, as they were resolved when the run began. `started` is ISO 8601 in UTC: a label."""

    id: int
    uuid: str
    started: str
    plan: Plan
    kernels: dict[str, Kernel]
    kdelta_version: str


class BootRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One stored boot. `benchmarks` are the names in the order in which they ran; `attempt` counts from 1."""

    id: int
    position: int
    attempt: int
    box: str
    variant: str
    seed: int
    benchmarks: tuple[str, ...]
    boot: Boot
    profiled: bool = False
