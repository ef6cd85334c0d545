"""The noise of a box: what a baseline against itself shows, what earlier runs add to it, and what is told of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from tests.unit.builders import BOX, benchmark, boot, plan, record, run_record
from tests.unit.golden import check

from kdelta.judge.noise import false_alarms, floor, noise, residual
from kdelta.model.noise import Alarms, Floor, Noise, machine, measured_on
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.record import BootRecord
from kdelta.model.verdict import Answer, Axis, Judgement, Ratio, Side, Verdict
from kdelta.plan.twin import against_itself
from kdelta.report import noise_text

Array = NDArray[np.float64]
LOCAL = BoxSpec(name="local", kind="local", cpus=4)
QEMU = "exact; 1 CPU; QEMU 7.2.22"
"""The machine of the builders' boots."""
OPTIONS = "-machine pc -cpu qemu64,-rdrand -smp 1"
HOST = {"machine": "Dell Inc. R640", "processor": "Xeon", "online CPUs": "0-3", "hypervisor": "none", "memory": "1 MiB"}


# ---- which machine ----

MACHINES = {
    "exact": (BOX, {"qemu": "7.2.22 (Debian 1:7.2)", "qemu options": OPTIONS}, f"{QEMU}; CPU qemu64,-rdrand"),
    "exact, options not recorded": (BoxSpec(name="x", cpus=2), {"qemu": "8.0.0"}, "exact; 2 CPUs; QEMU 8.0.0"),
    "local": (LOCAL, HOST, "Dell Inc. R640; Xeon; 4 CPUs; hypervisor none"),
    "local, little recorded": (LOCAL, {"processor": "Xeon"}, "Xeon"),
    "local, other CPUs of as many": (LOCAL, {"online CPUs": "0,2-4"}, "4 CPUs"),
    "local, no list of CPUs": (LOCAL, {"online CPUs": "all"}, "all"),
    "exact, nothing recorded": (BOX, {}, ""),
    "local, nothing recorded": (LOCAL, {"load before": "0.1"}, ""),
}


@pytest.mark.parametrize(("box", "environment", "name"), MACHINES.values(), ids=MACHINES)
def test_a_machine_is_known_by_few_facts(box: BoxSpec, environment: Mapping[str, str], name: str) -> None:
    assert machine(box, environment) == name


def test_a_machine_that_is_quieted_is_another_one_in_whichever_order() -> None:
    quiet = [BoxSpec(name="x", kind="local", quiet=names) for names in ((), ("swap", "aslr"), ("aslr", "swap"))]
    names = [machine(box, {"processor": "Xeon"}) for box in quiet]
    assert names == ["Xeon", "Xeon; quieted aslr, swap", "Xeon; quieted aslr, swap"]


def test_a_machine_of_which_clean_pages_are_dropped_is_another_one() -> None:
    assert machine(BoxSpec(name="x", kind="local", drop_caches=True), {"processor": "Xeon"}) == "Xeon; clean pages dropped"


def test_a_run_was_on_the_machine_that_its_baseline_recorded_first() -> None:
    def of(name: str, environment: dict[str, str], box: str = BOX.name) -> BootRecord:
        return record(msgspec.structs.replace(boot({"null": (1.0,)}), environment=environment), name, box=box)

    records = [of("new", {"qemu": "1"}), of("old", {"qemu": "2"}, "other"), of("old", {}), of("old", {"qemu": "3"})]
    assert measured_on(plan(), BOX, records) == "exact; 1 CPU; QEMU 3"
    assert measured_on(plan(), BOX, records[:3]) == ""


# ---- a baseline against itself ----


def twins(rounds: int, names: Sequence[str] = ("null",), boxes: Sequence[BoxSpec] = (BOX,)) -> Plan:
    return against_itself(plan(("old", "new"), names, seeds=rounds, boxes=boxes))


def boots(of: Plan, values: Mapping[str, Array], box: str = BOX.name) -> list[BootRecord]:
    """A boot for each seed and column that has a value; `values` are by benchmark, (rounds, columns), NaN where there is none."""
    found = []
    for round_, seed in enumerate(of.rounds):
        for column, variant in enumerate(of.variants):
            own = {name: (float(of_name[round_, column]),) for name, of_name in values.items() if of_name[round_, column] > 0.0}
            found.append(record(boot(own), variant.name, seed=seed, box=box))
    return found


def noisy(rounds: int, columns: int = 2, sd: float = 0.02, seed: int = 1) -> Array:
    """Values about 100 that vary by the share `sd`."""
    return 100.0 * np.exp(np.random.default_rng(seed).normal(0.0, sd, (rounds, columns)))


def verdict(of: Plan, name: str = "null", answer: Answer = Answer.UNDECIDED, box: BoxSpec = BOX) -> Verdict:
    base, new = (Side(box=box, variant=one.name, benchmark=benchmark(name)) for one in of.variants)
    return Verdict(base=base, new=new, answer=answer, ratio=Ratio(1.01, 0.99, 1.0305), p=0.3, p_adjusted=0.9)


def judged(*verdicts: Verdict) -> Judgement:
    return Judgement(axis=Axis.COLUMNS, alpha=0.05, margin=0.01, adjustment="", looks=None, verdicts=verdicts)


def test_the_noise_of_a_boot_is_what_differs_inside_rounds() -> None:
    of, values = twins(10), noisy(10)
    [found] = noise(of, boots(of, {"null": values}), judged())
    difference = np.diff(np.log(values), axis=1)[:, 0]
    assert found.sd == pytest.approx(float(difference.std(ddof=1)) / math.sqrt(2.0))
    assert (found.df, found.boots, found.rounds) == (9.0, 20, 10)
    assert (found.box, found.benchmark, found.metric, found.machine) == ("exact", "null", "time", QEMU)


def test_what_a_whole_round_has_in_common_is_no_noise() -> None:
    of, values = twins(6), noisy(6)
    drifting = values * np.arange(1.0, 7.0)[:, None]
    [still], [drift] = (noise(of, boots(of, {"null": found}), judged()) for found in (values, drifting))
    assert drift.sd == pytest.approx(still.sd)


def test_rounds_are_those_in_which_both_columns_have_a_value() -> None:
    of, values = twins(5), noisy(5)
    values[1, 0] = values[4, 1] = math.nan
    [found] = noise(of, boots(of, {"null": values}), judged())
    assert (found.boots, found.rounds, found.df) == (8, 3, 2.0)


def test_one_round_has_no_noise_to_show() -> None:
    of = twins(1)
    [found] = noise(of, boots(of, {"null": noisy(1)}), judged())
    assert (found.sd, found.df) == (None, 0.0)


def test_the_noise_is_at_least_what_the_resolution_of_the_results_can_show() -> None:
    of = twins(4)
    [found] = noise(of, boots(of, {"null": np.full((4, 2), 100.0)}), judged())
    assert found.sd == pytest.approx(0.01 / math.sqrt(12.0))


def test_a_benchmark_without_any_value_is_left_out() -> None:
    of = twins(3, ("null", "ctx-2"))
    assert [one.benchmark for one in noise(of, boots(of, {"ctx-2": noisy(3)}), judged())] == ["ctx-2"]


def test_a_run_of_columns_that_differ_has_no_noise_to_store() -> None:
    of = plan(seeds=3)
    assert noise(of, boots(of, {"null": noisy(3)}), judged()) == ()


@pytest.mark.parametrize(
    ("answer", "flagged"),
    [(Answer.FASTER, True), (Answer.SLOWER, True), (Answer.EQUIVALENT, False), (Answer.UNDECIDED, False)],
)
def test_a_baseline_that_is_called_faster_or_slower_than_itself_is_a_false_alarm(answer: Answer, flagged: bool) -> None:
    of = twins(3)
    [found] = noise(of, boots(of, {"null": noisy(3)}), judged(verdict(of, answer=answer)))
    assert (found.flagged, found.p, found.ratio) == (flagged, 0.3, 1.01)


def test_a_contrast_that_was_not_judged_has_neither_p_nor_ratio() -> None:
    of = twins(3, ("null", "ctx-2"))
    found = noise(of, boots(of, {"null": noisy(3), "ctx-2": noisy(3)}), judged(verdict(of, "ctx-2")))
    assert [(one.benchmark, one.p, one.ratio) for one in found] == [("null", None, None), ("ctx-2", 0.3, 1.01)]


def test_each_box_has_its_own_noise() -> None:
    of = twins(4, boxes=(BOX, LOCAL))
    records = [*boots(of, {"null": noisy(4, sd=0.001)}), *boots(of, {"null": noisy(4, sd=0.1)}, "local")]
    found = noise(of, records, judged())
    assert [one.box for one in found] == ["exact", "local"]
    assert (found[0].sd or 0.0) < 0.01 < (found[1].sd or 0.0)


def test_the_noise_is_that_of_which_the_values_were_made() -> None:
    of = twins(6)
    found = [noise(of, boots(of, {"null": noisy(6, sd=0.02, seed=seed)}), judged())[0].sd or 0.0 for seed in range(200)]
    # The mean of 200 variances with 5 degrees of freedom has a standard error of 4.5 %.
    assert np.mean(np.square(found)) == pytest.approx(0.02**2, rel=0.13)


# ---- earlier runs ----


def row(sd: float | None = 0.01, df: float = 9.0, *, name: str = "null", on: str = QEMU, **other: object) -> Noise:
    plain = Noise(
        box="exact", machine=on, benchmark=name, metric="time", boots=20, rounds=10, sd=sd, df=df, ratio=1.0, p=0.5, flagged=False
    )
    return msgspec.structs.replace(plain, **other)


def test_runs_are_pooled_by_their_degrees_of_freedom() -> None:
    found = floor({4: [row(0.01, 9.0)], 7: [row(0.02, 3.0)]})[QEMU, "null"]
    assert found.sd == pytest.approx(math.sqrt((9 * 0.0001 + 3 * 0.0004) / 12))
    assert (found.df, found.runs, found.against_itself) == (12.0, (4, 7), True)


def test_machines_and_benchmarks_are_not_pooled_with_each_other() -> None:
    found = floor({1: [row(0.01), row(0.02, name="ctx-2"), row(0.03, on="Xeon")]})
    assert {key: round(one.sd, 6) for key, one in found.items()} == {
        (QEMU, "null"): 0.01,
        (QEMU, "ctx-2"): 0.02,
        ("Xeon", "null"): 0.03,
    }


@pytest.mark.parametrize("useless", [row(None, 0.0), row(on="")], ids=["no noise known", "no machine known"])
def test_what_says_nothing_is_left_out(useless: Noise) -> None:
    assert floor({1: [useless]}) == {}


def test_other_runs_add_what_rounds_and_columns_leave() -> None:
    """The third column is twice as slow, and every round is slower than the one before."""
    of, values = plan(("a", "b", "c"), seeds=5), noisy(5, 3)
    changed = values * np.array([1.0, 1.0, 2.0]) * np.arange(1.0, 6.0)[:, None]
    found = residual([(run_record(of), boots(of, {"null": changed}))])[QEMU, "null"]
    logs = np.log(values)
    left = logs - logs.mean(axis=0) - logs.mean(axis=1, keepdims=True) + logs.mean()
    assert found.sd == pytest.approx(math.sqrt(float((left**2).sum()) / 8))
    assert (found.df, found.runs, found.against_itself) == (8.0, (7,), False)


def test_two_boxes_of_one_kind_of_machine_are_pooled() -> None:
    of = plan(seeds=4, boxes=(BOX, BoxSpec(name="second", memory=1024)))
    records = [*boots(of, {"null": noisy(4)}), *boots(of, {"null": noisy(4, seed=2)}, "second")]
    found = residual([(run_record(of), records)])[QEMU, "null"]
    assert (found.df, found.runs) == (6.0, (7,))


def test_a_run_of_one_column_shows_no_noise() -> None:
    of = plan(("old",), seeds=5)
    assert residual([(run_record(of), boots(of, {"null": noisy(5, 1)}))]) == {}


def test_boots_of_which_no_machine_is_known_are_left_out() -> None:
    of = plan(seeds=4)
    unknown = [
        msgspec.structs.replace(one, boot=msgspec.structs.replace(one.boot, environment={}))
        for one in boots(of, {"null": noisy(4)})
    ]
    assert residual([(run_record(of), unknown)]) == {}


# ---- false alarms ----


def test_false_alarms_are_counted_over_all_runs_with_their_interval() -> None:
    history = {run: [row(flagged=(run == 1 and place < 2)) for place in range(12)] for run in range(1, 6)}
    found = false_alarms(history)
    assert (found.flagged, found.contrasts, found.runs) == (2, 60, 5)
    assert found.rate == pytest.approx(1 / 30)
    assert found.low == pytest.approx(0.0041, abs=5e-5)
    assert found.high == pytest.approx(0.1153, abs=5e-5)


def test_a_contrast_of_too_few_boots_cannot_be_an_alarm_and_is_not_counted() -> None:
    found = false_alarms({1: [row(p=None)], 2: [row(), row(p=None)]})
    assert (found.flagged, found.contrasts, found.runs, found.rate, found.low) == (0, 1, 1, 0.0, 0.0)
    assert found.high == pytest.approx(0.975)


def test_without_contrasts_there_is_no_rate() -> None:
    assert false_alarms({}) == Alarms(flagged=0, contrasts=0, runs=0, rate=None, low=None, high=None)


@given(st.integers(1, 80).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_interval_is_that_of_clopper_and_pearson(counts: tuple[int, int]) -> None:
    found = false_alarms({1: [row(flagged=place < counts[0]) for place in range(counts[1])]})
    exact = stats.binomtest(*counts).proportion_ci(0.95, method="exact")
    assert found.low == pytest.approx(exact.low, abs=1e-9)
    assert found.high == pytest.approx(exact.high, abs=1e-9)


# ---- the report ----


def told(alarms: Mapping[str, Alarms]) -> str:
    """Of two boxes: one with a false alarm and a benchmark without a spread, one with an interval that has no end."""
    of = twins(10, ("null", "proc-fork", "ctx-2"), (BOX, LOCAL))
    found = [
        row(0.00004),
        row(0.0123, name="proc-fork", flagged=True),
        row(None, 0.0, name="ctx-2", p=None, ratio=None),
        row(0.2, box="local"),
    ]
    endless = msgspec.structs.replace(verdict(of, box=LOCAL), ratio=Ratio(1.1, 0.0, math.inf))
    verdicts = judged(verdict(of), verdict(of, "proc-fork", Answer.SLOWER), endless)
    return noise_text.render(of, found, verdicts, alarms)


def test_the_report_shows_noise_and_false_alarms_of_each_box() -> None:
    alarms = Alarms(flagged=2, contrasts=60, runs=5, rate=1 / 30, low=0.00406, high=0.1153)
    check("noise_aa", told({"exact": alarms, "local": msgspec.structs.replace(alarms, runs=1)}))


def test_the_first_run_of_its_kind_says_nothing_of_others() -> None:
    assert "such runs" not in told({})


def test_a_run_without_verdicts_says_that_it_cannot_tell() -> None:
    of = twins(1)
    check("noise_one_round", noise_text.render(of, [row(None, 0.0, p=None, ratio=None)], judged(), {}))


def test_floors_are_values() -> None:
    """A Floor can be compared and sent as JSON."""
    one = Floor(sd=0.01, df=2.0, runs=(1,), against_itself=True)
    assert msgspec.json.decode(msgspec.json.encode(one), type=Floor) == one
