"""From boots to tables: what a cell is made of, what it is not made of, and what it says when it has no value."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from tests.unit.builders import BOX, benchmark, boot, failed_boot, plan, record, sample

from kdelta.judge.table import incomplete, largest_change, measured, tables, usual_statistic
from kdelta.model.benchmark import Better, Metric
from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.plan import LOCAL, BoxSpec, Plan, Repeat, Rule
from kdelta.model.record import BootRecord
from kdelta.model.table import Entry, Table

ONE = plan(("old", "new"), ("null",), seeds=1)
THREE = plan(("old", "new"), ("null",), seeds=3)


def boots(name: str, *values: Sequence[float]) -> list[BootRecord]:
    """One boot of `name` for each of `values`, by seed from 1."""
    return [record(boot({"null": each}), name, seed=seed) for seed, each in enumerate(values, start=1)]


def bad(name: str, state: CellState, reason: str, *, seed: int = 1) -> BootRecord:
    return record(failed_boot([Cell("null", state, reason)]), name, seed=seed)


def entries(of: Plan, records: Sequence[BootRecord], statistic: str = "median") -> tuple[Entry, ...]:
    [table] = tables(of, records, statistic)
    [row] = table.rows
    return row.entries


def new_entry(of: Plan, *records: BootRecord) -> Entry:
    return entries(of, [*boots("old", *[(100.0,)] * of.seeds), *records])[1]


# ---- the value ----


@pytest.mark.parametrize(
    ("statistic", "of_boots", "value"),
    [("median", (2.0, 6.0, 20.0), 6.0), ("min", (1.0, 5.0, 9.0), 1.0), ("mean", (3.0, 7.0, 20.0), 10.0)],
)
def test_a_value_is_the_statistic_over_boots_of_the_statistic_over_iterations(
    statistic: str, of_boots: tuple[float, ...], value: float
) -> None:
    found = entries(THREE, boots("old", (2.0, 1.0, 6.0), (6.0, 5.0, 10.0), (20.0, 9.0, 31.0)), statistic)[0]
    assert (found.boots, found.value) == (of_boots, value)


def test_boots_are_told_in_the_order_of_their_seeds() -> None:
    assert entries(THREE, list(reversed(boots("old", (1.0,), (2.0,), (3.0,)))))[0].boots == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("statistic", ["median", "min", "mean"])
def test_the_warm_up_is_left_out(statistic: str) -> None:
    warm = boot({"null": (10.0, 10.0, 10.0)})
    warm = msgspec.structs.replace(warm, samples=(sample(1.0, iteration=-1), *warm.samples))
    assert entries(ONE, [record(warm)], statistic)[0].value == 10.0


def test_measured_values_are_those_of_the_benchmark_in_order_without_warm_up() -> None:
    came = msgspec.structs.replace(boot({"null": (3.0, 1.0), "open": (7.0,)}))
    came = msgspec.structs.replace(came, samples=(sample(9.0, iteration=-1), *came.samples))
    assert measured(record(came), "null") == [3.0, 1.0]


def test_the_spread_is_over_boots_in_percent_of_their_mean() -> None:
    found = entries(THREE, boots("old", (9.0,), (10.0,), (11.0,)))[0]
    assert found.sd_percent == pytest.approx(10.0)


def test_one_boot_has_no_spread() -> None:
    assert entries(ONE, boots("old", (10.0,)))[0].sd_percent is None


# ---- which statistic ----

HERE = BoxSpec(name="exact", kind=LOCAL)
FIXED = Rule(repeat=Repeat.FIXED)


@pytest.mark.parametrize(
    ("box", "rule", "statistic"),
    [(HERE, Rule(), "min"), (HERE, FIXED, "median"), (BOX, Rule(), "median"), (BOX, FIXED, "median")],
    ids=["settled", "fixed", "counted", "counted, whatever the rule"],
)
def test_the_usual_statistic_is_the_best_of_settled_results_and_else_the_median(box: BoxSpec, rule: Rule, statistic: str) -> None:
    of = msgspec.structs.replace(ONE, boxes=(box,), rule=rule)
    assert (usual_statistic(of, box), tables(of, [])[0].statistic) == (statistic, statistic)


def test_the_best_result_is_the_largest_where_larger_is_better() -> None:
    of = msgspec.structs.replace(ONE, benchmarks=(benchmark(metric=Metric("time", "scripts/h", Better.LARGER)),))
    [row] = tables(of, boots("old", (9.0, 10.0, 8.0)), "min")[0].rows
    assert (row.statistic, row.entries[0].value) == ("max", 10.0)


@pytest.mark.parametrize("statistic", ["median", "mean"])
def test_another_statistic_is_the_same_in_both_directions(statistic: str) -> None:
    of = msgspec.structs.replace(ONE, benchmarks=(benchmark(metric=Metric("time", "scripts/h", Better.LARGER)),))
    [row] = tables(of, boots("old", (9.0, 11.0, 1.0)), statistic)[0].rows
    assert row.statistic == statistic


WARMING = (500.0, 100.0, 10.0, 12.0, 10.0, 12.0)


@pytest.mark.parametrize(
    ("box", "rule", "value"),
    [(HERE, FIXED, 11.0), (HERE, Rule(), 12.0), (BOX, FIXED, 12.0)],
    ids=["fixed", "settled", "counted"],
)
def test_only_a_fixed_number_of_times_is_cut_of_its_warm_up(box: BoxSpec, rule: Rule, value: float) -> None:
    of = msgspec.structs.replace(ONE, boxes=(box,), rule=rule)
    assert tables(of, boots("old", WARMING), "median")[0].rows[0].entries[0].value == value


def test_boots_of_variants_that_are_not_asked_for_are_left_out() -> None:
    assert entries(plan(("old",)), [*boots("old", (1.0,)), *boots("new", (2.0,))])[0].boots == (1.0,)


# ---- the percentage ----


@pytest.mark.parametrize(("new", "percent"), [(150.0, 50.0), (50.0, -50.0), (100.0, 0.0), (350.0, 250.0)])
def test_the_percentage_is_against_the_first_column(new: float, percent: float) -> None:
    assert new_entry(ONE, *boots("new", (new,))).percent == percent


def test_the_first_column_has_no_percentage() -> None:
    assert entries(ONE, boots("old", (100.0,)))[0].percent is None


def test_every_column_is_compared_with_the_first_not_with_its_neighbour() -> None:
    found = entries(plan(("a", "b", "c")), [*boots("a", (100.0,)), *boots("b", (200.0,)), *boots("c", (300.0,))])
    assert [entry.percent for entry in found] == [None, 100.0, 200.0]


WITHOUT_PERCENTAGE = {
    "the base failed": [bad("old", CellState.FAILED, "x"), *boots("new", (1.0,))],
    "the base is not measured yet": boots("new", (1.0,)),
    "the base is 0": [*boots("old", (0.0,)), *boots("new", (1.0,))],
    "the other failed": [*boots("old", (1.0,)), bad("new", CellState.FAILED, "x")],
    "the other is not measured yet": boots("old", (1.0,)),
}


@pytest.mark.parametrize("records", WITHOUT_PERCENTAGE.values(), ids=WITHOUT_PERCENTAGE)
def test_there_is_no_percentage_of_nothing(records: list[BootRecord]) -> None:
    assert entries(ONE, records)[1].percent is None


# ---- cells that are not whole ----


@pytest.mark.parametrize("state", [state for state in CellState if state is not CellState.OK])
def test_a_cell_without_any_good_boot_has_no_value_and_says_how_it_ended(state: CellState) -> None:
    found = new_entry(ONE, bad("new", state, "why"))
    assert (found.value, found.boots, found.state, found.notes) == (None, (), state, (f"seed 1 {state.value}: why",))


def test_results_of_a_boot_whose_cell_failed_are_not_used() -> None:
    half = Boot(outcome=Outcome.DONE, cells=(Cell("null", CellState.KILLED, "killed"),), samples=(sample(1.0),))
    found = new_entry(THREE, record(half, "new", seed=1), record(boot({"null": (8.0,)}), "new", seed=2))
    assert (found.boots, found.value) == ((8.0,), 8.0)


def test_a_cell_of_which_some_boots_failed_has_the_value_of_the_others_and_a_note() -> None:
    found = new_entry(THREE, bad("new", CellState.FAILED, "no memory", seed=1), *boots("new", (7.0,), (8.0,), (9.0,))[1:])
    assert (found.value, found.state, found.notes) == (8.5, CellState.OK, ("seed 1 failed: no memory",))


def test_equal_endings_are_one_note_with_their_seeds() -> None:
    found = new_entry(
        THREE,
        bad("new", CellState.FAILED, "no memory", seed=3),
        bad("new", CellState.TIMEOUT, "slow", seed=2),
        bad("new", CellState.FAILED, "no memory", seed=1),
    )
    assert found.notes == ("seed 1, 3 failed: no memory", "seed 2 timeout: slow")


def test_boots_that_are_still_to_come_are_a_note() -> None:
    found = new_entry(THREE, *boots("new", (1.0,)))
    assert (found.value, found.notes) == (1.0, ("2 of 3 boots are not measured yet",))


def test_a_cell_that_was_not_measured_yet_has_no_state() -> None:
    found = new_entry(THREE)
    assert (found.value, found.state, found.notes) == (None, None, ("3 of 3 boots are not measured yet",))


def test_a_whole_cell_has_no_note() -> None:
    assert new_entry(THREE, *boots("new", (1.0,), (2.0,), (3.0,))).notes == ()


def test_on_this_machine_notes_are_about_visits_and_rounds() -> None:
    of = msgspec.structs.replace(THREE, boxes=(HERE,))
    assert new_entry(of, bad("new", CellState.FAILED, "no memory", seed=2)).notes == (
        "round 2 failed: no memory",
        "2 of 3 visits are not measured yet",
    )


def test_a_cell_that_did_not_settle_has_its_value_and_says_so() -> None:
    boot_of_new = msgspec.structs.replace(boot({"null": (7.0,)}), cells=(Cell("null", CellState.OK, "not settled: why"),))
    found = new_entry(ONE, record(boot_of_new, "new"))
    assert (found.value, found.state, found.notes) == (7.0, CellState.OK, ("seed 1 not settled: why",))


def test_an_end_that_left_no_result_is_no_failure_and_no_value() -> None:
    """A limit that came during the warm-up."""
    nothing = Boot(outcome=Outcome.DONE, cells=(Cell("null", CellState.OK, "the limit of 60 s came after 0 of 3 results"),))
    found = new_entry(ONE, record(nothing, "new"))
    assert (found.value, found.state, len(found.notes)) == (None, None, 1)


# ---- the table ----


def test_there_is_one_table_for_each_box_with_its_own_boots() -> None:
    two = plan(boxes=(BoxSpec(name="a"), BoxSpec(name="b", cpus=4)))
    records = [record(boot({"null": (value,)}), box=box) for box, value in (("a", 1.0), ("b", 2.0))]
    assert [(t.box.name, t.rows[0].entries[0].value) for t in tables(two, records, "median")] == [("a", 1.0), ("b", 2.0)]


def test_rows_and_columns_are_in_the_plans_order() -> None:
    [table] = tables(plan(("b", "a", "c"), ("open", "null")), [], "min")
    assert (table.variants, [row.benchmark.name for row in table.rows]) == (("b", "a", "c"), ["open", "null"])
    assert [entry.variant for entry in table.rows[0].entries] == ["b", "a", "c"]


def test_a_table_says_what_its_values_are_and_of_how_many_boots() -> None:
    [table] = tables(THREE, [], "min")
    assert (table.statistic, table.boots) == ("min", 3)


# ---- what changed most ----


def table_of(**percents: Sequence[float | None]) -> Table:
    """A table of one row per name; the percentages are those of the columns after the baseline."""
    of = plan(("base", "b", "c"), tuple(percents))
    records = [record(boot({name: (100.0,) for name in percents}), "base")]
    for place, variant in enumerate(("b", "c")):
        found = {name: (100.0 + p,) for name, values in percents.items() if (p := values[place]) is not None}
        records.append(record(boot(found), variant))
    return tables(of, records, "median")[0]


CHANGES = {
    "the larger growth": (table_of(a=(10.0, None), b=(5.0, 20.0)), ("b", "c", 20.0)),
    "the larger loss": (table_of(a=(-10.0, -30.0), b=(5.0, 20.0)), ("a", "c", -30.0)),
    "half is more than one and a half": (table_of(a=(50.0, None), b=(None, -50.0)), ("b", "c", -50.0)),
    "double is more than two thirds": (table_of(a=(100.0, None), b=(None, -33.0)), ("a", "b", 100.0)),
    "nothing left is more than all": (table_of(a=(900.0, None), b=(-100.0, None)), ("b", "b", -100.0)),
}


@pytest.mark.parametrize(("table", "expected"), CHANGES.values(), ids=CHANGES)
def test_the_largest_change_is_the_largest_ratio_up_or_down(table: Table, expected: tuple[str, str, float]) -> None:
    found = largest_change([table])
    assert found is not None
    assert found.entry.percent is not None
    assert (found.benchmark.name, found.entry.variant, round(found.entry.percent)) == expected


def test_the_largest_change_is_looked_for_in_all_tables() -> None:
    other = msgspec.structs.replace(table_of(a=(90.0, None)), box=BoxSpec(name="other"))
    found = largest_change([table_of(a=(10.0, 20.0)), other])
    assert found is not None
    assert found.box == "other"


NO_CHANGES: dict[str, list[Table]] = {
    "no table": [],
    "no other column": tables(plan(("old",)), boots("old", (1.0,)), "median"),
    "nothing measured": tables(ONE, [], "median"),
    "no common row": [table_of(a=(None, None))],
}


@pytest.mark.parametrize("found", NO_CHANGES.values(), ids=NO_CHANGES)
def test_where_nothing_can_be_compared_there_is_no_largest_change(found: list[Table]) -> None:
    assert largest_change(found) is None


INCOMPLETE = {
    "whole": ([*boots("old", (1.0,)), *boots("new", (1.0,))], False),
    "not measured yet": (boots("old", (1.0,)), True),
    "failed": ([*boots("old", (1.0,)), bad("new", CellState.FAILED, "x")], True),
    "killed": ([bad("old", CellState.KILLED, "x"), *boots("new", (1.0,))], True),
    "not possible here": ([*boots("old", (1.0,)), bad("new", CellState.NOT_HERE, "no ext4")], False),
}


@pytest.mark.parametrize(("records", "expected"), INCOMPLETE.values(), ids=INCOMPLETE)
def test_a_table_is_incomplete_if_a_cell_that_was_asked_for_has_no_value(records: list[BootRecord], expected: bool) -> None:
    assert incomplete(tables(ONE, records, "median")) is expected
