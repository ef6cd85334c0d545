"""Any two columns of a store as one run: what is joined, what is left out and why, and what may be said of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.unit.builders import BOX, benchmark, fill, kernel, plan, run_record
from tests.unit.golden import check
from tests.unit.judged import boots, noisy, planned

from kdelta.inquiry.pair import Column, column, compare, joined
from kdelta.judge.groups import TWO_RUNS
from kdelta.model.benchmark import Benchmark
from kdelta.model.dossier import Dossier
from kdelta.model.errors import MisuseError
from kdelta.model.plan import LOCAL, BoxSpec, Plan, Repeat, Rule
from kdelta.model.record import BootRecord
from kdelta.model.verdict import Answer, Axis
from kdelta.report import verdict_text
from kdelta.stats.t import welch
from kdelta.store.place import open_store

XEON = BoxSpec(name="xeon", kind=LOCAL, cpus=4)
NULL = benchmark()


def of_run(number: int, of: Plan, records: Sequence[BootRecord] = (), variant: str = "old", **fields: Any) -> Column:
    kernels = {one.name: kernel(f"6.{number}.{place}") for place, one in enumerate(of.variants)}
    run = msgspec.structs.replace(run_record(of, kernels), **{"id": number, "uuid": str(number), **fields})
    return Column(run, records, variant)


def measured(
    number: int,
    values: Sequence[float | None],
    *,
    variant: str = "old",
    box: BoxSpec = BOX,
    facts: Mapping[str, str] | None = None,
    of: Plan | None = None,
) -> Column:
    """A run whose column `variant` has these values of null on `box`, and whose other column has none."""
    made = of or planned(rounds=len(values), boxes=[box])
    records = boots(
        made, {(variant, one.name): values for one in made.benchmarks}, box=box.name, environment={variant: facts or {}}
    )
    return of_run(number, made, records, variant)


def test_a_pair_is_a_run_with_a_column_of_each() -> None:
    pair = joined(measured(3, noisy(3)), measured(7, noisy(4), variant="new"))
    assert pair.run.plan.baseline == "run 3: old"
    assert [one.name for one in pair.run.plan.variants] == list(pair.run.kernels) == ["run 3: old", "run 7: new"]
    assert [pair.run.kernels[name].release for name in pair.run.kernels] == ["6.3.0", "6.7.1"]
    assert [sum(one.variant == name for one in pair.boots) for name in pair.run.kernels] == [3, 4]
    assert [one.position for one in pair.boots] == list(range(7))
    assert (pair.axis, pair.left_out) == (Axis.RUNS, ())


def test_columns_of_the_same_name_stay_two() -> None:
    assert [one.name for one in joined(measured(3, noisy(3)), measured(7, noisy(3))).run.plan.variants] == [
        "run 3: old",
        "run 7: old",
    ]


def test_two_columns_of_one_run_keep_their_rounds() -> None:
    made = planned(("old", "new", "other"), rounds=3)
    records = boots(made, {(name, "null"): noisy(3) for name in ("old", "new", "other")})
    pair = joined(of_run(3, made, records, "new"), of_run(3, made, records, "old"))
    assert pair.axis is Axis.COLUMNS
    assert (pair.run.plan.baseline, [one.name for one in pair.run.plan.variants]) == ("new", ["new", "old"])
    assert [(one.variant, one.seed) for one in pair.boots] == [(name, seed) for seed in (1, 2, 3) for name in ("old", "new")]
    assert not pair.run.plan.apart


def test_a_column_is_not_compared_with_itself() -> None:
    with pytest.raises(MisuseError, match="run 3: old is to be compared with itself"):
        joined(measured(3, noisy(3)), measured(3, noisy(3)))


def test_a_column_that_there_is_not_is_an_error() -> None:
    with pytest.raises(MisuseError, match="no variant 'older' in run 7"):
        joined(measured(3, noisy(3)), of_run(7, plan(), variant="older"))


# ---- boxes ----

APART: dict[str, tuple[BoxSpec, Rule, str]] = {
    "another number of CPUs": (BoxSpec(name="xeon", kind=LOCAL, cpus=8), Rule(), "CPUs 4 and 8"),
    "another kind": (BoxSpec(name="xeon", cpus=4), Rule(), "kind local and exact"),
    "quieted": (BoxSpec(name="xeon", kind=LOCAL, cpus=4, quiet=("turbo",)), Rule(), "quieted nothing and turbo"),
    "clean pages dropped": (BoxSpec(name="xeon", kind=LOCAL, cpus=4, drop_caches=True), Rule(), "clean pages kept and dropped"),
    "other results count": (XEON, Rule(repeat=Repeat.FIXED, results=9), "rule 3 results in a row within 1.00% and 9 results"),
}


@pytest.mark.parametrize(("box", "rule", "why"), APART.values(), ids=APART)
def test_a_box_on_which_values_depend_on_something_else_is_left_out_with_the_reason(box: BoxSpec, rule: Rule, why: str) -> None:
    one = planned(boxes=[XEON, BOX])
    other = msgspec.structs.replace(planned(boxes=[box, BOX]), rule=rule)
    pair = joined(of_run(3, one), of_run(7, other))
    assert [each.name for each in pair.run.plan.boxes] == ["exact"]
    text = next(text for text in pair.left_out if text.startswith("box xeon: "))
    assert why in text


def test_boxes_that_are_alike_are_one_whatever_their_names() -> None:
    lab = BoxSpec(name="lab", chains=False)
    pair = joined(measured(3, noisy(3)), measured(7, noisy(3), box=lab))
    assert [box.name for box in pair.run.plan.boxes] == ["exact"]
    assert {one.box for one in pair.boots} == {"exact"}
    assert len(pair.boots) == 6


def test_of_several_boxes_that_are_alike_the_name_decides() -> None:
    two = planned(boxes=[BoxSpec(name="a"), BoxSpec(name="b")])
    pair = joined(of_run(3, two), of_run(7, two))
    assert [box.name for box in pair.run.plan.boxes] == ["a", "b"]
    assert joined(of_run(3, planned(boxes=[BOX, BoxSpec(name="a")])), of_run(7, two)).left_out == (
        "box exact: several boxes of the second run are alike, and none has its name",
        "box b: only the second run has it",
    )


def test_nothing_in_common_is_an_error_that_says_what_differs() -> None:
    with pytest.raises(MisuseError, match="no box in common: box xeon: the second run has none that is alike"):
        joined(of_run(3, planned(boxes=[XEON])), of_run(7, planned()))
    with pytest.raises(MisuseError, match="no benchmark in common: null: only the first run has it"):
        joined(of_run(3, planned()), of_run(7, planned(names=["ctx-2"])))


# ---- benchmarks ----

CHANGED: dict[str, dict[str, Any]] = {
    "program": {"program": "other"},
    "parameters": {"parameters": {"size": "64"}},
    "operations": {"operations": 99},
    "iterations": {"iterations": 5},
    "getppid": {"getppid": 1},
    "interval ms": {"interval_ms": 7},
    "metrics": {"metrics": ()},
}


@pytest.mark.parametrize("fields", CHANGED.values(), ids=CHANGED)
def test_a_benchmark_that_measures_something_else_is_left_out_with_the_reason(fields: dict[str, Any]) -> None:
    changed = msgspec.structs.replace(NULL, **fields)
    pair = joined(of_run(3, _with(NULL)), of_run(7, _with(changed)))
    assert [one.name for one in pair.run.plan.benchmarks] == ["ctx-2"]
    (text,) = pair.left_out
    assert text.startswith(f"null: {next(iter(fields)).replace('_', ' ')} ")


def test_what_a_benchmark_may_take_is_no_other_benchmark() -> None:
    longer = msgspec.structs.replace(NULL, own_visit_seconds=9.0, visit_seconds=90.0, limit_seconds=9, needs=("/x",), tasks=9)
    assert joined(of_run(3, _with(NULL)), of_run(7, _with(longer))).left_out == ()


def test_results_of_what_is_left_out_are_left_out() -> None:
    made = planned(names=["null", "ctx-2"])
    pair = joined(measured(3, noisy(3)), measured(7, noisy(5), of=made))
    assert {sample.benchmark for one in pair.boots for sample in one.boot.samples} == {"null"}
    assert {cell.benchmark for one in pair.boots for cell in one.boot.cells} == {"null"}
    assert {one.benchmarks for one in pair.boots} == {("null",)}
    assert pair.left_out == ("ctx-2: only the second run has it",)


def _with(null: Benchmark) -> Plan:
    return msgspec.structs.replace(planned(), benchmarks=(null, benchmark("ctx-2")))


# ---- verdicts ----


def said(first: Column, second: Column) -> Dossier:
    return compare(joined(first, second))


def verdict(first: Column, second: Column) -> Any:
    (found,) = said(first, second).judgement.verdicts
    return found


def test_columns_of_two_runs_are_compared_as_welch_does() -> None:
    old, new = noisy(5, seed=1), noisy(8, seed=2, ratio=1.02, sd=0.02)
    found, known = verdict(measured(3, old), measured(7, new)), welch(np.log(new), np.log(old))
    assert math.log(found.ratio.value) == pytest.approx(known.estimate)
    assert found.p == pytest.approx(known.p)
    assert (found.boots, found.rounds) == ((5, 8), 0)


def test_no_boot_of_the_longer_run_is_forgotten() -> None:
    assert verdict(measured(3, noisy(8)), measured(7, noisy(5))).boots == (8, 5)


def test_rounds_of_two_runs_are_not_taken_for_pairs() -> None:
    """Round by round the two differ by 1 %, which is nothing beside what their boots vary by."""
    waves = [1000.0, 1300.0, 900.0, 1200.0, 1000.0]
    assert verdict(measured(3, waves), measured(7, [1.01 * value for value in waves])).answer is Answer.UNDECIDED


def test_seeds_are_counted_from_the_first_of_each_run_and_the_head_says_so() -> None:
    later = msgspec.structs.replace(planned(rounds=3), first_seed=101)
    found = said(measured(3, noisy(3)), measured(7, noisy(3), of=later))
    assert [one.seed for one in found.boots] == [1, 2, 3, 1, 2, 3]
    assert found.judgement.verdicts[0].boots == (3, 3)
    assert "  run 7: old: 6.7.0 seeds + 100\n" in verdict_text.render(found)


@pytest.mark.parametrize(("box", "doubts"), [(XEON, (TWO_RUNS,)), (BOX, ())], ids=["time", "instructions"])
def test_what_changed_on_a_machine_between_two_runs_is_a_doubt(box: BoxSpec, doubts: tuple[str, ...]) -> None:
    facts = {"processor": "x"}
    assert verdict(measured(3, noisy(5), box=box, facts=facts), measured(7, noisy(5), box=box, facts=facts)).doubts == doubts


def test_what_was_measured_with_other_things_is_refused_as_in_one_run() -> None:
    found = said(measured(3, noisy(3), facts={"qemu": "7.2"}), measured(7, noisy(3), facts={"qemu": "8.0"}))
    assert found.judgement.verdicts == ()
    assert found.judgement.refused == ("run 3: old and run 7: old on exact: qemu is 7.2 for run 3: old and 8.0 for run 7: old",)


def test_the_same_words_may_have_meant_another_kernel() -> None:
    first, second = (measured(number, noisy(3), facts={"kernel release": f"6.1.{number}"}) for number in (3, 7))
    assert len(said(first, second).judgement.verdicts) == 1


def test_what_one_kernel_was_built_with_must_not_differ() -> None:
    sides = [measured(number, noisy(3), facts={"kernel configuration": str(number)}) for number in (3, 7)]
    same = [Column(msgspec.structs.replace(one.run, kernels=sides[0].run.kernels), one.boots, "old") for one in sides]
    assert "kernel configuration is 3" in said(same[0], same[1]).judgement.refused[0]


def test_what_is_left_out_is_said_with_what_is_refused() -> None:
    pair = said(measured(3, noisy(3)), measured(7, noisy(3), of=planned(names=["null", "ctx-2"], rounds=3)))
    assert "Not compared: ctx-2: only the second run has it\n" in verdict_text.render(pair)


def test_a_run_that_ended_when_it_was_decided_is_judged_as_looked_at() -> None:
    first, second = measured(3, noisy(5)), measured(7, noisy(5, seed=2))
    looked = Column(
        msgspec.structs.replace(second.run, plan=msgspec.structs.replace(second.run.plan, sequential=True)), second.boots, "old"
    )
    assert said(first, second).judgement.looks is None
    assert said(first, looked).judgement.looks == (3, 5)


def test_the_level_of_a_pair_is_the_stricter_one() -> None:
    strict = msgspec.structs.replace(planned(rounds=3), alpha=0.01)
    assert said(measured(3, noisy(3)), measured(7, noisy(3), of=strict)).judgement.alpha == 0.01


def test_a_shorter_run_is_not_said_to_lack_boots() -> None:
    found = said(measured(3, noisy(3)), measured(7, noisy(5)))
    assert {note for table in found.tables for row in table.rows for entry in row.entries for note in entry.notes} == set()
    assert verdict_text.render(found).startswith("Two runs: 8 boots; the columns have no rounds in common.\n")


def test_the_report_of_a_pair_is_as_kept() -> None:
    facts = {"processor": "x", "governor": "performance"}
    old = measured(3, noisy(5), box=XEON, facts=facts)
    new = measured(7, noisy(4, seed=2, ratio=1.2), variant="new", box=XEON, facts=facts)
    check("pair", verdict_text.render(said(old, new)))


def test_chance_makes_a_change_of_two_columns_without_common_rounds_in_no_more_than_5_of_100() -> None:
    """5 boots of each: Welch's test has .045 at that size, and of 400 pairs some 7 to 31."""
    names = [f"b{place}" for place in range(400)]
    made = planned(names=names)
    rng = np.random.default_rng(8462)
    sides = []
    for number in (3, 7):
        values = {("old", name): [float(one) for one in 1000.0 * np.exp(rng.normal(0.0, 0.01, 5))] for name in names}
        sides.append(of_run(number, made, boots(made, values)))
    found = said(sides[0], sides[1]).judgement.verdicts
    share = sum(one.p is not None and one.p <= 0.05 for one in found) / len(found)
    assert 7 / 400 <= share <= 31 / 400


# ---- from a store ----


@pytest.fixture
def place(tmp_path: Path) -> Path:
    fill(tmp_path / "store.sqlite", plan(), started="2024-01-01T00:00:00+00:00")
    fill(tmp_path / "store.sqlite", plan(("new",)), started="2024-01-02T00:00:00+00:00")
    return tmp_path / "store.sqlite"


def test_a_column_is_named_by_its_run_and_where_there_is_one_by_that_alone(place: Path) -> None:
    with closing(open_store(str(place))) as store:
        assert [column(store, words).name for words in ("1:new", "2", "2:new")] == ["run 1: new", "run 2: new", "run 2: new"]
        assert len(column(store, "1:old").boots) == 2


NO_COLUMNS = {
    "1": ("run 1 has 2 columns", "say which: 1:old, 1:new"),
    "x:old": ("'x:old' names no column of a run", "write RUN:COLUMN, as 3:6.1; `kdelta runs` lists them"),
    "": ("'' names no column of a run", "write RUN:COLUMN, as 3:6.1; `kdelta runs` lists them"),
    "1:older": ("there is no variant 'older' in run 1", "did you mean 'old'? known: new, old"),
    "9:old": ("there is no run 9", "there are the runs 1 to 2: see `kdelta runs`"),
    f"{2**70}:old": (f"there is no run {2**70}", "there are the runs 1 to 2: see `kdelta runs`"),
}


@pytest.mark.parametrize(("words", "said"), NO_COLUMNS.items(), ids=NO_COLUMNS)
def test_what_names_no_column_is_an_error_that_says_what_does(place: Path, words: str, said: tuple[str, str]) -> None:
    with closing(open_store(str(place))) as store, pytest.raises(MisuseError) as error:
        column(store, words)
    assert (str(error.value), error.value.advice) == said
