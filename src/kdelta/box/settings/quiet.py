"""What is quieted for a whole run: a table of names and what each means on this machine."""

from __future__ import annotations

from collections.abc import Callable

from kdelta.box.settings import mounts, program
from kdelta.box.settings.change import Change, SmtOff, SwapOff, TimersOff, Write
from kdelta.box.settings.entry import Swap, Timers
from kdelta.box.settings.errors import NotRestoredError, RefusedError
from kdelta.box.settings.host import Host
from kdelta.box.settings.work import Visit, Work
from kdelta.model.errors import MisuseError, unknown

KEY = "quiet"
CPU = "/sys/devices/system/cpu"
TURBO = ((f"{CPU}/intel_pstate/no_turbo", "1"), (f"{CPU}/cpufreq/boost", "0"))
SYSTEMD = "/run/systemd/system"
LIST_TIMERS = ("systemctl", "show", "--property=Id,ActiveState,Transient", "*.timer")
ENGLISH = {"LC_ALL": "C"}
SWAPOFF_SECONDS = 3600.0
"""It reads back all that was swapped out."""


def changes(host: Host, names: tuple[str, ...]) -> tuple[Change, ...]:
    """Raises MisuseError for a name that is not in the table, and RefusedError for what this machine does not have."""
    for name in names:
        if name not in TABLE:
            raise unknown("thing to quiet", name, TABLE)
    return tuple(change for name in names for change in TABLE[name](host))


def _governor(host: Host) -> tuple[Change, ...]:
    policies = host.glob(f"{CPU}/cpufreq/policy*/scaling_governor")
    if not policies:
        raise _lacking("governor", f"it does not set the frequency of its CPUs ({CPU}/cpufreq is empty)")
    return tuple(Write(KEY, path, path, "performance") for path in policies)


def _turbo(host: Host) -> tuple[Change, ...]:
    for path, value in TURBO:
        if host.exists(path):
            return (Write(KEY, path, path, value),)
    raise _lacking("turbo", f"neither {' nor '.join(path for path, _ in TURBO)} is there")


def _smt(host: Host) -> tuple[Change, ...]:
    return (SmtOff(),)


def _aslr(host: Host) -> tuple[Change, ...]:
    return (Write(KEY, "kernel.randomize_va_space", "/proc/sys/kernel/randomize_va_space", "0"),)


def _watchdog(host: Host) -> tuple[Change, ...]:
    return (Write(KEY, "kernel.nmi_watchdog", "/proc/sys/kernel/nmi_watchdog", "0"),)


def _swap(host: Host) -> tuple[Change, ...]:
    return (SwapOff(),)


def _timers(host: Host) -> tuple[Change, ...]:
    if not host.exists(SYSTEMD):
        raise _lacking("timers", "systemd does not run here")
    return (TimersOff(),)


TABLE: dict[str, Callable[[Host], tuple[Change, ...]]] = {
    "governor": _governor,
    "turbo": _turbo,
    "smt": _smt,
    "aslr": _aslr,
    "swap": _swap,
    "timers": _timers,
    "watchdog": _watchdog,
}


def _lacking(name: str, why: str) -> MisuseError:
    return MisuseError(f"`{KEY}`: {name} cannot be quieted on this machine: {why}", f"leave `{name}` out of `{KEY}`")


def swap_off(work: Work, change: SwapOff, visit: Visit) -> Visit:
    """Raises RefusedError where an area stays, or could not be put back. What swapon was told beside a priority is not known."""
    areas = mounts.swaps(work.host)
    lost = [path for path, _ in areas if path.endswith(" (deleted)")]
    if lost:
        raise RefusedError(f"`{KEY}`: swap on {lost[0]} could not be put back", f"leave `swap` out of `{KEY}`")
    if areas:
        work.host.require_root(KEY)
        work.note(Swap(tuple(areas)))
        for path, _ in areas:
            program.require(
                work.host.run(["swapoff", path], environment=ENGLISH, limit_seconds=SWAPOFF_SECONDS), f"`{KEY}`: swapoff {path}"
            )
    left = mounts.swaps(work.host)
    if left:
        raise RefusedError(f"`{KEY}`: swap on {left[0][0]} is still active")
    return visit


def swap_on(host: Host, entry: Swap) -> None:
    """In their former order: the kernel numbers those without a priority of their own as they come, from -2 down."""
    for path, priority in entry.areas:
        if path not in dict(mounts.swaps(host)):
            own = ("--priority", str(priority)) if priority >= 0 else ()
            host.run(["swapon", *own, path], environment=ENGLISH)
    found = dict(mounts.swaps(host))
    for path, priority in entry.areas:
        if found.get(path) != priority:
            raise NotRestoredError(
                f"swap on {path} had priority {priority}, and now has {found.get(path, 'none: it is not active')}"
            )


def timers_off(work: Work, change: TimersOff, visit: Visit) -> Visit:
    """Those that exist only as long as they run are left alone: they could not be started again."""
    units = _active_timers(work.host)
    if units:
        work.host.require_root(KEY)
        work.note(Timers(units))
        program.require(work.host.run(["systemctl", "stop", *units], environment=ENGLISH), f"`{KEY}`: systemctl stop")
    left = _active_timers(work.host)
    if left:
        raise RefusedError(f"`{KEY}`: these timers are still active: {' '.join(left)}")
    return visit


def timers_on(host: Host, entry: Timers) -> None:
    host.run(["systemctl", "start", *entry.units], environment=ENGLISH)
    left = set(entry.units) - set(_active_timers(host))
    if left:
        raise NotRestoredError(f"these timers are not active again: {' '.join(sorted(left))}")


def _active_timers(host: Host) -> tuple[str, ...]:
    done = program.require(host.run(list(LIST_TIMERS), environment=ENGLISH), f"`{KEY}`: systemctl show")
    units = [dict(line.split("=", 1) for line in block.splitlines() if "=" in line) for block in done.output.split("\n\n")]
    return tuple(sorted(unit["Id"] for unit in units if unit.get("ActiveState") == "active" and unit.get("Transient") != "yes"))
