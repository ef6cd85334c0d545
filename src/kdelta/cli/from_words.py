"""A plan from the options of `kdelta run`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from kdelta.model.benchmark import Benchmark, Better, Command, Metric
from kdelta.model.errors import MisuseError
from kdelta.model.plan import EXACT, LOCAL, BoxSpec, Plan, Rule
from kdelta.model.variant import Variant
from kdelta.plan import units, words
from kdelta.plan.check import RUNNING, check
from kdelta.plan.file import MOST_RESULTS, RULES, usual_rounds
from kdelta.plan.twin import against_itself
from kdelta.workload.command import command
from kdelta.workload.select import select

# `kdelta run` alone: the quick suite on this machine, three rounds, in under two minutes whatever the machine does.
QUICK = "quick"
QUICK_LIMIT_SECONDS = 2.5
QUICK_BUDGET_SECONDS = 70.0


@dataclass(frozen=True)
class Words:
    """The options of `kdelta run` that make a plan."""

    kernels: Sequence[str]
    benchmarks: Sequence[str]
    exact: bool
    seeds: int | None
    first_seed: int
    cpus: int
    memory: int
    no_chains: bool
    baseline: str | None
    rule: str
    margin: str
    alpha: str
    results: int
    spread: str
    most: int | None
    limit: str | None
    budget: str | None
    profiles: int
    tree: str | None
    config: str | None
    quiet: str | None
    drop_caches: bool
    run: str | None
    regex: str
    json: str
    unit: str | None
    better: str


def plan(given: Words, *, aa: bool = False) -> Plan:
    """The plan that the options describe, with `aa` that of its baseline against itself. Raises MisuseError."""
    variants = words.variants(given.kernels) or (Variant(name=RUNNING, kernel=RUNNING),)
    if given.exact and not given.kernels:
        raise MisuseError("no kernel is named", "kdelta run -k apt:oldest -k apt:newest -b quick --exact; or give a plan file")
    alone = not (given.kernels or given.benchmarks or given.run or given.exact)
    made = Plan(
        baseline=given.baseline or variants[0].name,
        variants=variants,
        boxes=(_box(given),),
        benchmarks=_benchmarks(given),
        seeds=usual_rounds(given.rule) if given.seeds is None else given.seeds,
        rule=_rule(given, QUICK_LIMIT_SECONDS if alone else None),
        budget_seconds=_budget(given, QUICK_BUDGET_SECONDS if alone else None),
        first_seed=given.first_seed,
        sequential=RULES[given.rule][1],
        margin=units.share("--margin", given.margin),
        alpha=units.share("--alpha", given.alpha),
        profiles=given.profiles,
    )
    return check(against_itself(made) if aa else made)


def _box(given: Words) -> BoxSpec:
    quiet = tuple(name for name in (given.quiet or "").split(",") if name)
    if given.exact:
        guest = BoxSpec(name=EXACT, kind=EXACT, cpus=given.cpus, memory=given.memory, chains=not given.no_chains)
        return msgspec.structs.replace(guest, quiet=quiet, drop_caches=given.drop_caches)
    return BoxSpec(name=LOCAL, kind=LOCAL, quiet=quiet, drop_caches=given.drop_caches)


def _benchmarks(given: Words) -> tuple[Benchmark, ...]:
    settings = {key: value for key, value in (("tree", given.tree), ("config", given.config)) if value is not None}
    own = (_command(given),) if given.run else ()
    if given.run and not given.benchmarks:
        return own
    return (*select(given.benchmarks or (QUICK,), settings), *own)


def _command(given: Words) -> Benchmark:
    if given.unit is None:
        raise MisuseError("--command needs --unit", "say what its metric is in: --unit ms")
    name = os.path.basename((given.run or "").split(maxsplit=1)[0]) if (given.run or "").strip() else "command"
    how = Command(words=(), regex=given.regex, json=given.json)
    return command(name, given.run or "", how, Metric("metric", given.unit, Better(given.better)))


def _rule(given: Words, limit_seconds: float | None) -> Rule:
    return Rule(
        repeat=RULES[given.rule][0],
        results=given.results,
        spread=units.share("--spread", given.spread),
        most=max(MOST_RESULTS, given.results) if given.most is None else given.most,
        limit_seconds=limit_seconds if given.limit is None else units.seconds("--limit", given.limit),
    )


def _budget(given: Words, otherwise: float | None) -> float | None:
    return otherwise if given.budget is None else units.seconds("--budget", given.budget)
