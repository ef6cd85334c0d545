"""Boots become arrays: one number each, missing ones missing."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from tests.unit.builders import BOX, benchmark, boot, plan, record, sample
from tests.unit.judged import boots, planned

from kdelta.judge.series import cells, series
from kdelta.model.benchmark import Better, Metric
from kdelta.model.boot import Cell, CellState
from kdelta.model.plan import BoxSpec, Plan, Repeat, Rule

KEY = (BOX.name, "null")
HERE = BoxSpec(name="local", kind="local")


def one_boot(values: list[float], of: Plan, statistic: str | None = None, box: str = BOX.name) -> float:
    """The value that the first boot of `of` has with these results."""
    found = cells(of, [record(boot({"null": values}), box=box)], statistic)
    return math.exp(found[box, "null"].logs[0, 0])


def test_rounds_are_rows_and_columns_are_variants_with_the_baseline_first() -> None:
    of = planned(rounds=2)
    found = series(of, boots(of, {("old", "null"): [1.0, 2.0], ("new", "null"): [3.0, 4.0]}))
    assert np.exp(found[KEY]) == pytest.approx(np.array([[1.0, 3.0], [2.0, 4.0]]))


def test_what_failed_or_was_not_measured_is_missing() -> None:
    of = planned(rounds=3)
    found = series(of, boots(of, {("old", "null"): [1.0, None, 2.0], ("new", "null"): [3.0]}))[KEY]
    assert np.isnan(found).tolist() == [[False, False], [True, True], [False, True]]


def test_the_first_seed_is_the_first_round() -> None:
    of = msgspec.structs.replace(planned(rounds=2), first_seed=41)
    assert np.exp(series(of, boots(of, {("old", "null"): [5.0, 6.0]}))[KEY][:, 0]) == pytest.approx([5.0, 6.0])


def test_a_boot_of_another_round_or_variant_is_left_out() -> None:
    of = planned(rounds=2)
    strangers = [record(boot({"null": [1.0]}), "other"), record(boot({"null": [1.0]}), seed=3)]
    assert np.isnan(series(of, strangers)[KEY]).all()


def test_warm_ups_and_discarded_results_are_not_judged() -> None:
    of = plan()
    taken = [sample(9.0, iteration=-1), msgspec.structs.replace(sample(9.0), discarded="not settled"), sample(4.0, iteration=1)]
    came = msgspec.structs.replace(boot({"null": [1.0]}), samples=tuple(taken))
    assert np.exp(cells(of, [record(came)])[KEY].logs[0, 0]) == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("iterations", "values", "value"),
    [
        pytest.param(1, [4.0], 4.0, id="one result is the value"),
        pytest.param(2, [4.0, 6.0], 5.0, id="two have their mean"),
        pytest.param(3, [4.0, 5.0, 9.0], 5.0, id="three have their median"),
    ],
)
def test_the_usual_statistic_follows_the_number_of_results_that_are_planned(
    iterations: int, values: list[float], value: float
) -> None:
    of = msgspec.structs.replace(plan(), benchmarks=(benchmark(iterations=iterations),))
    assert one_boot(values, of) == pytest.approx(value)


@pytest.mark.parametrize(("better", "value"), [(Better.SMALLER, 1.0), (Better.LARGER, 3.0)])
def test_min_is_the_best_result_whichever_direction_is_better(better: Better, value: float) -> None:
    of = msgspec.structs.replace(plan(), benchmarks=(benchmark(metric=Metric("time", "x", better)),))
    assert one_boot([1.0, 2.0, 3.0], of, "min") == pytest.approx(value)


def test_fixed_results_of_a_visit_lose_their_warm_up_first() -> None:
    of = msgspec.structs.replace(plan(boxes=(HERE,)), rule=Rule(repeat=Repeat.FIXED, results=8))
    assert one_boot([9.0, 5.0, 1.0, 1.1, 0.9, 1.0, 1.1, 0.9], of, box="local") == pytest.approx(1.0)


def test_a_value_of_0_has_no_logarithm_and_is_counted() -> None:
    of = planned(rounds=2)
    found = cells(of, boots(of, {("old", "null"): [0.0, 1.0], ("new", "null"): [-1.0, 0.0]}))[KEY]
    assert np.isnan(found.logs).tolist() == [[True, True], [False, True]]
    assert found.odd == {"old": 1, "new": 2}


def test_results_that_were_rounded_have_a_floor_to_their_noise() -> None:
    of = planned(rounds=1)
    assert cells(of, boots(of, {("old", "null"): [0.5], ("new", "null"): [0.6]}))[KEY].floor == pytest.approx((0.1 / 0.5) ** 2 / 12)


def test_only_cells_that_ended_well_count() -> None:
    came = msgspec.structs.replace(boot({"null": [1.0]}), cells=(Cell("null", CellState.KILLED, "signal 9"),))
    assert np.isnan(cells(plan(), [record(came)])[KEY].logs).all()
