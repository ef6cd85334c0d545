"""What a benchmark needs much of: descriptors and tasks at once, from its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.workload.catalogue import PARAMETERS

SPARE = 32
"""What every program has open and running besides."""
FAN = 20
"""Senders, and receivers, of a group of hackbench."""

Parameters = Mapping[str, int]


def _ctx(parameters: Parameters) -> tuple[int, int]:
    return 2 * parameters["procs"], parameters["procs"]


def _hackbench(parameters: Parameters) -> tuple[int, int]:
    return 2 * FAN * parameters["groups"], 2 * FAN * parameters["groups"]


def _volano(parameters: Parameters) -> tuple[int, int]:
    connections = parameters["rooms"] * parameters["users"]
    return connections, 4 * connections


# program -> (descriptors of one process, tasks in all)
DEMANDS: dict[str, Callable[[Parameters], tuple[int, int]]] = {
    "ctx": _ctx,
    "hackbench": _hackbench,
    "volano": _volano,
    "select": lambda parameters: (parameters["descriptors"], 1),
    "pagefault": lambda parameters: (0, parameters["procs"]),
    "sdet": lambda parameters: (0, 5 * parameters["scripts"]),
}


def with_demands(benchmark: Benchmark) -> Benchmark:
    """`benchmark` with its `descriptors` and `tasks`."""
    demand = DEMANDS.get(benchmark.program)
    if demand is None or benchmark.command:
        return benchmark
    given = {parameter.name: parameter.default for parameter in PARAMETERS[benchmark.program]} | benchmark.parameters
    descriptors, tasks = demand({name: int(value) for name, value in given.items() if value.isdigit()})
    return msgspec.structs.replace(benchmark, descriptors=descriptors + SPARE, tasks=tasks + SPARE)
