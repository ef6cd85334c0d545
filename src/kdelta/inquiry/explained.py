"""From the profiles of two sides to what is said of their difference."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kdelta.kernel import debuginfo
from kdelta.model.errors import MisuseError
from kdelta.model.profile import INSTRUCTIONS
from kdelta.profile import accounting, charge, migration, subsystem
from kdelta.profile.breakdown import Account
from kdelta.profile.change import Difference
from kdelta.profile.difference import compare
from kdelta.profile.explained import Explained
from kdelta.profile.leaves import Leaves
from kdelta.profile.moves import Move
from kdelta.profile.profiled import Profiled, charged, kernel_alone
from kdelta.profile.subsystem import SubsystemTable
from kdelta.profile.timescale import TimeScale, cpu_time
from kdelta.stats.t import welch

LEVEL = 0.95


@dataclass(frozen=True)
class Asked:
    """`fold`: functions that moved become one change. `charge` are those whose counts go to their callers. `vmlinux` has debug
    information of the new kernel; without it that is looked for where distributions put it."""

    per: str = "operation"
    keep_clones: bool = False
    fold: bool = True
    charge: Leaves | None = None
    vmlinux: Path | None = None


def explain(old: Profiled, new: Profiled, asked: Asked) -> Explained:
    """Raises MisuseError where the two cannot be compared, or something that was asked for cannot be said of them."""
    callers: tuple[charge.Account, ...] = ()
    if asked.charge:
        before = old, new
        old, new = charged(old, asked.charge), charged(new, asked.charge)
        callers = tuple(charge.account(side.chains, asked.charge) for side in before)
    plain = compare(old.side, new.side, keep_clones=asked.keep_clones, per=asked.per)
    moves = migration.find(plain, old.chains or None, new.chains or None) if asked.fold and not _same_kernel(old, new) else ()
    difference = migration.fold(plain, moves)
    return Explained(old, new, difference, moves, _account(old, new, difference, moves, asked), callers)


def _same_kernel(old: Profiled, new: Profiled) -> bool:
    """In which nothing was renamed."""
    return old.build_id is not None and old.build_id == new.build_id


def _account(old: Profiled, new: Profiled, difference: Difference, moves: Sequence[Move], asked: Asked) -> Account | None:
    """Of the benchmark's own change where its value is work; else of that of the profiles' totals, which is CPU time of ticks."""
    if difference.per != asked.per:
        return None
    table = _table(new, asked.vmlinux)
    sides = old.side, new.side
    if old.of_kernel:
        # The metric is of the kernel's time, and so must be what it is shared out over.
        sides = kernel_alone(old.side), kernel_alone(new.side)
        difference = migration.fold(compare(*sides, keep_clones=asked.keep_clones, per=asked.per), moves)
    subsystems = compare(*(accounting.grouped(side, table.of) for side in sides), per=asked.per)
    if old.metric and new.metric:
        values = statistics.fmean(old.metric), statistics.fmean(new.metric)
        return accounting.account(difference, table.of, *values, interval=_interval(old.metric, new.metric), subsystems=subsystems)
    scale = _cpu_time(old, new, difference)
    if scale is None and difference.unit != INSTRUCTIONS:
        return None
    worth, total = scale or TimeScale(1.0, 1.0), difference.total
    totals = worth.old * (total.old or 0.0), worth.new * (total.new or 0.0)
    return accounting.account(difference, table.of, *totals, scale=scale, subsystems=subsystems)


def _cpu_time(old: Profiled, new: Profiled, difference: Difference) -> TimeScale | None:
    """What a tick stands for, where both sides have the same."""
    return cpu_time(difference, old.hertz) if old.hertz and old.hertz == new.hertz else None


def _interval(old: Sequence[float], new: Sequence[float]) -> tuple[float, float] | None:
    """Of the benchmark's own change; None where it cannot be known."""
    low, high = welch(new, old).interval(LEVEL)
    return None if math.isnan(low) else (low, high)


def _table(new: Profiled, vmlinux: Path | None) -> SubsystemTable:
    """By source where the new kernel's debug information is at hand, else by names."""
    if vmlinux:
        return subsystem.table().with_sources(debuginfo.sources(vmlinux, new.build_id))
    here = next((place for place in debuginfo.usual_places(new.release) if place.is_file()), None)
    if here is None:
        return subsystem.table()
    try:
        return subsystem.table().with_sources(debuginfo.sources(here, new.build_id))
    except MisuseError:
        # Nobody asked for that file: it may be of another build.
        return subsystem.table()
