"""UnixBench's reports and tables of indexes, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries

from kdelta.archive.unixbench import READER
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim

PARTIAL = """\
1 x File Copy 1024 bufsize 2000 maxblocks  1 2 3 4 5 6 7 8 9 10

========================================================================
   BYTE UNIX Benchmarks (Version 5.1.3)

   System: lkp-csl-d02: GNU/Linux
   OS: GNU/Linux -- 6.7.0-rc8 -- #1 SMP Mon Jan  1 12:15:13 CST 2024
   Machine: x86_64 (unknown)

------------------------------------------------------------------------
Benchmark Run: Tue Jan 02 2024 22:11:05 - 22:19:05
36 CPUs in system; running 1 parallel copy of tests

File Copy 1024 bufsize 2000 maxblocks       1675624.0 KBps  (30.0 s, 7 samples)

System Benchmarks Partial Index              BASELINE       RESULT    INDEX
File Copy 1024 bufsize 2000 maxblocks          3960.0    1675624.0   4231.4
                                                                   ========
System Benchmarks Index Score (Partial Only)                         4231.4

"""
COPIES = """\
------------------------------------------------------------------------
Benchmark Run: Tue Jan 02 2024 22:21:05 - 22:29:05
36 CPUs in system; running 36 parallel copies of tests

File Copy 1024 bufsize 2000 maxblocks       9675624.0 KBps  (30.0 s, 7 samples)
"""
RESULTS = """\
   BYTE UNIX Benchmarks (Version 5.1.2)
   System: host: GNU/Linux
   OS: GNU/Linux -- 2.6.29-3.ydl61.4 -- #1 SMP Mon Sep 7 14:50:27 PDT 2009
Benchmark Run: Tue Nov 09 2010 09:51:37 - 10:19:32
0 CPUs in system; running 1 parallel copy of tests

Dhrystone 2 using register variables        5749777.3 lps   (10.0 s, 7 samples)
Double-Precision Whetstone                     1246.8 MWIPS (9.7 s, 7 samples)
Execl Throughput                               2021.4 lps   (30.0 s, 2 samples)
"""
PAIR = """\
System Benchmarks (+6.4%)
  queued_spinlock:
    System Benchmarks Index Values               BASELINE       RESULT    INDEX
    Dhrystone 2 using register variables         116700.0  628613745.4  53865.8
    Execl Throughput                                 43.0      13116.6   3050.4
    Shell Scripts (8 concurrent)                      6.0       7367.1  12278.5
                                                                       ========
    System Benchmarks Index Score                                       12635.9  ticket_spinlock:
    System Benchmarks Index Values               BASELINE       RESULT    INDEX
    Dhrystone 2 using register variables         116700.0  626541701.9  53688.2
    Execl Throughput                                 43.0      12625.1   2936.1
    Shell Scripts (8 concurrent)                      6.0       7329.2  12215.3
                                                                       ========
    System Benchmarks Index Score                                       12440.9
"""
LABELLED = """\
Command: numactl -C 3-18 ./Run -c 16 syscall

Without patch
------------------------
224 CPUs in system; running 16 parallel copies of tests
System Call Overhead                        5611223.7 lps   (10.0 s, 7 samples)
System Benchmarks Partial Index              BASELINE       RESULT    INDEX
System Call Overhead                          15000.0    5611223.7   3740.8
                                                                   ========
System Benchmarks Index Score (Partial Only)                         3740.8

With patch
------------------------------------------------------------------------
224 CPUs in system; running 16 parallel copies of tests
System Call Overhead                        7567076.6 lps   (10.0 s, 7 samples)
System Benchmarks Partial Index              BASELINE       RESULT    INDEX
System Call Overhead                          15000.0    7567076.6   5044.7
                                                                   ========
System Benchmarks Index Score (Partial Only)                         5044.7
"""
NARROW = """\
1) before this patch
System Benchmarks Partial Index  BASELINE       RESULT    INDEX
Pipe Throughput                   12440.0     493023.3    396.3
                                                         ========
System Benchmarks Index Score (Partial Only)              396.3
"""
OLD = """\
TEST                                        BASELINE     RESULT      INDEX

Dhrystone 2 using register variables        116700.0  2345678.0      201.0
Graphics of an odd kind                        100.0      250.0       25.0
                                                                 =========
     FINAL SCORE                                                      70.9
"""


def claims(found: list[Block], kind: str) -> list[Claim]:
    return [one for block in found for one in block.claims if one.kind == kind]


def throughputs(found: list[Block]) -> list[tuple[str, str]]:
    return [(one.variant, one.figures["value"].text) for one in entries(found, metric="throughput")]


def test_a_result_that_a_table_repeats_is_one_result() -> None:
    found = blocks(READER, PARTIAL)
    assert throughputs(found) == [("6.7.0-rc8", "1675624.0")]
    assert [one.figures["value"].value for one in entries(found, metric="index")] == [4231.4, 4231.4]


def test_the_kernel_and_the_host_are_those_of_the_reports_head() -> None:
    assert {(one.variant, one.box) for one in entries(blocks(READER, PARTIAL))} == {("6.7.0-rc8", "lkp-csl-d02")}


def test_samples_are_those_that_were_kept_not_those_that_were_begun() -> None:
    (found,) = entries(blocks(READER, PARTIAL), metric="throughput")
    assert (found.count, found.boots) == (7, False)


def test_kilobytes_are_of_1024_bytes() -> None:
    (found,) = entries(blocks(READER, PARTIAL), metric="throughput")
    assert (found.figures["value"].value, found.unit, found.printed_unit) == (1675624.0 * 1024, "B/s", "KBps")


def test_an_index_is_claimed_to_be_ten_times_the_result_by_the_baseline() -> None:
    (claim,) = claims(blocks(READER, PARTIAL), "quotient")
    result, baseline = claim.of
    assert claim.factor * result.value / baseline.value == pytest.approx(claim.printed.value, abs=0.05)


def test_a_score_is_claimed_to_be_the_geometric_mean_of_the_indexes() -> None:
    found = claims(blocks(READER, PAIR), "gmean")
    assert [(one.printed.value, [of.value for of in one.of]) for one in found] == [
        (12440.9, [53688.2, 2936.1, 12215.3]),
        (12635.9, [53865.8, 3050.4, 12278.5]),
    ]


def test_copies_at_once_are_another_benchmark() -> None:
    found = entries(blocks(READER, PARTIAL + COPIES), metric="throughput")
    assert [(one.variant, one.benchmark, one.parameters) for one in found] == [
        ("6.7.0-rc8", "unixbench-file-copy-1024", {"copies": "1"}),
        ("6.7.0-rc8", "unixbench-file-copy-1024-x36", {"copies": "36"}),
    ]


def test_results_without_a_table_are_read_with_their_samples() -> None:
    found = entries(blocks(READER, RESULTS))
    assert [(one.benchmark, one.figures["value"].text, one.printed_unit, one.count) for one in found] == [
        ("unixbench-dhrystone", "5749777.3", "lps", 7),
        ("unixbench-whetstone", "1246.8", "MWIPS", 7),
        ("unixbench-execl", "2021.4", "lps", 2),
    ]
    assert {one.variant for one in found} == {"2.6.29-3.ydl61.4"}


def test_no_processor_at_all_is_doubted() -> None:
    (block,) = blocks(READER, RESULTS)
    assert (block.facts["CPUs"], block.remarks[0].line) == ("0", 5)
    assert "counted no CPU" in block.remarks[0].text


def test_of_two_tables_under_a_percentage_the_worse_is_the_base() -> None:
    (block,) = blocks(READER, PAIR)
    assert list(dict.fromkeys(one.variant for one in block.entries)) == ["ticket_spinlock", "queued_spinlock"]
    (claim,) = claims([block], "change")
    assert (claim.printed.text, [one.text for one in claim.of], claim.better) == ("+6.4", ["12440.9", "12635.9"], Better.LARGER)
    assert "plus is taken as better" in block.remarks[0].text


def test_a_minus_turns_the_pair_around() -> None:
    (block,) = blocks(READER, PAIR.replace("+6.4", "-6.4"))
    assert block.entries[0].variant == "queued_spinlock"


def test_a_table_without_its_percentage_is_a_block_of_its_own() -> None:
    found = blocks(READER, PAIR.partition("\n")[2])
    assert [{one.variant for one in block.entries} for block in found] == [{"queued_spinlock"}, {"ticket_spinlock"}]


@pytest.mark.parametrize(
    ("written", "variants"),
    [
        (LABELLED, ["Without patch", "With patch"]),
        (NARROW, ["before this patch"]),
        (f"Here are the results of today.\n{NARROW.partition(chr(10))[2]}", [""]),
    ],
)
def test_a_short_line_above_names_what_has_no_kernel(written: str, variants: list[str]) -> None:
    assert [variant for variant, _ in throughputs(blocks(READER, written))] == variants


def test_the_same_tests_under_the_same_name_again_are_another_run() -> None:
    again = PARTIAL.replace("1675624.0", "1600000.0")
    found = blocks(READER, PARTIAL + again)
    assert throughputs(found) == [("6.7.0-rc8", "1675624.0"), ("6.7.0-rc8 (2)", "1600000.0")]
    assert "another run of 6.7.0-rc8" in found[1].remarks[0].text


def test_a_report_that_is_pasted_again_is_the_same() -> None:
    assert {variant for variant, _ in throughputs(blocks(READER, PARTIAL + PARTIAL))} == {"6.7.0-rc8"}


def test_a_table_that_contradicts_its_result_is_said() -> None:
    (block,) = blocks(READER, PARTIAL.replace("1675624.0   4231.4", "1675625.0   4231.4"))
    assert [one.text for one in block.remarks] == [
        "File Copy 1024 bufsize 2000 maxblocks is 1675625.0 in the table, and 1675624.0 where it was measured"
    ]


def test_the_tables_of_release_4_are_read_and_unknown_tests_have_no_unit() -> None:
    found = entries(blocks(READER, OLD))
    assert [(one.benchmark, one.figures["value"].text, one.printed_unit) for one in found] == [
        ("unixbench-dhrystone", "2345678.0", "lps"),
        ("unixbench-dhrystone", "201.0", ""),
        ("unixbench-graphics-of-an-odd-kind", "250.0", ""),
        ("unixbench-graphics-of-an-odd-kind", "25.0", ""),
        ("unixbench", "70.9", ""),
    ]


def test_a_test_without_a_baseline_has_a_result_and_no_index() -> None:
    found = blocks(READER, NARROW.replace("12440.0     493023.3    396.3", "---         493023.3      ---"))
    assert (throughputs(found), claims(found, "quotient")) == ([("before this patch", "493023.3")], [])


@pytest.mark.parametrize(
    "written",
    [
        "System Benchmarks Index Values               BASELINE       RESULT    INDEX\nno table follows\n",
        "We took the mean of several runs (10 s, 7 samples)\n",
        "Execl Throughput     5 parsecs (30.0 s, 2 samples)\n",
        "36 CPUs in system; running 1 parallel copy of tests\n",
    ],
)
def test_what_only_looks_like_a_report_is_none(written: str) -> None:
    assert blocks(READER, written) == []


def test_a_letter_in_front_of_a_heading_is_no_part_of_the_name() -> None:
    below = PARTIAL[PARTIAL.index("System Benchmarks Partial Index") :] if "System Benchmarks Partial Index" in PARTIAL else PARTIAL
    found = entries(blocks(READER, f"A. With generic spinlock:\n\n{below}"))
    assert found[0].variant == "With generic spinlock"
