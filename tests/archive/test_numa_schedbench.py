"""NUMA schedbench in Martin J. Bligh's tables, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.numa_schedbench import READER
from kdelta.model.boot import CellState

TABLES = """\
NUMA schedbench 4:
                            AvgUser     Elapsed   TotalUser    TotalSys
                 2.5.59        0.00       38.88       82.78        0.65
          2.5.59-sched3        0.00       41.80      107.76        0.73

NUMA schedbench 16:
                            AvgUser     Elapsed   TotalUser    TotalSys
                 2.5.59        0.00       57.37      843.12        3.77
        2.5.59-sched4-2           0           0           0           0
"""


def test_each_number_of_tasks_is_a_benchmark_and_each_column_a_metric() -> None:
    found = entries(blocks(READER, TABLES), variant="2.5.59", benchmark="numa-schedbench-16")
    assert [(one.metric, one.unit) for one in found] == [
        ("average_user_s", "s"),
        ("elapsed_s", "s"),
        ("user_s", "s"),
        ("system_s", "s"),
    ]
    assert figures(found) == [0.0, 57.37, 843.12, 3.77]


def test_whole_zeros_are_no_results() -> None:
    found = entries(blocks(READER, TABLES), variant="2.5.59-sched4-2")
    assert [(one.figures, one.state) for one in found] == [({}, CellState.FAILED)] * 4


def test_a_number_keeps_its_place_in_a_quote() -> None:
    found = entries(blocks(READER, "".join(f"> {line}\n" for line in TABLES.splitlines())), metric="elapsed_s")
    assert (found[0].figures["mean"].line, found[0].figures["mean"].column) == (3, 45)


@pytest.mark.parametrize("title", ["", "schedbench 4:", "We ran NUMA schedbench 4:"])
def test_without_its_title_it_is_no_table(title: str) -> None:
    assert blocks(READER, TABLES.partition("\n\n")[0].replace("NUMA schedbench 4:", title)) == []


def test_a_number_that_no_float_can_hold_ends_the_table() -> None:
    found = entries(blocks(READER, TABLES.replace("41.80", "9" * 400)), benchmark="numa-schedbench-4")
    assert {one.variant for one in found} == {"2.5.59"}
