"""Catch2's table of benchmarks, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, figures

from kdelta.archive.catch2 import READER
from kdelta.model.boot import CellState

HEADER = """\
-------------------------------------------------------------------------------
Fibonacci
-------------------------------------------------------------------------------
catch2_bench.cpp(5)
...............................................................................

benchmark name                                  samples       iterations    estimated
                                                mean          low mean      high mean
                                                std dev       low std dev   high std dev
-------------------------------------------------------------------------------
"""
TABLE = (
    HEADER
    + """\
Fibonacci 10                                              100         76353          0 ns
                                                         0 ns          0 ns          0 ns
                                                         0 ns          0 ns          0 ns

Fibonacci 20                                              100         75814          0 ns
                                                         1 ns          1 ns          1 ns
                                                         0 ns          0 ns          0 ns

===============================================================================
test cases: 1 | 1 passed
"""
)
NEWER = (
    HEADER
    + """\
a name that is too long for
its column                                                 50           100     7.1265 ms
                                                    65.731 us     64.8 us     66.9 us
                                                     5.1 ns        4 ns          6 ns

broken
Benchmark failed (out of memory)
cut                                                       100         75814          0 ns
"""
)


def test_means_and_deviations_are_read_also_where_they_are_0() -> None:
    (block,) = blocks(READER, TABLE)
    assert [one.benchmark for one in block.entries] == ["Fibonacci 10", "Fibonacci 20"]
    assert figures(block.entries) == pytest.approx([0.0, 1e-9])
    assert figures(block.entries, "sd") == [0.0, 0.0]
    assert {(one.count, one.unit, one.printed_unit) for one in block.entries} == {(100, "s", "ns")}


def test_of_a_mean_of_0_no_percentage_can_be_taken() -> None:
    (block,) = blocks(READER, TABLE)
    assert [(one.line, one.text) for one in block.remarks] == [
        (12, "Fibonacci 10: a mean of 0 ns is below what is printed: no percentage can be taken of it"),
        (13, "Fibonacci 10: a standard deviation of 0 is one below what is printed"),
        (17, "Fibonacci 20: a standard deviation of 0 is one below what is printed"),
    ]


def test_the_test_case_is_the_title() -> None:
    (block,) = blocks(READER, TABLE)
    assert (block.title, block.first, block.last) == ("Fibonacci", 7, 17)


def test_each_number_has_its_unit_and_a_long_name_more_lines() -> None:
    entry = blocks(READER, NEWER)[0].entries[0]
    assert entry.benchmark == "a name that is too long for its column"
    assert [one.value for one in entry.figures.values()] == pytest.approx([65.731e-6, 5.1e-9])


def test_what_failed_or_was_cut_is_missing() -> None:
    _, failed, cut = blocks(READER, NEWER)[0].entries
    assert (failed.benchmark, failed.state, failed.reason) == ("broken", CellState.FAILED, "out of memory")
    assert (cut.benchmark, cut.state, cut.figures) == ("cut", CellState.FAILED, {})
