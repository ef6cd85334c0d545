"""Benchmarks that are one program under several loads: SDET of 1 to 128 scripts, kernbench's jobs, hackbench's groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kdelta.model.benchmark import Benchmark
from kdelta.model.plan import Plan
from kdelta.report.loads import LOADS

SINGLE = "single"


@dataclass(frozen=True)
class Member:
    """A benchmark with its load: a number above 0, or a word of kernbench's."""

    load: str
    benchmark: Benchmark


@dataclass(frozen=True)
class Family:
    """At least two members of `program` that differ in `parameter` alone, the least load first where all are numbers."""

    program: str
    parameter: str
    members: tuple[Member, ...]

    @property
    def is_numeric(self) -> bool:
        return all(member.load.isdecimal() for member in self.members)


def families(plan: Plan) -> tuple[Family, ...]:
    """In the order in which their first members stand in `plan`. A load that is met twice belongs to its first benchmark.

    Of a benchmark that leaves the parameter to its program, the load is the number behind its name, where another one of the
    family is called so: `ctx-2` beside `ctx-20`. Users' own commands have no loads.
    """
    found: dict[object, Family] = {}
    own = [benchmark for benchmark in plan.benchmarks if benchmark.command is None]
    for benchmark in own:
        for parameter in {name: None for each in own if each.program == benchmark.program for name in each.parameters}:
            key = (parameter, *_rest(benchmark, parameter))
            if key not in found:
                alike = [one for one in own if (parameter, *_rest(one, parameter)) == key]
                found[key] = Family(benchmark.program, parameter, tuple(_members(alike, parameter)))
    return tuple(family for family in found.values() if len(family.members) > 1)


def _rest(benchmark: Benchmark, parameter: str) -> tuple[object, ...]:
    """All that members of a family share."""
    others = tuple(sorted(item for item in benchmark.parameters.items() if item[0] != parameter))
    return benchmark.program, benchmark.metrics, benchmark.getppid, others


def _members(alike: Sequence[Benchmark], parameter: str) -> Iterator[Member]:
    prefixes = {prefix for one in alike if (prefix := _prefix(one, parameter))}
    found: dict[str, Benchmark] = {}
    for one in alike:
        load = one.parameters.get(parameter) or _named(one.name, prefixes)
        if load in LOADS or _is_number(load):
            found.setdefault(load, one)
    loads = sorted(found, key=int) if all(map(_is_number, found)) else list(found)
    return (Member(load, found[load]) for load in loads)


def _is_number(load: str) -> bool:
    return load.isdecimal() and load.isascii() and len(load) < 16 and int(load) > 0


def _prefix(benchmark: Benchmark, parameter: str) -> str:
    """`ctx` of `ctx-20` with 20 processes; empty where the name does not end in the load."""
    end = f"-{benchmark.parameters.get(parameter, '')}"
    return benchmark.name.removesuffix(end) if len(end) > 1 and benchmark.name.endswith(end) else ""


def _named(name: str, prefixes: set[str]) -> str:
    prefix, _, load = name.rpartition("-")
    return load if prefix in prefixes else ""


def jobs(load: str, cpus: int) -> float:
    """How many jobs kernbench runs at once under `load`, for so many CPUs: what its loads are ordered by."""
    if load not in LOADS:
        return float(load)
    count = LOADS[load].jobs
    return 1.0 if load == SINGLE else math.inf if count is None else float(count(cpus))
