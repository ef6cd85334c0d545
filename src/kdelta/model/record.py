"""What the store gives back: a run as it was begun, and boots with their place in it."""

from __future__ import annotations

import msgspec

from kdelta.model.boot import Boot
from kdelta.model.kernel import Kernel
from kdelta.model.plan import Plan
from kdelta.model.published import Entry, Listing, Origin


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`kernels` are by variant, as they were resolved when the run began. `started` is ISO 8601 in UTC: a label.

    `origins` are of a run that others published: then nothing was measured here, and it began when it was imported.
    """

    id: int
    uuid: str
    started: str
    plan: Plan
    kernels: dict[str, Kernel]
    kdelta_version: str
    origins: tuple[Origin, ...] = ()


class BootRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One stored boot. `benchmarks` are the names in the order in which they ran; `attempt` counts from 1.

    Of a published run it stands for all that is said of one variant on one box: `published`, in the units that were printed, and
    the `listings` of its profiles.
    """

    id: int
    position: int
    attempt: int
    box: str
    variant: str
    seed: int
    benchmarks: tuple[str, ...]
    boot: Boot
    profiled: bool = False
    published: tuple[Entry, ...] = ()
    listings: tuple[Listing, ...] = ()
