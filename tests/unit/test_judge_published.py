"""Verdicts, tables and sheets of what others published: as much as the printed figures say, and no more."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest
from tests.unit.published import TWO, block, entry, made

from kdelta.archive.as_runs import Made
from kdelta.judge import published
from kdelta.judge.account import account
from kdelta.judge.judgement import judge
from kdelta.judge.residue import residue
from kdelta.judge.sheet import sheets
from kdelta.judge.table import incomplete, tables
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.plan import PUBLISHED
from kdelta.model.published import Entry
from kdelta.model.verdict import Answer, Axis, Verdict


def run(*entries: Entry, **more: Any) -> Made:
    (found,) = made(block(*entries, **more))
    return found


def verdict(old: dict[str, Any], new: dict[str, Any]) -> Verdict:
    """Of two entries; `better` is smaller where they do not say."""
    sides = (entry(name, **{"better": Better.SMALLER, **of}) for name, of in (("old", old), ("new", new)))
    of = run(*sides)
    (found,) = judge(of.run.plan, of.boots).verdicts
    return found


def mean(value: str, *, n: int | None = None, boots: bool | None = None, **others: str) -> dict[str, Any]:
    return {"figures": {"mean": value, **others}, "count": n, "boots": boots}


# ---- what is decided ----


@dataclass(frozen=True)
class Case:
    old: dict[str, Any]
    new: dict[str, Any]
    answer: Answer
    p: float | None
    why: str = ""


ENDS = {"min": "100", "max": "104"}
FAR_ENDS = {"min": "108", "max": "113"}
CASES = {
    "means and deviations of known n": Case(mean("100", n=5, sd="1.2"), mean("102", n=5, sd="1.5"), Answer.UNDECIDED, 0.0725),
    "far apart": Case(mean("100", n=5, sd="1.2"), mean("110", n=5, sd="1.5"), Answer.SLOWER, 0.0),
    "larger is better": Case(
        {**mean("100", n=5, sd="1.2"), "better": Better.LARGER},
        {**mean("110", n=5, sd="1.5"), "better": Better.LARGER},
        Answer.FASTER,
        0.0,
    ),
    "n unknown, and all n agree": Case(mean("4283.63", sd="3.39617"), mean("4230.02", sd="2.15324"), Answer.FASTER, 0.0002),
    "n unknown, and they do not": Case(
        mean("604.783", sd="2.72629"), mean("599.793", sd="1.89988"), Answer.UNDECIDED, None, "n is not stated: p is "
    ),
    "a deviation in percent": Case(mean("100.0", n=5, cv="1.0"), mean("4.7", n=5, cv="1.5"), Answer.FASTER, 0.0),
    "the deviation of one side only": Case(mean("100.0", n=5), mean("80.0", n=5, cv="1.0"), Answer.FASTER, 0.0),
    "a standard error": Case(mean("8.10", n=5, se="0.01"), mean("9.10", n=5, se="0.01"), Answer.SLOWER, 0.0),
    "single results": Case({"samples": ("1.0", "1.1", "1.2")}, {"samples": ("2.0", "2.1", "2.2")}, Answer.SLOWER, 0.0003),
    "one result on each side": Case(
        {"samples": ("1.0",)}, {"samples": ("2.0",)}, Answer.UNDECIDED, None, "one value on each side: no spread is printed"
    ),
    "means alone": Case(
        mean("44.04"),
        mean("44.43"),
        Answer.UNDECIDED,
        None,
        "no spread is printed, and of how many results the values are is not stated",
    ),
    "means alone, of known n": Case(mean("44.04", n=5), mean("44.43", n=5), Answer.UNDECIDED, None, "no spread is printed"),
    "the least of an unknown number": Case(
        {"figures": {"min": "3.51"}},
        {"figures": {"min": "4.13"}},
        Answer.UNDECIDED,
        None,
        "only the least of an unknown number of results is printed, and no spread",
    ),
    "the least of three": Case(
        {"figures": {"min": "3.51"}, "count": 3},
        {"figures": {"min": "4.13"}, "count": 3},
        Answer.UNDECIDED,
        None,
        "only the least of 3 results is printed, and no spread",
    ),
    "ranges of unknown n": Case(
        {"figures": {"min": "1.67", "max": "1.69"}},
        {"figures": {"min": "1.75", "max": "1.77"}},
        Answer.UNDECIDED,
        None,
        "n is not stated, and without it a range says nothing",
    ),
    "ranges of 3": Case({"figures": ENDS, "count": 3}, {"figures": FAR_ENDS, "count": 3}, Answer.SLOWER, 0.05),
    "ranges of 3 and 4 that do not meet": Case(
        {"figures": ENDS, "count": 3}, {"figures": FAR_ENDS, "count": 4}, Answer.UNDECIDED, 2 / 35
    ),
    "means and ranges": Case(mean("100", n=5, min="98", max="102"), mean("110", n=5, min="108", max="112"), Answer.SLOWER, 0.01),
    "a failure": Case(
        mean("1.0"), {"state": CellState.FAILED, "reason": "hung above 64"}, Answer.UNDECIDED, None, "new: failed: hung above 64"
    ),
    "in other units": Case(
        mean("1.0"),
        {**mean("1.0"), "unit": "B/s"},
        Answer.UNDECIDED,
        None,
        "the two are printed in other units, or as a share of something else",
    ),
    "a difference of 0": Case(mean("0.0"), mean("1.0"), Answer.UNDECIDED, None, "a value of 0 or less has no ratio"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_decided(case: Case) -> None:
    found = verdict(case.old, case.new)
    assert found.answer is case.answer
    assert found.p == (None if case.p is None else pytest.approx(case.p, abs=6e-5))
    assert found.why.startswith(case.why)
    assert bool(found.why) == bool(case.why)


@pytest.mark.parametrize("boots", [True, False, None])
def test_only_boots_are_ever_equivalent(boots: bool | None) -> None:
    side = mean("100.000", n=50, sd="0.010", boots=boots)
    found = verdict(side, side)
    assert (found.answer is Answer.EQUIVALENT) is (boots is True)


def test_the_ratio_has_an_interval_where_the_spread_is_known() -> None:
    known = verdict(mean("100", n=5, sd="1.0"), mean("110", n=5, sd="1.1")).ratio
    assert known is not None
    # Student's t of 8 degrees of freedom; a deviation may have n in its denominator.
    half = 2.306 * 0.01 * math.sqrt(5 / 4) * math.sqrt(2 / 5)
    assert [known.value, known.low, known.high] == pytest.approx([1.1, 1.1 * math.exp(-half), 1.1 * math.exp(half)], rel=1e-4)
    open_ended = verdict(mean("100"), mean("110")).ratio
    assert open_ended is not None
    assert [open_ended.value, open_ended.low, open_ended.high] == [pytest.approx(1.1), 0.0, math.inf]


def test_without_n_the_interval_is_that_of_three() -> None:
    unknown, three = (verdict(mean("100", n=n, sd="1.0"), mean("110", n=n, sd="1.0")).ratio for n in (None, 3))
    assert unknown == three


@pytest.mark.parametrize(
    ("old", "new", "doubt"),
    [
        (mean("1.0", n=5, sd="0.1"), mean("1.1", n=5, sd="0.1"), "the printed digits are coarser than the difference"),
        (mean("1.0", n=5, sd="0.0"), mean("2.0", n=5, sd="0.0"), "a spread that is printed as 0 may be half of its last digit"),
        ({**mean("1.0"), "better": None}, mean("2.0"), "which direction is better is not stated"),
        ({"figures": {"value": "1.0", "sd": "0.1"}, "count": 3}, mean("2.0", n=3, sd="0.1"), "of what the printed values are"),
        (mean("1.0", n=5, sd="0.1"), mean("2.0", n=5, sd="0.1"), "one boot is assumed, so p is a lower bound"),
        (mean("1.0", n=5, sd="0.1", boots=False), mean("2.0", n=5, sd="0.1", boots=False), "the values are runs in one boot"),
        (mean("1.0", n=5), mean("2.0", n=5, sd="0.1"), "it is taken to be the same share of its mean"),
    ],
)
def test_what_is_doubtful_is_said(old: dict[str, Any], new: dict[str, Any], doubt: str) -> None:
    assert doubt in "; ".join(verdict(old, new).doubts)


def test_a_spread_that_is_printed_as_0_is_none_of_0() -> None:
    found = verdict(mean("1.0", n=5, sd="0.0"), mean("2.0", n=5, sd="0.0")).ratio
    assert found is not None
    assert found.low < found.value < found.high


def test_what_has_no_logarithm_has_no_ratio() -> None:
    assert verdict(mean("0.0"), mean("1.0")).ratio is None


def test_p_is_adjusted_for_all_contrasts_of_the_text() -> None:
    sides = [
        entry(name, {"mean": value, "sd": "1.0"}, benchmark=f"b{place}", count=5, better=Better.SMALLER)
        for place in range(10)
        for name, value in (("old", "100"), ("new", "102.5" if place == 0 else "100"))
    ]
    of = run(*sides)
    first, *_ = judge(of.run.plan, of.boots).verdicts
    assert first.p is not None
    assert first.p < 0.05 < (first.p_adjusted or 0.0)
    assert first.answer is Answer.UNDECIDED


def test_every_metric_is_judged_where_that_is_asked() -> None:
    of = run(*(entry(name, "1.0", metric=metric) for name in ("old", "new") for metric in ("time", "user_s")))
    assert [one.new.benchmark.metric.name for one in judge(of.run.plan, of.boots).verdicts] == ["time"]
    every = published.judgement(of.run.plan, of.boots, every_metric=True)
    assert [one.new.benchmark.metric.name for one in every.verdicts] == ["time", "user_s"]


def test_pairs_are_compared_too_and_boxes_that_lack_a_benchmark_are_passed_over() -> None:
    of = run(*(entry(name, "1.0", box=box, benchmark=box) for box in ("P4", "G5") for name in "abc"))
    found = judge(of.run.plan, of.boots, Axis.PAIRS).verdicts
    assert [(one.new.box.name, one.base.variant, one.new.variant) for one in found] == [
        (box, *pair) for box in ("P4", "G5") for pair in (("a", "b"), ("a", "c"), ("b", "c"))
    ]


# ---- tables ----


def shown(*entries: Entry, statistic: str | None = None) -> list[tuple[str, float | None]]:
    of = run(*entries)
    return [(one.printed, one.percent) for row in tables(of.run.plan, of.boots, statistic)[0].rows for one in row.entries]


def with_change(old: str, new: str, change: str) -> list[tuple[str, float | None]]:
    return shown(entry("old", {"min": old}), entry("new", {"min": new, "change": change}))


@pytest.mark.parametrize(
    ("old", "new", "change", "percent"),
    [
        ("5.02", "4.82", "-4", -4.0),  # of 4.817, which was printed as 4.82
        ("3.51", "4.13", "17", 100.0 * 0.62 / 3.51),  # cut
        ("100", "110", "-10", 10.0),  # a slowdown, with the sign of that
        ("100", "110", "25", 10.0),  # neither
    ],
)
def test_a_printed_percentage_is_kept_where_it_can_follow(old: str, new: str, change: str, percent: float) -> None:
    text, found = with_change(old, new, change)[1]
    assert text == new
    assert found == pytest.approx(percent)


def test_a_percentage_with_the_sign_of_a_gain_is_not_told_of() -> None:
    of = run(entry("old", {"min": "100"}), entry("new", {"min": "110", "change": "-10"}))
    assert tables(of.run.plan, of.boots)[0].rows[0].entries[1].notes == ()


def test_a_percentage_that_cannot_follow_is_told_of() -> None:
    of = run(entry("old", {"min": "100"}), entry("new", {"min": "110", "change": "25"}))
    (table,) = tables(of.run.plan, of.boots)
    assert table.rows[0].entries[1].notes == ("25% is printed, and 10.0% follows from the printed values",)
    assert (table.statistic, table.rows[0].statistic) == ("min", "min")


def test_all_digits_are_shown_as_they_are_printed() -> None:
    assert [text for text, _ in shown(entry("old", "1017.83"), entry("new", "1020.00"))] == ["1017.83", "1020.00"]


def test_of_single_results_a_statistic_is_shown() -> None:
    two = (entry("old", samples=("1", "2", "6")), entry("new", samples=("2", "4", "6")))
    of = run(*two)
    values = [[one.value for one in tables(of.run.plan, of.boots, name)[0].rows[0].entries] for name in (None, "min", "mean")]
    assert values == [[2.0, 4.0], [1.0, 2.0], [3.0, 4.0]]


def test_a_box_has_its_own_rows_in_its_own_order() -> None:
    entries = [entry(v, "1", box=box, benchmark=b) for box, names in (("P4", "xy"), ("G5", "yx")) for b in names for v in "ab"]
    of = run(*entries)
    assert [[row.benchmark.name for row in table.rows] for table in tables(of.run.plan, of.boots)] == [["x", "y"], ["y", "x"]]


def test_what_was_not_printed_is_no_0_and_nothing_to_wait_for() -> None:
    of = run(entry("old", "1.0"), entry("new", figures={}))
    found = tables(of.run.plan, of.boots)
    assert (found[0].rows[0].entries[1].value, found[0].rows[0].entries[1].state) == (None, CellState.NOT_HERE)
    assert not incomplete(found)
    failed = run(entry("old", "1.0"), entry("new", figures={}, state=CellState.FAILED, reason="oops"))
    assert incomplete(tables(failed.run.plan, failed.boots))


# ---- sheets ----


def test_a_sheet_has_the_printed_figures() -> None:
    of = run(entry("old", {"mean": "330.39", "sd": "0.746257"}), entry("new", {"min": "1.67", "max": "1.69"}))
    (old, new) = (line.figures["time"] for line in sheets(of.run.plan, of.boots)[0].blocks[0].lines)
    assert (old.mean, old.sd, old.least, old.most) == (330.39, 0.746257, 330.39, 330.39)
    assert (math.isnan(new.mean), new.sd, new.least, new.most) == (True, None, 1.67, 1.69)


def test_a_printed_share_of_the_base_stays_it() -> None:
    share: dict[str, Any] = {"relative": "% of old", "unit": "%"}
    of = run(entry("old", {"mean": "100.0", "cv": "0.7"}, **share), entry("new", {"mean": "4.7", "cv": "1.5"}, **share))
    lines = sheets(of.run.plan, of.boots)[0].blocks[0].lines
    assert [(line.of_base, line.figures["time"].sd_percent) for line in lines] == [(100.0, 0.7), (4.7, 1.5)]
    half = run(entry("old", {"mean": "50.0"}, **share), entry("new", {"mean": "25.0"}, **share))
    assert [line.of_base for line in sheets(half.run.plan, half.boots)[0].blocks[0].lines] == [50.0, 25.0]


# ---- beside them ----


def test_numbers_are_accounted_for_and_nothing_is_hidden() -> None:
    (of,) = made(TWO)
    found = account(of.run.plan, of.boots)
    assert (found.taken, found.judged, found.reasons) == (6, 6, {})
    assert residue(of.run.plan, PUBLISHED, of.boots) == ()
