"""The noise of a box, and what a plan takes to see through it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from kdelta.model.cpus import cpu_list
from kdelta.model.plan import EXACT, BoxSpec, Plan
from kdelta.model.record import BootRecord

# Facts of a local machine on which its noise depends, with the word before each. Not the memory: what a kernel reports of it
# differs from kernel to kernel. Not the kernel or its settings: those are what is compared.
FACTS = {"machine": "", "processor": "", "online CPUs": "", "hypervisor": "hypervisor "}
CPU_MODEL = re.compile(r"-cpu (\S+)")


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """What a run of a baseline against itself found of one benchmark on one box.

    `sd` is the standard deviation of the natural logarithm of a boot's value once the rounds' own means are taken off, with `df`
    degrees of freedom: 0.01 is 1 % of the value. It is None for fewer than two rounds. `ratio` is the second column over the
    baseline and `p` that of no difference, before it is adjusted for how many there are; None where the boots are too few.
    """

    box: str
    machine: str
    """As `machine` says it; empty where nothing is known."""
    benchmark: str
    metric: str
    boots: int
    """Of both columns, those with a value."""
    rounds: int
    """In which both columns have one."""
    sd: float | None
    df: float
    ratio: float | None
    p: float | None
    flagged: bool
    """Whether the baseline was called faster or slower than itself: a false alarm."""


class Floor(msgspec.Struct, frozen=True, kw_only=True):
    """How much one benchmark varies from boot to boot on one machine: `sd` and `df` as of Noise, pooled over `runs`."""

    sd: float
    df: float
    runs: tuple[int, ...]
    against_itself: bool
    """Whether from baselines against themselves; else from what rounds and columns leave of other runs' values."""


class Alarms(msgspec.Struct, frozen=True, kw_only=True):
    """How many of the `contrasts` of baselines against themselves were `flagged`, in how many `runs`.

    `low` and `high` are the ends of the exact 95 % interval of the `rate`; all are shares, None without a contrast.
    """

    flagged: int
    contrasts: int
    runs: int
    rate: float | None
    low: float | None
    high: float | None


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan takes: at least, and at most where it ends when all is decided. In boots, and in seconds of the host.

    Seconds are None where no earlier run tells them. `boots` are by box; `benchmarks` by box and benchmark, one visit of each,
    known of boxes that measure time.
    """

    least: int
    most: int
    boots: dict[str, float | None]
    benchmarks: dict[str, dict[str, float]]
    least_seconds: float | None
    most_seconds: float | None
    runs: tuple[int, ...]
    """From which it is known."""


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan can see of one benchmark on one box. `floor` is None where no earlier run tells the noise; so is the rest then.

    Changes are shares: 0.01 is 1 %. Rounds for an answer are None where 1000 do not give it.
    """

    box: str
    benchmark: str
    floor: Floor | None
    visible: tuple[tuple[int, float], ...] = ()
    """Rounds, and the least change that is seen after so many with a probability of 0.8. None where nothing is ever decided."""
    for_margin: int | None = None
    """Rounds that show a change of the margin with that probability."""
    for_equivalence: int | None = None
    """Rounds that show with that probability that nothing changed by the margin, where nothing did."""
    beyond: bool = False
    """Whether one of the two needs more rounds than the plan has."""


def machine(box: BoxSpec, environment: Mapping[str, str]) -> str:
    """The kind of machine that `box` was, by what a boot recorded: values of equal ones have the same noise. Empty if unknown.

    A local one is its maker and model, processor, number of CPUs online, hypervisor, and what is quieted on it. The exact lab is
    the guest's CPUs, QEMU's release and its CPU model, wherever it runs.
    """
    if box.kind != EXACT:
        facts = [f"{word}{_fact(name, environment[name])}" for name, word in FACTS.items() if environment.get(name)]
        quiet = [f"quieted {', '.join(sorted(box.quiet))}"] if box.quiet else []
        return "; ".join([*facts, *quiet, *(["clean pages dropped"] if box.drop_caches else [])]) if facts else ""
    if not environment.get("qemu"):
        return ""
    model = CPU_MODEL.search(environment.get("qemu options", ""))
    return "; ".join([box.kind, _cpus(box.cpus), f"QEMU {environment['qemu'].split()[0]}", *([f"CPU {model[1]}"] if model else [])])


def measured_on(plan: Plan, box: BoxSpec, records: Iterable[BootRecord]) -> str:
    """The `machine` that `box` was in a run of `plan`, by the first boot of its baseline that recorded something."""
    own = (record for record in records if (record.box, record.variant) == (box.name, plan.baseline))
    found = (machine(box, record.boot.environment) for record in own)
    return next((name for name in found if name), "")


def _fact(name: str, value: str) -> str:
    """CPUs as their number: which ones they are makes no other machine."""
    if name != "online CPUs":
        return value
    try:
        return _cpus(len(cpu_list(value)))
    except ValueError:
        return value


def _cpus(count: int) -> str:
    return f"{count} CPU{'' if count == 1 else 's'}"
