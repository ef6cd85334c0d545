"""The state of a machine at one moment, taken before and after a visit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

from kdelta.box.observe import files
from kdelta.box.observe.files import content, line

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
RESOURCES = {"CPU": "cpu", "memory": "memory", "I/O": "io"}
PRESSURE = re.compile(r"^some avg10=(\d{1,9}\.\d{1,9}) .*\btotal=(\d{1,20})$", re.MULTILINE | re.ASCII)
DECIMAL = re.compile(r"\d{1,15}(\.\d{1,9})?", re.ASCII)
RUNNABLE = re.compile(r"^procs_running (\d{1,9})$", re.MULTILINE | re.ASCII)

# Since 4.13 (f8475cef9008, "x86: use common aperfmperf_khz_on_cpu() to calculate KHz using APERF/MPERF") and until 5.18, an
# x86 kernel sleeps some 10 ms for each CPU whose frequency is read. So few stand for all of a large machine.
MOST_FREQUENCIES = 32

# Sensors of the processor alone: those of drives and of laptops' firmware disturb what they measure, as each reading of
# nvme's is a command to the drive and of dell_smm's an interrupt to the firmware; inputs of board chips may be unconnected.
CPU_SENSORS = frozenset({"coretemp", "k8temp", "k10temp", "zenpower", "cpu_thermal", "soc_thermal", "scpi_sensors"})
CPU_ZONE = re.compile(r"x86_pkg_temp|\w*(cpu|soc)\w*([-_]thermal\w*)?", re.ASCII)
THROTTLES = ("core", "package")


@dataclass(frozen=True)
class CpuTime:
    """Seconds of all CPUs together since the boot. Time of guests is part of `user` and `nice`."""

    user: float
    nice: float
    system: float
    idle: float
    iowait: float
    irq: float
    softirq: float
    steal: float


CPU_TIMES = tuple(one.name for one in fields(CpuTime))


@dataclass(frozen=True)
class Pressure:
    """The share of time in which some task waited, in percent over ten seconds; and all such time since the boot."""

    percent: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """None, or an empty tuple or dictionary, for what could not be read. Counters are since the boot."""

    uptime_seconds: float | None = None
    cpu: CpuTime | None = None
    cpus: int = 0
    runnable: int | None = None
    """Tasks that run or could, this process among them."""
    load: tuple[float, float, float] | None = None
    pressure: dict[str, Pressure] = field(default_factory=dict)
    frequencies_mhz: tuple[float, ...] = ()
    temperature_c: float | None = None
    throttles: dict[str, int] = field(default_factory=dict)
    available_mib: int | None = None
    swapped_bytes: int | None = None


def snapshot(root: Path = Path("/")) -> Snapshot:
    """The machine's state now, read from files alone."""
    stat = content(root / "proc/stat")
    runnable = RUNNABLE.search(stat)
    available, _, _ = files.fields(content(root / "proc/meminfo")).get("MemAvailable", "").partition(" ")
    kib = files.to_number(available)
    return Snapshot(
        uptime_seconds=next(iter(_decimals(line(root / "proc/uptime"))), None),
        cpu=_cpu_time(stat),
        cpus=len(re.findall(r"^cpu\d+ ", stat, re.MULTILINE | re.ASCII)),
        runnable=int(runnable[1]) if runnable else None,
        load=_load(line(root / "proc/loadavg")),
        pressure=_pressure(root),
        frequencies_mhz=_frequencies(root),
        temperature_c=max(_temperatures(root), default=None),
        throttles=_throttles(root),
        available_mib=None if kib is None else kib // 1024,
        swapped_bytes=_swapped(content(root / "proc/vmstat")),
    )


def _decimals(text: str | None) -> list[float]:
    return [float(word) for word in (text or "").split() if DECIMAL.fullmatch(word)]


def _cpu_time(stat: str) -> CpuTime | None:
    words = stat.partition("\n")[0].split()
    ticks = [files.to_number(word) for word in words[1 : len(CPU_TIMES) + 1]]
    seconds = [tick / TICKS_PER_SECOND for tick in ticks if tick is not None and tick >= 0]
    return CpuTime(*seconds) if words[:1] == ["cpu"] and len(seconds) == len(CPU_TIMES) else None


def _load(text: str | None) -> tuple[float, float, float] | None:
    match _decimals(text)[:3]:
        case [one, five, fifteen]:
            return one, five, fifteen
    return None


def _pressure(root: Path) -> dict[str, Pressure]:
    """Kernels built without it have no such files, and those booted with psi=0 refuse to read them."""
    found = {what: PRESSURE.search(content(root / "proc/pressure" / file)) for what, file in RESOURCES.items()}
    return {what: Pressure(float(said[1]), int(said[2]) / 1e6) for what, said in found.items() if said}


def _frequencies(root: Path) -> tuple[float, ...]:
    """In MHz, by cpufreq or else by cpuinfo."""
    cpus = files.cpus(root)
    few = cpus[:: -(-len(cpus) // MOST_FREQUENCIES) or 1]
    khz = [files.number(cpu / "cpufreq/scaling_cur_freq") for cpu in few]
    found = [value / 1000.0 for value in khz if value is not None]
    if not found:
        found = [mhz for block in files.cpuinfo(root) for mhz in _decimals(block.get("cpu MHz"))]
    return tuple(mhz for mhz in found if mhz > 0.0)


def _temperatures(root: Path) -> Iterator[float]:
    """Degrees Celsius of every sensor of the processor."""
    for name in files.names(root / "sys/class/hwmon", r"hwmon\d+"):
        sensor = root / "sys/class/hwmon" / name
        if line(sensor / "name") in CPU_SENSORS:
            yield from _celsius(sensor / file for file in files.names(sensor, r"temp\d+_input"))
    for name in files.names(root / "sys/class/thermal", r"thermal_zone\d+"):
        zone = root / "sys/class/thermal" / name
        if CPU_ZONE.fullmatch((line(zone / "type") or "").lower()):
            yield from _celsius([zone / "temp"])


def _celsius(paths: Iterator[Path] | list[Path]) -> Iterator[float]:
    return (millidegrees / 1000.0 for path in paths if (millidegrees := files.number(path)) is not None)


def _throttles(root: Path) -> dict[str, int]:
    """How often each CPU was slowed down for heat: counters that Intel's processors have."""
    paths = {
        f"{cpu.name} {what}": cpu / f"thermal_throttle/{what}_throttle_count" for cpu in files.cpus(root) for what in THROTTLES
    }
    return {name: count for name, path in paths.items() if (count := files.number(path)) is not None}


def _swapped(vmstat: str) -> int | None:
    """Bytes that were moved to swap and back."""
    pages = [files.to_number(count) for count in re.findall(r"^pswp(?:in|out) (\S+)$", vmstat, re.MULTILINE)]
    known = [count for count in pages if count is not None]
    return sum(known) * PAGE_BYTES if known else None
