"""How many rounds give an interval of a width that was asked for: Stein's two stages.

A first stage estimates the standard deviation, the second measures as often as it says, and the interval at the end uses the
standard deviation and the degrees of freedom of the first stage alone: its coverage is exact, which that of measuring "until the
interval is narrow enough" is not. Source: Stein, "A two-sample test for a linear hypothesis whose power is independent of the
variance", Annals of Mathematical Statistics 16 (1945).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtri, stdtrit

CHEAP_DF = 10
"""Degrees of freedom from which on not knowing the standard deviation costs less than a third more."""


@dataclass(frozen=True)
class SecondStage:
    """`total`: how many values in all, those of the first stage among them; None where the first stage cannot say."""

    total: int | None
    doubts: tuple[str, ...] = ()


def second_stage(sd: float, df: float, half_width: float, level: float = 0.95, *, first: int) -> SecondStage:
    """How many values make the interval of their mean at most `half_width` wide to each side, `first` of which there are already.

    `sd` with `df` degrees of freedom is that of one value, in the unit of `half_width`: of a contrast, that of what one round
    says of it. It may come from elsewhere (pooled over kernels, from earlier runs). Of 2, 4 and 9 degrees of freedom the plan
    takes 4.8, 2.0 and 1.33 times as many values as if `sd` were known.
    """
    known = df >= 1.0 and sd >= 0.0 and half_width > 0.0
    times = _t(df, level) * sd / half_width if known else math.nan
    if not math.isfinite(times * times):
        return SecondStage(None, ("there is no standard deviation to plan with: 2 values or more of each kernel are needed first",))
    return SecondStage(max(first, math.ceil(times * times)), _price(df, level))


def interval(mean: float, sd: float, df: float, total: int, level: float = 0.95) -> tuple[float, float]:
    """Of the `mean` of all `total` values, with `sd` and `df` as in `second_stage`; NaN where those say nothing."""
    half = _t(df, level) * sd / math.sqrt(total) if df >= 1.0 and total > 0 else math.nan
    return mean - half, mean + half


def _t(df: float, level: float) -> float:
    return float(stdtrit(df, 0.5 + 0.5 * level))


def _price(df: float, level: float) -> tuple[str, ...]:
    if df >= CHEAP_DF:
        return ()
    price = (_t(df, level) / float(ndtri(0.5 + 0.5 * level))) ** 2
    return (
        f"the standard deviation has {df:g} degrees of freedom, which makes this plan {price:.1f} times as long as a known one"
        f" would: {CHEAP_DF} or more are cheap, pooled over kernels or from earlier runs",
    )
