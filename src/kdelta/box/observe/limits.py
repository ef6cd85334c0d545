"""What of a visit makes its values doubtful, each with its number, its limit, and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kdelta.box.observe.between import passed, spent, throttled, waited
from kdelta.box.observe.constant import NO_HYPERVISOR
from kdelta.box.observe.moment import CpuTime, Snapshot


@dataclass(frozen=True)
class Limit:
    """`most` is still fine, and `why` is the reason for it."""

    subject: str
    most: float
    unit: str
    why: str

    def said(self, value: float, advice: str, seen: str = "") -> str | None:
        """The warning where `value` is above the limit. `seen` replaces the number, and says more."""
        if value <= self.most:
            return None
        bound = f" (limit {self.most:g} {self.unit})" if self.most else ""
        return f"{self.subject}: {seen or f'{value:.1f} {self.unit}'}{bound}; {advice}"


STOLEN = Limit("stolen CPU time", 0.5, "%", "of the time in which CPUs had work: half of the 1 % in which results must agree")
OTHERS = Limit("CPU time of other processes", 2.0, "%", "of all CPUs: an idle system's daemons and kernel threads stay below it")
THROTTLING = Limit("throttling for heat", 0.0, "times", "a throttled processor is another one, and a cool machine has none")
MEMORY = Limit("waiting for memory", 1.0, "%", "of the visit: as much as results may differ")
SWAPPING = Limit("swapping", 1.0, "MiB", "an idle program that is fetched back moves some pages")
FREQUENCY = Limit("change of frequency", 5.0, "%", "a step of Intel's turbo is 100 MHz, some 3 %: one is chance, two are not")
LOAD = Limit("load before the visit", 0.5, "for each CPU", "half of the CPUs are not free for the first benchmark")
LIMITS = (STOLEN, OTHERS, THROTTLING, MEMORY, SWAPPING, FREQUENCY, LOAD)

# Chance, which is no reason for a warning.
LEAST_STOLEN_SECONDS = 0.05
"""Five ticks of /proc/stat: fewer are no measurement."""
OTHERS_CHANCE = 0.15
"""Kernels may charge a whole tick of 10 ms to whoever runs when it ends, so a time has a standard deviation of up to
0.01 / 2 * sqrt(seconds / 0.01) seconds. Three of them are this times sqrt(seconds)."""
LEAST_RUNNABLE = 2
"""One other task that runs at the very moment is chance."""
PERFORMANCE = "performance"
QUIET = "put '{}' into the box's `quiet`"
SLOW_CLOCKS = frozenset({"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies", "xen", "hyperv_clocksource_msr"})
"""Of x86: reading them takes a system call, and most a slow device. kvm-clock and hyperv_clocksource_tsc_page are read as
tsc is, in the vDSO."""


@dataclass(frozen=True)
class _Visit:
    facts: Mapping[str, str]
    before: Snapshot
    after: Snapshot
    own_cpu_seconds: float

    @property
    def cpu(self) -> CpuTime | None:
        return spent(self.before.cpu, self.after.cpu)

    @property
    def seconds(self) -> float | None:
        return passed(self.before.uptime_seconds, self.after.uptime_seconds) or None


def warnings(facts: Mapping[str, str], before: Snapshot, after: Snapshot, own_cpu_seconds: float) -> tuple[str, ...]:
    """Short sentences, each with its subject up to the first colon. Nothing is said of what could not be read.

    `own_cpu_seconds` is the time, as user and in the kernel, of this process and of what it started and waited for.
    """
    visit = _Visit(facts, before, after, own_cpu_seconds)
    return tuple(said for judge in JUDGES if (said := judge(visit)))


def _virtual(visit: _Visit) -> str | None:
    name = visit.facts.get("hypervisor", NO_HYPERVISOR)
    if name == NO_HYPERVISOR:
        return None
    return f"virtual machine: {name}; timings of a guest depend on its neighbours, so trust small changes only on hardware"


def _governor(visit: _Visit) -> str | None:
    name = visit.facts.get("governor", PERFORMANCE)
    return (
        None
        if name == PERFORMANCE
        else f"frequency governor: {name}; the frequency follows the load, so {QUIET.format('governor')}"
    )


def _clocksource(visit: _Visit) -> str | None:
    name = visit.facts.get("clocksource")
    if name not in SLOW_CLOCKS:
        return None
    return f"clocksource: {name}; each reading of the clock takes a system call, so find out why it is not tsc"


def _load(visit: _Visit) -> str | None:
    """Both must be high: a visit leaves its own load average behind for minutes, and a moment alone is chance."""
    before = visit.before
    if before.load is None or before.runnable is None or not before.cpus:
        return None
    others = before.runnable - 1
    each = min(before.load[0], others) / before.cpus
    seen = f"{before.load[0]:.2f} on {before.cpus} CPUs, with {others} other tasks running"
    return LOAD.said(each, "end what runs, or wait", seen) if others >= LEAST_RUNNABLE else None


def _stolen(visit: _Visit) -> str | None:
    """In percent of the time in which a CPU had work: nothing can be stolen from an idle one."""
    cpu = visit.cpu
    if cpu is None or cpu.steal < LEAST_STOLEN_SECONDS:
        return None
    wanted = cpu.steal + cpu.user + cpu.nice + cpu.system + cpu.irq + cpu.softirq
    return STOLEN.said(100.0 * cpu.steal / wanted, "the host ran others instead of this guest, so use one with CPUs of its own")


def _others(visit: _Visit) -> str | None:
    """Interrupts are nobody's: most are the workload's own, of its timers, disks and sockets. Kernel threads are others."""
    cpu = visit.cpu
    if cpu is None:
        return None
    everything = sum(vars(cpu).values())
    others = cpu.user + cpu.nice + cpu.system - visit.own_cpu_seconds
    if others <= OTHERS_CHANCE * math.sqrt(everything):
        return None
    return OTHERS.said(100.0 * others / everything, "end what else runs (top shows it)")


def _throttling(visit: _Visit) -> str | None:
    slowed = throttled(visit.before, visit.after) or 0
    return THROTTLING.said(slowed, f"let it cool, or {QUIET.format('turbo')}", f"counted {slowed} times")


def _memory(visit: _Visit) -> str | None:
    stalled, seconds = waited(visit.before, visit.after, "memory"), visit.seconds
    if stalled is None or seconds is None:
        return None
    return MEMORY.said(100.0 * stalled / seconds, "unless the variant limits memory, free some or use smaller benchmarks")


def _swapping(visit: _Visit) -> str | None:
    swapped = passed(visit.before.swapped_bytes, visit.after.swapped_bytes) or 0.0
    return SWAPPING.said(swapped / (1 << 20), f"free memory, or {QUIET.format('swap')}")


def _frequency(visit: _Visit) -> str | None:
    """Of the fastest CPU, where it should stay: under another governor it follows the load, of which that warning tells."""
    before, after = (max(now.frequencies_mhz, default=0.0) for now in (visit.before, visit.after))
    if not before or not after or visit.facts.get("governor", PERFORMANCE) != PERFORMANCE:
        return None
    change = 100.0 * abs(after - before) / before
    return FREQUENCY.said(change, f"let the machine cool, or {QUIET.format('turbo')}", f"{before:.0f} to {after:.0f} MHz")


JUDGES: tuple[Callable[[_Visit], str | None], ...] = (
    *(_virtual, _governor, _clocksource, _load),
    *(_stolen, _others, _throttling, _memory, _swapping, _frequency),
)
