"""What of a visit is warned of, at which limit, and what is left alone; and how the state around a visit is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kdelta.box import observe
from kdelta.box.observe.limits import LIMITS, SLOW_CLOCKS, Limit
from kdelta.box.observe.moment import CpuTime, Pressure, Snapshot

PAGE = Path(__file__).parents[2] / "docs" / "observing.md"
IDLE = CpuTime(user=10, nice=0, system=5, idle=1000, iowait=0, irq=0, softirq=0, steal=1)
BEFORE = Snapshot(
    uptime_seconds=1000.0,
    cpu=IDLE,
    cpus=4,
    runnable=1,
    load=(0.1, 0.2, 0.3),
    pressure={"memory": Pressure(0.0, 2.0)},
    frequencies_mhz=(3000.0, 800.0),
    temperature_c=40.0,
    throttles={"cpu0 core": 7, "cpu1 core": 1},
    available_mib=4000,
    swapped_bytes=4096,
)
QUIET = {"hypervisor": "none", "governor": "performance", "clocksource": "tsc"}


def later(**cpu: float) -> Snapshot:
    """A minute after BEFORE on four CPUs; `cpu` seconds more of each kind, and the rest idle."""
    idle = IDLE.idle + 240.0 - sum(cpu.values())
    spent = replace(IDLE, idle=idle, **{name: getattr(IDLE, name) + more for name, more in cpu.items()})
    return replace(BEFORE, uptime_seconds=1060.0, cpu=spent)


def warned(after: Snapshot, *, own: float = 0.0, before: Snapshot = BEFORE, facts: dict[str, str] = QUIET) -> tuple[str, ...]:
    return observe.warnings(facts, before, after, own)


def test_a_quiet_visit_gives_no_warning() -> None:
    assert warned(later(user=50.0, system=9.0, irq=3.0, softirq=2.0), own=58.0) == ()


# (the visit above its limit, what is said). Each is just above it.
ABOVE: list[tuple[str, Snapshot, Snapshot, str]] = [
    (
        "steal",
        BEFORE,
        later(steal=0.4, system=59.0),
        "stolen CPU time: 0.7 % (limit 0.5 %); the host ran others instead of this guest, so use one with CPUs of its own",
    ),
    (
        "others",
        BEFORE,
        later(user=60.0, system=4.0),
        "CPU time of other processes: 2.1 % (limit 2 %); end what else runs (top shows it)",
    ),
    (
        "throttling",
        BEFORE,
        replace(later(), throttles={"cpu0 core": 9, "cpu1 core": 2}),
        "throttling for heat: counted 3 times; let it cool, or put 'turbo' into the box's `quiet`",
    ),
    (
        "memory",
        BEFORE,
        replace(later(), pressure={"memory": Pressure(5.0, 2.9)}),
        "waiting for memory: 1.5 % (limit 1 %); unless the variant limits memory, free some or use smaller benchmarks",
    ),
    (
        "swapping",
        BEFORE,
        replace(later(), swapped_bytes=4096 + (3 << 19)),
        "swapping: 1.5 MiB (limit 1 MiB); free memory, or put 'swap' into the box's `quiet`",
    ),
    (
        "frequency",
        BEFORE,
        replace(later(), frequencies_mhz=(2800.0, 2000.0)),
        "change of frequency: 3000 to 2800 MHz (limit 5 %); let the machine cool, or put 'turbo' into the box's `quiet`",
    ),
    (
        "load",
        replace(BEFORE, load=(3.0, 0.0, 0.0), runnable=4),
        later(),
        "load before the visit: 3.00 on 4 CPUs, with 3 other tasks running (limit 0.5 for each CPU); end what runs, or wait",
    ),
]
OWN = 59.0


@pytest.mark.parametrize(("before", "after", "said"), [case[1:] for case in ABOVE], ids=[case[0] for case in ABOVE])
def test_above_a_limit_the_number_the_limit_and_the_advice_are_said(before: Snapshot, after: Snapshot, said: str) -> None:
    assert warned(after, own=OWN, before=before) == (said,)


# Just below each limit, or above it by what is chance.
BELOW: dict[str, tuple[Snapshot, Snapshot]] = {
    "steal": (BEFORE, later(steal=0.2, system=59.0)),
    "steal of four ticks": (BEFORE, later(steal=0.04, user=0.1)),
    "others": (BEFORE, later(user=60.0, system=3.7)),
    "interrupts": (BEFORE, later(user=59.0, irq=20.0, softirq=20.0)),
    "throttling before the visit": (BEFORE, later()),
    "memory": (BEFORE, replace(later(), pressure={"memory": Pressure(50.0, 2.5)})),
    "swapping": (BEFORE, replace(later(), swapped_bytes=4096 + (1 << 20))),
    "frequency": (BEFORE, replace(later(), frequencies_mhz=(2900.0, 100.0))),
    "the last visit's load": (replace(BEFORE, load=(30.0, 20.0, 10.0)), later()),
    "the last visit's load and two tasks that are about to end": (replace(BEFORE, load=(30.0, 20.0, 10.0), runnable=3), later()),
    "a moment's load": (replace(BEFORE, runnable=9), later()),
    "one other task on one CPU": (replace(BEFORE, load=(1.0, 1.0, 1.0), runnable=2, cpus=1), later()),
}


@pytest.mark.parametrize(("before", "after"), BELOW.values(), ids=BELOW)
def test_nothing_is_said_for_nothing(before: Snapshot, after: Snapshot) -> None:
    assert warned(after, own=OWN, before=before) == ()


def test_in_a_short_visit_other_processes_are_warned_of_only_beyond_the_chance_of_ticks() -> None:
    second = replace(BEFORE, uptime_seconds=1001.0, cpu=replace(IDLE, user=IDLE.user + 1.0, idle=IDLE.idle + 3.0))
    assert (warned(second, own=0.75), warned(second, own=0.65)) == (
        (),
        ("CPU time of other processes: 8.8 % (limit 2 %); end what else runs (top shows it)",),
    )


LOUD = replace(BEFORE, load=(9.0, 9.0, 9.0), runnable=9)
LOUDER = replace(later(user=99.0), swapped_bytes=1 << 30, pressure={"memory": Pressure(99.0, 60.0)}, frequencies_mhz=(9000.0,))
# What is not said where something could not be read.
BLIND: list[tuple[str, Callable[[Snapshot], Snapshot]]] = [
    ("waiting for memory", lambda now: replace(now, uptime_seconds=None)),
    ("waiting for memory", lambda now: replace(now, pressure={})),
    ("CPU time of other processes", lambda now: replace(now, cpu=None)),
    ("load before the visit", lambda now: replace(now, runnable=None)),
    ("load before the visit", lambda now: replace(now, load=None)),
    ("load before the visit", lambda now: replace(now, cpus=0)),
    ("swapping", lambda now: replace(now, swapped_bytes=None)),
    ("change of frequency", lambda now: replace(now, frequencies_mhz=())),
]


@pytest.mark.parametrize(("subject", "blind"), BLIND)
def test_nothing_is_said_of_what_could_not_be_read(subject: str, blind: Callable[[Snapshot], Snapshot]) -> None:
    everything = {said.partition(":")[0]: said for said in warned(LOUDER, before=LOUD)}
    assert len(everything) == 5
    del everything[subject]
    assert warned(blind(LOUDER), before=blind(LOUD)) == tuple(everything.values())


# ---- facts ----


def test_a_guest_is_warned_that_it_is_one() -> None:
    assert warned(later(), facts={**QUIET, "hypervisor": "KVM"}) == (
        "virtual machine: KVM; timings of a guest depend on its neighbours, so trust small changes only on hardware",
    )


def test_a_governor_that_follows_the_load_is_warned_of() -> None:
    assert warned(later(), facts={**QUIET, "governor": "schedutil"}) == (
        "frequency governor: schedutil; the frequency follows the load, so put 'governor' into the box's `quiet`",
    )


def test_under_such_a_governor_a_change_of_frequency_is_nothing_new() -> None:
    hot = replace(later(), frequencies_mhz=(800.0,))
    assert [said.partition(":")[0] for said in warned(hot, facts={**QUIET, "governor": "powersave"})] == ["frequency governor"]


@pytest.mark.parametrize("name", sorted(SLOW_CLOCKS))
def test_a_clock_that_takes_a_system_call_is_warned_of(name: str) -> None:
    assert warned(later(), facts={**QUIET, "clocksource": name}) == (
        f"clocksource: {name}; each reading of the clock takes a system call, so find out why it is not tsc",
    )


@pytest.mark.parametrize("name", ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"])
def test_clocks_that_programs_read_themselves_are_fine(name: str) -> None:
    assert warned(later(), facts={**QUIET, "clocksource": name}) == ()


def test_facts_that_are_unknown_are_not_warned_of() -> None:
    assert warned(later(), facts={}) == ()


# ---- described ----


def test_the_state_is_told_before_and_after_and_counters_for_between() -> None:
    after = replace(later(user=30.5, steal=0.25), temperature_c=55.0, pressure={"memory": Pressure(1.25, 2.5)})
    assert observe.described(BEFORE, after) == {
        "load before": "0.10 0.20 0.30",
        "runnable tasks before": "1",
        "frequency before": "800..3000 MHz",
        "temperature before": "40.0 C",
        "available memory before": "4000 MiB",
        "memory pressure before": "0.00 %",
        "load after": "0.10 0.20 0.30",
        "runnable tasks after": "1",
        "frequency after": "800..3000 MHz",
        "temperature after": "55.0 C",
        "available memory after": "4000 MiB",
        "memory pressure after": "1.25 %",
        "uptime before": "1000.00 s",
        "time during": "60.00 s",
        "CPU time during": "user 30.50 s, nice 0.00 s, system 0.00 s, idle 209.25 s, iowait 0.00 s, irq 0.00 s, softirq 0.00 s,"
        " steal 0.25 s",
        "swapped during": "0 bytes",
        "throttling during": "0 times",
        "memory pressure during": "0.500000 s",
    }


def test_a_counter_that_steps_back_counts_nothing() -> None:
    back = replace(BEFORE, cpu=replace(IDLE, idle=IDLE.idle - 0.01), throttles={"cpu0 core": 0})
    assert (observe.described(BEFORE, back)["throttling during"], warned(back)) == ("0 times", ())


def test_a_cpu_that_went_away_is_not_counted_as_throttled() -> None:
    assert warned(replace(later(), throttles={"cpu1 core": 1, "cpu2 core": 50})) == ()


# ---- the manual ----


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.subject)
def test_the_manual_names_every_limit(limit: Limit) -> None:
    row = rf"^\| {re.escape(limit.subject)} \| {limit.most:g} {re.escape(limit.unit)}"
    assert re.search(row, PAGE.read_text(), re.MULTILINE)
