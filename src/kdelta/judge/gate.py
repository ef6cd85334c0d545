"""The gate of a test system: verdicts against thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kdelta.model.finding import cost, missing
from kdelta.model.gate import Checked, Gate, Standing, Threshold
from kdelta.model.verdict import Answer, Judgement, Verdict

ROUNDING = 1e-12
"""Of a slowdown that is exactly at its threshold."""


def gate(judgement: Judgement, thresholds: Sequence[Threshold] = ()) -> Gate:
    """A breach is a contrast whose verdict is slower, so that chance and size are both accounted for, and whose estimated
    slowdown is at least the threshold of its benchmark. Without any threshold every slower one is.

    Of several thresholds for one benchmark the last counts. What is undecided, and what has no value, is no breach and is listed.
    """
    shares = {threshold.benchmark: threshold.share for threshold in thresholds}
    named = {verdict.new.benchmark.name for verdict in judgement.verdicts}
    return Gate(
        checked=tuple(_checked(verdict, shares) for verdict in judgement.verdicts),
        unused=tuple(name for name in shares if name is not None and name not in named),
    )


def _checked(verdict: Verdict, shares: Mapping[str | None, float]) -> Checked:
    threshold = shares.get(verdict.new.benchmark.name, shares.get(None, 0.0))
    slowdown = cost(verdict.ratio, verdict.new.benchmark.metric.better).value - 1.0 if verdict.ratio else None
    return Checked(verdict, _standing(verdict, slowdown, threshold), threshold, slowdown)


def _standing(verdict: Verdict, slowdown: float | None, threshold: float) -> Standing:
    if missing(verdict):
        return Standing.MISSING
    if verdict.answer is Answer.UNDECIDED:
        return Standing.UNDECIDED
    if verdict.answer is not Answer.SLOWER:
        return Standing.PASSED
    return Standing.TOLERATED if slowdown is not None and slowdown < threshold - ROUNDING else Standing.BREACH
