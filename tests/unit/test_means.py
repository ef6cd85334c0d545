"""All in all: the geometric mean of a table's ratios."""

from __future__ import annotations

import math

import msgspec
import pytest
from tests.unit.builders import BOX, benchmark
from tests.unit.judged import Values, boots, noisy, planned

from kdelta.judge.judgement import judge
from kdelta.model.benchmark import Better, Metric
from kdelta.model.plan import Plan
from kdelta.model.verdict import Answer, Mean

RATE = Metric("time", "scripts/h", Better.LARGER)


def mean(of: Plan, values: Values) -> Mean:
    return judge(of, boots(of, values)).means[0]


def two(first: float, second: float, rounds: int = 5) -> Values:
    """Benchmarks a and b, changed by these ratios."""
    return {
        ("old", "a"): noisy(rounds, sd=0.001),
        ("old", "b"): noisy(rounds, sd=0.001, seed=2),
        ("new", "a"): noisy(rounds, ratio=first, sd=0.001, seed=3),
        ("new", "b"): noisy(rounds, ratio=second, sd=0.001, seed=4),
    }


def test_it_is_the_root_of_the_product() -> None:
    found = mean(planned(names=("a", "b")), two(1.21, 1.0))
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(1.1, rel=0.002)
    assert (found.answer, found.benchmarks, found.rounds) == (Answer.SLOWER, ("a", "b"), 5)


def test_gains_and_losses_of_the_same_size_cancel() -> None:
    assert mean(planned(names=("a", "b")), two(1.25, 0.8)).answer is Answer.EQUIVALENT


def test_a_rate_that_falls_is_a_cost_that_grows() -> None:
    of = planned(names=("a", "b"))
    of = msgspec.structs.replace(of, benchmarks=(benchmark("a"), benchmark("b", metric=RATE)))
    found = mean(of, two(1.1, 1.0 / 1.1))
    assert found.ratio is not None
    assert math.log(found.ratio.value) == pytest.approx(math.log(1.1), abs=0.002)


def test_a_benchmark_without_enough_rounds_is_left_out_by_name() -> None:
    values = {**two(1.1, 1.1), ("new", "b"): [None, None, None, 1000.0, 1000.0]}
    values |= {("old", "c"): noisy(5), ("new", "c"): noisy(5, seed=9)}
    found = mean(planned(names=("a", "b", "c")), values)
    assert (found.benchmarks, found.left_out) == (("a", "c"), ("b: 2 of 3 rounds that have both",))


def test_rounds_that_lack_a_benchmark_do_not_count() -> None:
    values = two(1.1, 1.1)
    values = {**values, ("new", "b"): [*values["new", "b"][:4], None]}
    assert mean(planned(names=("a", "b")), values).rounds == 4


def test_one_benchmark_has_no_mean() -> None:
    of = planned(names=("a",))
    assert judge(of, boots(of, {("old", "a"): noisy(5), ("new", "a"): noisy(5)})).means == ()


def test_each_column_has_its_own() -> None:
    of = planned(("old", "new", "newer"), ("a", "b"))
    values = {**two(1.1, 1.1), ("newer", "a"): noisy(5, seed=8), ("newer", "b"): noisy(5, seed=9)}
    assert [(one.box, one.base, one.new) for one in judge(of, boots(of, values)).means] == [
        (BOX, "old", "new"),
        (BOX, "old", "newer"),
    ]
