"""The loads of kernbench as its two reports call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kdelta.model.benchmark import Benchmark

PARAMETER, USUAL = "load", "optimal"
JOBS = "jobs"
"""What a log of others says of a load."""


class Load(NamedTuple):
    """`words` are those of Martin J. Bligh's title, `title` those of kernbench.log; `jobs` is what stands behind -j, for so many
    CPUs, where the load has such a number.
    """

    words: str
    title: str
    jobs: Callable[[int], int] | None = None


# As csrc/workloads/kernbench.c makes them. A log knows the first three and the last; all others are custom loads.
LOADS = {
    "single": Load("make -j 1 {}, single task", "Single threaded"),
    "half": Load("make -j N {}, where N = num_cpus / 2", "Half load", lambda cpus: max(1, cpus // 2)),
    "optimal": Load("make -j N {}, where N = 4 x num_cpus", "Optimal load", lambda cpus: 4 * cpus),
    "2x": Load("make -j N {}, where N = 2 x num_cpus", "Custom load", lambda cpus: 2 * cpus),
    "16x": Load("make -j N {}, where N = 16 x num_cpus", "Custom load", lambda cpus: 16 * cpus),
    "maximal": Load("make -j {}, maximal tasks", "Maximal load -j"),
}


def words(benchmark: Benchmark) -> str:
    """`make -j N vmlinux, where N = 2 x num_cpus`."""
    return _load(benchmark).words.format(benchmark.parameters.get("target", "vmlinux"))


def title(benchmark: Benchmark, cpus: int | None) -> str:
    """`Optimal load -j 32`; without the number where neither that of the CPUs nor of the jobs is known."""
    load, jobs = _load(benchmark), benchmark.parameters.get(JOBS)
    if jobs:
        return f"{load.title.removesuffix(f' -j {jobs}')} -j {jobs}"
    return load.title if load.jobs is None or cpus is None else f"{load.title} -j {load.jobs(cpus)}"


def _load(benchmark: Benchmark) -> Load:
    name = benchmark.parameters.get(PARAMETER, USUAL)
    return LOADS.get(name) or Load(f"make -j {name} {{}}", f"Custom load -j {name}")
