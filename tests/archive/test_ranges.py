"""Nick Piggin's tables of ranges, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.ranges import READER
from kdelta.model.benchmark import Better

TABLE = """\
P4 Xeon
         pagefault   fork          exec
2.6.21   1.67-1.69   140.7-142.0   449.5-460.8
+patch   1.75-1.77   144.0-145.5   456.2-463.0
"""
MAIL = f"SMP kernel, tasks bound to 1 CPU:\n\n{TABLE}\nMore on a G5.\n\n{TABLE.replace('P4 Xeon', 'G5').replace('1.67', '1.49')}\n"


def test_both_ends_of_each_range_are_read() -> None:
    found = blocks(READER, TABLE)
    assert figures(entries(found, variant="2.6.21"), "min") == [1.67, 140.7, 449.5]
    assert figures(entries(found, variant="2.6.21"), "max") == [1.69, 142.0, 460.8]
    assert figures(entries(found, variant="+patch"), "max") == [1.77, 145.5, 463.0]


def test_the_line_above_the_names_is_the_box() -> None:
    found = blocks(READER, MAIL)
    assert [block.title for block in found] == ["P4 Xeon", "G5"]
    assert figures(entries(found, box="G5", benchmark="pagefault"), "min") == [1.49, 1.75]


def test_where_tasks_were_bound_is_kept_for_all_tables_below() -> None:
    assert [block.facts for block in blocks(READER, MAIL)] == [{"method": "SMP kernel, tasks bound to 1 CPU"}] * 2
    assert blocks(READER, TABLE)[0].facts == {}


def test_a_range_says_neither_its_unit_nor_of_how_many_runs_it_is() -> None:
    assert {(one.unit, one.count, one.boots) for one in entries(blocks(READER, TABLE))} == {("", None, None)}


def test_of_latencies_less_is_better_and_of_others_nobody_says() -> None:
    found = entries(blocks(READER, TABLE.replace("exec", "tbench")))
    assert [one.better for one in found[:3]] == [Better.SMALLER, Better.SMALLER, None]


def test_each_end_keeps_its_own_place() -> None:
    found = entries(blocks(READER, f"> {TABLE}".replace("\n2", "\n> > 2").replace("\n+", "\n> > +")), benchmark="fork")[0]
    assert [(one.text, one.line, one.column) for one in found.figures.values()] == [("140.7", 3, 26), ("142.0", 3, 32)]


@pytest.mark.parametrize("dash", ["-", " - ", "\u2013", ".."])
def test_ranges_are_written_in_several_ways(dash: str) -> None:
    written = TABLE.replace("1.67-1.69", f"1.67{dash}1.69")
    assert figures(entries(blocks(READER, written))[:1], "max") == [1.69]


def test_a_missing_range_stays_missing() -> None:
    found = entries(blocks(READER, TABLE.replace("144.0-145.5", "n/a        ")), benchmark="fork")
    assert [bool(one.figures) for one in found] == [True, False]


def test_a_range_that_begins_above_its_end_is_not_believed() -> None:
    (block,) = blocks(READER, TABLE.replace("1.67-1.69", "1.69-1.67"))
    assert (block.entries[0].figures, block.remarks[0].line) == ({}, 3)


@pytest.mark.parametrize(
    "written",
    [
        TABLE.rpartition("+patch")[0],
        TABLE.replace("exec", ""),
        TABLE.replace("pagefault   fork          exec", "1.0-2.0 2-3 4-5"),
        "on\na    b\n2.6.21 2007-05 12\n2.6.22 2007-06 13\n",
    ],
)
def test_what_has_not_a_range_for_each_name_in_two_rows_is_no_table(written: str) -> None:
    assert blocks(READER, written) == []


def test_a_list_in_yaml_is_no_table_of_ranges() -> None:
    assert blocks(READER, "tcrypt:\n  modes:\n    - 200-204\n    - 205-210\n") == []
