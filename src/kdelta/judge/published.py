"""Verdicts on what others published: from the printed means and spreads alone, and only as far as these go.

Where something is not stated the weakest of what it may have been is taken. What is printed without any spread decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from kdelta.judge.adjustment import ADJUSTMENTS, USUAL
from kdelta.judge.agreement import agreements
from kdelta.judge.groups import groups
from kdelta.judge.measured import LEAST_BOOTS, Measured
from kdelta.judge.printed import CENTRES, Key, Printed, entries, is_rounded_away, printed, results, summary
from kdelta.judge.series import Series
from kdelta.judge.verdicts import Terms, verdicts
from kdelta.model.plan import Plan
from kdelta.model.published import Entry
from kdelta.model.record import BootRecord
from kdelta.model.verdict import Axis, Judgement, Ratio, Side, Verdict
from kdelta.stats.published import UNKNOWN, PublishedTest, Summary, compare, uncertainty
from kdelta.stats.sequential import Looks
from kdelta.stats.tost import tost

NO_DIRECTION = "which direction is better is not stated: smaller is assumed"
NOT_SAID_WHAT = "of what the printed values are (means, medians, single results) is not stated: they are taken for means"
COARSE = "the printed digits are coarser than the difference"
ROUNDED = "a spread that is printed as 0 may be half of its last digit: that is taken"
IN_NO_TEXT = "the text has none"
WITHOUT_RATIO = "a value of 0 or less has no ratio"
OTHER_UNITS = "the two are printed in other units, or as a share of something else"
NO_SPREAD = "no spread is printed"
OF_WHOM = (Axis.LOADS, Axis.BOXES, Axis.RUNS)
"""Axes along which boxes cannot agree."""


@dataclass(frozen=True)
class _Contrast:
    """Two sides, and what is printed of each; None where nothing is."""

    base: Side
    new: Side
    old: Entry | None
    now: Entry | None
    doubts: tuple[str, ...] = ()


def judgement(
    plan: Plan,
    records: Sequence[BootRecord],
    axis: Axis = Axis.COLUMNS,
    *,
    base: str | None = None,
    adjustment: str = USUAL,
    every_metric: bool = False,
) -> Judgement:
    """What `records` of a published run say along `axis`: of each benchmark's first metric, or of `every_metric`.

    `base` and `adjustment` are as of judge.judgement.
    """
    (found,) = judge_along(plan, records, [axis], base=base, adjustment=adjustment, every_metric=every_metric)
    return found


def judge_along(
    plan: Plan,
    records: Sequence[BootRecord],
    axes: Iterable[Axis],
    *,
    base: str | None = None,
    statistic: str | None = None,
    adjustment: str = USUAL,
    though_unlike: bool = False,
    every_metric: bool = False,
) -> list[Judgement]:
    """As `judgement`, along each of `axes`. What is tested is the mean: `statistic` is of tables; and of machines nothing is known
    that could be unlike."""
    whole = _every_metric(plan) if every_metric else plan
    found, terms = entries(records), Terms(plan.alpha, math.log1p(plan.margin), Looks(), ADJUSTMENTS[adjustment])
    made = []
    for axis in axes:
        contrasts = list(_contrasts(whole, found, axis, base))
        judged = _verdicts(contrasts, terms)
        made.append(
            Judgement(
                axis=axis,
                alpha=plan.alpha,
                margin=plan.margin,
                adjustment=adjustment,
                looks=None,
                verdicts=judged,
                agreements=() if axis in OF_WHOM or every_metric else agreements(records, judged),
            )
        )
    return made


def _every_metric(plan: Plan) -> Plan:
    """A benchmark for each metric of each: all are the first of one."""
    each = (msgspec.structs.replace(one, metrics=(metric,)) for one in plan.benchmarks for metric in one.metrics)
    return msgspec.structs.replace(plan, benchmarks=tuple(each))


def _contrasts(plan: Plan, found: Mapping[Key, Entry], axis: Axis, base: str | None) -> Iterator[_Contrast]:
    """Those of which the text has a side at least: a box need not have all benchmarks."""
    nothing = Series(np.full((1, len(plan.variants)), np.nan), 0.0, {})
    cells = {(box.name, benchmark.name): nothing for box in plan.boxes for benchmark in plan.benchmarks}
    for group in groups(axis, plan, cells, base):
        for place in group.asked:
            sides = group.sides[0], group.sides[place]
            old, now = (found.get(_key(side)) for side in sides)
            if old is not None or now is not None:
                yield _Contrast(*sides, old, now, group.doubts)


def _key(side: Side) -> Key:
    return side.box.name, side.variant, side.benchmark.name, side.benchmark.metric.name


# ---- one contrast in numbers ----


@dataclass(frozen=True)
class _Tested:
    """`measured` is what verdicts are made of. `why` is there where it can decide nothing, whatever chance does."""

    measured: Measured
    why: str
    has_ratio: bool


def _verdicts(contrasts: Sequence[_Contrast], terms: Terms) -> tuple[Verdict, ...]:
    tested = [_tested(one, terms) for one in contrasts]
    found = verdicts([one.measured for one in tested], terms)
    return tuple(_said(contrast, one, verdict) for contrast, one, verdict in zip(contrasts, tested, found, strict=True))


def _said(contrast: _Contrast, one: _Tested, verdict: Verdict) -> Verdict:
    """Without what is about boots and rounds to come."""
    known = math.isfinite(one.measured.se)
    counts = tuple(results(entry) if entry else None for entry in (contrast.old, contrast.now))
    return msgspec.structs.replace(
        verdict,
        ratio=_ratio(one, verdict),
        p=verdict.p if verdict.p is not None and math.isfinite(verdict.p) else None,
        p_adjusted=verdict.p_adjusted if verdict.p_adjusted is not None and math.isfinite(verdict.p_adjusted) else None,
        sd=verdict.sd if known else None,
        visible=verdict.visible if known else None,
        needed=None,
        why=one.why,
        results=counts,
    )


def _ratio(one: _Tested, verdict: Verdict) -> Ratio | None:
    """Without bounds where nothing is known of its spread."""
    if not one.has_ratio:
        return None
    return verdict.ratio if math.isfinite(one.measured.se) else Ratio(math.exp(one.measured.estimate), 0.0, math.inf)


def _tested(one: _Contrast, terms: Terms) -> _Tested:
    old, now = (printed(entry) if entry else None for entry in (one.old, one.now))
    if one.old is None or one.now is None or old is None or now is None:
        return _Tested(_bare(one, (int(old is not None), int(now is not None))), _missing(one, old, now), has_ratio=False)
    if (one.old.unit, bool(one.old.relative)) != (one.now.unit, bool(one.now.relative)):
        return _Tested(_bare(one, (1, 1)), OTHER_UNITS, has_ratio=False)
    now = printed(one.now, old.statistic) or now
    sides = summary(one.old), summary(one.now)
    test, spread = compare(*sides, terms.alpha), uncertainty(*sides)
    has_ratio = old.value > 0.0 and now.value > 0.0
    estimate = math.log(now.value / old.value) if has_ratio else math.nan
    boots = sides[0].boots is True and sides[1].boots is True
    spread = spread if has_ratio else UNKNOWN
    equivalent = float(tost(estimate, spread.se, spread.df, terms.margin)) if boots and not math.isnan(spread.se) else math.nan
    why, doubts = _why(one, sides, test)
    measured = Measured(
        base=one.base,
        new=one.new,
        boots=(1, 1),
        rounds=LEAST_BOOTS,
        blocked=False,
        estimate=estimate,
        se=spread.se,
        df=spread.df,
        variance=spread.sd**2,
        p=test.p,
        p_equivalent=equivalent,
        doubts=(*one.doubts, *doubts, *_doubts(one, old, now)),
    )
    return _Tested(measured, why if has_ratio else WITHOUT_RATIO, has_ratio)


def _bare(one: _Contrast, boots: tuple[int, int]) -> Measured:
    nan = math.nan
    return Measured(one.base, one.new, boots, LEAST_BOOTS, False, nan, nan, nan, nan, nan, nan, ())


def _missing(one: _Contrast, old: Printed | None, now: Printed | None) -> str:
    """Which side has no value, and how it ended."""
    sides = ((one.base, one.old, old), (one.new, one.now, now))
    return "; ".join(f"{side.variant}: {_ended(entry)}" for side, entry, value in sides if value is None)


def _ended(entry: Entry | None) -> str:
    if entry is None:
        return IN_NO_TEXT
    return (
        ": ".join(dict.fromkeys(filter(None, (entry.state.value if entry.state.value != "ok" else "", entry.reason)))) or IN_NO_TEXT
    )


def _why(one: _Contrast, sides: tuple[Summary, Summary], test: PublishedTest) -> tuple[str, tuple[str, ...]]:
    """Why nothing can be decided, empty where something can, and the doubts of the test."""
    if math.isfinite(test.p):
        return "", test.doubts
    if not any(side.sd is not None for side in sides) and not all(_has_range(side) for side in sides):
        return _spreadless(one, sides), ()
    return test.doubts[0] if test.doubts else NO_SPREAD, ()


def _has_range(side: Summary) -> bool:
    return side.low is not None and side.high is not None and side.low != side.high


def _spreadless(one: _Contrast, sides: tuple[Summary, Summary]) -> str:
    if all(side.n == 1 for side in sides):
        return f"one value on each side: {NO_SPREAD}"
    if all(side.mean is None for side in sides):
        which = "least" if all(side.low is not None for side in sides) else "greatest"
        counts = {results(entry) for entry in (one.old, one.now) if entry}
        count = counts.pop() if len(counts) == 1 else None
        of = f"{count} results" if count else "an unknown number of results"
        return f"only the {which} of {of} is printed, and no spread"
    return NO_SPREAD if all(side.n for side in sides) else f"{NO_SPREAD}, and of how many results the values are is not stated"


def _doubts(one: _Contrast, old: Printed, now: Printed) -> Iterator[str]:
    found = [entry for entry in (one.old, one.now) if entry]
    if any(entry.better is None for entry in found):
        yield NO_DIRECTION
    if {old.statistic, now.statistic} & {*CENTRES[1:]} and any({"sd", "cv", "se"} & entry.figures.keys() for entry in found):
        yield NOT_SAID_WHAT
    if any(map(is_rounded_away, found)):
        yield ROUNDED
    steps = [side.number.step for side in (old, now) if side.number]
    if len(steps) == 2 and 0.0 < abs(now.value - old.value) <= sum(steps) / 2.0 * (1.0 + 1e-9):
        yield COARSE
