"""Facts of the processor: what it is, and how it is set."""

from __future__ import annotations

from pathlib import Path

from kdelta.box.observe import files
from kdelta.box.observe.files import CPUS, distinct, line

# /proc/cpuinfo has other names on other architectures: x86 and s390, MIPS, POWER.
MODEL_NAMES = ("model name", "cpu model", "cpu")
IDENTITY = (
    *("vendor_id", "cpu family", "model", "stepping"),
    *("CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision"),
)
# Of every CPU: fact -> file. They may differ from CPU to CPU.
EACH_CPU = {
    "governor": "cpufreq/scaling_governor",
    "frequency driver": "cpufreq/scaling_driver",
    "energy preference": "cpufreq/energy_performance_preference",
}
TURBO = (("intel_pstate/no_turbo", {"0": "on", "1": "off"}), ("cpufreq/boost", {"1": "on", "0": "off"}))


def facts(root: Path) -> dict[str, str | None]:
    """Each fact, None where it cannot be read."""
    blocks, cpus = files.cpuinfo(root), files.cpus(root)
    vulnerabilities = root / CPUS / "vulnerabilities"
    return {
        "processor": distinct(next((block[name] for name in MODEL_NAMES if name in block), None) for block in blocks),
        "processor id": distinct(_identity(block) for block in blocks),
        "microcode": distinct(block.get("microcode") for block in blocks) or line(root / CPUS / "cpu0/microcode/version"),
        "topology": _topology(cpus),
        "online CPUs": line(root / CPUS / "online"),
        "SMT": line(root / CPUS / "smt/control"),
        **{f"vulnerability {name}": line(vulnerabilities / name) for name in files.names(vulnerabilities, r"\w+")},
        **{fact: distinct(line(cpu / file) for cpu in cpus) for fact, file in EACH_CPU.items()},
        "frequency limits": distinct(_frequency_limits(cpu) for cpu in cpus),
        "turbo": next((words[found] for file, words in TURBO if (found := line(root / CPUS / file) or "") in words), None),
        "idle driver": line(root / CPUS / "cpuidle/current_driver"),
    }


def _identity(block: dict[str, str]) -> str:
    return ", ".join(f"{name.removeprefix('CPU ')} {block[name]}" for name in IDENTITY if name in block)


def _topology(cpus: list[Path]) -> str | None:
    """Counted by the lists of siblings, since numbers of cores start anew in each socket. Offline CPUs have none."""
    sockets = [line(cpu / "topology/core_siblings_list") for cpu in cpus]
    cores = [line(cpu / "topology/thread_siblings_list") for cpu in cpus]
    threads = sum(core is not None for core in cores)
    if not threads:
        return None
    counts = {"socket": len(set(sockets) - {None}), "core": len(set(cores) - {None}), "thread": threads}
    return ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for what, count in counts.items())


def _frequency_limits(cpu: Path) -> str | None:
    least, most = (files.number(cpu / f"cpufreq/scaling_{which}_freq") for which in ("min", "max"))
    return None if least is None or most is None else f"{least // 1000}..{most // 1000} MHz"
