"""Con Kolivas's contest, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.contest import READER
from kdelta.judge.claims import check
from kdelta.model.checked import Standing

TABLES = """\
no_load:
Kernel         [runs]\tTime\tCPU%\tLoads\tLCPU%\tRatio
2.5.68-mm2          1\t80\t93.8\t0.0\t0.0\t1.00
2.5.69-mm3          1\t79\t94.9\t0.0\t0.0\t1.00
cacherun:
Kernel         [runs]\tTime\tCPU%\tLoads\tLCPU%\tRatio
2.5.68-mm2          1\t76\t98.7\t0.0\t0.0\t0.95
2.5.69-mm3          1\t76\t98.7\t0.0\t0.0\t0.96
"""
OLDER = """\
UP:
noload:
Kernel [runs]           Time    CPU%    Loads   LCPU%   Ratio
2.4.19 [5]              67.2    97      0       0       1.01
2.5.50 [6]              69.9    96      0       0       1.05

io_load:
Kernel [runs]           Time    CPU%    Loads   LCPU%   Ratio
2.4.19 [5]              182.3   37      36      14      2.73
2.5.50 [6]              142.6   54      19      14      2.14
Slight slowdown here.

SMP:
noload:
Kernel[runs]            Time    CPU%    Loads   LCPU%   Ratio
2.4.19[5]               38.0    183     0       0       1.05
2.5.50[5]               39.3    180     0       0       1.09
"""


def test_each_load_is_a_benchmark_and_each_column_a_metric() -> None:
    found = entries(blocks(READER, TABLES), benchmark="contest-cacherun", variant="2.5.69-mm3")
    assert {one.metric: one.figures["mean"].value for one in found} == {
        "elapsed_s": 76.0,
        "percent_cpu": 98.7,
        "loads": 0.0,
        "load_percent_cpu": 0.0,
        "ratio": 0.96,
    }
    assert {(one.program, one.count, *one.parameters.items()) for one in found} == {("contest", 1, ("load", "cacherun"))}


@pytest.mark.parametrize("head", ["Kernel [runs]  ", "Kernel[runs]  ", "Kernel\t[runs]\t"])
@pytest.mark.parametrize("runs", [" [5] ", "[5] ", "   5  "])
def test_the_number_of_runs_stands_in_several_ways(head: str, runs: str) -> None:
    written = f"io_load:\n{head}Time CPU% Loads LCPU% Ratio\n2.4.19{runs}182.3 37 36 14 2.73\n"
    (found,) = entries(blocks(READER, written), metric="elapsed_s")
    assert (found.variant, found.count, found.figures["mean"].value) == ("2.4.19", 5, 182.3)


def test_a_ratio_is_to_the_same_kernel_without_load_and_holds() -> None:
    _, second = blocks(READER, TABLES)
    assert [[one.value for one in claim.of] for claim in second.claims] == [[76.0, 80.0], [76.0, 79.0]]
    assert {one.standing for one in check(second).claims} == {Standing.HOLDS}
    wrong = blocks(READER, TABLES.replace("0.96", "0.86"))[1]
    assert check(wrong).claims[1].standing is Standing.OFF


def test_a_ratio_to_a_kernel_that_is_not_there_cannot_be_checked() -> None:
    found = [one for block in blocks(READER, OLDER) for one in check(block).claims]
    assert {one.standing for one in found} == {Standing.UNCHECKED}
    (alone,) = blocks(READER, TABLES.partition("cacherun")[2].replace(":", "cacherun:", 1))
    assert {claim.missing for claim in alone.claims} == {"the time without load is not in the text"}


def test_tables_under_another_heading_are_of_another_box() -> None:
    found = blocks(READER, OLDER)
    assert [(block.title, block.entries[0].box) for block in found] == [
        ("UP noload", "UP"),
        ("UP io_load", "UP"),
        ("SMP noload", "SMP"),
    ]
    assert figures(entries(found, metric="elapsed_s", variant="2.4.19")) == [67.2, 182.3, 38.0]


def test_a_second_run_of_the_same_load_is_told_apart_and_has_its_own_base() -> None:
    found = blocks(READER, f"{TABLES}\n{TABLES.replace('80', '90').replace('76', '77')}")
    assert [block.entries[0].variant for block in found] == ["2.5.68-mm2"] * 2 + ["2.5.68-mm2 (2)"] * 2
    assert [one.value for one in found[3].claims[0].of] == [77.0, 90.0]


def test_whole_seconds_and_single_runs_are_said() -> None:
    assert [len(block.remarks) for block in blocks(READER, TABLES)] == [2, 2]
    assert [block.remarks for block in blocks(READER, OLDER)] == [(), (), ()]


def test_older_tables_have_fewer_columns_and_percent_signs() -> None:
    (found, *_) = blocks(READER, "Kernel   Time    CPU   Ratio\n2.4.19   68.14   99%   1.00\n")
    assert {one.metric: (one.figures["value"].value, one.count) for one in found.entries} == {
        "elapsed_s": (68.14, None),
        "percent_cpu": (99.0, None),
        "ratio": (1.0, None),
    }


@pytest.mark.parametrize(
    "written", ["Kernel Time\nwords\n", TABLES.replace("Kernel", "kernels"), "io_load:\n2.4.19 [5] 1 2 3 4 5\n"]
)
def test_without_a_head_or_rows_there_is_no_table(written: str) -> None:
    assert blocks(READER, written) == []


STARRED = """\
noload:
Kernel                  Time            CPU             Ratio
2.4.19                  67.71           98%             1.00*
2.5.38                  72.38           94%             1.07

io_load:
Kernel                  Time            CPU             Ratio
2.4.19                  216.05          33%             3.19
2.5.38                  887.76          8%              13.11*
"""


def test_a_row_with_a_star_is_a_row_and_the_star_is_said() -> None:
    found = blocks(READER, STARRED)
    assert figures(entries(found, metric="elapsed_s"), "value") == [67.71, 72.38, 216.05, 887.76]
    assert figures(entries(found, metric="ratio"), "value") == [1.0, 1.07, 3.19, 13.11]
    assert [(one.line, "star" in one.text) for block in found for one in block.remarks] == [(3, True), (9, True)]
