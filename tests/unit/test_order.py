"""The order of boots."""

from __future__ import annotations

import random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from kdelta.model.benchmark import Benchmark
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.variant import Variant
from kdelta.plan.order import shuffled, slots


def plan(variants: int = 3, boxes: int = 2, benchmarks: int = 6, seeds: int = 5) -> Plan:
    return Plan(
        baseline="v0",
        variants=tuple(Variant(name=f"v{i}", kernel="apt:6.1") for i in range(variants)),
        boxes=tuple(BoxSpec(name=f"x{i}") for i in range(boxes)),
        benchmarks=tuple(Benchmark(name=f"b{i}", program="null", operation="x", operations=1) for i in range(benchmarks)),
        seeds=seeds,
    )


PLANS = st.builds(plan, st.integers(1, 5), st.integers(1, 3), st.integers(1, 6), st.integers(1, 6))


def variant_orders(of: Plan) -> list[list[str]]:
    """The variants' order in each round on the first box."""
    first = [slot for slot in slots(of) if slot.box == "x0"]
    return [[slot.variant for slot in first if slot.seed == seed] for seed in range(1, of.seeds + 1)]


def benchmark_orders(of: Plan) -> list[set[tuple[str, ...]]]:
    """The benchmarks' orders in each round, over all boxes and variants."""
    every = list(slots(of))
    return [{tuple(one.name for one in slot.benchmarks) for slot in every if slot.seed == seed} for seed in range(1, of.seeds + 1)]


@given(PLANS)
def test_every_variant_boots_once_for_each_box_and_seed(of: Plan) -> None:
    asked = [(box.name, variant.name, seed) for box in of.boxes for variant in of.variants for seed in range(1, of.seeds + 1)]
    assert sorted((slot.box, slot.variant, slot.seed) for slot in slots(of)) == sorted(asked)


def test_profiled_visits_of_boxes_that_measure_time_come_after_all_rounds() -> None:
    boxes = (BoxSpec(name="exact"), BoxSpec(name="here", kind="local"))
    every = list(slots(msgspec.structs.replace(plan(2, 1, 1, 3), boxes=boxes, profiles=2)))
    assert [one.profiled for one in every] == 12 * [False] + 4 * [True]
    assert sorted((one.box, one.variant, one.seed) for one in every[12:]) == [
        ("here", f"v{i}", seed) for i in (0, 1) for seed in (4, 5)
    ]


@given(PLANS)
def test_every_boot_runs_every_benchmark_once(of: Plan) -> None:
    names = sorted(benchmark.name for benchmark in of.benchmarks)
    assert [slot for slot in slots(of) if sorted(one.name for one in slot.benchmarks) != names] == []


@given(PLANS)
def test_positions_count_from_0(of: Plan) -> None:
    assert [slot.position for slot in slots(of)] == list(range(len(of.boxes) * len(of.variants) * of.seeds))


@given(PLANS)
def test_a_round_ends_before_the_next_begins(of: Plan) -> None:
    seeds = [slot.seed for slot in slots(of)]
    assert seeds == sorted(seeds)


@given(PLANS)
def test_all_boots_of_a_round_share_the_order_of_benchmarks(of: Plan) -> None:
    assert [len(orders) for orders in benchmark_orders(of)] == [1] * of.seeds


def test_the_order_of_benchmarks_is_drawn_anew_for_each_round() -> None:
    assert len({next(iter(orders)) for orders in benchmark_orders(plan(seeds=5))}) > 1


def test_the_order_of_variants_is_drawn_anew_for_each_round() -> None:
    assert len({tuple(order) for order in variant_orders(plan(variants=5, seeds=5))}) > 1


def test_the_order_of_variants_is_drawn_for_each_box() -> None:
    every = list(slots(plan(variants=5, boxes=2, seeds=1)))
    assert [slot.variant for slot in every if slot.box == "x0"] != [slot.variant for slot in every if slot.box == "x1"]


def test_over_many_rounds_every_variant_comes_first_about_equally_often() -> None:
    first = [order[0] for order in variant_orders(plan(variants=4, boxes=1, seeds=400))]
    assert [70 <= first.count(f"v{i}") <= 130 for i in range(4)] == [True] * 4


@given(PLANS, st.integers())
def test_the_order_depends_on_nothing_but_the_plan(of: Plan, seed: int) -> None:
    before = list(slots(of))
    random.seed(seed)
    assert list(slots(of)) == before


def test_the_order_is_the_same_with_every_release_of_python() -> None:
    assert "".join(shuffled("abcdefgh", "benchmarks 1")) == "bgceahfd"


def test_more_rounds_leave_the_earlier_ones_as_they_are() -> None:
    assert list(slots(plan(seeds=6)))[: 3 * 2 * 5] == list(slots(plan(seeds=5)))


def test_another_benchmark_leaves_the_order_of_variants_as_it_is() -> None:
    assert variant_orders(plan(benchmarks=1)) == variant_orders(plan(benchmarks=6))


def test_another_variant_leaves_the_order_of_the_others_as_it_is() -> None:
    assert [[name for name in order if name != "v3"] for order in variant_orders(plan(variants=4))] == variant_orders(
        plan(variants=3)
    )


@given(st.lists(st.integers(), max_size=20), st.text())
def test_what_is_shuffled_is_kept_whole(items: list[int], key: str) -> None:
    assert sorted(shuffled(items, key)) == sorted(items)


def test_equal_items_are_kept_apart() -> None:
    assert shuffled(["a", "a", "a"], "key") == ["a", "a", "a"]


def test_another_key_draws_another_order() -> None:
    assert len({tuple(shuffled(range(20), f"key {i}")) for i in range(50)}) == 50
