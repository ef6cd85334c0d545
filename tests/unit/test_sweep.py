"""Load sweeps: which benchmarks are one program under several loads, and their pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.unit import posted as made
from tests.unit.builders import plan
from tests.unit.golden import check
from tests.unit.pictures import NAMES, about, drawn, keyed, outside, parsed, words
from tests.unit.posted import NUMAQ, Posted, posted

from kdelta.judge.sheet import sheets
from kdelta.model.benchmark import SCRIPTS_PER_HOUR, Benchmark, Command
from kdelta.model.boot import CellState
from kdelta.model.plan import BoxSpec
from kdelta.model.sheet import Block, Figure, Line, Sheet
from kdelta.report.families import Family, families
from kdelta.report.sweep import render
from kdelta.workload.catalogue import by_name
from kdelta.workload.select import select

CURVE = {1: 5000.0, 2: 9800.0, 4: 19000.0, 8: 30000.0}


def found(*names: str) -> list[tuple[str, str, list[str]]]:
    """Program, parameter and loads of the families among these benchmarks."""
    of = msgspec.structs.replace(plan(), benchmarks=select(names))
    return [(one.program, one.parameter, [member.load for member in one.members]) for one in families(of)]


def sdet(visits: Mapping[str, Sequence[Mapping[int, Sequence[float]]]], *, box: BoxSpec = NUMAQ) -> Posted:
    """Of each column the results of each visit by number of scripts; what is missing failed."""
    benchmarks = [by_name()[f"sdet-{scripts}"] for scripts in CURVE]
    results = {
        name: [{f"sdet-{scripts}": {"throughput": list(values)} for scripts, values in each.items()} for each in of]
        for name, of in visits.items()
    }
    return posted(benchmarks, results, box=box, rounds=max(map(len, visits.values())))


def picture(of: Posted) -> str:
    (family,), (sheet,) = families(of.plan), sheets(of.plan, of.records)
    return render(sheet, family)


def times(factor: float, *, without: int = 0) -> dict[int, list[float]]:
    return {scripts: [factor * value] for scripts, value in CURVE.items() if scripts != without}


TWO = sdet({"old": [times(1.0), times(1.02)], "new": [times(1.1), times(1.12)]})
BROKEN = sdet({"old": [times(1.0), times(1.02)], "new": [times(1.1, without=4), times(1.12, without=4)]})


# ---- families ----

FAMILIES = {
    "of SDET": (("sdet-8", "sdet-1", "sdet-16"), [("sdet", "scripts", ["1", "8", "16"])]),
    "of kernbench": (("kernbench-2x", "kernbench-single"), [("kernbench", "load", ["2x", "single"])]),
    "with a load that only its name has": (("ctx-2", "ctx-20", "ctx-200"), [("ctx", "procs", ["2", "20", "200"])]),
    "of words and numbers": (("kernbench-optimal", "kernbench:load=3"), [("kernbench", "load", ["optimal", "3"])]),
    "several": (
        ("ctx-2", "hackbench-10", "ctx-20", "hackbench-20"),
        [("ctx", "procs", ["2", "20"]), ("hackbench", "groups", ["10", "20"])],
    ),
    "that differ in more": (
        ("hackbench:groups=2", "hackbench:groups=4,over=pipe", "hackbench:groups=8"),
        [("hackbench", "groups", ["2", "8"])],
    ),
    "one alone": (("sdet-8", "null"), []),
    "words that are no loads": (("proc-exec", "proc-sh", "pipe", "af-unix"), []),
    "a load that nobody knows": (("ctx", "ctx:procs=7"), []),
}


@pytest.mark.parametrize(("names", "expected"), FAMILIES.values(), ids=FAMILIES)
def test_a_family_is_one_program_that_differs_in_its_load_alone(
    names: tuple[str, ...], expected: list[tuple[str, str, list[str]]]
) -> None:
    assert found(*names) == expected


def test_commands_of_users_have_no_loads() -> None:
    command = Command(words=("bench",), json="score")
    own = [Benchmark(name=f"own-{n}", program="own", parameters={"n": str(n)}, operation="one", command=command) for n in (1, 2)]
    assert families(msgspec.structs.replace(plan(), benchmarks=tuple(own))) == ()


# ---- pictures ----


def test_a_sweep_is_drawn_as_kept() -> None:
    check("sweep", picture(BROKEN))


def points(of: str, new: int, panel: int = 0) -> list[tuple[float, float]]:
    """Where the marks of a column lie, by load."""
    each = [drawn(group)[-2][1][0] for group in keyed(of, new=str(new)) if len(drawn(group)) > 1]
    size = len(each) // 2
    return each[panel * size : (panel + 1) * size]


def test_the_axis_of_numbers_is_logarithmic_and_each_load_is_written() -> None:
    xs = [x for x, _ in points(picture(TWO), 0)]
    gaps = [after - before for before, after in pairwise(xs)]
    assert gaps == pytest.approx([gaps[0]] * 3, abs=0.02)
    assert [word for word in words(picture(TWO)) if word in ("1", "2", "4", "8")] == ["1", "2", "4", "8"] * 2


def test_means_lie_on_their_axis_in_proportion() -> None:
    narrow = sdet({"old": [{1: [100.0], 2: [120.0], 4: [140.0], 8: [180.0]}] * 2})
    ys = [drawn(group)[-2][1][0][1] for group in keyed(picture(narrow))]
    assert [ys[0] - y for y in ys] == pytest.approx([0.0, *((ys[0] - ys[3]) * part for part in (0.25, 0.5, 1.0))], abs=0.02)
    assert "The axis of values need not begin at 0." in " ".join(map(str.strip, words(picture(narrow))))


def test_steep_means_have_a_logarithmic_axis_that_says_so() -> None:
    steep = sdet({"old": [{1: [10.0], 2: [100.0], 4: [1000.0], 8: [10000.0]}] * 2})
    ys = [drawn(group)[-2][1][0][1] for group in keyed(picture(steep))]
    gaps = [before - after for before, after in pairwise(ys)]
    assert gaps == pytest.approx([gaps[0]] * 3, abs=0.02)
    assert "The axis of values is logarithmic." in " ".join(map(str.strip, words(picture(steep))))


def test_a_whisker_is_one_standard_deviation_either_way_and_one_value_has_none() -> None:
    of = sdet({"old": [{1: [90.0], 2: [100.0], 4: [80.0], 8: [120.0]}, {1: [110.0], 4: [120.0]}]})
    group, single = keyed(picture(of), load="0")[0], keyed(picture(of), load="1")[0]
    (_, whisker), (_, mark), *_ = drawn(group)
    sd = math.sqrt(200.0)
    assert mark[0][1] == pytest.approx((whisker[0][1] + whisker[1][1]) / 2.0, abs=0.02)
    other = drawn(keyed(picture(of), load="3")[0])[-2][1][0][1]
    assert (whisker[0][1] - mark[0][1]) / (mark[0][1] - other) == pytest.approx(sd / 20.0, abs=0.01)
    assert len(drawn(group)) == len(drawn(single)) + 1
    assert "sd" not in about(single).splitlines()[0]


def test_percents_are_of_the_first_column_with_its_own_standard_deviations() -> None:
    of = picture(TWO)
    firsts, seconds = points(of, 0, 1), points(of, 1, 1)
    assert len({y for _, y in firsts}) == 1
    assert all(second < first for (_, first), (_, second) in zip(firsts, seconds, strict=True))
    assert about(keyed(of, load="0", new="1")[1]) == "new, 1: 109.9%, sd 1.3% of itself"


def test_of_one_column_there_are_no_percents() -> None:
    of = picture(sdet({"old": [times(1.0)] * 2}))
    assert len(keyed(of)) == 4
    assert not any("percent of" in line for line in words(of))


def test_what_failed_breaks_the_line_and_says_so_at_its_load() -> None:
    of = picture(BROKEN)
    assert [len(keyed(of, load=str(load), new="1")) for load in range(4)] == [2] * 4
    (failed, _) = keyed(of, load="2", new="1")
    assert [one.text for one in failed.iter() if one.text and one.tag.endswith("text")] == ["failed"]
    assert about(failed).splitlines()[0] == "new, 4: failed"
    assert "exit status 2: no memory" in about(failed)
    (old, new) = [one.get("d", "") for one in parsed(of) if "thread" in (one.get("class") or "")][2:4]
    assert (old.count("L"), new.count("L")) == (3, 1)


def test_what_was_not_measured_is_a_dash_and_never_0() -> None:
    (sheet,) = sheets(TWO.plan, TWO.records[:2])
    of = render(sheet, families(TWO.plan)[0])
    assert [one.text for one in keyed(of, load="0", new="1")[0].iter() if one.tag.endswith("text")] == ["-"]


def test_a_point_says_all_its_figures() -> None:
    said = about(keyed(picture(TWO), load="1", new="0")[0]).splitlines()
    assert said[:2] == ["old, 2: 9898 scripts/h, sd 138.59 (1.4%)", "9800 to 9996, 2 results in 2 visits"]


def test_loads_of_kernbench_are_in_the_order_of_their_jobs_which_stand_below() -> None:
    names = ["kernbench-maximal", "kernbench:load=20", "kernbench-half", "kernbench-single"]
    benchmarks = select(names)
    of = posted(benchmarks, {"old": [{name: made.build(50.0, 9.0, 40.0, 100.0) for name in names}]}, box=NUMAQ)
    said = words(picture(of))
    assert [word for word in said if word in ("single", "half", "20", "maximal")] == ["single", "half", "20", "maximal"]
    assert [word for word in said if word.startswith("-j")] == ["-j 1", "-j 8", "-j"]


def test_tests_that_are_shown_in_unlike_units_are_shown_per_operation() -> None:
    names = ["hackbench-20", "hackbench:groups=5"]
    of = posted(select(names), {"old": [{name: {"time": [2000.0]} for name in names}]}, box=NUMAQ)
    assert [about(group).splitlines()[0] for group in keyed(picture(of))] == [
        f"old, {load}: 2.00 us per operation" for load in (5, 20)
    ]


def test_the_basis_of_the_figures_stands_below() -> None:
    within = " ".join(map(str.strip, words(picture(made.sdet_of_2004()))))
    assert "Means and standard deviations within one visit: says nothing about the next." in within
    assert "Means and standard deviations over 2 visits" in " ".join(map(str.strip, words(picture(TWO))))


@pytest.mark.parametrize(("name", "shown"), NAMES.items())
def test_a_name_is_shown_and_does_nothing_else(name: str, shown: str) -> None:
    (sheet,) = sheets(TWO.plan, TWO.records)
    named = [msgspec.structs.replace(one, variant=name) for one in sheet.blocks[0].lines[:1]]
    box = msgspec.structs.replace(sheet.box, name=name)
    of = render(
        msgspec.structs.replace(sheet, box=box, blocks=(Block(sheet.blocks[0].benchmark, tuple(named)),)), families(TWO.plan)[0]
    )
    assert about(keyed(of, load="0", new="0")[0]).startswith(f"{shown}, 1: ")
    assert f"16-way {shown} box: sdet by scripts"[:60] in words(of)[0]
    assert {one.tag.partition("}")[2] for one in parsed(of).iter()} == {
        *("svg", "title", "desc", "style", "defs", "pattern", "rect", "path", "text", "g"),
    }


# ---- what holds for all ----

ANY_FLOAT = st.floats(allow_nan=True)
FIGURES = st.builds(
    Figure,
    mean=ANY_FLOAT,
    sd=st.none() | st.floats(min_value=0.0),
    sd_percent=st.none() | ANY_FLOAT,
    least=ANY_FLOAT,
    most=ANY_FLOAT,
)
LOAD = st.sampled_from([1, 2, 3, 8, 100, 128])


@st.composite
def sweeps(draw: st.DrawFn) -> tuple[Sheet, Family]:
    """Of a few columns and any figures, some of them missing."""
    loads = sorted(draw(st.sets(st.integers(1, 10**6), min_size=2, max_size=3)))
    columns = draw(st.integers(1, 3))
    benchmarks = tuple(
        Benchmark(name=f"s-{load}", program="s", parameters={"n": str(load)}, operation="one", metrics=(SCRIPTS_PER_HOUR,))
        for load in loads
    )
    blocks = [
        Block(
            one,
            tuple(
                Line(
                    variant=f"column {place}",
                    visits=2,
                    results=4,
                    figures={"throughput": figure} if figure else {},
                    of_base=draw(st.none() | ANY_FLOAT) if figure else None,
                    state=draw(st.none() | st.sampled_from(CellState)),
                    cpus=None,
                )
                for place in range(columns)
                for figure in [draw(st.none() | FIGURES)]
            ),
        )
        for one in benchmarks
    ]
    (family,) = families(msgspec.structs.replace(plan(), benchmarks=benchmarks))
    return Sheet(box=NUMAQ, within=False, agreed=False, blocks=tuple(blocks)), family


@given(sweeps())
@settings(max_examples=60, phases=[Phase.generate])
def test_any_sweep_is_drawn_inside_the_picture(of: tuple[Sheet, Family]) -> None:
    sheet, family = of
    assert outside(render(sheet, family)) == []


@pytest.mark.parametrize(
    "of", [made.sdet_of_2004(), made.kernbench_of_2004(), TWO, BROKEN], ids=["sdet", "kernbench", "two", "broken"]
)
def test_well_known_sweeps_are_drawn_inside_the_picture(of: Posted) -> None:
    assert outside(picture(of)) == []
