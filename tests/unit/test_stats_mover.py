"""The interval of a difference, from those of its two sides."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from kdelta.stats.mover import Estimate, difference


def one(value: float, low: float, high: float) -> Estimate:
    return Estimate(*(np.array([each]) for each in (value, low, high)))


def test_even_intervals_add_as_errors_do() -> None:
    low, high = difference(one(10.0, 7.0, 13.0), one(20.0, 16.0, 24.0))
    assert (low[0], high[0]) == (5.0, 15.0)


def test_each_end_is_as_far_as_the_ends_that_lead_there() -> None:
    low, high = difference(one(0.0, 0.0, 3.0), one(9.0, 5.0, 21.0))
    assert (low[0], high[0]) == (4.0, 21.0)


def test_the_published_example_is_met() -> None:
    """Two binomial shares with Wilson's intervals, Newcombe's method 10: 56/70 - 48/80."""

    def wilson(hits: int, of: int) -> Estimate:
        ends = stats.binomtest(hits, of).proportion_ci(method="wilson")
        return one(hits / of, ends.low, ends.high)

    low, high = difference(wilson(48, 80), wilson(56, 70))
    assert (low[0], high[0]) == pytest.approx((0.0524, 0.3339), abs=5e-5)
