"""Reports in fewer columns than they have where nobody says how many."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit import verdicts as made
from tests.unit.golden import check
from tests.unit.posted import NUMAQ, Posted, kernbench_of_2004, lock_page, posted, sdet_of_2004, smpnice
from tests.unit.test_presentable import named
from tests.unit.test_reports import table

from kdelta.inquiry.dossier import gather
from kdelta.judge.findings import findings
from kdelta.judge.sheet import sheets
from kdelta.judge.table import tables
from kdelta.model.plan import LOCAL, BoxSpec
from kdelta.report import kernbench, min_table, ranges, sdet, verdict_table, verdict_text
from kdelta.report.sentences import sentences
from kdelta.report.text import WIDTH, labelled, underlined, wrapped
from kdelta.workload.catalogue import by_name

LONG = [f"{'a-kernel-of-a-long-name-':.<38}{place}" for place in range(4)]


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


def of_sheet(render: Callable[..., str], found: Posted, width: int) -> str:
    return render(sheets(found.plan, found.records)[0], width=width)


# ---- values ----


def test_columns_that_do_not_fit_stand_below_beside_the_baseline() -> None:
    found = smpnice()
    [of] = tables(found.plan, found.records, "min")
    narrow = min_table.render(of, 60)
    check("min_table_narrow", narrow)
    assert widest(narrow) <= 60
    assert min_table.render(of, 78) == min_table.render(of)


def test_the_spread_is_parted_as_the_values_are() -> None:
    of = table(("a", "b", "c"), {"null": (1.0, 1.0, 1.0)}, sd={"null": (0.1, 0.2, 0.3)})
    assert [line.split() for line in min_table.render_spread(of, 42).splitlines()] == [
        ["SD", "of", "3", "a", "b"],
        ["-" * 41],
        ["null:", "0.10%", "0.20%"],
        [],
        ["SD", "of", "3", "a", "c"],
        ["-" * 41],
        ["null:", "0.10%", "0.30%"],
    ]


def test_what_just_fits_stays_beside_the_others() -> None:
    of = table(("a", "b", "c"), {"null": (1.0, 1.0, 1.0)})
    assert [min_table.body(of, width).count("MEDIAN") for width in (57, 58)] == [2, 1]


def test_names_of_columns_that_leave_no_room_for_two_stand_below() -> None:
    text = min_table.render(table(LONG[:3], {"hackbench:groups=20,over=pipe": (1.0, 2.0, 3.0)}), 78)
    assert widest(text) <= 78
    assert text.splitlines()[2].split() == ["MEDIAN", "[1]", "[2]", "[3]"]
    assert text.splitlines()[-3:] == [f"  [{place + 1}]: {name}" for place, name in enumerate(LONG[:3])]


@pytest.mark.parametrize(
    ("render", "make", "figures"),
    [(kernbench.render, kernbench_of_2004, 4), (sdet.render, sdet_of_2004, 2)],
    ids=["kernbench", "sdet"],
)
def test_a_name_wider_than_its_column_stands_below_the_block(
    render: Callable[..., str], make: Callable[[], Posted], figures: int
) -> None:
    text = of_sheet(render, named(make(), LONG[:3]), 64)
    assert widest(text) <= 78
    rows = re.findall(r"^ +\[([123])\](?: +[\d.]+%?)+$", text, re.MULTILINE)
    assert rows[:3] == ["1", "2", "3"]
    assert f"\n  [1]: {LONG[0]}\n" in text


def test_ranges_of_long_names_fit() -> None:
    wide = [msgspec.structs.replace(by_name()["null"], name=f"a-benchmark-with-a-long-name-{place:010}") for place in range(3)]
    found = posted(wide, {LONG[0]: [{one.name: {"time": (1000.0, 2000.0)} for one in wide}]}, box=NUMAQ)
    text = ranges.render(sheets(found.plan, found.records)[0], found.plan.variants, 78)
    assert widest(text) <= 78
    assert [line.strip() for line in text.splitlines()[-4:]] == [
        f"[{place}]: {name}" for place, name in enumerate((LONG[0], *(one.name for one in wide)), start=1)
    ]


def test_ranges_go_below_each_other_at_the_width_that_is_asked_for() -> None:
    found = lock_page()
    text = ranges.render(sheets(found.plan, found.records)[0], found.plan.variants, 40)
    assert [line.split() for line in text.splitlines() if "exec" in line] == [["exec"]]


# ---- verdicts ----

LEFT_OUT = {
    78: "(left out for width: remarks)",
    68: "(left out for width: remarks, visible)",
    61: "(left out for width: remarks, visible, sd)",
    56: "(left out for width: remarks, visible, sd, rounds)",
}


@pytest.mark.parametrize("width", LEFT_OUT)
def test_columns_of_verdicts_are_left_out_in_a_fixed_order_and_that_is_said(width: int) -> None:
    of = made.undecided()
    text = verdict_table.table(of, made.BOX, width)
    assert widest(text) <= width
    assert LEFT_OUT[width] in text.splitlines()
    assert len(re.findall(r"^ +\S+: .* undecided ", text, re.MULTILINE)) == len(of.verdicts)


def test_a_column_in_which_nothing_stands_is_not_said_to_be_left_out() -> None:
    text = verdict_table.table(made.judgement(made.verdict(made.SLOWER, (5.0, 4.0, 6.0))), made.BOX, 58)
    assert "(left out for width: visible)" in text.splitlines()


def test_names_of_rows_stand_below_where_leaving_out_is_not_enough() -> None:
    long = made.verdict(made.SLOWER, (5.0, 4.0, 6.0), name=LONG[0])
    lines = verdict_table.table(made.judgement(long), made.BOX, 60).splitlines()
    assert lines[5].split()[0] == "[1]:"
    assert f"  [1]: {LONG[0]}" in lines
    assert max(map(len, lines)) <= 60


def test_where_nobody_says_how_wide_nothing_is_left_out() -> None:
    text = verdict_table.table(made.wide(), made.BOX)
    assert widest(text) > WIDTH
    assert "left out for width" not in text


# ---- all of it ----


@pytest.mark.parametrize("width", [60, 78, 132])
def test_a_whole_report_fits(width: int) -> None:
    found = smpnice()
    assert widest(verdict_text.render(gather(found.run, found.records), width)) <= width


@pytest.mark.parametrize("width", [60, 78])
def test_sentences_fit(width: int) -> None:
    said = sentences(findings(*made.smpnice()), width)
    assert widest(said) <= width
    assert " ".join(said.split()) == " ".join(sentences(findings(*made.smpnice())).split())


def test_a_title_that_is_too_wide_has_its_note_below() -> None:
    assert underlined("a title of words", "(a note)", 30, 20) == ["a title of words    (a note)", "================"]
    assert underlined("a title of words", "(a note)", 24, 20) == ["a title of words", "================", "(a note)"]
    assert underlined("a title of words", "", 10, 20) == ["a title of", "  words", "=========="]


@given(st.lists(st.sampled_from(["[1]", "[2]", "short", "a long name", "another long name"]), unique=True))
def test_no_label_is_a_name_or_stands_for_two(names: list[str]) -> None:
    labels = labelled(names, 5)
    assert set(labels) == {name for name in names if len(name) > 5}
    assert len(set(labels.values())) == len(labels)
    assert not set(labels.values()) & set(names)


@given(st.text(st.sampled_from("ab \xa0"), max_size=80), st.integers(5, 60))
def test_text_is_wrapped_at_the_width_that_is_asked_for(text: str, width: int) -> None:
    longest = max((len(word) for word in text.split(" ")), default=0)
    assert all(len(line) <= max(width, longest + 2) for line in wrapped(text, width=width).splitlines())


def test_a_box_of_a_long_name_has_its_units_on_the_next_line() -> None:
    of = table(("a",), {"null": (1.0,)}, box=BoxSpec(name="b" * 40, kind=LOCAL, cpus=16))
    title = f"16-way {'b' * 40} box, us per operation:"
    assert min_table.render(of, 78).splitlines()[:3] == [title, "=" * len(title), "(smaller is better)"]
