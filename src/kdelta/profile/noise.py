"""What differences of profiles are judged by: how each kind of profile varies, and what can be said of how many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from kdelta.model.profile import INSTRUCTIONS, TICKS
from kdelta.profile.counted import Counted
from kdelta.profile.exposure import Exposure
from kdelta.stats.counts import Rates, binomial, quasi_poisson
from kdelta.stats.spread import ALONE, shifts

Array = NDArray[np.float64]

NO_SAMPLES = "the text has no counts of samples: how much they vary is only known from several profiles of a side"


class Noise(Enum):
    """The values say it to a reader."""

    SPREAD = "the spread of the counts over boots"
    EXTRA_POISSON = "ticks that vary by more than Poisson ones, by as much as they do between the profiles of a side"
    POISSON = "ticks that are Poisson"
    UNKNOWN = "nothing"


@dataclass(frozen=True)
class Judged:
    """Per function: the interval `low`..`high` of the change per unit of work, `q`, and whether it is `real`, beyond noise."""

    low: Array
    high: Array
    q: Array
    real: NDArray[np.bool_]
    doubts: tuple[str, ...] = ()


def noise(unit: str, profiles: tuple[int, int]) -> Noise:
    """By how `unit` varies, and how many old and new profiles there are."""
    several = min(profiles) >= 2
    if unit == INSTRUCTIONS:
        return Noise.SPREAD if several else Noise.UNKNOWN
    # Events of a counter, or shares, are no samples: without replicates nothing is known of how they vary.
    alone = Noise.POISSON if unit == TICKS else Noise.UNKNOWN
    return Noise.EXTRA_POISSON if several else alone


def judged(unit: str, working: Counted, work: Exposure, level: float) -> Judged:
    """All functions in `working` at the `level` of the false discovery rate; intervals hold each with 1 - `level`.

    Of instructions only changes of .05 % of the total are real (stats.spread).
    """
    kind = noise(unit, (len(working.old), len(working.new)))
    judge = _JUDGES.get(kind) if work.known else None
    return judge(working, work, level) if judge else _unknown(unit, working, work)


def _spread(working: Counted, work: Exposure, level: float) -> Judged:
    found = shifts(working.old, working.new, np.concatenate([work.old, work.new]), level=1.0 - level)
    return Judged(found.low, found.high, found.adjusted, (found.adjusted <= level) & found.material, found.doubts)


def _extra_poisson(working: Counted, work: Exposure, level: float) -> Judged:
    exposures = np.concatenate([work.old, work.new])
    return _of_rates(quasi_poisson(working.old, working.new, exposures, level=1.0 - level), level)


def _poisson(working: Counted, work: Exposure, level: float) -> Judged:
    sums, exposures = (working.old.sum(axis=0), working.new.sum(axis=0)), (float(work.old.sum()), float(work.new.sum()))
    return _of_rates(binomial(*sums, *exposures, error=work.error, level=1.0 - level), level)


def _of_rates(rates: Rates, level: float) -> Judged:
    return Judged(rates.least, rates.most, rates.adjusted, rates.adjusted <= level, rates.doubts)


def _unknown(unit: str, working: Counted, work: Exposure) -> Judged:
    nothing = np.full(len(working.names), np.nan)
    doubts = (ALONE if unit == INSTRUCTIONS else NO_SAMPLES,) if work.known else ()
    return Judged(nothing, nothing, nothing, np.zeros(len(working.names), dtype=np.bool_), doubts)


_JUDGES: dict[Noise, Callable[[Counted, Exposure, float], Judged]] = {
    Noise.SPREAD: _spread,
    Noise.EXTRA_POISSON: _extra_poisson,
    Noise.POISSON: _poisson,
}
