"""Strips: the samples of one benchmark in the order in which they were taken."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.unit import posted as made
from tests.unit.builders import benchmark, plan, record
from tests.unit.golden import check
from tests.unit.pictures import NAMES, about, keyed, outside, parsed, points, words

from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.plan import LOCAL, BoxSpec, Plan
from kdelta.model.record import BootRecord
from kdelta.model.sample import Sample
from kdelta.model.variant import Variant
from kdelta.report.marks import CROSS, SHAPES
from kdelta.report.strip import ARROWS, render

BOX = BoxSpec(name="xeon", kind=LOCAL, cpus=4)
PLAN = plan(boxes=[BOX], seeds=3)
NULL = PLAN.benchmarks[0]
SETTLED = "followed by 3 results within 1.00%"


def sample(value: float, *, warmup: bool = False, discarded: str = "", metric: str = "time") -> Sample:
    """Its value is in microseconds."""
    return Sample(
        benchmark="null", metric=metric, iteration=0, warmup=warmup, value=1000.0 * value, unit="ns/op", discarded=discarded
    )


def came(
    position: int, variant: str, samples: Sequence[Sample], *, state: CellState = CellState.OK, reason: str = "", attempt: int = 1
) -> BootRecord:
    outcome = Outcome.DONE if state is not CellState.KILLED else Outcome.PANIC
    boot = Boot(outcome=outcome, cells=(Cell("null", state, reason),), samples=tuple(samples))
    return msgspec.structs.replace(record(boot, variant, seed=position // 2 + 1, box=BOX.name, position=position), attempt=attempt)


def judged(position: int, variant: str, *values: float) -> BootRecord:
    return came(position, variant, [sample(value) for value in values])


BOOTS = [
    came(0, "old", [sample(5.9, warmup=True), sample(5.6, discarded=SETTLED), sample(5.01), sample(5.0), sample(5.02)]),
    judged(1, "new", 5.3, 5.31, 5.29),
    came(2, "new", [], state=CellState.KILLED, reason="panic: out of memory"),
    judged(3, "old", 5.05, 5.04, 5.06),
    came(4, "old", [sample(5.1), sample(5.12)], state=CellState.FAILED, reason="exit status 1"),
    judged(5, "new", 5.35, 5.36, 5.34),
]


def picture(boots: Sequence[BootRecord] = BOOTS, of: Plan = PLAN) -> str:
    return render(of, BOX, NULL, boots)


def marks(of: str, css: str) -> list[str]:
    """The marks that are drawn with exactly these classes, without the samples of the legend."""
    found = [one.get("d") or "" for one in parsed(of).iter() if one.get("class") == css]
    return [f"M{mark}" for path in found for mark in path.split("M")[1:]][1 if css in ("v0", "v1") else 0 :]


def places(of: str, css: str) -> list[tuple[float, float]]:
    return [points(mark)[0] for mark in marks(of, css)]


def test_a_strip_is_drawn_as_kept() -> None:
    check("strip", picture())


def test_boots_stand_in_the_order_of_the_run_whatever_order_they_are_given_in() -> None:
    assert [one.get("data-boot") for one in keyed(picture())] == ["1", "2", "3", "4", "5", "6"]
    assert [one.get("data-new") for one in keyed(picture())] == ["0", "1", "1", "0", "0", "1"]
    assert picture(BOOTS[::-1]) == picture()


def test_samples_of_a_boot_lie_in_its_column_in_their_order_and_at_their_values() -> None:
    found = places(picture(), "v1")
    xs, ys = [x for x, _ in found], [y for _, y in found]
    assert xs == sorted(xs)
    assert xs[2] - xs[0] < xs[3] - xs[2]
    assert (ys[0] - ys[1]) == pytest.approx((ys[2] - ys[0]), abs=0.02)
    assert (ys[0] - ys[3]) == pytest.approx(5.0 * (ys[0] - ys[1]), abs=0.1)


def test_columns_have_shapes_of_their_own() -> None:
    found = picture()
    assert all(mark.endswith(SHAPES[0]) for mark in marks(found, "v0"))
    assert all(mark.endswith(SHAPES[1]) for mark in marks(found, "v1"))


def test_what_is_judged_is_filled_a_warm_up_hollow_and_what_was_thrown_away_crossed() -> None:
    warm, *others = marks(picture(), "v0 open")
    assert warm.endswith(SHAPES[0])
    assert [mark.endswith(CROSS) for mark in others] == [False, True] * 3
    assert len(marks(picture(), "v0")) == 6


def test_of_a_run_that_did_not_end_well_nothing_is_judged() -> None:
    one = keyed(picture(), boot="5")[0]
    assert about(one).splitlines() == ["old, round 3: visit 5", "failed: exit status 1", "not judged: 5.10, 5.12"]


def test_a_boot_says_its_results_and_what_was_not_judged_with_the_reason() -> None:
    assert about(keyed(picture(), boot="1")[0]).splitlines() == [
        "old, round 1: visit 1",
        "3 results of median 5.01: 5.01, 5.00, 5.02",
        "warm-up: 5.90",
        f"discarded: 5.60 ({SETTLED})",
    ]


def test_a_boot_without_results_is_a_cross_below_that_says_how_it_ended() -> None:
    found = picture()
    crosses = [mark for css in ("v0 thread", "v1 thread") for mark in marks(found, css) if mark.endswith(CROSS)]
    assert len(crosses) == words(found).count("failed") == 2
    assert about(keyed(found, boot="3")[0]) == "new, round 2: visit 3\nfailed: panic: out of memory"
    assert min(points(mark)[0][1] for mark in crosses) > max(y for _, y in places(found, "v0"))


ENDED = {
    "not possible here": ([], CellState.NOT_HERE, "not possible here"),
    "only a warm-up": ([sample(5.0, warmup=True)], CellState.OK, "no results"),
}


@pytest.mark.parametrize(("samples", "state", "said"), ENDED.values(), ids=ENDED)
def test_what_did_not_fail_does_not_say_so(samples: list[Sample], state: CellState, said: str) -> None:
    found = picture([came(0, "old", samples, state=state), judged(1, "new", 5.0)])
    assert said in words(found)
    assert "failed" not in words(found)


def test_the_median_of_a_boot_is_a_bar_and_a_line_joins_those_of_a_column() -> None:
    found = picture([judged(0, "old", 5.0, 5.2, 5.1), judged(1, "new", 5.5), judged(2, "old", 5.3, 5.4, 5.0)])
    (line,) = [
        one.get("d", "") for one in parsed(found).iter() if one.get("stroke-opacity") == ".45" and one.get("class") == "v0 thread"
    ]
    (bars,) = [
        one.get("d", "") for one in parsed(found).iter() if one.get("stroke-width") == "2" and one.get("class") == "v0 thread"
    ]
    samples = places(found, "v0")
    assert [y for _, y in points(line)] == [samples[2][1], samples[3][1]]
    assert [y for _, y in points(bars)][::2] == [samples[2][1], samples[3][1]]


def test_a_line_is_broken_where_a_boot_has_no_results() -> None:
    found = [judged(0, "old", 5.0), judged(2, "old", 5.1), came(4, "old", [], state=CellState.FAILED), judged(6, "old", 5.2)]
    (line,) = [one.get("d", "") for one in parsed(picture(found)).iter() if one.get("stroke-opacity") == ".45"]
    assert (line.count("M"), line.count("L")) == (2, 1)


@pytest.mark.parametrize(("value", "arrow"), [(50.0, ARROWS[1]), (0.1, ARROWS[-1])])
def test_a_sample_far_from_the_judged_ones_is_an_arrow_at_the_edge(value: float, arrow: str) -> None:
    boots = [*BOOTS, came(6, "old", [sample(value, discarded="odd"), sample(5.0)])]
    assert sum(mark.endswith(arrow) for mark in marks(picture(boots), "v0 open")) == 1
    assert places(picture(boots), "v0")[0][1] - places(picture(boots), "v1")[0][1] > 50.0
    assert f"discarded: {value:.2f} (odd)" in about(keyed(picture(boots), boot="7")[0])


def test_samples_of_other_metrics_boxes_and_benchmarks_and_profiled_boots_are_not_in_it() -> None:
    elsewhere = msgspec.structs.replace(BOOTS[0], box="other")
    profiled = msgspec.structs.replace(BOOTS[0], profiled=True)
    unasked = msgspec.structs.replace(BOOTS[0], boot=msgspec.structs.replace(BOOTS[0].boot, cells=(Cell("ctx-2", CellState.OK),)))
    counts = came(9, "old", [sample(900.0, metric="switches")])
    assert len(keyed(picture([*BOOTS, elsewhere, profiled, unasked]))) == 6
    assert "no results" in about(keyed(picture([*BOOTS, counts]), boot="10")[0])


def test_a_boot_that_was_repeated_stands_behind_the_first_attempt() -> None:
    again = msgspec.structs.replace(came(2, "new", [sample(5.3)], attempt=2), id=99)
    found = keyed(picture([*BOOTS, again]))
    assert [one.get("data-boot") for one in found][2:4] == ["3", "99"]
    assert about(found[3]).startswith("new, round 2: visit 4, attempt 2")


def test_a_box_on_which_nothing_was_measured_is_a_picture_too() -> None:
    assert "0 visits in the order of the run, 0 without results; time, us per operation" in words(picture([]))
    assert outside(picture([])) == []


@pytest.mark.parametrize(("name", "shown"), NAMES.items())
def test_a_name_is_shown_and_does_nothing_else(name: str, shown: str) -> None:
    variant, box, own = Variant(name=name, kernel="running"), msgspec.structs.replace(BOX, name=name), benchmark(name)
    boots = [
        msgspec.structs.replace(
            came(0, name, [msgspec.structs.replace(sample(5.0, discarded=name), benchmark=name)]),
            box=name,
            boot=Boot(
                outcome=Outcome.DONE,
                cells=(Cell(name, CellState.FAILED, name),),
                samples=(msgspec.structs.replace(sample(5.0, discarded=name), benchmark=name),),
            ),
        )
    ]
    of = msgspec.structs.replace(PLAN, variants=(variant,), boxes=(box,), benchmarks=(own,))
    found = render(of, box, own, boots)
    assert about(keyed(found)[0]).splitlines() == [f"{shown}, round 1: visit 1", f"failed: {shown}", f"discarded: 5.00 ({shown})"]
    assert {one.tag.partition("}")[2] for one in parsed(found).iter()} == {
        *("svg", "title", "desc", "style", "defs", "pattern", "rect", "path", "text", "g"),
    }


def test_eight_columns_of_thirty_boots_are_less_than_120_kb() -> None:
    names = [f"v6.{place}-some-name" for place in range(8)]
    of = msgspec.structs.replace(PLAN, variants=tuple(Variant(name=name, kernel="running") for name in names))
    boots = [judged(place, names[place % 8], *(5.0 + 0.01 * place + 0.003 * one for one in range(4))) for place in range(240)]
    found = render(of, BOX, NULL, boots)
    assert len(found.encode()) < 120_000
    assert sum(path.count("M") for path in (one.get("d", "") for one in parsed(found).iter() if one.get("transform"))) == 960


# ---- what holds for all ----

ANY_SAMPLE = st.builds(sample, st.floats(), warmup=st.booleans(), discarded=st.sampled_from(["", "odd"]))
ANY_BOOT = st.builds(
    came,
    st.integers(0, 20),
    st.sampled_from(["old", "new"]),
    st.lists(ANY_SAMPLE, max_size=4),
    state=st.sampled_from(CellState),
    reason=st.sampled_from(["", "why"]),
)


@given(st.lists(ANY_BOOT, max_size=8), st.integers(1, 20))
@settings(max_examples=60, phases=[Phase.generate])
def test_any_boots_are_drawn_inside_the_picture(boots: list[BootRecord], times: int) -> None:
    found = picture(boots * times)
    assert outside(found) == []
    assert len(keyed(found)) == len(boots) * times


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=3), min_size=1, max_size=6))
@settings(max_examples=40, phases=[Phase.generate])
def test_every_sample_has_a_mark(values: list[list[float]]) -> None:
    found = picture([judged(2 * place, "old", *each) for place, each in enumerate(values)])
    assert len(marks(found, "v0")) == sum(map(len, values))


def test_a_sample_that_is_no_number_has_no_mark_and_is_told() -> None:
    found = picture([judged(0, "old", 5.0, math.nan)])
    assert len(marks(found, "v0")) == 1
    assert about(keyed(found)[0]).splitlines()[1:] == ["1 result of median 5.00: 5.00", "not judged: nan"]


def test_well_known_samples_are_drawn_inside_the_picture() -> None:
    of = made.smpnice()
    assert all(outside(render(of.plan, of.plan.boxes[0], one, of.records)) == [] for one in of.plan.benchmarks)
