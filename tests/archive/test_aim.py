"""AIM7 and reaim, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.aim import READER
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing

WRAPPED = """\
Eight processors, 6 GB

AIM Multiuser Benchmark - Suite VII Run Beginning

Tasks    jobs/min  jti  jobs/min/task      real       cpu
    1     2435.06  100      2435.0649      2.46      0.02   Mon Sep  4
10:17:44 2006
  600   434940.20   89       724.9003      8.28     46.43   Mon Sep  4
10:20:07 2006
  700
Fatal error 98 at line 284 of file pipe_test.c: bind on write -- Address
already in use

Child #489: : Address already in use
"""
PLAIN = """\
Tasks    jobs/min  jti  jobs/min/task      real       cpu
  100   138664.20   92      1386.6420      4.33    106.04   Fri Jun 24 00:28:19 2005
 1000   277225.89   82       277.2259     21.64   1109.18   Fri Jun 24 00:36:57:
"""
HEAD = """\
REAIM Workload
Times are in seconds - Child times from tms.cstime and tms.cutime

Num     Parent   Child   Child  Jobs per   Jobs/min/  Std_dev  Std_dev  JTI
Forked  Time     SysTime UTime   Minute     Child      Time     Percent\x20
"""
REAIM = f"""\
First vanilla 2.6.22-rc5:

{HEAD}4000    119.97   432.86  47.17   204051.01  51.01      11.52    9.99
  90
4100    141.59   517.31  48.92   177215.91  43.22      6.67     4.84     95
Crossover achieved
Max Jobs per Minute 204051.01
"""
LOG = """\
                 Jobs/min/ Jobs/sec/ Time:   Time:  Time:   Time:           Running child time
Forks  Jobs/min   child     child parent  childU childS  std_dev   JTI   :max  :min
100    5689.35     56.89      0.95   108.62  203.84  12.46    4.59   95.54 108.60 84.02
"""


def test_each_column_is_a_metric_of_so_many_tasks() -> None:
    found = entries(blocks(READER, WRAPPED), benchmark="aim7-600")
    assert {one.metric: one.figures["value"].value for one in found} == {
        "throughput": 434940.20,
        "jti": 89.0,
        "throughput_per_task": 724.9003,
        "elapsed_s": 8.28,
        "cpu_s": 46.43,
    }
    assert {one.metric: one.better for one in found}["throughput"] is Better.LARGER
    assert {one.metric: one.better for one in found}["elapsed_s"] is Better.SMALLER
    assert {(one.program, one.count, one.boots, *one.parameters.items()) for one in found} == {
        ("aim7", None, None, ("tasks", "600"))
    }


def test_a_date_that_a_mailer_wrapped_is_no_row() -> None:
    (block,) = blocks(READER, WRAPPED)
    assert [one.figures["value"].value for one in entries([block], metric="throughput") if one.figures] == [2435.06, 434940.20]
    assert [one.line for one in block.remarks] == [6, 8, 10]


def test_a_number_of_tasks_alone_failed_and_is_no_throughput() -> None:
    (found,) = entries(blocks(READER, WRAPPED), benchmark="aim7-700")
    assert (found.state, found.figures) == (CellState.FAILED, {})
    assert found.reason == "Fatal error 98 at line 284 of file pipe_test.c: bind on write -- Address already in use"


def test_without_words_about_it_a_row_did_not_end() -> None:
    (found,) = entries(blocks(READER, f"{PLAIN} 1100\n"), benchmark="aim7-1100")
    assert (found.state, found.reason) == (CellState.FAILED, "it did not end")


@pytest.mark.parametrize("written", [WRAPPED, PLAIN, REAIM])
def test_what_each_task_does_follows_from_all_and_their_number(written: str) -> None:
    (block,) = blocks(READER, written)
    assert {one.standing for one in check(block).claims} == {Standing.HOLDS}
    assert [one.kind for one in block.claims][:2] == ["quotient", "quotient"]


def test_columns_are_told_by_the_words_of_the_head_in_any_order() -> None:
    written = "Tasks\tJobs/Min\tJTI\tReal\tCPU\tJobs/sec/task\n2000\t35100.9\t91\t345.3\t4985.2\t0.2925\n"
    assert figures(entries(blocks(READER, written)), "value") == [35100.9, 91.0, 345.3, 4985.2, 0.2925]


@pytest.mark.parametrize(
    ("above", "variant"),
    [
        ("with patch:\n\n", "with patch"),
        ("without patch\n\n", "without patch"),
        ("EXTREME\n\n", "EXTREME"),
        ("It ran well.\n", ""),
        ("1. 16k vmm page size\n\n", "16k vmm page size"),
        (
            "2.6.18-rc4 with slabifier alone (NUMA system without NUMA slab)!\n\n",
            "2.6.18-rc4 with slabifier alone (NUMA system without NUMA slab)",
        ),
        ("2.6.18 was slower than this one is on the machine that we had at hand\n\n", ""),
    ],
)
def test_words_above_name_the_variant_and_sentences_do_not(above: str, variant: str) -> None:
    found = entries(blocks(READER, f"{above}AIM Multiuser Benchmark - Suite VII Run Beginning\n\n{PLAIN}"))
    assert {one.variant for one in found} == {variant}


def test_two_tables_without_a_name_are_told_apart() -> None:
    found = blocks(READER, f"{PLAIN}\n{PLAIN.replace('138664.20', '131955.14').replace('277225.89', '249979.17')}")
    assert [{one.variant for one in block.entries} for block in found] == [{""}, {"(2)"}]
    assert len(found[1].remarks) == 2


def test_reaim_has_other_columns_and_a_row_may_be_wrapped() -> None:
    (block,) = blocks(READER, REAIM)
    found = {one.metric: one.figures["value"].value for one in entries([block], benchmark="reaim-4000")}
    assert (found["throughput"], found["elapsed_s"], found["system_s"], found["user_s"], found["jti"]) == (
        204051.01,
        119.97,
        432.86,
        47.17,
        90.0,
    )
    assert (block.entries[0].variant, block.remarks[0].line) == ("First vanilla 2.6.22-rc5", 8)
    assert (block.claims[-1].kind, block.claims[-1].printed.line) == ("max", 12)


def test_the_log_of_reaim_has_a_head_of_its_own() -> None:
    found = {one.metric: one.figures["value"].value for one in entries(blocks(READER, LOG), benchmark="reaim-100")}
    assert (found["throughput"], found["elapsed_s"], found["user_s"], found["longest_child_s"]) == (5689.35, 108.62, 203.84, 108.60)


def test_a_row_that_is_cut_is_left_out_and_said() -> None:
    (block,) = blocks(READER, f"{PLAIN} 1100 27722\n")
    assert [one.benchmark for one in entries([block], metric="throughput")] == ["aim7-100", "aim7-1000"]
    assert block.remarks[0].line == 4


@pytest.mark.parametrize(
    "written", ["Tasks of jobs/min\n100 1 2\n", PLAIN.partition("\n")[2], f"{HEAD}words\n", f"{PLAIN[:60]}1e999\n"]
)
def test_without_a_head_or_rows_there_is_no_run(written: str) -> None:
    assert blocks(READER, written) == []
