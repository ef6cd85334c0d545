"""Lists of results below headings, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures, samples

from kdelta.archive.result_lists import READER
from kdelta.model.benchmark import Better

IOPS = """\
1. IO workload, sorted runs of read IOPS:

teo mainline:
/dev/nvme0n1
[3793, 3825, 3846, 3865, 3964]
/dev/mmcblk2
[3831, 4110, 4154, 4203, 4228]

menu:
/dev/nvme0n1
[2571, 2630, 2804, 2813, 2917]
"""
MEANS = """\
4. Geekbench 5 (multi-core), 3 runs
teo mainline:
3113, 3068, 3079
mean 3086.66

teo fixed v2:
3032, 3066, 3019
mean 3039 (-1.54%)
"""


def test_a_list_is_of_the_heading_and_the_line_above_it() -> None:
    found = entries(blocks(READER, IOPS))
    assert [(one.variant, one.benchmark, len(one.samples)) for one in found] == [
        ("teo mainline", "io-workload-dev-nvme0n1", 5),
        ("teo mainline", "io-workload-dev-mmcblk2", 5),
        ("menu", "io-workload-dev-nvme0n1", 5),
    ]
    assert samples(found[2]) == [2571, 2630, 2804, 2813, 2917]
    assert {(one.metric, one.better) for one in found} == {("iops", Better.LARGER)}


def test_a_sorted_list_has_lost_its_order_in_time() -> None:
    (block,) = blocks(READER, IOPS)
    assert any("sorted" in one.text for one in block.remarks)
    assert not any("sorted" in one.text for one in blocks(READER, MEANS)[0].remarks)
    falling = "1. Runs, sorted.\na:\n[5, 4, 3]\n"
    assert any("sorted" in one.text for one in blocks(READER, falling)[0].remarks)


def test_a_mean_below_its_list_is_claimed_to_be_its_mean_and_a_percentage_to_be_of_the_first() -> None:
    (block,) = blocks(READER, MEANS)
    assert figures(block.entries) == [3086.66, 3039.0]
    assert block.entries[1].figures["change"].text == "-1.54"
    assert [(one.kind, one.printed.text, [each.text for each in one.of]) for one in block.claims] == [
        ("mean", "3086.66", ["3113", "3068", "3079"]),
        ("mean", "3039", ["3032", "3066", "3019"]),
        ("change", "-1.54", ["3086.66", "3039"]),
    ]


def test_a_mean_that_stands_elsewhere_is_of_no_list() -> None:
    (block,) = blocks(READER, "a:\n[5, 4, 3]\nof another day:\nmean 7\n")
    assert (block.claims, block.entries[0].figures) == ((), {})


def test_each_number_has_its_own_place() -> None:
    (block,) = blocks(READER, "x\n> a:\n> [1.5, 2.5,  3.5]\n")
    assert [(one.line, one.column) for one in block.entries[0].samples] == [(3, 4), (3, 9), (3, 15)]


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2, 3]\n",
        '"Values":\n[1, 2, 3]\n',
        "Versions:\n[1, 2, 3],\n",
        "Footnotes:\n[1]\n[2, 3]\n",
        "They are:\n3032, 3066, 3019\n",
        "a:\n[1, 2, x]\n",
        "a:\nwords\n\nmean 3\n",
    ],
)
def test_what_is_no_list_of_results_is_not_read(text: str) -> None:
    assert blocks(READER, text) == []


MACHINES = """\
RK3399:
menu iowait boost
/dev/nvme0n1
[2584, 2622, 2629]
menu no iowait boost
/dev/nvme0n1
[2068, 2097, 2647]

Pixel 6:
menu iowait boost
/dev/sda
[1350, 1375, 1386]
"""


def test_of_two_lines_below_a_heading_the_first_is_the_variant_and_the_heading_the_machine() -> None:
    assert [(one.box, one.variant, one.benchmark, samples(one)[0]) for one in entries(blocks(READER, MACHINES))] == [
        ("RK3399", "menu iowait boost", "dev-nvme0n1", 2584.0),
        ("RK3399", "menu no iowait boost", "dev-nvme0n1", 2068.0),
        ("Pixel 6", "menu iowait boost", "dev-sda", 1350.0),
    ]


@pytest.mark.parametrize(
    "written",
    [
        "def take(n, iterable):\n[1, 2, 3]\n",
        "Returns the first ones:\n\n    take(3, range(10))\n    [0, 1, 2]\n",
        "Over 10 allocations in a row, the following nodes will be selected:\n[0,0,1,2]\n",
        "for instance:\none\ntwo\nthree\n[0, 1, 2]\n",
    ],
)
def test_a_list_in_code_or_below_other_lines_is_of_no_heading(written: str) -> None:
    assert blocks(READER, written) == []
