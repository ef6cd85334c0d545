"""More runs whose reports are those of mails on LKML: further boxes and kernels, and differences of profiles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
from tests.unit.builders import kernel
from tests.unit.posted import (
    BHAT,
    FIRST_SCRIPTS_PER_HOUR,
    MOLNAR,
    NUMAQ,
    P4,
    PIGGIN,
    Posted,
    around,
    build,
    lock_page,
    posted,
    smpnice,
    sorted_buddy,
)
from tests.unit.verdicts import ON_ATHLON, ON_UP

from kdelta.model.benchmark import Benchmark
from kdelta.model.plan import LOCAL, BoxSpec, Rule
from kdelta.model.profile import TICKS
from kdelta.profile.change import Change, Difference, Side
from kdelta.profile.explained import Explained, Where
from kdelta.profile.profiled import Profiled
from kdelta.workload.catalogue import by_name

# ---- Ingo Molnar, "sched: remove smpnice", 2006 ----

HYPERTHREADED = {"topology": "2 sockets, 2 cores, 4 threads"}
DUAL_CORE = {"topology": "1 socket, 2 cores, 2 threads"}
LONE = {"topology": "1 socket, 1 core, 1 thread"}
ATHLON, UP = BoxSpec(name="dual-core Athlon64", kind=LOCAL, cpus=2), BoxSpec(name="P4", kind=LOCAL)

# The mail computed its percentages from more digits than it shows. Where what it shows leads elsewhere, here are digits from which
# both follow: (benchmark, column) -> the value behind the one that is shown.
BEHIND_ATHLON = {
    ("hackbench-10", 2): 0.6049,  # 0.60 (  0%): from 0.61 and 0.60 follows -1.64 %
    ("hackbench-50", 1): 2.884,  # 2.88 (  6%): from 2.72 and 2.88 follows 5.88 %
    ("volano", 1): 10.261,  # 10.26 (  6%): from 9.68 and 10.26 follows 5.99 %
}
BEHIND_UP = {
    ("hackbench-10", 0): 1.924,  # 1.92 and 1.85 ( -4%): from these follows -3.65 %
    ("hackbench-10", 3): 1.846,
    ("hackbench-20", 2): 3.646,  # 3.65 ( -6%): from 3.88 and 3.65 follows -5.93 %
}
# The third table has its rows in an order of its own.
UP_ORDER: tuple[str, ...] = ("mmap", "ctx-2", "select", "ctx-20", "ctx-200", "proc-exec", "proc-fork", "syscall-open")
UP_ORDER += ("hackbench-10", "hackbench-20", "hackbench-50", "volano")


def on_hyperthreads() -> Posted:
    return _on(HYPERTHREADED, smpnice())


def on_two_cores() -> Posted:
    return _least(ATHLON, ON_ATHLON, BEHIND_ATHLON, DUAL_CORE)


def on_one_cpu() -> Posted:
    return _least(UP, {name: ON_UP[name] for name in UP_ORDER}, BEHIND_UP, LONE)


def _on(environment: Mapping[str, str], found: Posted) -> Posted:
    records = [
        msgspec.structs.replace(one, boot=msgspec.structs.replace(one.boot, environment=dict(environment))) for one in found.records
    ]
    return Posted(found.run, records)


def _least(
    box: BoxSpec, values: Mapping[str, Sequence[float]], behind: Mapping[tuple[str, int], float], environment: Mapping[str, str]
) -> Posted:
    """Three results of each, of which the least is the mail's."""
    benchmarks = [by_name()[name] for name in values]
    visits = {
        column: [{one.name: {"time": _settled(one, behind.get((one.name, place), values[one.name][place]))} for one in benchmarks}]
        for place, column in enumerate(MOLNAR)
    }
    return posted(benchmarks, visits, box=box, rule=Rule(), environment=environment)


def _settled(benchmark: Benchmark, shown: float) -> Sequence[float]:
    least = 1000.0 * shown if benchmark.classic == 1 else 1e9 * shown / benchmark.classic
    return 1.008 * least, least, 1.004 * least


# ---- Martin J. Bligh on 2.5.66-mm2 with ext2 and ext3, 2003 ----

EXT3 = {
    "2.5.66-mm2": ((44.04, 81.12, 569.40, 1476.75), (44.43, 84.10, 568.82, 1469.00)),
    "2.5.61-mjb0.1": ((46.04, 115.46, 563.07, 1472.25), (48.45, 143.79, 564.14, 1459.00)),
    "2.5.65-mjb1": ((43.73, 81.69, 563.54, 1475.00), (44.13, 79.77, 564.56, 1460.25)),
}
EXT3_SCRIPTS = ((100.0, 0.7), (4.7, 1.5))
RAW_PROFILE = {
    "default_idle": 4478683,
    "__down": 307163,
    ".text.lock.sched": 169770,
    "schedule": 106769,
    "__wake_up": 88092,
    ".text.lock.transaction": 57280,
}
RAW_TOTAL = 5392317


def ext3(name: str) -> Posted:
    """Builds; and with 2.5.66-mm2 the scripts too, as they were posted together."""
    benchmarks = [by_name()["kernbench-2x"]]
    with_scripts = name == "2.5.66-mm2"
    benchmarks += [by_name()["sdet-32"]] if with_scripts else []
    visits = {}
    for column, means, (percent, sd) in zip((name, f"{name}-ext3"), EXT3[name], EXT3_SCRIPTS, strict=True):
        mean = FIRST_SCRIPTS_PER_HOUR * percent / 100.0
        scripts = {"sdet-32": {"throughput": around(mean, mean * sd / 100.0)}} if with_scripts else {}
        visits[column] = [{"kernbench-2x": build(*means), **scripts}]
    return posted(benchmarks, visits, box=NUMAQ)


# ---- Srivatsa S. Bhat, 2012; Nick Piggin, 2007 ----

RELEASES = dict(zip(BHAT, ("3.7.0-rc3", "3.7.0-rc3-sorted-buddy"), strict=True))


def sorted_buddy_kernels() -> Posted:
    """With what the kernels call themselves."""
    found = sorted_buddy()
    return Posted(
        msgspec.structs.replace(found.run, kernels={name: kernel(release) for name, release in RELEASES.items()}), found.records
    )


PIGGIN_G5 = {
    "2.6.21": {"pagefault": (1.49, 1.51), "fork": (164.6, 170.8), "exec": (741.8, 760.3)},
    "+patch": {"pagefault": (1.71, 1.73), "fork": (175.2, 180.8), "exec": (780.5, 794.2)},
}
G5 = BoxSpec(name="G5", kind=LOCAL, cpus=2)


def lock_page_on_both() -> Posted:
    """The P4 Xeon and the G5 in one run."""
    first = lock_page()
    of = {
        name: [{one: {"time": [1000.0 * end for end in reversed(ends)]} for one, ends in values.items()}]
        for name, values in PIGGIN_G5.items()
    }
    second = posted(first.plan.benchmarks, of, box=G5, bind="0")
    plan = msgspec.structs.replace(first.plan, boxes=(P4, G5))
    assert set(PIGGIN) == set(PIGGIN_G5)
    return Posted(msgspec.structs.replace(first.run, plan=plan), [*first.records, *second.records])


# ---- differences of profiles ----

TOTAL = "total"
UNSEEN = 0.4
"""By how much each of the functions changes that no mail shows: it would be printed as 0."""


def difference(rows: Sequence[str], new: str) -> Difference:
    """Counts of which `rows`, as they were posted, are the difference: `-7468    -5.4% total` among them.

    The mails show differences and percentages, so the old counts are whole numbers from which those follow. What is not listed
    is many functions that each changed by less than is shown, and makes up the rest of the total.
    """
    read = [(float(delta), float(percent.rstrip("%")), name) for delta, percent, name in map(str.split, rows)]
    listed = [_change(*row) for row in read if row[2] != TOTAL]
    whole = next(_change(*row) for row in read if row[2] == TOTAL)
    delta = whole.delta - math.fsum(one.delta for one in listed)
    old = (whole.old or 0.0) - math.fsum(one.old or 0.0 for one in listed)
    many = math.ceil(abs(delta) / UNSEEN)
    assert old > abs(delta)
    rest = [Change(name=f"rest_{place}", old=old / many, new=(old + delta) / many) for place in range(many)]
    return Difference(old="old", new=new, changes=(*listed, *rest), unit=TICKS)


def _change(delta: float, percent: float, name: str) -> Change:
    """With the least whole old count from which both follow, and the greatest for the total: it holds all others."""
    size, rounding = abs(percent), -0.05 if name == TOTAL else 0.05
    first, step = round(100.0 * abs(delta) / (size + rounding)), -1 if name == TOTAL else 1
    counts = range(max(first - 2 * step, int(-delta)), first + 2000 * step, step)
    old = next(count for count in counts if f"{100.0 * delta / count:.1f}" == f"{percent:.1f}")
    return Change(name=name, old=float(old), new=old + delta)


def where(benchmark: str, found: Difference, box: BoxSpec = NUMAQ) -> Where:
    """Of which nothing but the difference is known."""
    old, new = (Profiled(side=Side(name=name, counts=({},), unit=TICKS)) for name in (found.old, found.new))
    return Where(box.name, benchmark, Explained(old, new, found, (), None))
