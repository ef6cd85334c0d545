"""The noise of a box: what a baseline against itself shows, how much earlier runs varied, and what a plan can see through it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

import numpy as np
from scipy.special import betaincinv

from kdelta.judge.series import Series, cells
from kdelta.model.noise import Alarms, Floor, Noise, Sight, measured_on
from kdelta.model.plan import Plan
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.verdict import Answer, Judgement, Verdict
from kdelta.stats import power
from kdelta.stats.blocks import fit
from kdelta.stats.levels import FIRST
from kdelta.stats.moderate import Variance, pooled_variance
from kdelta.stats.sequential import Looks

POWER = 0.8
MOST_ROUNDS = 1000
MOST_LOGARITHM = 700.0
"""Of a ratio that a float can hold."""
SEQUENTIAL_PERCENT = 140
"""Rounds that must be allowed to show equivalence where one looks after each, in percent of a number fixed before. Simulated within
1 %, with 80 % power: 133, 142 and 147 for standard deviations of 0.5, 0.75 and 1 %; stats.power takes the same for a change."""

Key = tuple[str, str]
"""Machine and benchmark."""
Variances = dict[Key, list[tuple[int, Variance]]]
"""Each with the number of its run."""


def noise(plan: Plan, records: Sequence[BootRecord], judgement: Judgement) -> tuple[Noise, ...]:
    """What a run with a `twin` shows of each box and benchmark that has a value; `judgement` is that of its columns. Of any other
    run nothing: its columns may differ."""
    if not plan.twin:
        return ()
    verdicts = {(one.new.box.name, one.new.benchmark.name): one for one in judgement.verdicts if one.new.variant == plan.twin}
    found = cells(plan, records)
    return tuple(_noise(plan, records, key, found[key], verdicts.get(key)) for key in found if np.isfinite(found[key].logs).any())


def _noise(plan: Plan, records: Sequence[BootRecord], key: tuple[str, str], own: Series, verdict: Verdict | None) -> Noise:
    box, benchmark = key
    variance, measured = _variance(own), np.isfinite(own.logs)
    return Noise(
        box=box,
        machine=measured_on(plan, plan.box(box), records),
        benchmark=benchmark,
        metric=next(one.metric.name for one in plan.benchmarks if one.name == benchmark),
        boots=int(measured.sum()),
        rounds=int(measured.all(axis=1).sum()),
        sd=math.sqrt(variance.value) if variance.df > 0 else None,
        df=variance.df,
        ratio=verdict.ratio.value if verdict and verdict.ratio else None,
        p=verdict.p if verdict else None,
        flagged=verdict is not None and verdict.answer in (Answer.FASTER, Answer.SLOWER),
    )


def _variance(own: Series) -> Variance:
    """What rounds and columns leave of the logarithms, at least what their resolution can show."""
    fits = fit(own.logs)
    variance, df = float(fits.variance[-1]), float(fits.df[-1])
    return Variance(max(variance, own.floor), df) if df > 0 else Variance(math.nan, 0.0)


# ---- earlier runs ----


def floor(history: Mapping[int, Iterable[Noise]]) -> dict[Key, Floor]:
    """The noise that baselines against themselves showed, by machine and benchmark; `history` is by run. What is known of no
    machine, or from one round, is left out."""
    found: Variances = {}
    for run, each in history.items():
        for one in each:
            if one.machine and one.sd is not None:
                found.setdefault((one.machine, one.benchmark), []).append((run, Variance(one.sd**2, one.df)))
    return {key: _floor(each, against_itself=True) for key, each in found.items()}


def residual(history: Iterable[tuple[RunRecord, Sequence[BootRecord]]]) -> dict[Key, Floor]:
    """The same from runs of any kind: what rounds and columns leave of their values."""
    found: Variances = {}
    for run, records in history:
        machines = {box.name: measured_on(run.plan, box, records) for box in run.plan.boxes}
        for (box, benchmark), own in cells(run.plan, records).items():
            variance = _variance(own)
            if machines[box] and variance.df > 0:
                found.setdefault((machines[box], benchmark), []).append((run.id, variance))
    return {key: _floor(each, against_itself=False) for key, each in found.items()}


def _floor(found: Sequence[tuple[int, Variance]], *, against_itself: bool) -> Floor:
    runs, variances = zip(*found, strict=True)
    pooled = pooled_variance([one.value for one in variances], [one.df for one in variances])
    return Floor(sd=math.sqrt(pooled.value), df=pooled.df, runs=tuple(sorted(set(runs))), against_itself=against_itself)


def false_alarms(history: Mapping[int, Iterable[Noise]]) -> Alarms:
    """How often a baseline was called faster or slower than itself, of all contrasts that had boots enough to say something.

    The interval is exact: Clopper and Pearson, Biometrika 26 (1934). It takes the contrasts of a run for independent.
    """
    judged = {run: [one for one in each if one.p is not None] for run, each in history.items()}
    flagged = sum(one.flagged for each in judged.values() for one in each)
    contrasts = sum(map(len, judged.values()))
    rate, low, high = _share(flagged, contrasts) if contrasts else (None, None, None)
    return Alarms(flagged=flagged, contrasts=contrasts, runs=sum(map(bool, judged.values())), rate=rate, low=low, high=high)


def _share(count: int, of: int) -> tuple[float, float, float]:
    low = float(betaincinv(count, of - count + 1, 0.025)) if count else 0.0
    high = float(betaincinv(count + 1, of - count, 0.975)) if count < of else 1.0
    return count / of, low, high


# ---- a plan ----


def sights(plan: Plan, machines: Mapping[str, str], floors: Mapping[Key, Floor]) -> tuple[Sight, ...]:
    """What `plan` can see of each benchmark, box by box; `machines` are by name of the box. None for fewer than two columns.

    For one contrast: what is adjusted for many of them is seen a little later. Seen is a change at the level of one look, which is
    cautious where each round has one; rounds for an answer are those of two columns, and more need a little less.
    """
    if len(plan.variants) < 2:
        return ()
    found = (
        (box.name, benchmark.name, floors.get((machines.get(box.name, ""), benchmark.name)))
        for box in plan.boxes
        for benchmark in plan.benchmarks
    )
    return tuple(_sight(plan, box, benchmark, known) for box, benchmark, known in found)


def _sight(plan: Plan, box: str, benchmark: str, known: Floor | None) -> Sight:
    if known is None:
        return Sight(box=box, benchmark=benchmark, floor=None)
    for_margin, for_equivalence = _for_margin(plan, known.sd), _for_equivalence(plan, known.sd)
    return Sight(
        box=box,
        benchmark=benchmark,
        floor=known,
        visible=tuple(_visible(plan, known.sd)),
        for_margin=for_margin,
        for_equivalence=for_equivalence,
        beyond=any(rounds is None or rounds > plan.seeds for rounds in (for_margin, for_equivalence)),
    )


def _for_margin(plan: Plan, sd: float) -> int | None:
    margin = math.log1p(plan.margin)
    if plan.sequential:
        return power.sequential_needed(margin, sd, power=POWER, level=plan.alpha, most=MOST_ROUNDS)
    return _decisive(power.needed(margin, sd, paired=True, power=POWER, level=plan.alpha, most=MOST_ROUNDS))


def _for_equivalence(plan: Plan, sd: float) -> int | None:
    margin, percent = math.log1p(plan.margin), SEQUENTIAL_PERCENT if plan.sequential else 100
    fixed = power.equivalence_needed(margin, sd, paired=True, power=POWER, level=plan.alpha, most=100 * MOST_ROUNDS // percent)
    return None if fixed is None else _decisive(-(-percent * fixed // 100))


def _decisive(rounds: int | None) -> int | None:
    return None if rounds is None else max(FIRST, rounds)


def _visible(plan: Plan, sd: float) -> Iterator[tuple[int, float]]:
    """After the first rounds that can decide something, if one looks then, and after the last."""
    if plan.seeds < FIRST:
        return
    level = Looks(FIRST, plan.seeds).level(plan.alpha) if plan.sequential else plan.alpha
    for rounds in dict.fromkeys((FIRST, plan.seeds) if plan.sequential else (plan.seeds,)):
        yield rounds, math.expm1(min(MOST_LOGARITHM, sd * _unit(rounds, len(plan.variants), level)))


@cache
def _unit(rounds: int, columns: int, level: float) -> float:
    """The visible change in standard deviations of a boot."""
    found = power.detectable(1.0, rounds, paired=True, power=POWER, level=level, df=(rounds - 1) * (columns - 1))
    assert found is not None
    return found
