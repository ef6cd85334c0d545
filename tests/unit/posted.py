"""Runs whose results are made up so that their reports are those of mails on LKML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
from tests.unit.builders import kernel, record, run_record

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.plan import LOCAL, BoxSpec, Plan, Repeat, Rule
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sample import Sample
from kdelta.model.variant import Variant
from kdelta.workload.catalogue import by_name

Results = Mapping[str, Sequence[float]]
"""Metric -> the values that are judged."""
FIXED = Rule(repeat=Repeat.FIXED)


@dataclass(frozen=True)
class Posted:
    run: RunRecord
    records: list[BootRecord]

    @property
    def plan(self) -> Plan:
        return self.run.plan


def samples(benchmark: Benchmark, results: Results, *, discarded: str = "") -> tuple[Sample, ...]:
    units = {metric.name: metric.unit for metric in benchmark.metrics}
    return tuple(
        Sample(
            benchmark=benchmark.name,
            metric=metric,
            iteration=iteration,
            warmup=False,
            value=value,
            unit=units[metric],
            discarded=discarded,
        )
        for metric, values in results.items()
        for iteration, value in enumerate(values)
    )


def visit(benchmarks: Sequence[Benchmark], results: Mapping[str, Results], *, environment: Mapping[str, str] | None = None) -> Boot:
    """One in which those that are in `results` ended well, and the others failed."""
    return Boot(
        outcome=Outcome.DONE,
        cells=tuple(
            Cell(one.name, CellState.OK) if one.name in results else Cell(one.name, CellState.FAILED, "exit status 2: no memory")
            for one in benchmarks
        ),
        samples=tuple(sample for one in benchmarks for sample in samples(one, results.get(one.name, {}))),
        environment=dict(environment or {}),
    )


def posted(
    benchmarks: Sequence[Benchmark],
    visits: Mapping[str, Sequence[Mapping[str, Results]]],
    *,
    box: BoxSpec,
    rounds: int = 1,
    bind: str = "",
    rule: Rule = FIXED,
    environment: Mapping[str, str] | None = None,
) -> Posted:
    """A run with a variant for each key of `visits`, and its visits by round."""
    plan = Plan(
        baseline=next(iter(visits)),
        variants=tuple(Variant(name=name, kernel="running", bind=bind) for name in visits),
        boxes=(box,),
        benchmarks=tuple(benchmarks),
        seeds=rounds,
        rule=rule,
    )
    records = [
        record(visit(benchmarks, results, environment=environment), name, seed=seed, box=box.name)
        for name, each in visits.items()
        for seed, results in enumerate(each, start=1)
    ]
    return Posted(run_record(plan, {name: kernel(name) for name in visits}), records)


def around(mean: float, sd: float) -> tuple[float, float, float]:
    """Three results with that mean and standard deviation."""
    return mean - sd, mean, mean + sd


# ---- Martin J. Bligh, "2.6.8-rc2-mm2 performance improvements", 2004 ----

NUMAQ = BoxSpec(name="NUMA-Q", kind=LOCAL, cpus=16)
BLIGH = ("2.6.7", "2.6.8-rc2", "2.6.8-rc2-mm2")
# load -> elapsed, system, user and CPU of each kernel
BUILDS = {
    "2x": ((45.37, 90.91, 579.75, 1479.33), (45.05, 88.53, 577.87, 1485.67), (44.09, 78.84, 577.01, 1486.33)),
    "16x": ((44.77, 97.96, 576.59, 1507.00), (44.83, 96.00, 575.50, 1497.33), (43.43, 86.04, 576.26, 1524.33)),
    "maximal": ((44.25, 88.95, 575.63, 1501.33), (44.03, 87.74, 573.82, 1503.67), (43.75, 86.68, 576.98, 1518.00)),
}
# scripts -> throughput and standard deviation of each kernel, in percent
SCRIPTS = {
    1: ((100.0, 1.0), (95.9, 2.3), (111.5, 3.3)),
    2: ((100.0, 0.0), (100.5, 1.4), (115.1, 4.0)),
    4: ((100.0, 1.0), (99.2, 1.1), (111.9, 0.5)),
    8: ((100.0, 0.2), (100.2, 1.0), (117.4, 0.9)),
    16: ((100.0, 0.3), (99.5, 0.3), (118.5, 0.6)),
    32: ((100.0, 0.3), (99.7, 0.4), (102.1, 0.8)),
    64: ((100.0, 0.2), (101.6, 0.4), (103.2, 0.0)),
    128: ((100.0, 0.2), (100.2, 0.1), (103.0, 0.3)),
}
FIRST_SCRIPTS_PER_HOUR = 5432.1


def build(elapsed: float, system: float, user: float, cpu: float) -> dict[str, tuple[float, float, float]]:
    """Three builds with those means."""
    means = {"elapsed_s": elapsed, "system_s": system, "user_s": user, "percent_cpu": cpu}
    counts = {"context_switches": 40000.0, "sleeps": 98000.0, "peak_tasks": 1300.0}
    return {metric: around(mean, mean / 100.0) for metric, mean in {**means, **counts}.items()}


def kernbench_of_2004() -> Posted:
    benchmarks = [by_name()[f"kernbench-{load}"] for load in BUILDS]
    visits = {
        name: [{f"kernbench-{load}": build(*means[place]) for load, means in BUILDS.items()}] for place, name in enumerate(BLIGH)
    }
    return posted(benchmarks, visits, box=NUMAQ)


def sdet_of_2004() -> Posted:
    benchmarks = [by_name()[f"sdet-{scripts}"] for scripts in SCRIPTS]
    visits = {
        name: [{f"sdet-{scripts}": _throughput(*of[place]) for scripts, of in SCRIPTS.items()}] for place, name in enumerate(BLIGH)
    }
    return posted(benchmarks, visits, box=NUMAQ)


def _throughput(percent: float, sd_percent: float) -> Results:
    mean = FIRST_SCRIPTS_PER_HOUR * percent / 100.0
    return {"throughput": around(mean, mean * sd_percent / 100.0)}


# ---- Ingo Molnar, "sched: remove smpnice", 2006 ----

P4_XEON = BoxSpec(name="HT P4-Xeon", kind=LOCAL, cpus=4)
MOLNAR = ("v2.6.15", "-rc2", "-rc2-nosmpnice", "-rc2-smpnice2")
SMPNICE = {
    "ctx-2": (3.51, 4.13, 4.68, 3.65),
    "ctx-20": (4.44, 4.72, 4.41, 4.40),
    "ctx-200": (8.15, 8.58, 8.54, 8.06),
    "mmap": (784.00, 756.00, 768.00, 763.00),
    "select": (69.17, 70.09, 69.04, 69.24),
    "proc-exec": (153.77, 156.03, 158.14, 158.11),
    "proc-fork": (136.66, 137.83, 138.78, 139.79),
    # The mail says 4.82 (-4%). From 4.82 itself follows -3.98 %, which is -3 when truncated: 4.817 is one that gives both.
    "syscall-open": (5.02, 4.66, 4.817, 4.77),
    "hackbench-10": (0.77, 0.82, 0.85, 0.79),
    "hackbench-20": (1.56, 1.49, 1.38, 1.42),
    "hackbench-50": (4.20, 4.02, 3.57, 3.48),
    "volano": (18.53, 20.07, 19.09, 19.33),
}


def smpnice() -> Posted:
    """Each visit with three results within 1 %, the least of them the mail's, after one that lay outside."""
    benchmarks = [by_name()[name] for name in SMPNICE]
    visits = {
        name: [{one.name: {"time": _settled(one, SMPNICE[one.name][place])} for one in benchmarks}]
        for place, name in enumerate(MOLNAR)
    }
    found = posted(benchmarks, visits, box=P4_XEON, rule=Rule())
    records = [msgspec.structs.replace(one, boot=_with_outliers(one.boot, benchmarks)) for one in found.records]
    return Posted(found.run, records)


def _settled(benchmark: Benchmark, shown: float) -> Sequence[float]:
    """Nanoseconds of one operation, from microseconds of one, or from seconds of a whole test."""
    least = 1000.0 * shown if benchmark.classic == 1 else 1e9 * shown / benchmark.classic
    return 1.008 * least, least, 1.004 * least


def _with_outliers(boot: Boot, benchmarks: Sequence[Benchmark]) -> Boot:
    """A result so small that it would be seen, before the others, and a warm-up, of each benchmark."""
    odd = [one for each in benchmarks for one in samples(each, {"time": [0.5]}, discarded="followed by 3 results within 1.00%")]
    warm = [msgspec.structs.replace(one, iteration=-1, warmup=True, discarded="") for one in odd]
    later = [msgspec.structs.replace(one, iteration=one.iteration + 1) for one in boot.samples]
    return msgspec.structs.replace(boot, samples=(*warm, *odd, *later))


# ---- Srivatsa S. Bhat on the sorted-buddy allocator, 2012 ----

BHAT = {
    "Vanilla 3.7-rc3": {
        "elapsed_s": (330.39, 0.746257),
        "user_s": (4283.63, 3.39617),
        "system_s": (604.783, 2.72629),
        "percent_cpu": (1479.0, 3.60555),
        "context_switches": (845634.0, 6031.22),
        "sleeps": (833655.0, 6652.17),
        "peak_tasks": (134.0, 2.5),
    },
    "Sorted-buddy": {
        "elapsed_s": (329.967, 2.76789),
        "user_s": (4230.02, 2.15324),
        "system_s": (599.793, 1.09988),
        "percent_cpu": (1463.33, 11.3725),
        "context_switches": (840530.0, 1646.75),
        "sleeps": (833732.0, 2227.68),
        "peak_tasks": (133.0, 1.0),
    },
}
QUAD_CORES = BoxSpec(name="2-socket quad-core", kind=LOCAL, cpus=8)


def sorted_buddy() -> Posted:
    optimal = by_name()["kernbench-optimal"]
    visits = {name: [{optimal.name: {metric: around(*of) for metric, of in means.items()}}] for name, means in BHAT.items()}
    return posted([optimal], visits, box=QUAD_CORES)


# ---- Nick Piggin on locking pages, 2007 ----

PIGGIN = {
    "2.6.21": {"pagefault": (1.67, 1.69), "fork": (140.7, 142.0), "exec": (449.5, 460.8)},
    "+patch": {"pagefault": (1.75, 1.77), "fork": (144.0, 145.5), "exec": (456.2, 463.0)},
}
P4 = BoxSpec(name="P4 Xeon", kind=LOCAL, cpus=2)


def lock_page(rounds: int = 1) -> Posted:
    """The ends of each range are two results in one visit, or one in each of two."""
    names = {"pagefault": "pagefault", "fork": "proc-fork", "exec": "proc-exec"}
    benchmarks = [msgspec.structs.replace(by_name()[full], name=name) for name, full in names.items()]
    within = {
        name: [{one: {"time": [1000.0 * end for end in reversed(ends)]} for one, ends in of.items()}] for name, of in PIGGIN.items()
    }
    apart = {
        name: [{one: {"time": [1000.0 * ends[place]]} for one, ends in of.items()} for place in (1, 0)]
        for name, of in PIGGIN.items()
    }
    return posted(benchmarks, within if rounds == 1 else apart, box=P4, rounds=rounds, bind="0")
