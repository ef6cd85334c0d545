"""What a plan takes and could see, by what earlier runs tell, and how that is said."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np
import pytest
from tests.unit.builders import BOX, boot, plan, record, run_record, variant
from tests.unit.golden import check

from kdelta.judge.noise import sights
from kdelta.model.boot import Cell, CellState, Outcome
from kdelta.model.noise import Cost, Floor, Sight, machine
from kdelta.model.plan import BoxSpec, Plan, Repeat, Rule
from kdelta.model.record import BootRecord
from kdelta.model.sample import Sample
from kdelta.plan.estimate import Past, estimate
from kdelta.plan.order import slots
from kdelta.plan.twin import against_itself
from kdelta.report import plan_text
from kdelta.stats.power import power
from kdelta.stats.sequential import Looks, half_width

LOCAL = BoxSpec(name="local", kind="local", cpus=4)
ENVIRONMENTS = {"exact": {"qemu": "7.2.22"}, "local": {"processor": "Xeon"}}
MACHINES = {box.name: machine(box, ENVIRONMENTS[box.kind]) for box in (BOX, LOCAL)}
FIXED = Rule(repeat=Repeat.FIXED)


def a_plan(columns: int = 2, names: Sequence[str] = ("null",), boxes: Sequence[BoxSpec] = (BOX,), **other: object) -> Plan:
    found = plan([f"v{place}" for place in range(columns)], names, boxes=boxes)
    return msgspec.structs.replace(found, **{"seeds": 5, "rule": FIXED, **other})


def past(of: Plan, number: int, seconds: float = 10.0, *, ready: float = 1.0, **changes: object) -> Past:
    """A run of which every boot took `seconds`; `changes` are those of its boots."""
    plain = {box.name: {"environment": ENVIRONMENTS[box.kind], "host_seconds": seconds, "ready_seconds": ready} for box in of.boxes}
    records = [
        record(
            msgspec.structs.replace(boot({one.name: (2e8, 3e8) for one in of.benchmarks}), **{**plain[slot.box], **changes}),
            slot.variant,
            seed=slot.seed,
            box=slot.box,
        )
        for slot in slots(of)
    ]
    return msgspec.structs.replace(run_record(of), id=number), records


def cost(of: Plan, history: Sequence[Past] = (), jobs: int = 1, machines: Mapping[str, str] = MACHINES) -> Cost:
    return estimate(of, machines, history, jobs)


# ---- boots ----

AMOUNTS = {
    "so many rounds": ({"seeds": 5}, (1, BOX), 5, 5),
    "every column": ({"seeds": 5}, (3, BOX), 15, 15),
    "until decided": ({"seeds": 10, "sequential": True}, (3, BOX), 9, 30),
    "until decided, in the least rounds": ({"seeds": 3, "sequential": True}, (2, BOX), 6, 6),
    "every box": ({"seeds": 10, "sequential": True}, (2, BOX, LOCAL), 12, 40),
}


@pytest.mark.parametrize(("other", "size", "least", "most"), AMOUNTS.values(), ids=AMOUNTS)
def test_boots_are_rounds_times_columns_times_boxes(
    other: dict[str, object], size: tuple[int, *tuple[BoxSpec, ...]], least: int, most: int
) -> None:
    found = cost(msgspec.structs.replace(a_plan(size[0], boxes=size[1:]), **other))
    assert (found.least, found.most) == (least, most)


# ---- seconds ----


def test_without_an_earlier_run_no_time_is_told() -> None:
    found = cost(a_plan())
    assert (found.boots, found.least_seconds, found.most_seconds, found.runs) == ({"exact": None}, None, None, ())


def test_a_boot_takes_the_median_of_earlier_ones() -> None:
    of = a_plan(seeds=3)
    run, records = past(of, 12)
    slow = msgspec.structs.replace(records[0], boot=msgspec.structs.replace(records[0].boot, host_seconds=999.0))
    found = cost(of, [(run, [slow, *records[1:]])])
    assert (found.boots["exact"], found.least_seconds, found.runs) == (10.0, 60.0, (12,))


def test_the_three_newest_runs_are_asked() -> None:
    of = a_plan()
    found = cost(of, [past(of, 9, 4.0), past(of, 8, 6.0), past(of, 7, 5.0), past(of, 6, 99.0)])
    assert (found.boots["exact"], found.runs) == (5.0, (7, 8, 9))


def only(records: Sequence[BootRecord], **changes: object) -> list[BootRecord]:
    return [msgspec.structs.replace(one, **changes) for one in records]


def test_a_boot_that_did_not_end_well_tells_no_time() -> None:
    of = a_plan()
    assert cost(of, [past(of, 1, outcome=Outcome.PANIC)]).boots == {"exact": None}


@pytest.mark.parametrize(
    "other",
    [a_plan(names=("ctx-2",)), a_plan(names=("null", "ctx-2")), a_plan(boxes=[BoxSpec(name="exact", cpus=2)])],
    ids=["other benchmarks", "more benchmarks", "another machine"],
)
def test_a_run_of_something_else_tells_no_time(other: Plan) -> None:
    assert cost(a_plan(), [past(other, 1)]).boots == {"exact": None}


def test_a_boot_of_a_later_round_in_which_less_was_left_tells_no_time_of_the_whole() -> None:
    of = a_plan(names=("null", "ctx-2"))
    run, records = past(of, 1)
    later = only(records[2:], benchmarks=("null",), boot=msgspec.structs.replace(records[0].boot, host_seconds=1.0))
    assert cost(of, [(run, [*records[:2], *later])]).boots == {"exact": 10.0}


def test_a_box_of_another_name_tells_it_if_it_is_the_same_kind_of_machine() -> None:
    renamed = a_plan(boxes=[BoxSpec(name="lab", memory=1024)])
    assert cost(a_plan(), [past(renamed, 1)]).boots == {"exact": 10.0}


def test_another_box_of_the_same_run_tells_nothing() -> None:
    two = a_plan(boxes=[BOX, BoxSpec(name="larger", cpus=2)])
    run, records = past(two, 1)
    slow = [
        one if one.box == "exact" else only([one], boot=msgspec.structs.replace(one.boot, host_seconds=99.0))[0] for one in records
    ]
    assert cost(a_plan(), [(run, slow)]).boots == {"exact": 10.0}


def test_of_a_machine_that_is_not_known_nothing_is_told() -> None:
    of = a_plan()
    assert cost(of, [past(of, 1, environment={})], machines={"exact": ""}).boots == {"exact": None}


@pytest.mark.parametrize(("jobs", "seconds"), [(1, 150.0), (2, 80.0), (4, 40.0), (100, 10.0)])
def test_guests_side_by_side_take_less_time(jobs: int, seconds: float) -> None:
    of = a_plan(3)
    assert cost(of, [past(of, 1)], jobs).most_seconds == seconds


@pytest.mark.parametrize(("jobs", "least", "most"), [(1, 90.0, 150.0), (2, 60.0, 100.0), (100, 30.0, 50.0)])
def test_a_plan_that_looks_after_each_round_waits_for_it(jobs: int, least: float, most: float) -> None:
    of = a_plan(3, sequential=True)
    found = cost(of, [past(of, 1)], jobs)
    assert (found.least_seconds, found.most_seconds) == (least, most)


def test_a_machine_whose_time_is_measured_does_nothing_else_meanwhile() -> None:
    of = a_plan(boxes=[BOX, LOCAL])
    found = cost(of, [past(of, 1)], 8)
    assert (found.boots, found.most_seconds) == ({"exact": 10.0, "local": 10.0}, 200.0)


# ---- a local box, benchmark by benchmark ----

BOTH = a_plan(names=("null", "ctx-2"), boxes=[LOCAL])


def test_a_visit_is_put_together_from_its_benchmarks() -> None:
    """The builders' samples say ten times their value in nanoseconds: 2 s and 3 s."""
    history = [past(a_plan(names=(name,), boxes=[LOCAL]), number) for number, name in ((4, "null"), (3, "ctx-2"))]
    found = cost(BOTH, history)
    assert found.benchmarks == {"local": {"null": 5.0, "ctx-2": 5.0}}
    assert (found.boots, found.runs) == ({"local": 11.0}, (3, 4))


def test_a_whole_visit_is_known_better_than_its_parts() -> None:
    found = cost(BOTH, [past(BOTH, 1, 17.0)])
    assert (found.boots, found.benchmarks["local"]["null"]) == ({"local": 17.0}, 5.0)


def test_a_visit_of_which_one_benchmark_is_unknown_is_unknown() -> None:
    found = cost(BOTH, [past(a_plan(boxes=[LOCAL]), 1)])
    assert (found.boots, found.benchmarks) == ({"local": None}, {"local": {"null": 5.0}})


def test_visits_by_another_rule_take_another_time() -> None:
    assert cost(BOTH, [past(msgspec.structs.replace(BOTH, rule=Rule()), 1)]).boots == {"local": None}


def test_the_exact_lab_does_not_care_for_the_rule() -> None:
    of = a_plan()
    assert cost(of, [past(msgspec.structs.replace(of, rule=Rule()), 1)]).boots == {"exact": 10.0}


def test_a_visit_that_was_interrupted_tells_only_what_its_last_part_took() -> None:
    run, records = past(BOTH, 1, 17.0)
    found = cost(BOTH, [(run, only(records, attempt=2))])
    assert found.boots == {"local": 11.0}


@pytest.mark.parametrize("state", [CellState.FAILED, CellState.TIMEOUT])
def test_a_benchmark_that_failed_tells_no_time(state: CellState) -> None:
    cells = (Cell("null", state), Cell("ctx-2", CellState.OK))
    assert cost(BOTH, [past(BOTH, 1, cells=cells)]).benchmarks == {"local": {"ctx-2": 5.0}}


def untimed(one: Sample) -> Sample:
    return msgspec.structs.replace(one, elapsed_ns=None)


INCOMPLETE: dict[str, Callable[[Sequence[Sample]], Sequence[Sample]]] = {
    "the metric only": lambda samples: [untimed(one) for one in samples],
    "at times the metric only": lambda samples: [untimed(samples[0]), samples[1]],
    "another metric": lambda samples: [msgspec.structs.replace(one, metric="other") for one in samples],
    "nothing": lambda samples: [],
}


@pytest.mark.parametrize("change", INCOMPLETE.values(), ids=INCOMPLETE)
def test_a_program_that_did_not_tell_the_time_of_each_result_tells_none(
    change: Callable[[Sequence[Sample]], Sequence[Sample]],
) -> None:
    of = a_plan(boxes=[LOCAL])
    run, records = past(of, 1)
    told = [
        msgspec.structs.replace(one, boot=msgspec.structs.replace(one.boot, samples=tuple(change(one.boot.samples))))
        for one in records
    ]
    assert cost(of, [(run, told)]).benchmarks == {"local": {}}


# ---- what can be seen ----

KNOWN = Floor(sd=0.01, df=20.0, runs=(4, 9), against_itself=True)


def sight(of: Plan, sd: float = 0.01) -> Sight:
    floors = {(MACHINES["exact"], "null"): msgspec.structs.replace(KNOWN, sd=sd)}
    return sights(of, MACHINES, floors)[0]


@pytest.mark.parametrize(("sd", "for_margin", "for_less"), [(0.002, 3, 3), (0.005, 7, 6), (0.01, 18, 18), (0.02, 65, 70)])
def test_rounds_for_an_answer_are_those_of_the_t_test(sd: float, for_margin: int, for_less: int) -> None:
    """Of 1 %, which is a little less as a logarithm."""
    found = sight(a_plan(seeds=100), sd)
    assert found.for_margin == pytest.approx(for_margin, abs=1)
    assert found.for_equivalence == pytest.approx(for_less, abs=1)
    assert not found.beyond


@pytest.mark.parametrize(("sd", "for_margin", "for_less"), [(0.005, 10, 9), (0.01, 26, 27)])
def test_looking_after_each_round_costs_two_fifths_of_the_rounds(sd: float, for_margin: int, for_less: int) -> None:
    found = sight(a_plan(seeds=10, sequential=True), sd)
    assert (found.for_margin, found.for_equivalence) == (for_margin, for_less)


@pytest.mark.parametrize("sd", [0.005, 0.0075, 0.01])
def test_so_many_rounds_show_in_four_of_five_cases_that_nothing_changed(sd: float) -> None:
    """In 10000 runs without a change, looked at after each round from the third on. One round more or less is a lot of few."""
    most = sight(a_plan(seeds=10, sequential=True), sd).for_equivalence or 0
    rounds = np.arange(1.0, most + 1.0)
    differences = np.random.default_rng(1).normal(0.0, sd * math.sqrt(2.0), (10000, most))
    means = np.cumsum(differences, axis=1) / rounds
    squares = np.cumsum(differences**2, axis=1) - rounds * means**2
    errors = np.sqrt(squares / np.maximum(rounds - 1, 1) / rounds)
    widths = half_width(errors.astype(np.float64), rounds - 1.0, Looks(3, most).level(0.10))
    shown = (np.abs(means) + widths < math.log1p(0.01))[:, 2:].any(axis=1).mean()
    assert 0.76 < shown < 0.90


@pytest.mark.parametrize(("seeds", "beyond"), [(10, False), (9, True)])
def test_what_needs_more_rounds_than_there_are_is_marked(seeds: int, beyond: bool) -> None:
    assert sight(a_plan(seeds=seeds, sequential=True), 0.005).beyond is beyond


def test_what_no_number_of_rounds_shows_is_marked_without_a_number() -> None:
    found = sight(a_plan(), 0.5)
    assert (found.for_margin, found.for_equivalence, found.beyond) == (None, None, True)


@pytest.mark.parametrize("sequential", [False, True])
def test_the_visible_change_is_seen_in_four_of_five_cases(sequential: bool) -> None:
    found = sight(a_plan(3, seeds=10, sequential=sequential))
    rounds, change = found.visible[-1]
    level = 0.0120 if sequential else 0.05
    assert rounds == 10
    assert power(math.log1p(change), 0.01, 10, paired=True, level=level, df=18) == pytest.approx(0.8, abs=0.002)


def test_a_plan_that_looks_shows_what_the_first_look_sees_and_what_the_last() -> None:
    found = sight(a_plan(seeds=10, sequential=True))
    assert [rounds for rounds, _ in found.visible] == [3, 10]
    assert found.visible[0][1] > 4.0 * found.visible[1][1]


def test_more_columns_make_the_noise_better_known() -> None:
    two, five = (sight(a_plan(columns, seeds=3)).visible[0][1] for columns in (2, 5))
    assert five < 0.6 * two


def test_before_three_rounds_nothing_is_seen() -> None:
    assert sight(a_plan(seeds=2)).visible == ()


def test_where_there_is_no_noise_every_change_is_seen_in_the_first_rounds() -> None:
    found = sight(a_plan(seeds=10, sequential=True), 0.0)
    assert (found.visible, found.for_margin, found.for_equivalence) == (((3, 0.0), (10, 0.0)), 3, 3)


def test_no_answer_takes_fewer_than_three_rounds() -> None:
    found = sight(a_plan(seeds=10), 0.0)
    assert (found.for_margin, found.for_equivalence) == (3, 3)


def test_noise_beyond_all_bounds_is_no_error() -> None:
    wild = sight(a_plan(seeds=60, sequential=True, alpha=0.001), 50.0)
    assert all(change > 1e6 for _, change in wild.visible)
    assert ">999%" in plan_text.render(a_plan(), [], cost(a_plan()), [wild])


def test_without_history_nothing_is_known() -> None:
    assert sights(a_plan(), MACHINES, {("another", "null"): KNOWN}) == (Sight(box="exact", benchmark="null", floor=None),)


def test_one_column_has_nothing_to_see() -> None:
    assert sights(a_plan(1), MACHINES, {(MACHINES["exact"], "null"): KNOWN}) == ()


# ---- the text ----


def text(of: Plan, history: Sequence[Past] = (), floors: Mapping[tuple[str, str], Floor] | None = None) -> str:
    return plan_text.render(of, slots(of), cost(of, history), sights(of, MACHINES, floors or {}))


def test_a_plan_that_ends_with_its_verdicts() -> None:
    of = a_plan(3, ("null", "ctx-2", "proc-fork"), seeds=10, sequential=True)
    exact, runs = MACHINES["exact"], msgspec.structs.replace(KNOWN, sd=0.00004, df=4.0, runs=(12,), against_itself=False)
    check("plan_sequential", text(of, [past(of, 12, 140.0)], {(exact, "null"): runs, (exact, "ctx-2"): KNOWN}))


def test_a_plan_of_two_boxes_of_which_one_is_known() -> None:
    quiet = msgspec.structs.replace(LOCAL, quiet=("swap", "aslr"), drop_caches=True)
    of = a_plan(2, ("null",), (BOX, quiet), seeds=4, first_seed=101, budget_seconds=5400.0, rule=Rule(limit_seconds=60.0))
    check("plan_two_boxes", text(of, [], {(MACHINES["exact"], "null"): KNOWN}))


def test_a_plan_of_one_column_and_one_round() -> None:
    of = msgspec.structs.replace(
        a_plan(1, boxes=[LOCAL], seeds=1), baseline="base", variants=(variant("base", cmdline=("quiet",)),)
    )
    check("plan_one_column", text(of, [past(of, 3, 4321.0)]))


def test_a_plan_of_the_baseline_against_itself() -> None:
    of = against_itself(a_plan(seeds=2))
    check("plan_aa", text(of, [past(of, 1), past(of, 2)], {(MACHINES["exact"], "null"): KNOWN}))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.4, "0 s"), (59.7, "60 s"), (119.0, "119 s"), (120.0, "2 min"), (3570.0, "1 h 0 min"), (9000.0, "2 h 30 min")],
)
def test_times_are_said_to_the_minute_from_two_minutes_on(seconds: float, said: str) -> None:
    assert plan_text.duration(seconds) == said


@pytest.mark.parametrize(("value", "said"), [(0.01, "1 %"), (0.005, "0.5 %"), (0.125, "12.5 %")])
def test_shares_are_said_in_percent(value: float, said: str) -> None:
    assert plan_text.share(value) == said
