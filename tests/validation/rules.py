"""How others call a difference one, as their users meet it.

* MMTests, gormanm/mmtests, bin/lib/MMTests/Compare.pm (`_generateComparisonTable`), Stat.pm (`cidiff`, `_calc_meanci`) and
  Summarise.pm (`extractSummary`): results of all boots in one heap, and a star where the means lie further apart than 1.96
  standard deviations of the one and of the other together. The deviation is that of results, not of means.
* LKP, intel/lkp-tests, lib/changed_stat.rb (`change?`) and lib/stats.rb (`min_mean_max`, `skip_regular_stat?`,
  `skip_small_change?`): a number for each boot, three of them or more. The gap rule (a distance is given): ranges do not meet, and
  the gap between them is more than half the difference of medians. Without a distance: each median lies outside the other range.
  Either way the medians differ by more than 1 %. Medians are the upper ones of an even number.
* hyperfine, sharkdp/hyperfine, scripts/welch_ttest.py: Welch's test at .05 on all results.
* Settled minima, as scheduler patches were measured on the kernel's mailing list: the least of three results within 1 %; of
  several boots the least; different where they lie more than that 1 % apart.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from tests.validation.simulate import Array, Flags

from kdelta.model.plan import Rule
from kdelta.stats.contrast import Estimates, unpaired
from kdelta.stats.sequential import two_sided

LKP_LEAST, LKP_RATIO, LKP_GAP = 3, 1.01, 2.0
MMTESTS_SD = 1.959964

Signs = NDArray[np.int64]
"""1 where the new column is called slower, -1 where faster, 0 where neither."""


def mmtests(results: Array) -> Signs:
    """`results` are (runs, boots, columns, results)."""
    heap = np.moveaxis(results, 2, 1).reshape(len(results), 2, -1)
    away = np.diff(heap.mean(2), axis=1)[:, 0]
    return signs(away, np.abs(away) > MMTESTS_SD * heap.std(2, ddof=1).sum(1))


def hyperfine(results: Array) -> Signs:
    """`results` are (runs, boots, columns, results)."""
    return tested(unpaired(np.moveaxis(results, 3, 2).reshape(len(results), -1, 2)))


def gap(values: Array) -> Flags:
    """LKP's rule, of `values`, (runs, boots, columns), without its least change."""
    low, middle, high = _sorted(values)
    found = np.zeros(len(values), dtype=np.bool_)
    for a, b in ((0, 1), (1, 0)):
        between = low[:, b] - high[:, a]
        found |= (between > 0.0) & (between > (middle[:, b] - middle[:, a]) / LKP_GAP)
    return found


def outside(values: Array) -> Flags:
    """LKP's rule where no distance is given, without its least change."""
    low, middle, high = _sorted(values)
    found = np.zeros(len(values), dtype=np.bool_)
    for a, b in ((0, 1), (1, 0)):
        found |= (low[:, b] > middle[:, a]) & (middle[:, b] > high[:, a])
    return found


def lkp(results: Array, changed: Callable[[Array], Flags]) -> Signs:
    """`results` are (runs, boots, columns, results)."""
    values = results.mean(3)
    _, middle, _ = _sorted(values)
    large = middle.max(1) > LKP_RATIO * middle.min(1)
    enough = values.shape[1] >= LKP_LEAST
    return signs(middle[:, 1] - middle[:, 0], changed(values) & large & enough)


def least(minima: Array) -> Signs:
    """Of the settled minima of boots, (runs, boots, columns)."""
    both = minima.min(1)
    different = both.max(1) > both.min(1) * (1.0 + Rule().spread)
    return signs(both[:, 1] - both[:, 0], different)


def _sorted(values: Array) -> tuple[Array, Array, Array]:
    """Least, upper median and greatest of each column."""
    ordered = np.sort(values, axis=1)
    return ordered[:, 0], ordered[:, ordered.shape[1] // 2], ordered[:, -1]


def signs(away: Array, called: Flags) -> Signs:
    return np.where(called, np.sign(away), 0.0).astype(np.int64)


def tested(found: Estimates) -> Signs:
    """At .05, once, after the last value."""
    p = two_sided(found.estimate, found.se, found.df)[:, -1, 1]
    return signs(found.estimate[:, -1, 1], p <= 0.05)
