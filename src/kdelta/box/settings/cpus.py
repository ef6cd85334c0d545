"""Which CPUs are online, and which the workloads may use."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from kdelta.box.settings import mounts
from kdelta.box.settings.change import Bind, Online, SmtOff
from kdelta.box.settings.entry import Values
from kdelta.box.settings.errors import RefusedError, refused
from kdelta.box.settings.host import Host
from kdelta.box.settings.work import Visit, Work
from kdelta.model.cpus import cpu_list

CPUS = "/sys/devices/system/cpu"
SMT = f"{CPUS}/smt/control"


def online(work: Work, change: Online, visit: Visit) -> Visit:
    """Bring the wanted CPUs online, then take the others offline, each in ascending order."""
    host = work.host
    now = _require(host, "online", change.cpus, "present")
    leaving = now - change.cpus
    _remember(work, leaving, change.cpus)
    for cpu in (*sorted(change.cpus - now), *sorted(leaving)):
        _switch(work, cpu, "1" if cpu in change.cpus else "0")
    left = _now(host)
    if left != change.cpus:
        raise RefusedError(f"`online`: CPUs {_text(change.cpus)} were wanted, and {_text(left)} are online")
    return visit


def bind(work: Work, change: Bind, visit: Visit) -> Visit:
    """Nothing is changed, but tried, since a cpuset may forbid what the machine has.

    By a thread of its own: what sched_getaffinity gives lacks the CPUs that are offline, so a former set cannot be put back.
    """
    _require(work.host, "bind", change.cpus, "online")
    why = f"this process may not use CPUs {_text(change.cpus)}"
    with refused("bind", why, "give it a cpuset that has them"), ThreadPoolExecutor(max_workers=1) as other:
        other.submit(os.sched_setaffinity, 0, change.cpus).result()
    return dataclasses.replace(visit, cpus=change.cpus)


def smt_off(work: Work, change: SmtOff, visit: Visit) -> Visit:
    """Raises RefusedError where there is nothing to turn off: Documentation/ABI/testing/sysfs-devices-system-cpu."""
    host = work.host
    state = host.read(SMT).strip() if host.exists(SMT) else "not there"
    if state in ("off", "forceoff"):
        return visit
    if state != "on":
        raise RefusedError(f"`quiet`: this machine has no SMT ({SMT}: {state})", "leave `smt` out of `quiet`")
    staying = frozenset(_first_threads(host))
    _remember(work, _now(host) - staying, staying)
    cpus = tuple((path, host.read(path).strip()) for path in host.glob(f"{CPUS}/cpu[0-9]*/online"))
    work.note(Values(((SMT, state), *cpus)))
    with refused("quiet", f"{SMT} did not take 'off'"):
        host.write(SMT, "off")
    if host.read(SMT).strip() != "off":
        raise RefusedError(f"`quiet`: {SMT} was set to 'off' and says '{host.read(SMT).strip()}'")
    return visit


def _first_threads(host: Host) -> Iterator[int]:
    """Of each core the thread that stays."""
    for path in host.glob(f"{CPUS}/cpu[0-9]*/topology/thread_siblings_list"):
        yield min(cpu_list(host.read(path)))


def _now(host: Host) -> frozenset[int]:
    return cpu_list(host.read(f"{CPUS}/online"))


def _require(host: Host, key: str, wanted: frozenset[int], state: str) -> frozenset[int]:
    """The CPUs that are online. Raises RefusedError where one of the wanted is not in `state`."""
    there = cpu_list(host.read(f"{CPUS}/{state}"))
    if not wanted or wanted - there:
        what = f"CPUs {_text(wanted - there)} are not {state}" if wanted else "no CPU is named"
        raise RefusedError(f"`{key}`: {what}", f"{state} here: {_text(there)}")
    return _now(host)


def _switch(work: Work, cpu: int, wanted: str) -> None:
    path = f"{CPUS}/cpu{cpu}/online"
    if not work.host.exists(path):
        raise RefusedError(f"`online`: CPU {cpu} cannot be taken offline on this machine", f"add {cpu} to `online`")
    work.note(Values(((path, work.host.read(path).strip()),)))
    with refused("online", f"CPU {cpu} cannot be taken {'online' if wanted == '1' else 'offline'}"):
        work.host.write(path, wanted)


def _remember(work: Work, leaving: frozenset[int], staying: frozenset[int]) -> None:
    """Note what the kernel changes when CPUs leave, and does not change back when they return."""
    values = (*_interrupts(work.host, staying), *_cpusets(work.host, leaving))
    if leaving and values:
        work.note(Values(values))


def _interrupts(host: Host, staying: frozenset[int]) -> Iterator[tuple[str, str]]:
    """An interrupt none of whose CPUs stays is let loose on all."""
    for path, text in _read(host, host.glob("/proc/irq/*/smp_affinity_list")):
        if not cpu_list(text) & staying:
            yield path, text


def _cpusets(host: Host, leaving: frozenset[int]) -> Iterator[tuple[str, str]]:
    """Version 1 takes a CPU that leaves out of every cpuset: Documentation/admin-guide/cgroup-v1/cpusets.rst. Parents first."""
    places = [mount.point for mount in mounts.mounts(host) if mount.type == "cgroup" and "cpuset" in mount.options]
    for place in dict.fromkeys(places):
        for path, text in _read(host, host.glob(f"{place}/*/**/cpuset.cpus")):
            if cpu_list(text) & leaving:
                yield path, text


def _read(host: Host, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        with contextlib.suppress(OSError):
            yield path, host.read(path).strip()


def _text(cpus: Iterable[int]) -> str:
    return ",".join(map(str, sorted(cpus))) or "none"
