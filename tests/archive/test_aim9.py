"""AIM9, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.aim9 import READER
from kdelta.judge.claims import check
from kdelta.model.checked import Standing

RUN = """\
2.6.21 bare:

 Test        Test        Elapsed  Iteration    Iteration          Operation
Number       Name      Time (sec)   Count   Rate (loops/sec)    Rate (ops/sec)
--------------------------------------------------------------------------------
     1 add_double           2.02        123   60.89109      1096039.60 Thousand Double Precision Additions/second
    11 exec_test            2.02        302  149.50495          747.52 Program Loads/second
    13 link_test            2.02       1405  695.54455        43819.31 Link/Unlink Pairs/second
"""
WRAPPED = """\
1 add_double    60.02       716        11.92936         214728.42
Thousand Double Precision Additions/second

     2 creat-clo           60.03       1.00     55.00     1359
22.63868        22638.68 File Creations and Closes/second
"""


def test_the_rate_of_each_test_is_its_result_in_units_of_its_own() -> None:
    found = entries(blocks(READER, RUN))
    assert [(one.benchmark, one.unit) for one in found] == [
        ("aim9-add_double", "Thousand Double Precision Additions/s"),
        ("aim9-exec_test", "Program Loads/s"),
        ("aim9-link_test", "Link/Unlink Pairs/s"),
    ]
    assert figures(found, "value") == [1096039.60, 747.52, 43819.31]
    assert {(one.variant, one.program, one.count) for one in found} == {("2.6.21 bare", "aim9", None)}


@pytest.mark.parametrize("written", [RUN, WRAPPED])
def test_loops_in_a_second_follow_from_their_number_and_the_time(written: str) -> None:
    (block,) = blocks(READER, written)
    assert {one.standing for one in check(block).claims} == {Standing.HOLDS}


def test_a_wrapped_row_keeps_the_place_of_each_number() -> None:
    (block,) = blocks(READER, WRAPPED)
    assert [(one.figures["value"].value, one.figures["value"].line, one.figures["value"].column) for one in block.entries] == [
        (214728.42, 1, 57),
        (22638.68, 5, 17),
    ]
    assert [one.line for one in block.remarks] == [1, 4]


def test_a_second_run_is_of_the_kernel_named_above_it() -> None:
    found = blocks(READER, f"{RUN}\n{RUN.replace('bare', 'quicklist').replace('747.52', '743.78')}")
    assert [block.title for block in found] == ["2.6.21 bare", "2.6.21 quicklist"]
    assert figures(entries(found, benchmark="aim9-exec_test"), "value") == [747.52, 743.78]


@pytest.mark.parametrize("written", ["1 add_double 60.02 words/second\n", "Program Loads/second\n", "1 a 2.0 3\nx\ny\n/second"])
def test_other_lines_are_no_row(written: str) -> None:
    assert blocks(READER, written) == []
