"""What is a breach and what is not, by verdict and by size."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit import verdicts as made
from tests.unit.verdicts import EQUIVALENT, FASTER, SLOWER, UNDECIDED, Percents, failed, judgement, verdict

from kdelta.judge.gate import gate
from kdelta.model.benchmark import SCRIPTS_PER_HOUR, TIME_PER_OPERATION, Metric
from kdelta.model.gate import Standing, Threshold
from kdelta.model.verdict import Answer, Judgement

SLOW = verdict(SLOWER, (5.0, 4.0, 6.0))


def standing(answer: Answer, percents: Percents, share: float, metric: Metric = TIME_PER_OPERATION) -> Standing:
    (checked,) = gate(judgement(verdict(answer, percents, metric=metric)), [Threshold(None, share)]).checked
    return checked.standing


CASES: dict[str, tuple[Answer, Percents, float, Standing]] = {
    "slower by more": (SLOWER, (5.1, 4.0, 6.0), 0.05, Standing.BREACH),
    "slower by as much": (SLOWER, (5.0, 4.0, 6.0), 0.05, Standing.BREACH),
    "slower by less, whatever its interval holds": (SLOWER, (4.9, 1.0, 9.0), 0.05, Standing.TOLERATED),
    "any slowdown": (SLOWER, (0.01, 0.001, 0.02), 0.0, Standing.BREACH),
    "large, but perhaps by chance": (UNDECIDED, (30.0, -2.0, 70.0), 0.05, Standing.UNDECIDED),
    "equivalent, though real": (EQUIVALENT, (0.5, 0.4, 0.6), 0.0, Standing.PASSED),
    "faster": (FASTER, (-30.0, -31.0, -29.0), 0.0, Standing.PASSED),
}


@pytest.mark.parametrize(("answer", "percents", "share", "expected"), CASES.values(), ids=CASES)
def test_a_breach_is_slower_by_its_verdict_and_by_its_size(
    answer: Answer, percents: Percents, share: float, expected: Standing
) -> None:
    assert standing(answer, percents, share) is expected


RATES: dict[str, tuple[Percents, float, Standing]] = {
    "half of the rate is twice as slow": ((-50.0, -51.0, -49.0), 1.0, Standing.BREACH),
    "a little more than half is not": ((-49.9, -51.0, -49.0), 1.0, Standing.TOLERATED),
    "a fall by 5 % is a cost of 5.3 %": ((-5.0, -6.0, -4.0), 0.0526, Standing.BREACH),
    "and not of 5.27 %": ((-5.0, -6.0, -4.0), 0.0527, Standing.TOLERATED),
    "a fall by the inverse of a twentieth more": ((100.0 * (1.0 / 1.05 - 1.0), -6.0, -4.0), 0.05, Standing.BREACH),
}


@pytest.mark.parametrize(("percents", "share", "expected"), RATES.values(), ids=RATES)
def test_a_rate_is_slower_by_what_its_inverse_grows(percents: Percents, share: float, expected: Standing) -> None:
    assert standing(SLOWER, percents, share, SCRIPTS_PER_HOUR) is expected


def test_the_slowdown_is_that_of_the_cost_and_negative_where_it_is_faster() -> None:
    found = [
        SLOW,
        verdict(SLOWER, (-50.0, -51.0, -49.0), metric=SCRIPTS_PER_HOUR),
        verdict(FASTER, (-20.0, -21.0, -19.0)),
        failed(),
    ]
    assert [checked.slowdown for checked in gate(judgement(*found)).checked] == [*map(pytest.approx, (0.05, 1.0, -0.2)), None]


def test_without_a_threshold_every_slowdown_is_a_breach() -> None:
    assert [checked.verdict for checked in gate(judgement(SLOW, verdict(FASTER, (-5.0, -6.0, -4.0)))).breaches] == [SLOW]


def test_a_benchmark_s_own_threshold_goes_before_that_of_all() -> None:
    found = judgement(SLOW, verdict(SLOWER, (5.0, 4.0, 6.0), name="mmap"))
    checked = gate(found, [Threshold("mmap", 0.1), Threshold(None, 0.02)]).checked
    assert [(one.threshold, one.standing) for one in checked] == [(0.02, Standing.BREACH), (0.1, Standing.TOLERATED)]


def test_of_two_thresholds_for_one_benchmark_the_last_counts() -> None:
    assert gate(judgement(SLOW), [Threshold("ctx-2", 0.1), Threshold("ctx-2", 0.01)]).checked[0].threshold == 0.01


def test_a_threshold_for_a_benchmark_that_is_not_there_is_named() -> None:
    asked = [Threshold("ctx-2", 0.1), Threshold("ctx2", 0.1), Threshold(None, 0.1)]
    assert gate(judgement(SLOW), asked).unused == ("ctx2",)


def test_a_side_without_a_value_is_missing_and_no_breach() -> None:
    found = gate(judgement(failed(), verdict(rounds=1, boots=(2, 1))))
    assert [one.standing for one in found.checked] == [Standing.MISSING, Standing.UNDECIDED]
    assert [one.verdict for one in found.those(Standing.MISSING)] == [failed()]
    assert found.breaches == ()


def test_a_slower_contrast_without_an_estimate_is_a_breach_all_the_same() -> None:
    assert gate(judgement(verdict(SLOWER)), [Threshold(None, 0.5)]).breaches


@given(made.ANY_JUDGEMENT, st.floats(0.0, 10.0))
@settings(max_examples=100, deadline=None)
def test_every_contrast_is_checked_and_only_slower_ones_are_breaches(of: Judgement, share: float) -> None:
    found = gate(of, [Threshold(None, share)])
    assert [one.verdict for one in found.checked] == [*of.verdicts]
    assert {one.verdict.answer for one in found.breaches} <= {SLOWER}


@given(made.ANY_JUDGEMENT, st.floats(0.0, 10.0), st.floats(0.0, 10.0))
@settings(max_examples=100, deadline=None)
def test_a_higher_threshold_never_finds_more(of: Judgement, one: float, other: float) -> None:
    few, many = (gate(of, [Threshold(None, share)]).breaches for share in (max(one, other), min(one, other)))
    assert len(few) <= len(many)
