"""Martin J. Bligh's table of kernbench, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.kernbench_table import READER
from kdelta.model.benchmark import Better

TABLE = """\
Kernbench: (make -j N vmlinux, where N = 2 x num_cpus)
                              Elapsed      System        User         CPU
                    2.6.7       45.37       90.91      579.75     1479.33
            2.6.8-rc2-mm2       44.09       78.84      577.01     1486.33
"""
MAXIMAL = TABLE.replace("make -j N vmlinux, where N = 2 x num_cpus", "make -j vmlinux, maximal tasks")
QUOTED = "".join(f"> > {line}\n" for line in TABLE.splitlines())


def test_each_figure_of_the_table_is_a_mean_of_its_kernel() -> None:
    found = blocks(READER, TABLE)
    assert figures(entries(found, variant="2.6.7")) == [45.37, 90.91, 579.75, 1479.33]
    assert figures(entries(found, variant="2.6.8-rc2-mm2")) == [44.09, 78.84, 577.01, 1486.33]


def test_a_table_without_its_number_of_runs_leaves_that_unknown() -> None:
    assert {(one.count, one.boots) for one in entries(blocks(READER, TABLE))} == {(None, None)}


def test_the_load_is_named_as_in_our_own_catalogue() -> None:
    names = [one.benchmark for text in (TABLE, MAXIMAL) for one in entries(blocks(READER, text), metric="elapsed_s")]
    assert names == ["kernbench-2x", "kernbench-2x", "kernbench-maximal", "kernbench-maximal"]


def test_a_number_keeps_the_place_at_which_it_is_printed() -> None:
    elapsed = entries(blocks(READER, f"Hello,\n\n{TABLE}"), metric="elapsed_s")[0].figures["mean"]
    assert (elapsed.text, elapsed.line, elapsed.column) == ("45.37", 5, 33)


def test_a_quoted_number_keeps_its_column_in_the_quoting_line() -> None:
    plain, quoted = (entries(blocks(READER, of))[0].figures["mean"] for of in (TABLE, QUOTED))
    assert quoted.column == plain.column + len("> > ")


def test_cpu_is_claimed_to_follow_from_user_system_and_elapsed() -> None:
    (block,) = blocks(READER, TABLE)
    claim = block.claims[0]
    assert (claim.kind, claim.printed.value) == ("cpu", 1479.33)
    assert [one.value for one in claim.of] == [579.75, 90.91, 45.37]


def test_more_cpu_is_neither_better_nor_worse() -> None:
    assert {one.better for one in entries(blocks(READER, TABLE), metric="percent_cpu")} == {None}
    assert {one.better for one in entries(blocks(READER, TABLE), metric="elapsed_s")} == {Better.SMALLER}


USER_FIRST = """\
                                   Elapsed        User      System         CPU
                        2.5.59       47.45      568.02      143.17     1498.17
                    2.5.59-mm6       47.18      567.15      138.62     1495.50
"""


def test_columns_are_read_in_the_order_of_their_header() -> None:
    found = blocks(READER, f"Kernbench-16:\n{USER_FIRST}")
    assert figures(entries(found, variant="2.5.59", metric="user_s")) == [568.02]
    assert figures(entries(found, variant="2.5.59-mm6", metric="system_s")) == [138.62]
    assert [one.value for one in found[0].claims[0].of] == [568.02, 143.17, 47.45]


@pytest.mark.parametrize(
    ("title", "benchmark"),
    [
        ("Kernbench-16:", "kernbench-16x"),
        ("Kernbench-2: (make -j N vmlinux, where N = 2 x num_cpus)", "kernbench-2x"),
        ("Kernbench:", "kernbench"),
        ("It was slower, as Kernbench-16: shows", "kernbench"),
    ],
)
def test_a_number_in_the_title_is_of_jobs_for_each_cpu(title: str, benchmark: str) -> None:
    assert {one.benchmark for one in entries(blocks(READER, f"{title}\n{USER_FIRST}"))} == {benchmark}


def test_a_header_that_has_a_column_twice_is_none() -> None:
    assert blocks(READER, USER_FIRST.replace("System", "Elapsed")) == []


def test_a_number_that_no_float_can_hold_ends_the_table() -> None:
    found = blocks(READER, USER_FIRST.replace("47.18", "9" * 400))
    assert {one.variant for one in entries(found)} == {"2.5.59"}
