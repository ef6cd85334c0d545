"""From contrasts in numbers to verdicts, all those of one question adjusted together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from kdelta.judge.measured import LEAST_BOOTS, Measured
from kdelta.model.benchmark import Better
from kdelta.model.plan import EXACT
from kdelta.model.verdict import Answer, Ratio, Verdict
from kdelta.model.words import WORDS
from kdelta.stats.multiplicity import fcr_level
from kdelta.stats.sequential import Looks, half_width

Array = NDArray[np.float64]

POWER = 0.8
"""The probability with which a change is called visible."""
MOST_NEEDED = 10_000
"""Rounds: more are as good as none."""
MOST_LOGARITHM = 700.0
"""Of a ratio that a float can hold."""
CHANGED = (Answer.FASTER, Answer.SLOWER)


@dataclass(frozen=True)
class Terms:
    """How is decided: the overall level `alpha`, the `margin` as a logarithm, when was looked, how p is adjusted."""

    alpha: float
    margin: float
    looks: Looks
    adjust: Callable[[Array], Array]


@dataclass(frozen=True)
class _Adjusted:
    """What the family makes of one contrast: its p, and half the widths of three intervals: the plain one, that of a row which was
    selected out of many, and the one that shows equivalence. Logarithms.
    """

    p: float
    p_equivalent: float
    plain: float
    selected: float
    narrow: float


def verdicts(found: Sequence[Measured], terms: Terms) -> tuple[Verdict, ...]:
    """One verdict for each of `found`, in its order.

    Equivalent: the interval at twice alpha lies within the margin. Slower or faster: the interval excludes 1, and so does the
    wider one that rows have which were selected out of many. Undecided: anything else.
    """
    return tuple(_verdict(one, adjusted, terms) for one, adjusted in zip(found, _family(found, terms), strict=True))


def _family(found: Sequence[Measured], terms: Terms) -> list[_Adjusted]:
    p, p_equivalent = (terms.adjust(np.array([getattr(one, name) for one in found])) for name in ("p", "p_equivalent"))
    tested, selected = int(np.isfinite(p).sum()), int((p <= terms.alpha).sum())
    wide = 1.0 - fcr_level(terms.alpha, selected, tested) if selected else terms.alpha
    se, df = (np.array([getattr(one, name) for one in found]) for name in ("se", "df"))
    widths = (half_width(se, df, terms.looks.level(alpha)) for alpha in (terms.alpha, wide, 2.0 * terms.alpha))
    return [_Adjusted(*row) for row in np.stack([p, p_equivalent, *widths], axis=-1).tolist()]


def _verdict(one: Measured, adjusted: _Adjusted, terms: Terms) -> Verdict:
    rounds = one.rounds if one.blocked else 0
    verdict = Verdict(base=one.base, new=one.new, answer=Answer.UNDECIDED, boots=one.boots, rounds=rounds, doubts=one.doubts)
    if not one.enough:
        return msgspec.structs.replace(verdict, why=_few(one))
    answer, is_real = _answer(one, adjusted, terms)
    is_equivalent = answer is Answer.EQUIVALENT
    half = adjusted.selected if answer in CHANGED else adjusted.plain
    return msgspec.structs.replace(
        verdict,
        answer=answer,
        ratio=Ratio(*(_exp(one.estimate + side * half) for side in (0.0, -1.0, 1.0))),
        p=one.p_equivalent if is_equivalent else one.p,
        p_adjusted=adjusted.p_equivalent if is_equivalent else adjusted.p,
        sd=math.sqrt(one.variance),
        visible=_exp(adjusted.plain + float(stdtrit(one.df, POWER)) * one.se) - 1.0,
        needed=_needed(one, terms) if answer is Answer.UNDECIDED else None,
        beyond=answer in CHANGED and abs(one.estimate) - half >= terms.margin,
        tiny=is_equivalent and is_real,
    )


def _answer(one: Measured, adjusted: _Adjusted, terms: Terms) -> tuple[Answer, bool]:
    """And whether there is a change, however small."""
    away = abs(one.estimate)
    is_real = adjusted.p <= terms.alpha and away > adjusted.selected
    if adjusted.p_equivalent <= terms.alpha and away + adjusted.narrow < terms.margin:
        return Answer.EQUIVALENT, is_real
    grew = one.estimate > 0.0
    smaller_is_better = one.new.benchmark.metric.better is Better.SMALLER
    direction = Answer.SLOWER if grew == smaller_is_better else Answer.FASTER
    return (direction if is_real else Answer.UNDECIDED), is_real


def _exp(logarithm: float) -> float:
    """Infinite where it is too large."""
    return math.exp(logarithm) if logarithm < MOST_LOGARITHM else math.inf


def _few(one: Measured) -> str:
    """Why there is no verdict."""
    words = WORDS[one.new.box.kind]
    counts = one.boots if max(one.boots) > one.rounds or 0 in one.boots else (one.rounds, one.rounds)
    least = min(one.rounds, *one.boots)
    where = " in common rounds" if one.blocked else ""
    said = f"too few {words.unit}s: {counts[0]} and {counts[1]}, {LEAST_BOOTS} of each{where} are needed"
    if least != 1:
        return said
    what = "this build and this layout" if one.new.box.kind == EXACT else "this visit"
    return f"{said}; the results of one {words.unit} are about {what} only"


def _needed(one: Measured, terms: Terms) -> int | None:
    """Rounds in all after which such an estimate is seen to be a change, or seen to be none, whichever comes first: by the normal
    approximation with Guenther's correction (The American Statistician 35, 1981)."""
    power = float(ndtri(POWER))
    ways = ((abs(one.estimate), terms.alpha / 2.0), (terms.margin - abs(one.estimate), terms.alpha))
    numbers = [
        _rounds(distance, one.variance, -float(ndtri(terms.looks.level(2.0 * side) / 2.0)), power) for distance, side in ways
    ]
    least = min(numbers)
    return max(one.rounds + 1, math.ceil(least)) if least <= MOST_NEEDED else None


def _rounds(distance: float, variance: float, quantile: float, power: float) -> float:
    if distance <= 0.0:
        return math.inf
    return 2.0 * variance * ((quantile + power) / distance) ** 2 + quantile**2 / 2.0
