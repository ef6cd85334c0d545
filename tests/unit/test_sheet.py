"""From boots to sheets: what a figure is made of, and what it is never made of."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.posted import FIXED, NUMAQ, Posted, Results, around, build, posted

from kdelta.judge.sheet import sheets, whole
from kdelta.model.boot import Cell, CellState
from kdelta.model.plan import LOCAL, BoxSpec, Rule
from kdelta.model.sheet import Figure, Line, Sheet
from kdelta.workload.catalogue import by_name

NULL, SDET, BUILD = (by_name()[name] for name in ("null", "sdet-8", "kernbench-optimal"))
Visits = Sequence[Mapping[str, Results]]
T = TypeVar("T")


def times(*values: float) -> Mapping[str, Results]:
    return {"null": {"time": values}}


def sheet(found: Posted) -> Sheet:
    [one] = sheets(found.plan, found.records)
    return one


def lines(rounds: int = 1, rule: Rule = FIXED, **visits: Visits) -> list[Line]:
    """Of `null`, by variant."""
    [block] = sheet(posted([NULL], visits, box=NUMAQ, rounds=rounds, rule=rule)).blocks
    return list(block.lines)


# ---- what a figure is made of ----


def test_of_one_visit_the_values_are_its_results() -> None:
    [line] = lines(a=[times(9.0, 11.0, 10.0)])
    assert line.figures["time"] == Figure(mean=10.0, sd=1.0, sd_percent=10.0, least=9.0, most=11.0)
    assert (line.visits, line.results) == (1, 3)


def test_of_several_visits_the_values_are_their_means() -> None:
    [line] = lines(3, a=[times(1.0, 17.0), times(10.0), times(5.0, 11.0, 17.0)])
    assert line.figures["time"] == Figure(mean=10.0, sd=1.0, sd_percent=10.0, least=9.0, most=11.0)
    assert (line.visits, line.results) == (3, 6)


def test_one_result_has_no_spread() -> None:
    [line] = lines(a=[times(10.0)])
    assert line.figures["time"] == Figure(mean=10.0, sd=None, sd_percent=None, least=10.0, most=10.0)


def test_the_spread_of_a_lone_visit_is_not_put_beside_that_of_visits() -> None:
    """Its own results would be far nearer to each other."""
    several, lone = lines(2, a=[times(9.0, 9.1), times(11.0, 11.1)], b=[times(10.0, 10.1)])
    assert several.figures["time"].sd == pytest.approx(1.4142136)
    assert lone.figures["time"].sd is None


@pytest.mark.parametrize(("second", "within"), [([times(1.0)], True), ([times(1.0), times(1.0)], False)])
def test_a_sheet_is_within_a_visit_only_if_no_line_has_more(second: Visits, within: bool) -> None:
    assert sheet(posted([NULL], {"a": [times(1.0)], "b": second}, box=NUMAQ, rounds=2)).within is within


@pytest.mark.parametrize(
    ("box", "rule", "agreed"),
    [(NUMAQ, Rule(), True), (NUMAQ, FIXED, False), (BoxSpec(name="lab"), Rule(), False)],
    ids=["settled", "fixed", "counted"],
)
def test_results_agree_by_rule_only_where_one_made_them(box: BoxSpec, rule: Rule, agreed: bool) -> None:
    assert sheet(posted([NULL], {"a": [times(1.0)]}, box=box, rule=rule)).agreed is agreed


def test_results_that_do_not_count_are_in_no_figure() -> None:
    found = posted([NULL], {"a": [times(10.0, 12.0, 900.0)]}, box=NUMAQ)
    [record] = found.records
    first, second, third = record.boot.samples
    odd = (
        msgspec.structs.replace(first, iteration=-1, warmup=True, value=1.0),
        msgspec.structs.replace(third, discarded="followed by 3 results within 1.00%"),
    )
    boot = msgspec.structs.replace(record.boot, samples=(first, second, *odd))
    [block] = sheet(Posted(found.run, [msgspec.structs.replace(record, boot=boot)])).blocks
    assert (block.lines[0].figures["time"].least, block.lines[0].figures["time"].most) == (10.0, 12.0)


def test_a_fixed_number_of_results_is_cut_of_its_warm_up() -> None:
    [line] = lines(a=[times(500.0, 100.0, 10.0, 11.0, 10.0, 11.0)])
    assert (line.results, line.figures["time"].most) == (4, 11.0)


def test_all_metrics_are_cut_where_the_first_one_says_so() -> None:
    metrics = {metric.name: [float(place) for place in range(6)] for metric in BUILD.metrics}
    metrics["elapsed_s"] = [500.0, 100.0, 10.0, 11.0, 10.0, 11.0]
    [block] = sheet(posted([BUILD], {"a": [{BUILD.name: metrics}]}, box=NUMAQ)).blocks
    assert {name: figure.least for name, figure in block.lines[0].figures.items() if name != "elapsed_s"} == dict.fromkeys(
        [metric.name for metric in BUILD.metrics[1:]], 2.0
    )


# ---- no load holds another's results ----

LOADS = [by_name()[f"kernbench-{load}"] for load in ("single", "half", "optimal", "2x", "16x", "maximal")]


@given(st.randoms(use_true_random=False), st.integers(1, 2))
def test_no_load_holds_results_of_another_in_whatever_order_they_come(order: random.Random, rounds: int) -> None:
    """kernbench 0.50 averages each load with all those before it. Those here lie so far apart that any of another's would show."""
    visit = {one.name: build(1000.0 * (place + 1), 10.0, 200.0, 210.0) for place, one in enumerate(LOADS)}
    found = posted(LOADS, {"a": [visit] * rounds, "b": [visit] * rounds}, box=NUMAQ, rounds=rounds)
    boots = [msgspec.structs.replace(one.boot, samples=_shuffled(one.boot.samples, order)) for one in found.records]
    records = [msgspec.structs.replace(one, boot=boot) for one, boot in zip(found.records, boots, strict=True)]
    blocks = sheet(Posted(found.run, list(_shuffled(records, order)))).blocks
    means = [[line.figures["elapsed_s"].mean for line in block.lines] for block in blocks]
    assert means == [[pytest.approx(1000.0 * (place + 1))] * 2 for place in range(len(LOADS))]
    assert {line.results for block in blocks for line in block.lines} == {3 * rounds}


def _shuffled(items: Sequence[T], order: random.Random) -> tuple[T, ...]:
    return tuple(order.sample(items, len(items)))


# ---- against the baseline ----


def test_a_mean_is_in_percent_of_the_baselines() -> None:
    assert [line.of_base for line in lines(a=[times(50.0)], b=[times(60.0)], c=[times(25.0)])] == [100.0, 120.0, 50.0]


@pytest.mark.parametrize("base", [[], [{}], [times(0.0)]], ids=["not measured", "failed", "0"])
def test_nothing_is_in_percent_of_nothing(base: Visits) -> None:
    assert lines(a=base, b=[times(60.0)])[1].of_base is None


# ---- cells that are not whole ----


def test_a_line_without_results_says_how_it_ended() -> None:
    good, failed, missing = lines(a=[times(1.0)], b=[{}], c=[])
    assert [line.state for line in (good, failed, missing)] == [CellState.OK, CellState.FAILED, None]
    assert (failed.figures, failed.notes) == ({}, ("round 1 failed: exit status 2: no memory",))
    assert (missing.figures, missing.notes) == ({}, ("1 of 1 visit is not measured yet",))


def test_an_end_that_left_no_result_is_no_failure_and_no_value() -> None:
    """A limit that came during the warm-up."""
    found = posted([NULL], {"a": [times()]}, box=NUMAQ)
    [block] = sheet(found).blocks
    assert (block.lines[0].figures, block.lines[0].state) == ({}, None)


@pytest.mark.parametrize(("state", "complete"), [(CellState.OK, True), (CellState.FAILED, False), (CellState.NOT_HERE, True)])
def test_a_sheet_is_whole_if_every_cell_that_is_possible_has_a_value(state: CellState, complete: bool) -> None:
    found = posted([NULL], {"a": [times(1.0)], "b": [times(1.0)]}, box=NUMAQ)
    boot = msgspec.structs.replace(found.records[1].boot, cells=(Cell("null", state, ""),))
    records = [found.records[0], msgspec.structs.replace(found.records[1], boot=boot)]
    assert whole(sheets(found.plan, records)) is complete


# ---- CPUs ----

CPUS = {
    "the box's": ({}, "", 16),
    "those that are allowed": ({"allowed CPUs": "0-7"}, "", 8),
    "of those the ones online": ({"allowed CPUs": "0-7", "online CPUs": "0-3,12"}, "", 4),
    "of those the ones bound to": ({"allowed CPUs": "0-7", "online CPUs": "0-3"}, "2-5", 2),
    "the ones bound to": ({}, "0", 1),
    "none": ({"allowed CPUs": "0-1"}, "2", None),
    "no list": ({"allowed CPUs": "all"}, "", None),
}


@pytest.mark.parametrize(("environment", "bind", "cpus"), CPUS.values(), ids=CPUS)
def test_a_load_is_of_the_cpus_that_tasks_could_use(environment: Mapping[str, str], bind: str, cpus: int | None) -> None:
    found = posted([NULL], {"a": [times(1.0)]}, box=NUMAQ, bind=bind, environment=environment)
    assert sheet(found).blocks[0].lines[0].cpus == cpus


def test_cpus_that_changed_between_visits_are_not_known() -> None:
    found = posted([NULL], {"a": [times(1.0)] * 2}, box=NUMAQ, rounds=2, environment={"online CPUs": "0-7"})
    boot = msgspec.structs.replace(found.records[1].boot, environment={"online CPUs": "0-3"})
    records = [found.records[0], msgspec.structs.replace(found.records[1], boot=boot)]
    assert sheet(Posted(found.run, records)).blocks[0].lines[0].cpus is None


def test_a_visit_of_which_nothing_is_recorded_does_not_change_the_cpus() -> None:
    found = posted([NULL], {"a": [times(1.0)] * 2}, box=NUMAQ, rounds=2, environment={"online CPUs": "0-7"})
    boot = msgspec.structs.replace(found.records[1].boot, environment={})
    records = [found.records[0], msgspec.structs.replace(found.records[1], boot=boot)]
    assert sheet(Posted(found.run, records)).blocks[0].lines[0].cpus == 8


def test_there_is_a_sheet_for_each_box_with_its_own_boots() -> None:
    found = posted([SDET], {"a": [{SDET.name: {"throughput": around(100.0, 1.0)}}]}, box=NUMAQ)
    other = BoxSpec(name="other", kind=LOCAL)
    both = sheets(msgspec.structs.replace(found.plan, boxes=(NUMAQ, other)), found.records)
    assert [(one.box.name, one.blocks[0].lines[0].visits) for one in both] == [("NUMA-Q", 1), ("other", 0)]
