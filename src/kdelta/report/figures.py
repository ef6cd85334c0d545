"""The figures of verdicts as text: changes with their intervals, shares, probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterable

from kdelta.model.benchmark import Better
from kdelta.model.verdict import Ratio, Verdict
from kdelta.model.words import alike

UNKNOWN = "-"
MOST_DECIMALS = 3
BLANK = "\xa0"
"""At which no line is broken."""


def figures(ratio: Ratio | None) -> tuple[str, str, str]:
    """The change in percent, "+2.1%", and both ends of its interval without the sign of percent; "-" for what has no bound.

    With as many decimals, up to three, as the width of the interval asks for. Where one of them is too far from 1 to be read as a
    percentage, all are ratios: "x12.3".
    """
    if ratio is None:
        return UNKNOWN, UNKNOWN, UNKNOWN
    ends = (ratio.low or math.inf, ratio.high)
    far = any(end >= 10.0 or 0.0 < end < 0.01 for end in (ratio.value, *ends) if math.isfinite(end))
    decimals = _decimals(ratio)
    value, low, high = (_ratio(end) if far else _signed(end, decimals) for end in (ratio.value, *ends))
    return value + ("" if far or value == UNKNOWN else "%"), low, high


def _ratio(ratio: float) -> str:
    if not math.isfinite(ratio):
        return UNKNOWN
    return f"x{ratio:.0f}" if 1000.0 <= ratio < 1e6 else f"x{ratio:.3g}"


def _signed(ratio: float, decimals: int) -> str:
    percent = 100.0 * (ratio - 1.0)
    if not math.isfinite(percent):
        return UNKNOWN
    return f"{percent:+.{0 if percent >= 100.0 else decimals}f}" if percent else "0"


def _decimals(ratio: Ratio) -> int:
    """One that the width of the interval does not ask for is shown for an end that lies close to 0."""
    width = 100.0 * (ratio.high - ratio.low)
    wide = 0.0 < width < math.inf
    ends = [100.0 * abs(end - 1.0) for end in ((ratio.low, ratio.high) if wide else (ratio.value,))]
    least = min((end for end in ends if 0.0 < end < math.inf), default=1.0)
    return min(_needed(least), _needed(width / 4.0) + 1) if wide else _needed(least)


def _needed(percent: float) -> int:
    return next((digits for digits in range(1, MOST_DECIMALS) if percent >= 0.49 * 10.0**-digits), MOST_DECIMALS)


def interval(ratio: Ratio | None, what: str = "") -> str:
    """`+17.7% [+15.2, +20.1]`, with the name of `what` changed behind the change; in blanks at which no line breaks."""
    change, low, high = figures(ratio)
    return f"{change}{what and ' '}{what} [{low}, {high}]".replace(" ", BLANK)


def change(verdict: Verdict) -> str:
    """Its `interval`, with what grew or fell where larger is better."""
    metric = verdict.new.benchmark.metric
    return interval(verdict.ratio, metric.name if metric.better is Better.LARGER else "")


def value(verdict: Verdict) -> str:
    """Its `change` without the interval; empty where it has none."""
    return change(verdict).partition(f"{BLANK}[")[0] if verdict.ratio else ""


def amount(share: float | None) -> str:
    """A share without a sign: "0.6%", "12%", "0.04%"."""
    percent = math.nan if share is None else 100.0 * share
    if not math.isfinite(percent):
        return UNKNOWN
    if 0.0 < percent < 0.0005:
        return "<0.001%"
    return f"{percent:.2g}%" if percent < 10.0 else f"{percent:.0f}%" if percent < 1e6 else f"{percent:.3g}%"


def bound(share: float) -> str:
    """A share as the end of an interval is written."""
    percent = 100.0 * share
    if percent == 0.0:
        return "0%"
    return f"{percent:.{0 if percent >= 100.0 else _needed(percent)}f}%" if percent < 1e6 else f"{percent:.3g}%"


def probability(p: float | None, alpha: float) -> str:
    """Three decimals without a leading 0, and more where those would put it on the wrong side of `alpha`."""
    if p is None or not math.isfinite(p):
        return UNKNOWN
    least = min(0.001, alpha)
    digits = next((digits for digits in range(3, 9) if (float(f"{p:.{digits}f}") <= alpha) is (p <= alpha)), 9)
    text = f"<{least:.3g}" if p < least else f"{p:.{digits}f}"
    return text.replace("0.", ".", 1)


def excluded(verdict: Verdict) -> str:
    """What an interval rules out: how much slower it is not, else how much faster; empty where it has no end.

    The bound of a rate is the end of its interval as it stands there, since a rate that is slower falls.
    """
    _, low, high = figures(verdict.ratio)
    above, below = ("above", high, "+"), ("below", low, "-")
    rate = verdict.new.benchmark.metric.better is Better.LARGER
    sides = (("slower", below), ("faster", above)) if rate else (("slower", above), ("faster", below))
    return next((_not(word, *side, rate) for word, side in sides if side[1] != UNKNOWN), "")


def _not(word: str, beyond: str, end: str, sign: str, rate: bool) -> str:
    """`sign` is that of an end which leaves room for what is not."""
    if end.startswith("x"):
        return f"not {beyond} {end}"
    if not end.startswith(sign):
        return f"not {word}"
    return f"not {beyond} {end}%" if rate else f"not {word} than {end.removeprefix(sign)}%"


def kinds(texts: Iterable[str]) -> list[str]:
    """The first of those that differ in nothing but their figures; empty ones are none."""
    found: dict[str, str] = {}
    for text in filter(None, texts):
        found.setdefault(alike(text), text)
    return list(found.values())
