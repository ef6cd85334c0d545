"""How often a benchmark is run in one visit, and which of its results count."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.model.plan import Repeat, Rule
from kdelta.run.rule import Step, progress, spread, step

SETTLED = Rule()
FIXED = Rule(repeat=Repeat.FIXED, results=3)
LONG = 1e9
RESULTS = st.lists(st.floats(min_value=1.0, max_value=2.0), min_size=1, max_size=20)


def settled(*results: float, seconds: float = 0.0, limit: float = LONG) -> Step:
    return step(SETTLED, results, seconds, limit)


@pytest.mark.parametrize("results", [(100.0,), (100.0, 100.5)])
def test_fewer_results_than_the_rule_asks_for_are_never_enough(results: Sequence[float]) -> None:
    assert settled(*results).again


def test_no_limit_ends_a_benchmark_before_its_first_result() -> None:
    assert settled(seconds=90.0, limit=60.0).again


@pytest.mark.parametrize("last", [100.0, 101.0, 99.5])
def test_three_results_within_one_percent_are_enough(last: float) -> None:
    assert settled(100.0, 100.4, last) == Step(again=False)


def test_the_spread_is_that_of_the_largest_against_the_smallest() -> None:
    assert settled(100.0, 100.6, 101.1).again


def test_an_outlier_begins_the_count_anew() -> None:
    assert settled(100.0, 100.1, 150.0).again
    assert settled(100.0, 100.1, 150.0, 100.0).again
    assert settled(100.0, 100.1, 150.0, 100.0, 100.1).again
    assert not settled(100.0, 100.1, 150.0, 100.0, 100.1, 100.2).again


def test_what_came_before_the_settled_results_is_thrown_away_with_its_reason() -> None:
    reason = "followed by 3 results within 1.00%"
    assert settled(100.0, 150.0, 100.0, 100.1, 100.2).discards == {0: reason, 1: reason}


def test_the_cap_in_runs_wins() -> None:
    results = [100.0, 150.0] * 7 + [100.0]
    assert len(results) == SETTLED.most
    assert settled(*results[:-1]).again
    ended = settled(*results)
    assert (ended.again, sorted(ended.discards)) == (False, list(range(12)))
    assert ended.note == "not settled: the cap of 15 results came first, the last 3 results lie 50.00% apart"


def test_the_cap_in_time_wins() -> None:
    assert settled(100.0, 150.0, 100.0, 150.0, seconds=59.9, limit=60.0).again
    ended = settled(100.0, 150.0, 100.0, 150.0, seconds=60.0, limit=60.0)
    assert (ended.again, list(ended.discards)) == (False, [0])
    assert ended.note.startswith("not settled: the limit of 60 s came first")


def test_results_that_settle_at_the_cap_have_settled() -> None:
    assert settled(*[100.0, 150.0] * 6, 100.0, 100.0, 100.0, seconds=99.0, limit=60.0).note == ""


def test_a_cap_that_comes_before_three_results_keeps_what_there_is() -> None:
    ended = settled(100.0, seconds=61.0, limit=60.0)
    assert (ended.again, ended.discards, ended.note) == (False, {}, "the limit of 60 s came after 1 of 3 results")


def test_the_fixed_rule_takes_its_number_however_far_they_lie_apart() -> None:
    assert step(FIXED, [100.0, 200.0], 0.0, LONG).again
    assert step(FIXED, [100.0, 200.0, 400.0], 0.0, LONG) == Step(again=False)


@given(RESULTS)
def test_what_is_kept_are_the_last_results(results: list[float]) -> None:
    ended = step(SETTLED, results, 0.0, LONG)
    assert ended.again or sorted(ended.discards) == list(range(len(results) - 3))


@given(RESULTS, st.floats(0.0, 1e6))
def test_a_run_always_ends(results: list[float], seconds: float) -> None:
    assert not step(SETTLED, results * 15, seconds, LONG).again
    assert not step(SETTLED, results, LONG, seconds).again


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_no_value_is_too_odd_for_a_spread(results: list[float]) -> None:
    assert spread(results) >= 0.0


@pytest.mark.parametrize(
    ("rule", "results", "said"),
    [
        pytest.param(FIXED, [1.0, 2.0], "2 of 3 results", id="fixed"),
        pytest.param(SETTLED, [1.0], "result 1", id="first"),
        pytest.param(SETTLED, [100.0, 102.0], "result 2, the last 2 within 2.00%", id="second"),
        pytest.param(SETTLED, [500.0, 100.0, 102.0, 101.0], "result 4, the last 3 within 2.00%", id="later"),
    ],
)
def test_progress_says_how_settled_it_is(rule: Rule, results: list[float], said: str) -> None:
    assert progress(rule, results) == said
