"""Tables of scheduler tests with `pct`, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.pct_table import READER
from kdelta.archive.reading import read
from kdelta.archive.sources import one_text
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.checked import Standing

HEADER = "Test:                   tip                     SIS_NODE           SIS_NODE_LIMIT\n"
NPS1 = f"""\
~ hackbench ~
~~~~~~~~~~~~~

o NPS1

{HEADER}\
 1-groups:         3.92 (0.00 pct)         4.05 (-3.31 pct)        3.78 (3.57 pct)
 2-groups:         4.58 (0.00 pct)         3.84 (16.15 pct)        4.50 (1.74 pct)
16-groups:         7.88 (0.00 pct)        10.56 (-34.01 pct)       7.83 (0.63 pct)
"""
NPS2 = f"""
o NPS2

{HEADER}\
 1-groups:         3.82 (0.00 pct)         3.68 (3.66 pct)         3.87 (-1.30 pct)
"""
SCHBENCH = """
~~~~~~~~~~~~~~~~~~
~ schbench (Old) ~
~~~~~~~~~~~~~~~~~~

o NPS1

#workers:   tip                     SIS_NODE             SIS_NODE_LIMIT         SIS_NODE_TOPOEXT
1:      26.00 (0.00 pct)        24.00 (7.69 pct)        26.00 (0.00 pct)        20.00 (23.07 pct)
16:      24.00 (0.00 pct)        28.00 (-16.66 pct)       24.00 (0.00 pct)       24.00 (0.00 pct)
256:     42048.00 (0.00 pct)     35392.00 (15.82 pct)    45888.00 (-9.13 pct)    48576.00 (-15.52 pct)
"""
ALL = NPS1 + NPS2 + SCHBENCH


def test_values_and_percentages_of_each_kernel_are_read() -> None:
    found = entries(blocks(READER, NPS1), variant="SIS_NODE")
    assert [(one.benchmark, one.parameters) for one in found] == [
        ("hackbench-1", {"groups": "1"}),
        ("hackbench-2", {"groups": "2"}),
        ("hackbench-16", {"groups": "16"}),
    ]
    assert figures(found, "value") == [4.05, 3.84, 10.56]
    assert figures(found, "change") == [-3.31, 16.15, -34.01]


def test_the_first_kernel_is_what_the_others_are_compared_with() -> None:
    (block,) = blocks(READER, NPS1)
    assert [one.variant for one in block.entries[:3]] == ["tip", "SIS_NODE", "SIS_NODE_LIMIT"]
    assert [one.value for one in block.claims[0].of] == [3.92, 4.05]


def test_tables_with_one_header_are_of_different_machines() -> None:
    found = entries(blocks(READER, ALL), benchmark="hackbench-1", variant="tip")
    assert [(one.box, one.figures["value"].value) for one in found] == [("NPS1", 3.92), ("NPS2", 3.82)]


def test_percentages_that_were_cut_hold_as_cut() -> None:
    checked = [one for block in blocks(READER, ALL) for one in check(block).claims]
    assert {one.standing for one in checked} == {Standing.HOLDS}
    how = {one.claim.printed.text: one.how for one in checked}
    assert [how[one] for one in ("-3.31", "16.15", "23.07", "-16.66")] == ["truncated"] * 4


def test_a_percentage_that_is_wrong_is_off() -> None:
    (block,) = blocks(READER, NPS1.replace("16.15", "19.15"))
    assert [one.claim.printed.text for one in check(block).claims if one.standing is Standing.OFF] == ["19.15"]


def test_the_signs_of_a_table_say_which_direction_is_better() -> None:
    stream = "Test:    tip    new\n Copy:  97699.28 (0.00 pct)   156578.91 (60.26 pct)\n"
    assert {one.better for one in entries(blocks(READER, NPS1))} == {Better.SMALLER}
    assert {one.better for one in entries(blocks(READER, stream))} == {Better.LARGER}


def test_workers_are_the_load_of_schbench_and_its_times_microseconds() -> None:
    (one,) = entries(blocks(READER, SCHBENCH), benchmark="schbench-old-256", variant="SIS_NODE_TOPOEXT")
    assert one.parameters == {"workers": "256"}
    assert one.figures["value"].value == pytest.approx(0.048576)
    assert (one.unit, one.printed_unit, one.metric) == ("s", "us", "latency")


def test_whole_values_are_said_to_be_coarse() -> None:
    (block,) = blocks(READER, SCHBENCH)
    assert any("one more of 20.00 is 5 %" in one.text for one in block.remarks)


def test_a_row_that_is_measured_again_is_told_apart_and_a_mark_kept_as_a_remark() -> None:
    first = "Test:\t\ttip\t\tnew\n 8-groups:\t4.80 (0.00 pct)\t5.22 (-8.75 pct)\t*\n"
    (block,) = blocks(READER, f"{first}  8-groups:\t4.91 (0.00 pct)\t5.01 (-2.03 pct)\t[Verification Run]\n")
    assert [one.benchmark for one in block.entries] == ["test-8", "test-8", "test-8-2", "test-8-2"]
    assert [one.text for one in block.remarks] == ["test-8 is marked '*'", "8-groups is measured again, Verification Run: test-8-2"]


def test_what_prose_parts_from_its_heading_is_not_of_it() -> None:
    prose = "This is what hackbench does, and the next table is of another program.\n\n"
    (one, *_) = entries(blocks(READER, f"~ hackbench ~\n\n{prose}{HEADER}{NPS1.splitlines()[7]}\n"))
    assert (one.benchmark, one.unit) == ("test-2", "")


def test_a_spread_beside_the_value_is_a_cv() -> None:
    (one, _) = entries(blocks(READER, "  1       18613.20 [0.01] (0.00 pct)      18348.00 [0.04] (1.42 pct)\n"))
    assert {name: each.text for name, each in one.figures.items()} == {"value": "18613.20", "cv": "0.01", "change": "0.00"}


def test_a_second_table_of_the_same_words_is_told_apart_and_a_copy_is_not() -> None:
    other = NPS1.replace("3.92", "3.93")
    assert "hackbench-1-table-2" in {one.benchmark for one in entries(blocks(READER, NPS1 + "\n" + other))}
    assert len(read(one_text("mail", f"{NPS1}\n{NPS1}".encode()), (READER,)).blocks) == 1


@pytest.mark.parametrize(
    "line", ["it is 3.5 (0.00 pct) of it", " a: 1 (5 pct) 2 (3 pct)", " a: 1e999 (0 pct) 2 (3 pct)", "1: (0.00 pct)"]
)
def test_what_is_no_row_is_passed_over(line: str) -> None:
    assert blocks(READER, f"{line}\n") == []


def test_words_behind_a_mark_and_a_mark_within_a_row_end_no_table() -> None:
    text = f"""\
~ tbench ~

{HEADER}\
 128:    343.00 (0.00 pct)        365.00 (6.41 pct)      350.00 (2.04 pct)   * Fully Loaded
 256:    400.00 (0.00 pct)        472.00 (18.00 pct) ^   401.00 (0.25 pct)
 512:    410.00 (0.00 pct)        414.10 (1.00 pct)      401.00 (-2.19 pct)
"""
    (block,) = blocks(READER, text)
    assert [one.figures["value"].text for one in block.entries if one.variant == "SIS_NODE"] == ["365.00", "472.00", "414.10"]
    assert any("Fully Loaded" in one.text for one in block.remarks)
