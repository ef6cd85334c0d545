"""What passed on a machine between two moments."""

from __future__ import annotations

from collections.abc import Iterator

from kdelta.box.observe.moment import CPU_TIMES, RESOURCES, CpuTime, Snapshot


def spent(before: CpuTime | None, after: CpuTime | None) -> CpuTime | None:
    """What was spent between the two. Some counters may step back by a tick (proc(5) on iowait), never below nothing."""
    if before is None or after is None:
        return None
    return CpuTime(**{name: max(0.0, getattr(after, name) - getattr(before, name)) for name in CPU_TIMES})


def throttled(before: Snapshot, after: Snapshot) -> int | None:
    """How often CPUs were slowed down between the two, summed over those that could be read both times."""
    both = before.throttles.keys() & after.throttles.keys()
    return sum(max(0, after.throttles[name] - before.throttles[name]) for name in both) if both else None


def passed(before: float | None, after: float | None) -> float | None:
    """How far a counter went; None where it was not read twice, or went back."""
    return None if before is None or after is None or after < before else after - before


def described(before: Snapshot, after: Snapshot) -> dict[str, str]:
    """Both for a boot's environment: states as `... before` and `... after`, counters as `... during`."""
    states = {f"{what} {when}": value for when, now in (("before", before), ("after", after)) for what, value in _states(now)}
    cpu = spent(before.cpu, after.cpu)
    wall = passed(before.uptime_seconds, after.uptime_seconds)
    swapped = passed(before.swapped_bytes, after.swapped_bytes)
    slowed = throttled(before, after)
    found = {
        **states,
        "uptime before": _said(before.uptime_seconds, "{:.2f} s"),
        "time during": _said(wall, "{:.2f} s"),
        "CPU time during": cpu and ", ".join(f"{name} {getattr(cpu, name):.2f} s" for name in CPU_TIMES),
        "swapped during": _said(swapped, "{:.0f} bytes"),
        "throttling during": _said(slowed, "{:.0f} times"),
        **{f"{what} pressure during": _said(waited(before, after, what), "{:.6f} s") for what in RESOURCES},
    }
    return {fact: value for fact, value in found.items() if value}


def waited(before: Snapshot, after: Snapshot, what: str) -> float | None:
    """Seconds between the two in which some task waited for `what`, a key of RESOURCES."""
    seconds = (now.pressure[what].seconds if what in now.pressure else None for now in (before, after))
    return passed(*seconds)


def _states(now: Snapshot) -> Iterator[tuple[str, str | None]]:
    mhz = now.frequencies_mhz
    yield "load", now.load and " ".join(f"{value:.2f}" for value in now.load)
    yield "runnable tasks", _said(now.runnable, "{}")
    yield "frequency", f"{min(mhz):.0f}..{max(mhz):.0f} MHz" if mhz else None
    yield "temperature", _said(now.temperature_c, "{:.1f} C")
    yield "available memory", _said(now.available_mib, "{} MiB")
    for what, pressure in now.pressure.items():
        yield f"{what} pressure", f"{pressure.percent:.2f} %"


def _said(value: float | None, form: str) -> str | None:
    return None if value is None else form.format(value)
