"""vmstat's rows, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples

from kdelta.archive.vmstat import READER

STAMPED = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 PST
 2  0      0 224636  33636 6760228    0    0    54   141  129   23  1  1 98  0  0 2015-01-11 20:18:35
 0  0      0 224752  33636 6760180    0    0     0     4  753 2187  2  1 98  0  0 2015-01-11 20:18:36
"""
AGAIN = STAMPED + STAMPED[: STAMPED.index(" 2  0")] + STAMPED[STAMPED.index(" 0  0      0 224752") :].replace("2187", "2200")
ACTIVE = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ----cpu----
 r  b   swpd   free  inact active   si   so    bi    bo   in    cs us sy id wa
 1  0      0 224636  33636  67602    0    0    54   141  129    23  1  1 98  0
 3  0      0 224752  33636  67601    0    0     0     4  753  2187  2  1 97  0
"""


def test_the_first_row_is_since_boot_and_not_judged() -> None:
    found = blocks(READER, STAMPED)
    (switches,) = entries(found, metric="context_switches")
    assert (samples(switches), [one.number.text for one in switches.discarded]) == ([2187], ["23"])
    assert "since boot" in switches.discarded[0].reason
    assert [one.line for one in found[0].remarks] == [3]


@pytest.mark.parametrize(("metric", "value"), [("interrupts", 753), ("user", 2), ("system", 1), ("idle", 98), ("steal", 0)])
def test_a_column_is_a_metric(metric: str, value: float) -> None:
    assert samples(entries(blocks(READER, STAMPED), metric=metric)[0]) == [value]


def test_stamps_of_time_are_no_values() -> None:
    assert len(entries(blocks(READER, STAMPED))) == 17


def test_nothing_is_better_larger_or_smaller() -> None:
    assert {one.better for one in entries(blocks(READER, STAMPED))} == {None}


def test_a_header_that_is_printed_again_begins_no_other_run() -> None:
    (block,) = blocks(READER, AGAIN)
    assert samples(entries([block], metric="context_switches")[0]) == [2187, 2200]


def test_another_run_is_not_merged_with_the_first() -> None:
    found = blocks(READER, f"{STAMPED}\nand patched:\n{STAMPED.replace('2187', '2300')}")
    assert [(one.variant, samples(one)) for one in entries(found, metric="context_switches")] == [("", [2187]), ("(2)", [2300])]


def test_columns_are_those_of_the_header() -> None:
    found = blocks(READER, ACTIVE)
    assert [samples(one) for name in ("active", "idle") for one in entries(found, metric=name)] == [[67601], [97]]


@pytest.mark.parametrize(
    "written", ["swpd free\n1 2\n", " r  b   swpd   free cs us id\nno rows\n", " r  b   swpd   free cs us id\n1 2 3\n"]
)
def test_what_only_looks_like_vmstat_is_none(written: str) -> None:
    assert blocks(READER, written) == []
