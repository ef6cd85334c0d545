"""After each round: what is decided leaves, what is not stays, and the base with it."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.builders import BOX
from tests.unit.judged import Values, boots, noisy, planned

from kdelta.judge.rule import Standing, announcements, standing
from kdelta.model.plan import Plan
from kdelta.model.verdict import Answer

CLEAR = {("old", "a"): noisy(3, sd=0.001), ("new", "a"): noisy(3, ratio=1.2, sd=0.001, seed=2)}
UNCLEAR = {("old", "b"): noisy(3, sd=0.02, seed=3), ("new", "b"): noisy(3, sd=0.02, seed=4)}


def after(values: Values, *, rounds: int = 10, budget: float | None = None, variants: tuple[str, ...] = ("old", "new")) -> Standing:
    of = _plan(values, rounds, budget, variants)
    return standing(of, boots(of, values))


def _plan(values: Values, rounds: int, budget: float | None, variants: tuple[str, ...]) -> Plan:
    names = list(dict.fromkeys(name for _, name in values))
    return msgspec.structs.replace(planned(variants, names, rounds=rounds, sequential=True), budget_seconds=budget)


def wanted(found: Standing) -> set[tuple[str, str]]:
    return {(variant, benchmark) for _, variant, benchmark in found.wanted}


def test_before_three_rounds_everything_is_wanted() -> None:
    two = {key: column[:2] for key, column in {**CLEAR, **UNCLEAR}.items()}
    assert wanted(after(two)) == {("old", "a"), ("new", "a"), ("old", "b"), ("new", "b")}


def test_a_decided_contrast_leaves_and_an_undecided_one_keeps_its_base() -> None:
    assert wanted(after({**CLEAR, **UNCLEAR})) == {("old", "b"), ("new", "b")}


def test_the_base_stays_for_the_columns_that_are_left() -> None:
    values = {**CLEAR, ("newer", "a"): noisy(3, sd=0.03, seed=7)}
    assert wanted(after(values, variants=("old", "new", "newer"))) == {("old", "a"), ("newer", "a")}


def test_when_everything_is_decided_nothing_is_wanted() -> None:
    assert after(CLEAR).wanted == frozenset()


def test_equivalence_is_a_decision() -> None:
    assert after({("old", "a"): noisy(3, sd=0.0005), ("new", "a"): noisy(3, sd=0.0005, seed=2)}).wanted == frozenset()


def test_what_failed_twice_and_never_worked_is_not_tried_again() -> None:
    found = after({("old", "a"): [100.0, 101.0], ("new", "a"): [None, None]})
    assert found.wanted == frozenset()
    assert found.untestable == {(BOX.name, "new", "a")}


def test_one_failure_is_tried_again() -> None:
    assert wanted(after({("old", "a"): [100.0, 101.0], ("new", "a"): [None, 101.0]})) == {("old", "a"), ("new", "a")}


NOISE = {("old", "a"): noisy(4, sd=0.05, seed=5), ("new", "a"): noisy(4, sd=0.05, seed=5)[::-1]}


@pytest.mark.parametrize(("budget", "left"), [(None, {("old", "a"), ("new", "a")}), (3600.0, set())])
def test_what_is_futile_leaves_only_where_there_is_a_budget(budget: float | None, left: set[tuple[str, str]]) -> None:
    found = after(NOISE, budget=budget)
    assert [one.new.benchmark.name for one in found.futile] == ["a"]
    assert wanted(found) == left


def test_what_the_last_round_can_still_show_is_not_futile() -> None:
    quieter = {("old", "a"): noisy(3, sd=0.01, seed=3), ("new", "a"): noisy(3, sd=0.01, seed=4)}
    found = after(quieter, rounds=60)
    assert found.wanted
    assert found.futile == ()


def test_each_decision_is_announced_once() -> None:
    values = {**CLEAR, **UNCLEAR}
    of = _plan(values, 10, None, ("old", "new"))
    first = standing(of, boots(of, values))
    assert [one.answer for one in announcements(None, first)["decided"]] == [Answer.SLOWER]
    assert announcements(first, first) == {"decided": [], "futile": []}
