"""Martin J. Bligh's tables of SDET, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures, text

from kdelta.archive.reading import read
from kdelta.archive.sdet import READER
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.workload import catalogue

HEAD = "                           Throughput    Std. Dev\n"
ONE = f"SDET 1  (see disclaimer)\n{HEAD}       2.5.67-mm1       100.0%         2.2%\n       2.5.68-mm1       103.5%         2.3%\n"
FOUR = f"SDET 4  (see disclaimer)\n{HEAD}       2.5.67-mm1       100.0%         0.9%\n       2.5.68-mm1        98.7%         2.3%\n"
LOADS = f"{ONE}\nDISCLAIMER: these are trademarks.\n\n{FOUR}"
HUNG = (
    f"{ONE.replace('SDET 1', 'SDET 32').replace('2.5.68-mm1', '2.5.67-mm1-pte')}\n\n(pte hung above 32 load).\n\n1480  9.1% total\n"
)


def test_each_load_is_a_benchmark_of_our_own_catalogue() -> None:
    found = entries(blocks(READER, LOADS))
    assert [one.benchmark for one in found] == ["sdet-1", "sdet-1", "sdet-4", "sdet-4"]
    for one in found:
        own = catalogue.by_name()[one.benchmark]
        assert (one.program, one.parameters, one.metric) == (own.program, own.parameters, own.metric.name)


def test_throughput_and_deviation_are_percentages_of_two_things() -> None:
    found = blocks(READER, LOADS)
    assert figures(entries(found, variant="2.5.67-mm1")) == [100.0, 100.0]
    assert figures(entries(found, variant="2.5.68-mm1")) == [103.5, 98.7]
    assert figures(entries(found, variant="2.5.68-mm1"), "cv") == [2.3, 2.3]
    assert {one.relative for one in entries(found)} == {"% of 2.5.67-mm1"}


def test_more_throughput_is_better_and_the_number_of_runs_is_not_known() -> None:
    assert {(one.better, one.count, one.boots) for one in entries(blocks(READER, LOADS))} == {(Better.LARGER, None, None)}


def test_a_number_keeps_the_place_at_which_it_is_printed() -> None:
    found = entries(blocks(READER, "".join(f">> {line}\n" for line in ONE.splitlines())))[1].figures["cv"]
    assert (found.text, found.line, found.column) == ("2.3", 4, 43)


def test_a_kernel_that_hung_at_higher_loads_failed_there_and_did_not_pass() -> None:
    (block,) = blocks(READER, HUNG)
    above = block.entries[-1]
    assert (above.variant, above.parameters, above.figures) == ("2.5.67-mm1-pte", {"scripts": ">32"}, {})
    assert (above.state, above.reason) == (CellState.FAILED, "pte hung above 32 load")
    assert [remark.line for remark in block.remarks] == [7]


def test_words_between_two_tables_are_about_the_one_above() -> None:
    first, second = blocks(READER, f"{ONE}\n(2.5.68-mm1 hung above 1 load)\n{FOUR}")
    assert len(first.remarks) == 1
    assert second.remarks == ()


@pytest.mark.parametrize(
    ("rows", "missing"),
    [
        ("       2.5.67-mm1       100.0%         0.2%\n", ["2.5.68-mm1"]),
        ("       2.5.67-mm1       100.0%         0.2%\n       2.5.68-mm1\n", ["2.5.68-mm1"]),
        ("", ["2.5.67-mm1", "2.5.68-mm1"]),
    ],
)
def test_a_kernel_without_a_row_is_missing_and_never_zero(rows: str, missing: list[str]) -> None:
    found = blocks(READER, f"{ONE}\nSDET 64  (see disclaimer)\n{HEAD}{rows}")[1]
    empty = [one for one in found.entries if not one.figures]
    assert [one.variant for one in empty] == missing
    assert {(one.reason, one.state) for one in empty} == {("not printed", CellState.OK)}


def test_the_reason_of_a_missing_row_is_that_of_the_text() -> None:
    cut = FOUR.rpartition("       2.5.68")[0]
    found = blocks(READER, f"{ONE}\n{cut}\n2.5.68-mm1 crashed at 4 scripts\n")[1].entries[1]
    assert (found.variant, found.state, found.reason) == ("2.5.68-mm1", CellState.FAILED, "2.5.68-mm1 crashed at 4 scripts")


def test_a_kernel_that_stands_alone_without_numbers_is_missing() -> None:
    (block,) = blocks(READER, ONE.replace("       103.5%         2.3%", "") + "   note\n")
    assert [(one.variant, bool(one.figures)) for one in block.entries] == [("2.5.67-mm1", True), ("2.5.68-mm1", False)]


def test_another_series_does_not_make_kernels_missing() -> None:
    other = FOUR.replace("2.5.6", "2.6.0-test")
    assert [len(block.entries) for block in blocks(READER, f"{ONE}\n{other}")] == [2, 2]


def test_other_results_of_the_same_kernel_are_told_apart() -> None:
    first, second = blocks(READER, f"{ONE}\nI ran it again:\n\n{ONE.replace('103.5', '101.0')}")
    assert [one.variant for one in second.entries] == ["2.5.67-mm1", "2.5.68-mm1 (2)"]
    assert [remark.line for remark in (*first.remarks, *second.remarks)] == [11]


def test_what_is_quoted_again_is_the_same_table() -> None:
    quoted = "".join(f"> {line}\n" for line in ONE.splitlines())
    assert len(read(text(f"{quoted}\n{ONE}"), (READER,)).blocks) == 1


def test_a_first_kernel_without_100_percent_is_no_base() -> None:
    (block,) = blocks(READER, ONE.replace("100.0%", " 99.0%"))
    assert [remark.line for remark in block.remarks] == [3]


def test_throughput_without_a_percent_sign_is_no_percentage() -> None:
    (entry, _) = entries(blocks(READER, ONE.replace("100.0% ", "1200.5  ").replace("103.5% ", "1300.5  ")))
    assert (entry.unit, entry.relative, entry.figures["mean"].value) == ("scripts/h", "", 1200.5)


@pytest.mark.parametrize("prose", ["SDET 32 went down\n", "SDET 32  (see disclaimer)\nno table\n", HEAD, "SDET 9\n" * 3])
def test_prose_is_no_table(prose: str) -> None:
    assert blocks(READER, prose) == []
