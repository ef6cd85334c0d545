"""What published entries say of a cell: one value, its spread, and how many results are behind it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from kdelta.model.published import Entry, Number
from kdelta.model.record import BootRecord
from kdelta.stats.published import Summary
from kdelta.stats.summary import STATISTICS, spread

CENTRES = ("mean", "value", "median", "hmean", "gmean")
"""Figures that stand for all results, the best first."""
ENDS = ("min", "max")

Key = tuple[str, str, str, str]
"""Names of box, variant, benchmark and metric."""


def entries(records: Iterable[BootRecord]) -> dict[Key, Entry]:
    """By what they are of; those of one benchmark in the order in which they are printed."""
    return {(one.box, one.variant, each.benchmark, each.metric): each for one in records for each in one.published}


def has_value(entry: Entry | None) -> bool:
    return entry is not None and bool(entry.samples or any(name in entry.figures for name in (*CENTRES, *ENDS)))


def results(entry: Entry) -> int | None:
    """How many results are behind it; None where that is not said."""
    return len(entry.samples) or entry.count


@dataclass(frozen=True)
class Printed:
    """The value that stands for an entry, which `statistic` it is, and the number as it is printed, where it is that itself."""

    value: float
    statistic: str
    number: Number | None = None

    @property
    def text(self) -> str:
        return self.number.text if self.number else ""


def printed(entry: Entry, statistic: str = "") -> Printed | None:
    """What is printed, or else of the single results, `statistic` before all others; None where there is no value."""
    order = dict.fromkeys([statistic, *CENTRES, *ENDS]) if statistic else (*CENTRES, *ENDS)
    for name in order:
        if name in entry.figures:
            return Printed(entry.figures[name].value, name, entry.figures[name])
        if entry.samples and name == statistic:
            return _of_samples(entry, name)
    return _of_samples(entry, "median") if entry.samples else None


def _of_samples(entry: Entry, name: str) -> Printed:
    value = STATISTICS.get(name, statistics.median)([one.value for one in entry.samples])
    return Printed(value, name, entry.samples[0] if len(entry.samples) == 1 else None)


def deviation(entry: Entry) -> float | None:
    """The standard deviation in the unit of the values: that of the results, or what is printed of it. None where none is.

    One that is printed as 0 may be half of its last digit: that is taken.
    """
    if len(entry.samples) > 1:
        return spread([one.value for one in entry.samples]).sd
    centre, figures, n = printed(entry), entry.figures, entry.count
    if n == 1 or centre is None or centre.statistic in ENDS:
        return None
    if "sd" in figures:
        return _at_least(figures["sd"])
    if "cv" in figures:
        return _at_least(figures["cv"]) / 100.0 * abs(centre.value)
    return _at_least(figures["se"]) * math.sqrt(n) if "se" in figures and n else None


def _at_least(number: Number) -> float:
    return abs(number.value) or number.step / 2.0


def is_rounded_away(entry: Entry) -> bool:
    """Whether a spread is printed as 0, which it need not be."""
    return not len(entry.samples) > 1 and any(
        name in entry.figures and not entry.figures[name].value for name in ("sd", "cv", "se")
    )


def percent(entry: Entry) -> float | None:
    """The standard deviation in percent of the value: as it is printed, or what follows."""
    if len(entry.samples) < 2 and "cv" in entry.figures:
        return entry.figures["cv"].value
    centre, sd = printed(entry), deviation(entry)
    if len(entry.samples) < 2 and "sd" in entry.figures and centre and centre.value:
        return 100.0 * entry.figures["sd"].value / abs(centre.value)
    mean = statistics.fmean(one.value for one in entry.samples) if len(entry.samples) > 1 else centre.value if centre else 0.0
    return None if sd is None or not mean else 100.0 * sd / abs(mean)


def summary(entry: Entry) -> Summary:
    """For the tests of stats.published."""
    values = [one.value for one in entry.samples]
    if values:
        return Summary(
            mean=statistics.fmean(values),
            sd=deviation(entry),
            low=min(values),
            high=max(values),
            n=len(values),
            ddof=1,
            boots=entry.boots,
        )
    ends = {name: entry.figures[name].value for name in ENDS if name in entry.figures}
    centre = printed(entry)
    return Summary(
        mean=centre.value if centre and centre.statistic in CENTRES else None,
        sd=deviation(entry),
        low=ends.get("min"),
        high=ends.get("max"),
        n=entry.count,
        boots=entry.boots,
    )
