"""How often a benchmark is run in one visit, and which of its results count.

The settled rule is that of Ingo Molnar's scheduler measurements (LKML, 2006): at least three tests, until three in a row lie
within a given spread; an outlier so begins the count anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kdelta.model.plan import Repeat, Rule


@dataclass(frozen=True)
class Step:
    """What `step` says: whether to run once more; if not, which results (by place, from 0) are not judged and why."""

    again: bool
    discards: dict[int, str] = field(default_factory=dict)
    note: str = ""
    """What a reader must know of the results that are judged; empty where the rule was kept."""


def spread(results: Sequence[float]) -> float:
    """The largest over the smallest, less one: 0.01 is 1 %. Infinite where a ratio says nothing."""
    least, most = min(results), max(results)
    if least == most:
        return 0.0
    return most / least - 1.0 if least > 0.0 else float("inf")


def step(rule: Rule, results: Sequence[float], seconds: float, limit_seconds: float) -> Step:
    """What to do after `results` that took `seconds` in all; `limit_seconds` and `rule.most` always win, but not over the first:
    of a long command the warm-up alone may use the time up."""
    if not results:
        return Step(again=True)
    if len(results) >= rule.results and (rule.repeat is Repeat.FIXED or _settled(rule, results[-rule.results :])):
        return _end(rule, results, "")
    if len(results) >= rule.most:
        return _end(rule, results, f"the cap of {rule.most} results")
    if seconds >= limit_seconds:
        return _end(rule, results, f"the limit of {limit_seconds:g} s")
    return Step(again=True)


def _settled(rule: Rule, last: Sequence[float]) -> bool:
    """101 is 1 % above 100, which a quotient of two binary fractions need not say."""
    return max(last) <= min(last) * (1.0 + rule.spread)


def _end(rule: Rule, results: Sequence[float], stopped: str) -> Step:
    kept = results[-rule.results :]
    first = len(results) - len(kept)
    if not stopped:
        reason = f"followed by {rule.results} results within {rule.spread:.2%}"
        return Step(again=False, discards=dict.fromkeys(range(first), reason))
    if rule.repeat is Repeat.FIXED or len(results) < rule.results:
        return Step(again=False, note=f"{stopped} came after {len(results)} of {rule.results} results")
    note = f"not settled: {stopped} came first, the last {len(kept)} results lie {spread(kept):.2%} apart"
    return Step(again=False, discards=dict.fromkeys(range(first), f"not settled within {stopped}"), note=note)


def progress(rule: Rule, results: Sequence[float]) -> str:
    """How far it is, in a few words."""
    if rule.repeat is Repeat.FIXED:
        return f"{len(results)} of {rule.results} results"
    if len(results) < 2:
        return f"result {len(results)}"
    last = results[-rule.results :]
    return f"result {len(results)}, the last {len(last)} within {spread(last):.2%}"
