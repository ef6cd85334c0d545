"""One benchmark over kernels: what may stand beside each other, in which order, and how it is drawn."""

from __future__ import annotations

import math
import re
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
from tests.unit.pictures import NAMES, SVG, parsed

from kdelta.inquiry.history import Measured, history, read
from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import CellState
from kdelta.model.history import History, Point, Series
from kdelta.model.plan import LOCAL, BoxSpec, Plan, Repeat, Rule
from kdelta.report import history_plot
from kdelta.report.history_plot import LEFT, RIGHT
from kdelta.stats.t import one_sample
from kdelta.store.place import open_store

XEON = BoxSpec(name="xeon", kind=LOCAL, cpus=4)
LAB = {"qemu": "7.2.22", "programs sha256": "ab"}
HOST = {"processor": "a processor", "governor": "performance", "kernel release": "6.1"}


def run(
    number: int,
    releases: Sequence[str] = ("6.1.0",),
    *,
    box: BoxSpec = BOX,
    facts: Mapping[str, str] = LAB,
    of: Benchmark | None = None,
    values: Mapping[str, Sequence[float | None]] | None = None,
    rule: Rule | None = None,
    started: str = "",
) -> Measured:
    """A run of null with a column for each release, which is its name; without other `values` with three boots of each."""
    made: Plan = planned(releases, rounds=3, boxes=[box])
    made = msgspec.structs.replace(made, benchmarks=(of or benchmark(),), rule=rule or Rule())
    given = values or {name: noisy(3, seed=place) for place, name in enumerate(releases)}
    rounds = max(map(len, given.values()))
    made = msgspec.structs.replace(made, seeds=rounds)
    records = boots(
        made, {(name, "null"): of for name, of in given.items()}, box=box.name, environment=dict.fromkeys(releases, facts)
    )
    kernels = {name: kernel(name) for name in releases}
    known = msgspec.structs.replace(run_record(made, kernels), id=number, started=started or f"2024-01-0{number}T00:00:00+00:00")
    return known, records


def null(*runs: Measured, box: str | None = None) -> History:
    return history(runs, "null", box)


def releases(series: Series) -> list[str]:
    return [point.kernel.release for point in series.points]


def only(found: History) -> Series:
    (series,) = found.series
    return series


# ---- what is found ----


def test_all_columns_of_all_runs_are_points() -> None:
    series = only(null(run(1, ["6.1.0", "6.12.0"]), run(2, ["6.6.0"])))
    assert [(point.run, point.variant.name) for point in series.points] == [(1, "6.1.0"), (2, "6.6.0"), (1, "6.12.0")]


def test_points_come_by_release_and_then_by_date() -> None:
    runs = [run(1, ["6.12.0", "6.12.0-rc2"]), run(2, ["6.2.0"]), run(3, ["6.12.0"], started="2023-12-01T00:00:00+00:00")]
    assert [(point.kernel.release, point.run) for point in only(null(*runs)).points] == [
        ("6.2.0", 2),
        ("6.12.0-rc2", 1),
        ("6.12.0", 3),
        ("6.12.0", 1),
    ]


def test_a_point_has_the_boots_their_median_range_and_the_interval_of_their_mean() -> None:
    values = [1010.0, 990.0, 1003.0, 1200.0]
    (point,) = only(null(run(1, ["6.1.0"], values={"6.1.0": values}))).points
    known = one_sample(np.log(values)).interval(0.95)
    assert point.boots == tuple(values)
    assert (point.median, point.least, point.most) == pytest.approx((1006.5, 990.0, 1200.0))
    assert point.mean == pytest.approx(math.exp(np.log(values).mean()))
    assert (point.low, point.high) == pytest.approx((math.exp(known[0]), math.exp(known[1])))


def test_fewer_than_three_boots_have_no_interval() -> None:
    (point,) = only(null(run(1, ["6.1.0"], values={"6.1.0": [1000.0, 1001.0]}))).points
    assert point.median == 1000.5
    assert (point.low, point.high) == (None, None)


def test_what_failed_is_a_point_without_a_value() -> None:
    (point,) = only(null(run(1, ["6.1.0"], values={"6.1.0": [None, None, None]}))).points
    assert (point.boots, point.median, point.state) == ((), None, CellState.FAILED)


def test_a_run_without_the_benchmark_has_no_points() -> None:
    found = history([run(1)], "ctx-2")
    assert (found.series, found.runs) == ((), 0)


def test_one_box_can_be_asked_for() -> None:
    runs = [run(1), run(2, box=XEON, facts=HOST)]
    assert [one.box.name for one in null(*runs, box="xeon").series] == ["xeon"]
    assert null(*runs, box="xeon").runs == 1


# ---- what may not stand beside each other ----

EXACT, LOCALLY = run(1), run(1, box=XEON, facts=HOST)
APART: dict[str, tuple[Measured, Measured, str]] = {
    "another kind of box": (EXACT, run(2, box=XEON, facts=HOST), "kind"),
    "another number of CPUs": (EXACT, run(2, box=BoxSpec(name="exact", cpus=2)), "CPUs"),
    "another amount of memory": (EXACT, run(2, box=BoxSpec(name="exact", memory=1024)), "memory"),
    "another QEMU": (EXACT, run(2, facts={**LAB, "qemu": "8.0"}), "qemu"),
    "other programs": (EXACT, run(2, facts={**LAB, "programs sha256": "cd"}), "programs sha256"),
    "another definition": (EXACT, run(2, of=benchmark(iterations=5)), "iterations"),
    "another processor": (LOCALLY, run(2, box=XEON, facts={**HOST, "processor": "another"}), "processor"),
    "another governor": (LOCALLY, run(2, box=XEON, facts={**HOST, "governor": "powersave"}), "governor"),
    "another rule": (LOCALLY, run(2, box=XEON, facts=HOST, rule=Rule(repeat=Repeat.FIXED)), "rule"),
    "quieted": (LOCALLY, run(2, box=BoxSpec(name="xeon", kind=LOCAL, cpus=4, quiet=("aslr",)), facts=HOST), "quieted"),
}


@pytest.mark.parametrize(("first", "second", "fact"), APART.values(), ids=APART)
def test_what_values_depend_on_sets_series_apart_and_is_named(first: Measured, second: Measured, fact: str) -> None:
    found = null(first, second)
    assert len(found.series) == 2
    assert fact in found.apart
    assert found.series[0].facts.get(fact) != found.series[1].facts.get(fact)


TOGETHER: dict[str, tuple[Measured, Measured]] = {
    "another kernel": (LOCALLY, run(2, box=XEON, facts={**HOST, "kernel release": "6.12"})),
    "another name of the box": (EXACT, run(2, box=BoxSpec(name="lab"))),
    "profiles without chains": (EXACT, run(2, box=BoxSpec(name="exact", chains=False))),
    "another load before it": (LOCALLY, run(2, box=XEON, facts={**HOST, "load before": "9"})),
}


@pytest.mark.parametrize(("first", "second"), TOGETHER.values(), ids=TOGETHER)
def test_what_values_do_not_depend_on_leaves_them_together(first: Measured, second: Measured) -> None:
    found = null(first, second)
    assert [len(series.points) for series in found.series] == [2]
    assert found.apart == ()


def test_of_what_nothing_is_recorded_each_run_is_alone() -> None:
    found = null(run(1, facts={}), run(2, facts={}))
    assert [one.facts["what it was measured with"] for one in found.series] == ["not recorded in run 1", "not recorded in run 2"]


def test_a_store_gives_its_history(tmp_path: Path) -> None:
    for day in (1, 2):
        fill(tmp_path / "store.sqlite", plan(names=["null", "ctx-2"], seeds=3), started=f"2024-01-0{day}T00:00:00+00:00")
    with closing(open_store(str(tmp_path / "store.sqlite"))) as store:
        found = read(store, "ctx-2")
        assert [(point.run, point.variant.name, len(point.boots)) for point in only(found).points] == [
            (1, "new", 3),
            (2, "new", 3),
            (1, "old", 3),
            (2, "old", 3),
        ]
        samples = [one for _, records in store.measured("ctx-2") for record in records for one in record.boot.samples]
        assert {one.benchmark for one in samples} == {"ctx-2"}
        assert [point.median for point in only(found).points] == pytest.approx([160.0] * 2 + [400.0] * 2, rel=0.02)
        assert read(store, "other").series == ()


# ---- the picture ----

DRAWN = null(
    run(1, ["6.1.0-49-cloud-amd64", "6.12.0"], values={"6.1.0-49-cloud-amd64": noisy(5), "6.12.0": noisy(5, ratio=1.1, seed=2)}),
    run(2, ["6.6.0", "6.13.0-rc1"], values={"6.6.0": [1020.0], "6.13.0-rc1": [None]}),
)


def rows(picture: str) -> list[tuple[str, list[str], dict[str, str] | None]]:
    """Of each row what is said of it, its words, and its dot."""
    found = []
    for group in parsed(picture).iter(f"{SVG}g"):
        dot = group.find(f"{SVG}circle")
        words = [one.text or "" for one in group.iter(f"{SVG}text")]
        found.append((group.findtext(f"{SVG}title") or "", words, None if dot is None else dict(dot.attrib)))
    return found


def test_a_history_is_drawn_as_kept() -> None:
    check("history", history_plot.render(only(DRAWN)))


def test_a_row_says_all_that_is_known_of_its_point() -> None:
    about = [title for title, _, _ in rows(history_plot.render(only(DRAWN)))]
    assert re.fullmatch(
        r"run 1: 6.1.0-49-cloud-amd64, 6.1.0-49-cloud-amd64: \d+\.\d\d, 95% \[[\d.]+, [\d.]+\], [\d.]+ to [\d.]+ in 5", about[0]
    )
    assert about[1] == "run 2: 6.6.0, 6.6.0: 1020.00, 1020.00 to 1020.00 in 1"
    assert about[3] == "run 2: 6.13.0-rc1, 6.13.0-rc1: failed"


def test_what_failed_has_a_row_and_no_dot() -> None:
    *_, (_, words, dot) = rows(history_plot.render(only(DRAWN)))
    assert words[-1] == "failed"
    assert dot is None


def test_dots_lie_in_the_order_of_the_medians() -> None:
    dots = [(point.median, row[2]) for point, row in zip(only(DRAWN).points, rows(history_plot.render(only(DRAWN))), strict=True)]
    places = [(median, float(dot["cx"])) for median, dot in dots if dot is not None and median is not None]
    assert [x for _, x in sorted(places)] == sorted(x for _, x in places)
    assert all(LEFT < x < RIGHT for _, x in places)


def test_points_of_several_runs_are_said_to_share_no_rounds() -> None:
    assert "Points of different runs share no rounds." in history_plot.render(only(DRAWN))
    assert "share no rounds" not in history_plot.render(only(null(run(1))))


@pytest.mark.parametrize(("box", "facts", "told"), [(XEON, HOST, True), (BOX, LAB, False)], ids=["time", "instructions"])
def test_what_changed_on_a_machine_between_runs_is_said_of_time(box: BoxSpec, facts: dict[str, str], told: bool) -> None:
    picture = history_plot.render(only(null(run(1, box=box, facts=facts), run(2, box=box, facts=facts))))
    assert ("What changed on the machine between them" in picture) is told


def test_an_interval_that_does_not_fit_ends_in_an_arrow() -> None:
    wide = null(run(1, ["6.1.0"], values={"6.1.0": [1000.0, 1001.0, 1400.0]}))
    (group,) = parsed(history_plot.render(only(wide))).iter(f"{SVG}g")
    whisker = [path.get("d", "") for path in group.iter(f"{SVG}path")][1]
    assert whisker.count("L") == 4
    assert whisker.startswith(f"M{LEFT:g} ")


@pytest.mark.parametrize("values", [[1000.0], [1000.0] * 3, [5e-324, 1e300, 1.0]], ids=["one", "equal", "far apart"])
def test_any_values_are_drawn_between_the_edges(values: list[float]) -> None:
    picture = history_plot.render(only(null(run(1, ["6.1.0"], values={"6.1.0": values}))))
    ((_, _, dot),) = rows(picture)
    assert dot is not None
    assert LEFT <= float(dot["cx"]) <= RIGHT
    assert "nan" not in picture
    assert 1 <= len(re.findall('class="faint middle"', picture)) <= 60


@pytest.mark.parametrize(("name", "shown"), NAMES.items(), ids=map(repr, NAMES))
def test_a_name_is_shown_and_does_nothing_else(name: str, shown: str) -> None:
    def renamed(point: Point) -> Any:
        variant = msgspec.structs.replace(point.variant, name=name)
        return msgspec.structs.replace(point, variant=variant, kernel=msgspec.structs.replace(point.kernel, release=name))

    series = only(null(run(1)))
    series = msgspec.structs.replace(series, points=tuple(map(renamed, series.points)))
    ((title, words, _),) = rows(history_plot.render(series))
    assert title.startswith(f"run 1: {shown}, {shown}")
    assert words[0] in (shown, f"{shown[:29]}\u2026")


def test_a_value_of_0_is_a_value_without_a_mean() -> None:
    (point,) = only(null(run(1, ["6.1.0"], values={"6.1.0": [0.0, 2.0, 4.0]}))).points
    assert (point.boots, point.median) == ((0.0, 2.0, 4.0), 2.0)
    assert (point.mean, point.low, point.high) == (None, None, None)
