"""Verdicts on every metric of a published run, and which of them change once its averages are repaired."""

from __future__ import annotations

from collections import Counter

import msgspec

from kdelta.model.repaired import Conclusion
from kdelta.model.verdict import Judgement, Side, Verdict

Key = tuple[str, str, str, str, str]


def by_metric(judgement: Judgement) -> Judgement:
    """The same, its benchmarks called with their metric where there are verdicts on several of it: "kernbench-half user_s"."""
    metrics = Counter(name for name, _ in {(one.new.benchmark.name, one.new.benchmark.metric.name) for one in judgement.verdicts})
    several = {name for name, count in metrics.items() if count > 1}
    return msgspec.structs.replace(judgement, verdicts=tuple(_named(one, several) for one in judgement.verdicts))


def _named(verdict: Verdict, several: set[str]) -> Verdict:
    if verdict.new.benchmark.name not in several:
        return verdict
    return msgspec.structs.replace(verdict, base=_side(verdict.base), new=_side(verdict.new))


def _side(side: Side) -> Side:
    benchmark = side.benchmark
    name = f"{benchmark.name} {benchmark.metric.name}"
    return msgspec.structs.replace(side, benchmark=msgspec.structs.replace(benchmark, name=name))


def conclusions(printed: Judgement, repaired: Judgement) -> tuple[Conclusion, ...]:
    """The contrasts that have another ratio, or another answer, in `repaired`: of the same sides, judged from other figures."""
    before = {_key(one): one for one in printed.verdicts}
    pairs = ((before[_key(one)], one) for one in repaired.verdicts if _key(one) in before)
    return tuple(Conclusion(*pair) for pair in pairs if (pair[0].ratio, pair[0].answer) != (pair[1].ratio, pair[1].answer))


def _key(one: Verdict) -> Key:
    benchmark = one.new.benchmark
    return one.new.box.name, one.base.variant, one.new.variant, benchmark.name, benchmark.metric.name
