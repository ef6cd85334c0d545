"""Percentiles of schbench side by side, read."""

from __future__ import annotations

from tests.archive.reading import blocks, entries

from kdelta.archive import before_after
from kdelta.archive.schbench_table import READER

GROUPS = """\
schbench
                6.2-rc6        with patch
Groups: 16
50.0th:          39.5            42.5
99.0th:        4166.0          2287.0

Groups: 32
50.0th:         819.0           463.0
*99.0th:      21792.0         14240.0

The tail is shorter.
"""
TITLED = """\
    Wakeup Latencies percentiles (usec)     before        after
        50.0000th:                             8            6
        99.0000th:                            13           10
"""


def test_each_column_is_a_kernel_and_each_group_a_load() -> None:
    found = blocks(READER, GROUPS)
    (old,) = entries(found, variant="6.2-rc6", benchmark="schbench-groups-16")
    (new,) = entries(found, variant="with patch", benchmark="schbench-groups-32")
    assert old.parameters == {"groups": "16"}
    assert {name: one.text for name, one in old.figures.items()} == {"p50": "39.5", "p99": "4166.0"}
    assert [round(one.value * 1e6, 1) for one in new.figures.values()] == [463.0, 14240.0]
    assert (new.figures["p99"].line, new.figures["p99"].column) == (9, 31)
    assert (found[0].first, found[0].last) == (2, 9)


def test_names_behind_the_title_are_those_of_the_kernels() -> None:
    found = entries(blocks(READER, TITLED))
    assert [(one.variant, one.metric, one.figures["p99"].text) for one in found] == [
        ("before", "wakeup_latency", "13"),
        ("after", "wakeup_latency", "10"),
    ]


def test_columns_that_nobody_names_are_numbered_and_said() -> None:
    (block,) = blocks(READER, "Here is what we saw with it on a larger box:\n50.0th: 8 6\n99.0th: 13 10\n")
    assert [one.variant for one in block.entries] == ["column 1", "column 2"]
    assert [one.text for one in block.remarks] == ["no line above the table names its kernels"]


def test_a_single_column_and_a_single_row_are_none_of_it() -> None:
    assert not blocks(READER, "Latency percentiles (usec)\n\t50.0th: 33\n\t99.0th: 14288\n")
    assert not blocks(READER, "a  b\n50.0th: 8 6\n")
    assert not blocks(READER, "a  b\n50.0th: 8 6\n99.0th: 8 6 9\n")


def test_percentiles_before_and_after_are_of_schbench_alone() -> None:
    text = (
        "Latency percentiles (usec)\n              before    after\n   50.0th:         8        6\n   99.0th:        13       10\n"
    )
    assert [one.variant for one in entries(blocks(READER, text))] == ["before", "after"]
    assert not blocks(before_after.READER, text)
