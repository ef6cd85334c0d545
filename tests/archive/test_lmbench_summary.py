"""Summaries of lmbench 2 and 3, read."""

from __future__ import annotations

import re

import pytest
from tests.archive.reading import blocks, entries, samples, stored

from kdelta.archive.lmbench_summary import READER
from kdelta.model.benchmark import Better
from kdelta.model.published import Block

TWO = stored("lmbench-summary.txt")
WRAPPED = stored("lmbench-wrapped.txt")
SPARSE = stored("lmbench-sparse.txt")

REPEATED = """\
Context switching - times in microseconds - smaller is better
-------------------------------------------------------------------------------------
Host                             OS  2p/0K 2p/16K 2p/64K 8p/16K 8p/64K 16p/16K 16p/64K
                                     ctxsw  ctxsw  ctxsw ctxsw  ctxsw   ctxsw   ctxsw
--------- ------------------------- ------ ------ ------ ------ ------ ------- -------
margin         Linux 2.6.12-rc1-bk3 7.3300 2.7400 7.0400 4.4600 6.6200 3.94000 8.38000
margin         Linux 2.6.12-rc1-bk3 7.6100 8.1000 7.3200 4.5900 7.1700 5.50000 7.84000
margin      Linux 2.6.12-rc1-bk3-dm 7.4400 8.3100 7.1300 5.6900 6.6500 5.49000 7.49000
"""
CUT = re.sub(r" +Linux 2\.6\.12-\S+", "    Linux 2.6.12-", REPEATED.replace("-------------------------", "-------------"))
GUESSED = """\
Memory latencies in nanoseconds - smaller is better
    (WARNING - may not be correct, check graphs)
------------------------------------------------------------------
Host                 OS   Mhz   L1 $   L2 $    Main mem    Guesses
--------- -------------   ---   ----   ----    --------    -------
lucent.rd Linux 2.4.20-  1595 1.2980   11.6       135.9    No L2 cache?
lucent.rd   Linux 2.6.0  1572 1.3000   11.8       144.2
"""


def values(found: list[Block], benchmark: str, factor: float = 1e6) -> list[float]:
    """Of all variants, in the order printed; in microseconds."""
    return [one.value * factor for entry in entries(found, benchmark=benchmark) for one in entry.figures.values()]


@pytest.mark.parametrize(
    ("benchmark", "expected"),
    [
        ("proc-fork", [115, 201, 159, 170]),
        ("proc-exec", [1231, 1458, 1430, 1455]),
        ("proc-sh", [13000, 13000, 13000, 14000]),
        ("syscall-open", [3.97, 4.76, 4.38, 4.37]),
        ("lmbench-signal-install", [1.00, 1.02, 1.02, 1.01]),
        ("mmap", [425, 774]),
        ("lmbench-protection-fault", [0.789, 0.832]),
        ("pagefault-file", [2, 3]),
        ("ctx-2", [0.99, 1.62, 0.70]),
        ("ctx-16-64k", [310.5, 312.7]),
        ("af-unix", [8.66, 8.25]),
        ("lat-file-create", [68.9, 77.8]),
        ("lat-file-delete-10k", [31.6, 38.3]),
    ],
)
def test_a_number_is_of_the_column_under_whose_dashes_it_stands(benchmark: str, expected: list[float]) -> None:
    assert values(blocks(READER, TWO), benchmark) == pytest.approx(expected)


@pytest.mark.parametrize("benchmark", ["lmbench-select-tcp-100", "lmbench-udp", "lmbench-tcp-connect", "lmbench-bw-tcp"])
def test_an_empty_cell_is_missing_and_no_zero(benchmark: str) -> None:
    found = entries(blocks(READER, TWO), benchmark=benchmark)
    assert found
    assert {(len(one.figures), one.reason) for one in found} == {(0, "its cell is empty")}


def test_a_variant_is_the_kernel_and_the_host_its_box() -> None:
    found = entries(blocks(READER, TWO), benchmark="proc-fork")
    assert [(one.variant, one.box) for one in found] == [
        ("2.4.18", "frodo"),
        ("2.5.33", "frodo"),
        ("2.5.33x", "frodo"),
        ("2.5.33M", "frodo"),
    ]


def test_times_are_better_smaller_and_bandwidths_larger() -> None:
    found = blocks(READER, TWO)
    assert values(found, "lmbench-bw-pipe", 1e-6) == pytest.approx([810, 571])
    assert {one.better for one in entries(found, metric="bandwidth")} == {Better.LARGER}
    assert {one.better for one in entries(found, metric="time")} == {Better.SMALLER}
    assert {(one.unit, one.printed_unit) for one in entries(found)} == {("s", "us"), ("B/s", "MB/s")}


def test_a_shortened_number_says_how_exact_it_is() -> None:
    (figure,) = entries(blocks(READER, TWO), variant="2.4.18", benchmark="proc-sh")[0].figures.values()
    assert figure.text == "13.K"
    assert figure.step == pytest.approx(1000e-6)


def test_whole_microseconds_are_no_more_exact_for_their_zeros() -> None:
    found = blocks(READER, TWO)
    (figure,) = entries(found, variant="2.5.33", benchmark="pagefault-file")[0].figures.values()
    assert (figure.text, figure.step) == ("3.00000", 1e-6)
    assert ["whole us" in one.text for block in found for one in block.remarks] == [True]


def test_two_tables_that_print_one_result_give_it_once() -> None:
    found = entries(blocks(READER, TWO), benchmark="ctx-2")
    assert [(one.variant, one.figures["value"].line) for one in found] == [("2.4.18", 29), ("2.5.33", 30), ("2.5.33M", 38)]


@pytest.mark.parametrize(
    ("benchmark", "expected"),
    [
        ("proc-fork", [508, 483]),
        ("proc-sh", [6281, 6241]),
        ("ctx-2", [2.19, 0.97]),
        ("ctx-16-16k", [7.93, 8.82]),
        ("ctx-16-64k", [4.36, 10.7]),
        ("mmap", [20200, 20200]),
        ("lmbench-protection-fault", []),
        ("pagefault-file", [7, 6]),
    ],
)
def test_rulers_that_were_wrapped_or_lost_blanks_are_repaired(benchmark: str, expected: list[float]) -> None:
    assert values(blocks(READER, WRAPPED), benchmark) == pytest.approx(expected)


def test_what_was_repaired_is_said() -> None:
    said = " ".join(one.text for block in blocks(READER, WRAPPED) for one in block.remarks)
    for part in (
        "its two lines are joined",
        "8 columns in place of 9",
        "7.00000 is not under its column",
        "the hosts tell them apart",
    ):
        assert part in said


def test_a_ruler_that_was_wrapped_is_whole_again() -> None:
    said = [one.text for one in blocks(READER, WRAPPED)[0].remarks]
    assert [one for one in said if "columns in place of" in one] == []


@pytest.mark.parametrize("host", ["margin", "margin-renamed-by-hand     "])
def test_a_full_row_that_was_shifted_is_read_in_order(host: str) -> None:
    moved = REPEATED.replace("margin      Linux 2.6.12-rc1-bk3-dm", f"{host} Linux 2.6.12-rc1-bk3-dm")
    found = entries(blocks(READER, moved), variant="2.6.12-rc1-bk3-dm")
    assert [one.figures["value"].text for one in found] == ["7.4400", "8.3100", "7.1300", "5.6900", "6.6500", "5.49000", "7.49000"]


def test_a_header_that_was_wrapped_leaves_the_table_whole() -> None:
    assert values(blocks(READER, WRAPPED), "lmbench-bw-mem-write", 1e-6) == pytest.approx([1422, 1422])


def test_where_all_kernels_are_cut_to_the_same_the_hosts_are_the_variants() -> None:
    assert {(one.variant, one.box) for one in entries(blocks(READER, WRAPPED))} == {("nosoftlim", ""), ("softlimit", "")}


@pytest.mark.parametrize(
    ("benchmark", "expected"),
    [
        ("ctx-2", [13.0]),
        ("ctx-16-64k", [16.0]),
        ("pipe", []),
        ("lmbench-udp", [39.7]),
        ("lmbench-rpc-udp", []),
        ("lmbench-tcp", [47.2]),
        ("lmbench-tcp-connect", [87]),
        ("lat-file-delete-10k", [19.4]),
        ("mmap", [12500]),
        ("select-100", []),
        ("lmbench-memory-l1", [1.617e-3]),
        ("lmbench-memory-main", [38.4e-3]),
        ("lmbench-memory-random", [112.5e-3]),
        ("proc-fork", []),
        ("lmbench-int-mul", []),
        ("lmbench-double-bogo", []),
    ],
)
def test_a_row_with_few_numbers_keeps_each_in_its_column(benchmark: str, expected: list[float]) -> None:
    found = blocks(READER, SPARSE)
    assert entries(found, benchmark=benchmark)
    assert values(found, benchmark) == pytest.approx(expected)


def test_the_clock_is_a_fact_and_no_result() -> None:
    found = blocks(READER, SPARSE)
    assert found[0].facts == {"MHz": "1320"}
    assert 1320 not in {one.value for entry in entries(found) for one in entry.figures.values()}


def test_rows_of_one_kernel_are_repeated_results() -> None:
    found = entries(blocks(READER, REPEATED), benchmark="ctx-2")
    assert (found[0].variant, found[0].boots) == ("2.6.12-rc1-bk3", None)
    assert samples(found[0]) == pytest.approx([7.33e-6, 7.61e-6])
    assert (found[1].variant, found[1].figures["value"].text) == ("2.6.12-rc1-bk3-dm", "7.4400")


def test_rows_of_kernels_that_may_be_cut_are_not_merged() -> None:
    found = entries(blocks(READER, CUT), benchmark="ctx-2")
    assert [(one.variant, one.figures["value"].text) for one in found] == [
        ("2.6.12-", "7.3300"),
        ("2.6.12- (2)", "7.6100"),
        ("2.6.12- (3)", "7.4400"),
    ]


def test_a_second_summary_is_not_merged_with_the_first() -> None:
    second = REPEATED.replace("7.3300", "9.3300")
    assert [one.variant for one in entries(blocks(READER, f"{REPEATED}\nand after:\n\n{second}"), benchmark="ctx-2")] == [
        "2.6.12-rc1-bk3",
        "2.6.12-rc1-bk3-dm",
        "2.6.12-rc1-bk3 (2)",
        "2.6.12-rc1-bk3-dm (2)",
    ]


def test_a_table_that_is_pasted_again_is_the_same_again() -> None:
    first, second = blocks(READER, f"{REPEATED}\n{REPEATED}")
    assert [one.variant for one in first.entries] == [one.variant for one in second.entries]


def test_what_is_guessed_of_caches_is_no_number() -> None:
    assert values(blocks(READER, GUESSED), "lmbench-memory-main", 1e9) == pytest.approx([135.9, 144.2])


def test_a_row_that_was_wrapped_is_joined() -> None:
    wrapped = REPEATED.replace(" 3.94000 8.38000", "\n3.94000 8.38000")
    found = blocks(READER, wrapped)
    last = entries(found, benchmark="ctx-16-64k")[0].samples[0]
    assert (last.text, last.line, last.column) == ("8.38000", 7, 9)
    assert "row was wrapped" in found[0].remarks[0].text


@pytest.mark.parametrize(
    "written",
    [
        "Context switching - times in microseconds - smaller is better\n",
        "Context switching - times in microseconds - smaller is better\n--------- ---- ----\nfrodo Linux 1 2 3\n",
        "Context switching - times in microseconds - smaller is better\n" + "- " * 30000 + "\n" + "1 " * 30000,
        "Processor, Processes - factor slower than the best\n--------- ------------- ---- ----\nfrodo      Linux 2.4.18  797 1.0\n",
        "Local things in microseconds - smaller is better\n",
    ],
)
def test_what_only_looks_like_a_summary_is_none(written: str) -> None:
    assert blocks(READER, written) == []


ANEW = """\
Context switching - times in microseconds - smaller is better
--------------------------------------------------------------------
 OS          2p/0K  2p/16K  2p/64K  8p/16K  8p/64K  16p/16K 16p/64K
             ctxsw  ctxsw   ctxsw   ctxsw   ctxsw   ctxsw   ctxsw
--------------------------------------------------------------------
Lx2.4.19     1.120  4.4900   13.4   9.6600  186.6   42.5    188.7

Lx 2.5.43    1.210  4.5300   13.2   7.9600  187.2   44.4    189.7
--------------------------------------------------------------------

Memory latencies in nanoseconds - smaller is better
    (WARNING - may not be correct, check graphs)
-----------------------------------------------------------------
OS                  Mhz  L1 $     L2 $    Main mem      Guesses
-----------------------------------------------------------------
Linux 2.4.19        859  3.490   8.1530   180.9
-----------------------------------------------------------------
"""


def test_a_table_with_one_rule_is_read_where_no_cell_is_empty() -> None:
    first, second = blocks(READER, ANEW)
    assert [one.variant for one in entries([first], benchmark="ctx-2")] == ["Lx2.4.19", "Lx 2.5.43"]
    assert values([first], "ctx-16-64k", 1e6) == pytest.approx([188.7, 189.7])
    assert {one.box for one in first.entries} == {""}
    assert not first.remarks
    assert values([second], "lmbench-memory-main", 1e9) == pytest.approx([180.9])


def test_a_row_with_an_empty_cell_ends_a_table_with_one_rule() -> None:
    found = blocks(READER, ANEW.replace("13.2   7.9600", "13.2         "))
    assert [one.variant for one in entries(found, benchmark="ctx-2")] == ["Lx2.4.19"]


def test_a_table_with_one_rule_needs_its_column_of_systems() -> None:
    assert blocks(READER, ANEW.replace(" OS ", "    ").replace("OS  ", "    ")) == []
