"""Ingo Molnar's tables of minima, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.min_table import READER
from kdelta.archive.ours import OURS
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing
from kdelta.workload import catalogue

TABLE = """\
2/4-way HT P4-Xeon box:                (smaller is better)
======================
   MIN           v2.6.15             -rc2   -rc2-nosmpnice
----------------------------------------------------------
        ctx-2:      3.51      4.13 ( 17%)      4.68 ( 33%)
       ctx-20:      4.44      4.72 (  6%)      4.41 (  0%)
    proc-exec:    153.77    156.03 (  1%)    158.14 (  2%)
 hackbench-20:      1.56      1.49 ( -4%)      1.38 (-11%)
"""
SECOND = TABLE.replace("2/4-way HT P4-Xeon box:", "1-way P4 box:").replace("3.51", "2.26")
SPARSE = TABLE.replace("      4.13 ( 17%)", " " * 17)


def test_each_value_is_a_minimum_of_its_kernel_and_box() -> None:
    found = blocks(READER, TABLE)
    assert figures(entries(found, variant="v2.6.15", box="2/4-way HT P4-Xeon"), "min") == [3.51, 4.44, 153.77, 1.56]
    assert figures(entries(found, variant="-rc2-nosmpnice"), "min") == [4.68, 4.41, 158.14, 1.38]
    assert figures(entries(found, variant="-rc2"), "change") == [17.0, 6.0, 1.0, -4.0]


def test_the_percentages_follow_from_the_first_column_cut_towards_zero() -> None:
    (block,) = blocks(READER, TABLE)
    found = check(block)
    assert {one.standing for one in found.claims} == {Standing.HOLDS}
    assert found.claims[0].how == "truncated"
    assert [one.text for one in block.claims[0].of] == ["3.51", "4.13"]


def test_the_note_says_which_direction_is_better_and_the_title_which_box_it_is() -> None:
    (block,) = blocks(READER, TABLE)
    assert block.facts["box title"] == "2/4-way HT P4-Xeon box:"
    assert {one.better for one in block.entries} == {Better.SMALLER}
    assert {one.better for one in blocks(READER, TABLE.replace("smaller", "larger"))[0].entries} == {Better.LARGER}
    assert {one.better for one in blocks(READER, TABLE.partition("\n")[2])[0].entries} == {None}


@pytest.mark.parametrize(
    ("word", "figure"), [("MIN", "min"), ("AVG", "mean"), ("MAX", "max"), ("MEDIAN", "median"), ("MEAN", "mean")]
)
def test_the_word_in_front_of_the_kernels_is_the_statistic(word: str, figure: str) -> None:
    (block,) = blocks(READER, TABLE.replace("   MIN", f"   {word}"))
    assert figures(block.entries[:2], figure) == [3.51, 4.13]


@pytest.mark.parametrize("name", OURS)
def test_names_programs_and_parameters_are_those_of_our_catalogue(name: str) -> None:
    own = catalogue.by_name()[name]
    (entry, *_) = entries(blocks(READER, TABLE.replace("ctx-2:", f"{name}:")), benchmark=name)
    assert (entry.program, entry.parameters, entry.metric) == (own.program, own.parameters, own.metric.name)


def test_a_benchmark_that_is_not_ours_keeps_its_name_and_has_no_program() -> None:
    (entry, *_) = entries(blocks(READER, TABLE.replace("ctx-2:", "dbench-4:")), benchmark="dbench-4")
    assert (entry.program, entry.metric) == ("", "value")


def test_each_box_is_a_table_and_its_values_are_not_those_of_the_other() -> None:
    first, second = blocks(READER, f"{TABLE}\nall is fine here.\n\n{SECOND}")
    assert {one.box for one in second.entries} == {"1-way P4"}
    assert [one.entries[0].figures["min"].value for one in (first, second)] == [3.51, 2.26]
    assert first.entries[0].figures["min"].line == 5


def test_an_empty_cell_is_missing_and_the_others_stay_under_their_kernels() -> None:
    found = entries(blocks(READER, SPARSE), benchmark="ctx-2")
    assert [[one.text for one in entry.figures.values()] for entry in found] == [["3.51"], [], ["4.68", "33"]]
    assert [one.text for one in blocks(READER, SPARSE)[0].claims[0].of] == ["3.51", "4.68"]


def test_a_word_in_place_of_a_number_says_how_that_ended() -> None:
    found = entries(blocks(READER, TABLE.replace("      4.13 ( 17%)", "           failed")), benchmark="ctx-2")
    assert [(one.state, one.reason) for one in found][1] == (CellState.FAILED, "failed")


def test_without_a_base_a_percentage_cannot_be_checked() -> None:
    (block,) = blocks(READER, TABLE.replace("      3.51      4.13", "         -      4.13"))
    assert (block.claims[0].of, block.claims[0].missing) == ((), "the first column is empty")


def test_the_number_of_tests_stays_words_and_as_many_bootups_as_columns_are_one_each() -> None:
    said = "(running each benchmark at least 3 times), on 2 boxes (altogether giving 6 separate bootups and 432 testresults).\n\n"
    found = blocks(READER, f"{said}{TABLE}\n\n{SECOND}")
    assert found[0].facts["runs of each"] == "at least 3"
    assert {(one.count, one.boots) for one in entries(found)} == {(None, False)}
    assert {one.boots for one in entries(blocks(READER, f"{said}{TABLE}"))} == {None}


@pytest.mark.parametrize(("old", "new"), [("    proc-exec:", "as can be seen:"), ("158.14 (  2%)", "158.14 is the same")])
def test_what_is_no_row_ends_the_table(old: str, new: str) -> None:
    (block,) = blocks(READER, TABLE.replace(old, new))
    assert [one.benchmark for one in block.entries] == ["ctx-2"] * 3 + ["ctx-20"] * 3


@pytest.mark.parametrize(
    "text", ["MIN and MAX\n", "   MIN  a b\nctx-2: 1 2\n", TABLE.replace("ctx", "c tx").replace("h", ": h")[:260]]
)
def test_what_has_no_rows_under_a_line_of_dashes_is_no_table(text: str) -> None:
    assert blocks(READER, text) == []
