"""What became of every result that was taken."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.builders import benchmarks, sample
from tests.unit.posted import FIXED, NUMAQ, build, posted, smpnice

from kdelta.judge.account import account
from kdelta.model.account import Account
from kdelta.model.boot import Boot, Cell, CellState
from kdelta.model.plan import BoxSpec, Rule
from kdelta.model.sample import Sample
from kdelta.workload.catalogue import by_name

NULL = by_name()["null"]


def one_visit(*samples: Sample, state: CellState = CellState.OK, rule: Rule = FIXED, box: BoxSpec = NUMAQ) -> Account:
    """Of a visit that measured `null` and nothing else."""
    found = posted([NULL], {"a": [{}]}, box=box, rule=rule)
    boot = msgspec.structs.replace(found.records[0].boot, cells=(Cell("null", state),), samples=samples)
    return account(found.plan, [msgspec.structs.replace(found.records[0], boot=boot)])


def values(*found: float) -> Sequence[Sample]:
    return [sample(value, iteration=place) for place, value in enumerate(found)]


def test_results_that_were_thrown_away_are_counted_by_their_reasons() -> None:
    found = smpnice()
    assert account(found.plan, found.records) == Account(
        taken=240, judged=144, reasons={"warm-up": 48, "followed by 3 results within 1.00%": 48}
    )


def test_a_result_with_many_metrics_is_one() -> None:
    kernbench = by_name()["kernbench-2x"]
    found = posted([kernbench], {"a": [{kernbench.name: build(100.0, 10.0, 200.0, 210.0)}]}, box=NUMAQ)
    assert account(found.plan, found.records) == Account(taken=3, judged=3, reasons={})


def test_warm_ups_come_first_and_other_reasons_in_their_order() -> None:
    thrown = [msgspec.structs.replace(sample(1.0, iteration=place), discarded=why) for place, why in enumerate(("b", "a", "b"))]
    assert list(one_visit(*thrown, sample(1.0, iteration=-1), sample(1.0, iteration=3)).reasons.items()) == [
        ("warm-up", 1),
        ("a", 1),
        ("b", 2),
    ]


def test_results_of_a_benchmark_that_did_not_end_well_are_not_judged() -> None:
    found = one_visit(*values(1.0, 2.0), state=CellState.KILLED)
    assert found == Account(taken=2, judged=0, reasons={"of benchmarks that did not end well": 2})


def test_a_benchmark_that_was_never_closed_did_not_end_well() -> None:
    found = posted([NULL], {"a": [{}]}, box=NUMAQ)
    boot = Boot(outcome=found.records[0].boot.outcome, cells=(), samples=tuple(values(1.0)))
    assert account(found.plan, [msgspec.structs.replace(found.records[0], boot=boot)]).judged == 0


WARMING = (500.0, 100.0, 10.0, 11.0, 10.0, 11.0)


def test_results_that_were_cut_as_warm_up_are_counted() -> None:
    assert one_visit(*values(*WARMING)) == Account(taken=6, judged=4, reasons={"cut as warm-up (MSER-1)": 2})


def test_nothing_is_cut_of_settled_results_or_of_counts() -> None:
    assert one_visit(*values(*WARMING), rule=Rule()).judged == 6
    assert one_visit(*values(*WARMING), box=BoxSpec(name="lab")).judged == 6


def test_results_of_benchmarks_that_the_plan_has_not_are_not_counted() -> None:
    assert one_visit(sample(1.0, name="other")).taken == 0


def test_of_nothing_nothing_became() -> None:
    assert account(posted([NULL], {"a": []}, box=NUMAQ).plan, []) == Account(taken=0, judged=0, reasons={})


SAMPLES = st.lists(
    st.builds(
        lambda value, iteration, why: msgspec.structs.replace(sample(value, iteration=iteration), discarded=why),
        st.floats(1.0, 2.0),
        st.integers(-3, 9),
        st.sampled_from(["", "", "a", "b"]),
    ),
    max_size=12,
)


@given(SAMPLES, st.sampled_from(CellState))
def test_every_result_is_judged_or_has_a_reason(found: list[Sample], state: CellState) -> None:
    came = one_visit(*found, state=state)
    assert came.taken == len(found) == came.judged + sum(came.reasons.values())
    assert all(count > 0 for count in came.reasons.values())


def test_the_account_of_several_benchmarks_is_that_of_all() -> None:
    two = benchmarks(("a", "b"))
    found = posted(two, {"x": [{"a": {"time": (1.0, 2.0)}, "b": {"time": (3.0,)}}]}, box=NUMAQ)
    assert account(found.plan, found.records).taken == 3
