"""What the name of a metric of lkp-tests says: `lmbench3.PIPE.latency.us`, `vmstat.system.cs`, `mpstat.cpu.all.idle%`.

Before the first dot stands the program: a test, or a monitor that ran beside it. Directions are those of lkp-tests'
`etc/index-perf-all.yaml` in the names that recur there; of monitors none is known: more context switches are neither good nor bad.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from kdelta.archive.units import base
from kdelta.model.benchmark import Better

_MONITOR = re.compile(
    r"bdi_dirty_mapping|boot-(?:meminfo|memory|time)|buddyinfo|cgroup|cpuidle|diskstats|dmesg|energy|ftrace|hwmon|interrupts|iostat"
    r"|kmsg|last_state|latency_stats|lock_stat|meminfo|memmap|mpstat|nfsstat|numa-(?:meminfo|numastat|vmstat)|oom-killer|pagetypeinfo"
    r"|perf-(?:c2c|node|profile|sched|stat)|pmeter|proc-(?:stat|vmstat)|sched_debug|schedstat|slabinfo|softirqs|stderr|stdout|syscalls"
    r"|time|turbostat|uptime|vmstat|zoneinfo"
)
NEVER_ZERO = frozenset({"turbostat", "perf-stat", "pmeter"})
"""Monitors of the hardware: where all that one of them counted is 0, it did not count."""

_UNITS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"vmstat\.cpu\."), "%"),
    (re.compile(r"(?:turbostat|vmstat|cpuidle|iostat)\."), ""),
    (re.compile(r".*%$"), "%"),
    (re.compile(r"\S*[-_.]MB/s(?:ec)?$"), "MB/s"),
    (re.compile(r"\S*(?:_per_sec|_per_second|/sec|/s)$"), "/s"),
    (re.compile(r"\S*[._](?:ns|nsec)(?:\.|$)"), "ns"),
    (re.compile(r"\S*[._](?:us|usec)(?:\.|$)"), "us"),
    (re.compile(r"\S*[._](?:ms|msec)(?:\.|$)"), "ms"),
    (re.compile(r"\S*[._](?:seconds|secs?)$"), "s"),
    (re.compile(r"\S*\btime\.(?:elapsed|system|user)_time(?:\.max)?$"), "s"),
    (re.compile(r"kbuild\.[\w.]+_per_iteration$"), "s"),
    (re.compile(r"boot-time\.\w+$"), "s"),
)
"""The first that fits. `usr` and `sys` of a CPU are shares, whatever their names end with."""

_LARGER = re.compile(
    r"\S*(?:throughput|_per_sec|_per_second|/sec|/s|_ops|ops|jobs[-_]per[-_]min|_iops|_bw|_bw_MBps|bandwidth_MBps|_mbps|_Mbps|tps"
    r"|_score|score|\bfps|[Ff]lops|MB_sec|_rps|qps|works|processes|threads)$",
    re.ASCII,
)
_SMALLER = re.compile(
    r"\S*(?:latency[._]\w*|_latency|\.latency|clat_\w+|_per_iteration|elapsed_time|elapsed_time\.max|wakeup_cost_\w+|\.usec_per_loop"
    r"|nanosecs_per_\w+|_time_ms|_cost_ns|[._](?:ns|us|usec|ms|msec)|\.seconds|\.duration|runtime)$",
    re.ASCII,
)
LONGEST = 1000
"""Characters of a name that are looked at."""


class Metric(NamedTuple):
    """What a name says. `factor` is what one of `printed_unit` is in `unit`."""

    program: str
    is_monitor: bool
    unit: str
    printed_unit: str
    factor: float
    better: Better | None


@lru_cache(maxsize=1 << 12)
def metric_of(name: str) -> Metric:
    """By the name alone: what is not known is empty, and `better` None."""
    program = name.partition(".")[0]
    is_monitor = _MONITOR.fullmatch(program) is not None
    printed = next((unit for pattern, unit in _UNITS if pattern.match(name[:LONGEST])), "")
    unit, factor = base(printed) if printed else ("", 1.0)
    return Metric(program, is_monitor, unit, printed, factor, None if is_monitor else _better(name[:LONGEST]))


def is_absolute(name: str) -> bool:
    """Whether lkp-tests prints its change as a difference, not in percent: of what is a share already."""
    return name.startswith("perf-profile") or name.endswith("%")


def _better(name: str) -> Better | None:
    if _LARGER.match(name):
        return Better.LARGER
    return Better.SMALLER if _SMALLER.match(name) else None
