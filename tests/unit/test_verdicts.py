"""What boots say, and what they do not."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from tests.unit.builders import benchmark
from tests.unit.judged import Values, boots, noisy, planned

from kdelta.judge.judgement import judge
from kdelta.model.benchmark import Better, Metric
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.verdict import Answer, Axis, Judgement, Verdict

HERE = BoxSpec(name="local", kind="local")


def verdict(values: Values, of: Plan | None = None) -> Verdict:
    """Of new against old, in the only benchmark."""
    of = of or planned(rounds=max(len(column) for column in values.values()))
    return judge(of, boots(of, values)).verdicts[0]


def pair(old: list[float], new: list[float]) -> Values:
    return {("old", "null"): old, ("new", "null"): new}


def test_a_change_above_the_noise_is_called_by_its_direction() -> None:
    assert verdict(pair(noisy(5), noisy(5, ratio=1.1, seed=2))).answer is Answer.SLOWER
    assert verdict(pair(noisy(5), noisy(5, ratio=0.9, seed=2))).answer is Answer.FASTER


def test_of_a_rate_more_is_faster() -> None:
    of = msgspec.structs.replace(planned(), benchmarks=(benchmark(metric=Metric("time", "scripts/h", Better.LARGER)),))
    assert verdict(pair(noisy(5), noisy(5, ratio=1.1, seed=2)), of).answer is Answer.FASTER


def test_the_ratio_is_new_over_old_inside_its_interval() -> None:
    found = verdict(pair(noisy(5), noisy(5, ratio=1.1, seed=2)))
    assert found.ratio is not None
    assert found.ratio.low < found.ratio.value < found.ratio.high
    assert found.ratio.value == pytest.approx(1.1, rel=0.02)


def test_no_change_within_little_noise_is_equivalent() -> None:
    found = verdict(pair(noisy(5, sd=0.001), noisy(5, sd=0.001, seed=2)))
    assert (found.answer, found.tiny) == (Answer.EQUIVALENT, False)


def test_a_change_below_the_margin_is_equivalent_and_said_to_be_real() -> None:
    found = verdict(pair(noisy(8, sd=0.0003), noisy(8, ratio=1.005, sd=0.0003, seed=2)))
    assert (found.answer, found.tiny) == (Answer.EQUIVALENT, True)


def test_no_change_within_much_noise_is_undecided_and_says_what_it_would_take() -> None:
    found = verdict(pair(noisy(4, sd=0.05), noisy(4, sd=0.05, seed=3)))
    assert found.answer is Answer.UNDECIDED
    assert found.visible is not None
    assert found.visible > 0.05
    assert found.needed is not None
    assert found.needed > 4


@pytest.mark.parametrize("count", [1, 2])
def test_two_boots_or_fewer_are_always_undecided(count: int) -> None:
    found = verdict(pair([100.0] * count, [200.0] * count))
    assert found.answer is Answer.UNDECIDED
    assert found.why.startswith(f"too few boots: {count} and {count}, 3 of each")
    assert found.ratio is None


def test_the_results_of_one_boot_are_about_that_layout_only() -> None:
    assert verdict(pair([100.0], [200.0])).why.endswith("the results of one boot are about this build and this layout only")


def test_many_results_of_one_boot_make_no_verdict() -> None:
    of = msgspec.structs.replace(planned(rounds=1), benchmarks=(benchmark(iterations=30),))
    assert verdict(pair([100.0], [150.0]), of).answer is Answer.UNDECIDED


def test_rounds_that_only_one_side_has_are_no_pairs() -> None:
    found = verdict({("old", "null"): [100.0, 101.0, 99.0, 100.0, 102.0], ("new", "null"): [None, None, None, 120.0, 121.0]})
    assert (found.answer, found.boots, found.rounds) == (Answer.UNDECIDED, (5, 2), 2)


def test_boots_without_any_noise_are_decided_exactly() -> None:
    assert verdict(pair([115.0] * 5, [78.8] * 5)).answer is Answer.FASTER
    same = verdict(pair([100.0 / 3.0] * 6, [100.0 / 3.0] * 6))
    assert same.answer is Answer.EQUIVALENT
    assert same.ratio is not None
    assert (same.ratio.low, same.ratio.value, same.ratio.high) == pytest.approx((1.0, 1.0, 1.0), abs=1e-11)


def test_results_rounded_to_a_step_are_not_called_different_by_one_step() -> None:
    assert verdict(pair([2.0, 2.0, 2.0], [2.0, 2.0, 3.0])).answer is Answer.UNDECIDED
    assert verdict(pair([2.0, 2.0, 2.0], [3.0, 3.0, 3.0])).answer is Answer.UNDECIDED


def test_what_the_machine_does_to_a_whole_round_cancels() -> None:
    drift = [1.0, 1.1, 1.3, 1.2, 1.5]
    old = [value * factor for value, factor in zip(noisy(5, sd=0.002), drift, strict=True)]
    new = [value * factor for value, factor in zip(noisy(5, ratio=1.02, sd=0.002, seed=2), drift, strict=True)]
    assert verdict(pair(old, new)).answer is Answer.SLOWER


def test_one_interval_of_the_family_is_wider_where_few_of_many_are_selected() -> None:
    names = [f"b{place}" for place in range(12)]
    of = planned(names=names, rounds=5)
    values = {("old", name): noisy(5, seed=place) for place, name in enumerate(names)}
    new = {("new", name): noisy(5, ratio=1.2 if place == 0 else 1.0, seed=100 + place) for place, name in enumerate(names)}
    both = {**values, **new}
    alone = planned(names=["b0"], rounds=5)
    first = judge(of, boots(of, both)).verdicts[0]
    single = judge(alone, boots(alone, {key: both[key] for key in (("old", "b0"), ("new", "b0"))})).verdicts[0]
    assert first.ratio is not None
    assert single.ratio is not None
    assert first.ratio.high > single.ratio.high
    assert first.ratio.value == pytest.approx(single.ratio.value)


def test_more_columns_give_the_noise_more_degrees_of_freedom() -> None:
    names = ("old", "new", "a", "b", "c")
    of, two = planned(names, rounds=3), planned(rounds=3)
    values = {(name, "null"): noisy(3, seed=place) for place, name in enumerate(names)}
    many, few = judge(of, boots(of, values)).verdicts[0], judge(two, boots(two, values)).verdicts[0]
    assert (many.visible or 0.0) / (many.sd or 1.0) < 0.8 * (few.visible or 0.0) / (few.sd or 1.0)


def test_a_column_with_more_noise_than_the_others_is_judged_by_its_own() -> None:
    names = ("old", "a", "b", "wild")
    of = planned(names, rounds=6)
    values = {(name, "null"): noisy(6, sd=0.1 if name == "wild" else 0.001, seed=place) for place, name in enumerate(names)}
    found = {one.new.variant: one.doubts for one in judge(of, boots(of, values)).verdicts}
    assert any("noise is larger" in doubt for doubt in found["wild"])
    assert not found["a"]


def test_rounds_far_from_the_others_are_named() -> None:
    old, new = noisy(10, sd=0.002), noisy(10, sd=0.002, seed=2)
    new[3] *= 1.2
    assert any(doubt.startswith("round 4 far from the others") for doubt in verdict(pair(old, new)).doubts)


def test_a_sequential_run_looks_with_a_stricter_level() -> None:
    values = pair(noisy(5), noisy(5, ratio=1.02, seed=2))
    once, often = verdict(values), verdict(values, planned(rounds=10, sequential=True))
    assert once.ratio is not None
    assert often.ratio is not None
    assert often.ratio.high - often.ratio.low > 1.3 * (once.ratio.high - once.ratio.low)


def test_of_a_sequential_run_the_least_p_of_all_looks_counts() -> None:
    early = verdict(pair([100.0, 101.0, 99.0], [120.0, 121.0, 119.0]), planned(rounds=10, sequential=True))
    later = verdict(pair([100.0, 101.0, 99.0, 100.0], [120.0, 121.0, 119.0, 100.0]), planned(rounds=10, sequential=True))
    assert early.p is not None
    assert later.p == pytest.approx(early.p)
    assert later.answer is Answer.UNDECIDED


def test_holm_is_stricter_than_benjamini_and_hochberg() -> None:
    names = [f"b{place}" for place in range(6)]
    of = planned(names=names)
    values = {("old", name): noisy(5, seed=place) for place, name in enumerate(names)}
    values |= {("new", name): noisy(5, ratio=1.03, seed=50 + place) for place, name in enumerate(names)}
    records = boots(of, values)
    usual, strict = (judge(of, records, adjustment=name).verdicts for name in ("Benjamini-Hochberg", "Holm"))
    assert all((a.p_adjusted or 0.0) <= (b.p_adjusted or 0.0) for a, b in zip(usual, strict, strict=True))


AXES = [
    (Axis.COLUMNS, [("a", "b"), ("a", "c")]),
    (Axis.PAIRS, [("a", "b"), ("a", "c"), ("b", "c")]),
]


@pytest.mark.parametrize(("axis", "pairs"), AXES)
def test_columns_are_compared_with_the_base_or_with_each_other(axis: Axis, pairs: list[tuple[str, str]]) -> None:
    of = planned(("a", "b", "c"), rounds=3)
    values = {(name, "null"): noisy(3, seed=place) for place, name in enumerate("abc")}
    assert [(one.base.variant, one.new.variant) for one in judge(of, boots(of, values), axis).verdicts] == pairs


def test_another_column_can_be_the_base() -> None:
    of = planned(("a", "b", "c"), rounds=3)
    values = {(name, "null"): noisy(3, seed=place) for place, name in enumerate("abc")}
    found = judge(of, boots(of, values), base="b").verdicts
    assert [(one.base.variant, one.new.variant) for one in found] == [("b", "a"), ("b", "c")]


def test_pairs_use_the_noise_of_all_columns() -> None:
    of = planned(("a", "b", "c", "d"), rounds=3)
    values = {(name, "null"): noisy(3, seed=place) for place, name in enumerate("abcd")}
    first = {(one.base.variant, one.new.variant): one.sd for one in judge(of, boots(of, values), Axis.PAIRS).verdicts}
    assert len({round(sd or 0.0, 12) for sd in first.values()}) < len(first)


def _matrix() -> Plan:
    """Two kernels, each with and without a setting."""
    of = planned(("k1", "k1 s", "k2", "k2 s"), rounds=3)
    variants = [
        msgspec.structs.replace(one, kernel=one.name[:2], cmdline=("nosmt",) if one.name.endswith("s") else ())
        for one in of.variants
    ]
    return msgspec.structs.replace(of, variants=tuple(variants))


@pytest.mark.parametrize(
    ("axis", "pairs"), [(Axis.KERNELS, [("k1", "k2"), ("k1 s", "k2 s")]), (Axis.SETTINGS, [("k1", "k1 s"), ("k2", "k2 s")])]
)
def test_kernels_are_compared_under_the_same_settings_and_settings_of_one_kernel(axis: Axis, pairs: list[tuple[str, str]]) -> None:
    of = _matrix()
    values = {(one.name, "null"): noisy(3, seed=place) for place, one in enumerate(of.variants)}
    assert [(one.base.variant, one.new.variant) for one in judge(of, boots(of, values), axis).verdicts] == pairs


def test_loads_of_one_program_are_compared_within_a_column() -> None:
    of = planned(rounds=3)
    of = msgspec.structs.replace(
        of, benchmarks=(benchmark("ctx-2", program="ctx"), benchmark("null"), benchmark("ctx-20", program="ctx"))
    )
    values = {(one.name, name): noisy(3) for one in of.variants for name in ("ctx-2", "null", "ctx-20")}
    found = judge(of, boots(of, values), Axis.LOADS).verdicts
    assert [(one.new.variant, one.base.benchmark.name, one.new.benchmark.name) for one in found] == [
        ("old", "ctx-2", "ctx-20"),
        ("new", "ctx-2", "ctx-20"),
    ]


def _two_boxes(kind: str = "exact") -> tuple[Plan, Judgement]:
    boxes = (BoxSpec(name="a"), BoxSpec(name="b", kind=kind, cpus=2))
    of = planned(("old",), rounds=4, boxes=boxes)
    records = [one for place, box in enumerate(boxes) for one in boots(of, {("old", "null"): noisy(4, seed=place)}, box=box.name)]
    return of, judge(of, records, Axis.BOXES)


def test_boxes_are_compared_without_rounds_in_common() -> None:
    found = _two_boxes()[1].verdicts
    assert [(one.base.box.name, one.new.box.name, one.boots) for one in found] == [("a", "b", (4, 4))]


def test_the_difference_of_two_boxes_is_welchs() -> None:
    _, judgement = _two_boxes()
    a, b = (np.log(noisy(4, seed=place)) for place in (0, 1))
    ratio = judgement.verdicts[0].ratio
    assert ratio is not None
    assert math.log(ratio.value) == pytest.approx(float(b.mean() - a.mean()))


def test_instructions_are_not_compared_with_time() -> None:
    judgement = _two_boxes("local")[1]
    assert judgement.verdicts == ()
    assert judgement.refused == ("a and b: instructions are no time",)


def test_columns_measured_with_different_things_are_refused_with_the_reason() -> None:
    of = planned(rounds=3)
    values = pair(noisy(3), noisy(3, ratio=1.5))
    facts = {"old": {"governor": "performance"}, "new": {"governor": "powersave"}}
    records = boots(of, values, environment=facts)
    judgement = judge(of, records)
    assert judgement.verdicts == ()
    assert judgement.refused == ("old and new on exact: governor is performance for old and powersave for new",)
    assert judge(of, records, though_unlike=True).verdicts[0].answer is Answer.SLOWER


def test_what_was_asked_for_is_not_unlike() -> None:
    of = planned(rounds=3)
    name = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
    asked = msgspec.structs.replace(of.variants[1], file={name: "powersave"})
    of = msgspec.structs.replace(of, variants=(of.variants[0], asked))
    facts = {"old": {"governor": "performance"}, "new": {"governor": "powersave"}}
    assert judge(of, boots(of, pair(noisy(3), noisy(3)), environment=facts)).refused == ()


def test_a_value_of_0_is_a_doubt_and_no_crash() -> None:
    found = verdict(pair([0.0, 1.0, 1.1, 0.9], [1.0, 1.1, 0.9, 1.0]))
    assert found.doubts[0].startswith("1 values of old are 0 or less")


def test_nothing_measured_is_undecided() -> None:
    of = planned(rounds=3)
    found = judge(of, []).verdicts[0]
    assert (found.answer, found.boots) == (Answer.UNDECIDED, (0, 0))
