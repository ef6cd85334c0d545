"""Tables of lkp-tests, as its robot mails them."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures, stored, text

from kdelta.archive.lkp_mail import READER
from kdelta.archive.lkp_metrics import metric_of
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing
from kdelta.model.published import Block

HEAD = """\
{0:>16} {1:>27}
---------------- ---------------------------
         %stddev     %change         %stddev
             \\          |                \\
"""
TWO = HEAD.format("v6.18-rc3", "db86f55bf81a3a297be05ee8775")
LATENCY = (
    """\
kernel test robot noticed a 11.5% improvement of lmbench3.PIPE.latency.us on:

"""
    + TWO
    + """\
 2.984e+08 ±  3%     +13.0%  3.373e+08 ±  2%  cpuidle..usage
      5.11           -11.5%       4.52        lmbench3.PIPE.latency.us
     35.76 ±  6%     +70.7%      61.02 ± 36%  perf-sched.wait_and_delay.avg.ms.poll_schedule_timeout.constprop.0.do_poll
      0.52 ±  4%      +0.2        0.68 ±  2%  mpstat.cpu.all.irq%
"""
)
BUILD = (
    TWO
    + """\
     44.43         +2583.0%       1192        kbuild.buildtime_per_iteration
      2608           -96.4%      95.00        kbuild.time.percent_of_cpu_this_job_got
      7.00           -85.7%       1.00        kbuild.workload
    352.84          +249.7%       1233        uptime.boot
     68.86           +28.8       97.63        mpstat.cpu.all.idle%
     24.00          -100.0%       0.00        vmstat.cpu.us
    875.33          -100.0%       0.00        turbostat.Avg_MHz
     31.74           -31.7        0.00        turbostat.Busy%
"""
)
FAILURES = """\
compiler/ipc/kconfig/mode/nr_threads/rootfs/tbox_group/testcase:
  gcc-7/pipe/x86_64-rhel-7.6/process/1600%/centos/box1/hackbench

commit:
  3.10.0-1062.9.1.el7.x86_64
  3.18.0-rc5

3.10.0-1062.9.1.                  3.18.0-rc5
---------------- ---------------------------
       fail:runs  %reproduction    fail:runs
           |             |             |
       5322:1      -494373%         379:1     dmesg.timestamp:last
          5:6           -83%           :6     dmesg.WARNING:possible_circular_locking
"""
OLD = """\
test case: ivb44/vm-scalability/300s-migrate

8c81f3eeb336567  5507231dd04d3d68796bafe83
---------------  -------------------------
      347258 ~ 0%     -18.2%     284195 ~ 0%  TOTAL vm-scalability.migrate_mbps
        0.00           +Inf%       0.94 ~ 7%  TOTAL perf-profile.cpu-cycles._raw_spin_lock.walk_page_range
             ~ 1%      -3.6%            ~ 1%  TOTAL turbostat.Cor_W
        2.17 ~ 0%      -1.4%       2.14 ~ 0%  TOTAL turbostat.%c0
"""


def row(printed: str) -> Block:
    (block,) = blocks(READER, TWO + printed + "\n")
    return block


def printed(block: Block, metric: str) -> list[str]:
    return [one.figures["mean"].text for one in entries([block], metric=metric)]


def said(block: Block) -> str:
    return "\n".join(one.text for one in block.remarks)


def test_a_row_holds_the_mean_of_each_kernel_and_the_change() -> None:
    (block,) = blocks(READER, stored("lkp_regression.txt"))
    base, new = entries([block], metric="perf-bench-sched-pipe.ops_per_sec")
    assert (base.variant, new.variant) == ("v6.17-rc2", "779b1a1cb13ae17028aeddb2fbb")
    assert (base.figures["mean"].value, new.figures["mean"].value, new.figures["change"].value) == (217049.0, 189123.0, -12.9)


def test_a_spread_is_of_the_mean_in_percent_and_none_where_none_is_printed() -> None:
    (block,) = blocks(READER, stored("lkp_regression.txt"))
    assert figures(entries([block], metric="boot-time.boot"), "cv") == [4.0, 5.0]
    assert ["cv" in one.figures for one in entries([block], metric="perf-bench-sched-pipe.ops_per_sec")] == [False, False]


def test_how_many_runs_there_were_and_whether_they_were_boots_is_not_said() -> None:
    assert {(one.count, one.boots) for one in entries(blocks(READER, LATENCY))} == {(None, None)}


@pytest.mark.parametrize("sign", ["±", "+-", "+/-", "~", "\u0105", "\ufffd", "=C4=85"])
def test_a_spread_is_read_whatever_mails_made_of_its_sign(sign: str) -> None:
    block = row(f"     70114 {sign} 40%     -74.6%      17817 {sign}146%  numa-vmstat.node3.nr_anon_pages")
    assert figures(entries([block]), "cv") == [40.0, 146.0]


def test_a_spread_above_a_hundred_percent_is_of_runs_of_which_some_had_no_value() -> None:
    (block,) = blocks(READER, stored("lkp_regression.txt"))
    assert "some of their runs had no value" in said(block)


def test_a_change_without_a_percent_sign_is_a_difference() -> None:
    (block,) = blocks(READER, LATENCY)
    (claim,) = [one for one in block.claims if "irq%" in one.what]
    assert (claim.kind, claim.printed.value, [one.value for one in claim.of]) == ("points", 0.2, [0.52, 0.68])
    assert "change" not in entries([block], metric="mpstat.cpu.all.irq%")[1].figures


@pytest.mark.parametrize("name", ["lkp_regression.txt", "lkp_five_kernels.txt"])
def test_all_that_the_robot_computed_holds(name: str) -> None:
    (block,) = blocks(READER, stored(name))
    assert {one.standing for one in check(block).claims} == {Standing.HOLDS}


def test_a_whole_number_is_cut_and_its_change_holds_for_what_it_was() -> None:
    (block,) = blocks(READER, BUILD)
    found = {one.claim.what.partition(",")[0]: one.standing for one in check(block).claims}
    assert (found["uptime.boot"], found["kbuild.buildtime_per_iteration"]) == (Standing.HOLDS, Standing.HOLDS)


def test_the_metric_of_the_headline_comes_first_and_monitors_last() -> None:
    (block,) = blocks(READER, stored("lkp_regression.txt"))
    programs = [one.program for one in block.entries[::2]]
    assert block.entries[0].metric == "perf-bench-sched-pipe.ops_per_sec"
    assert programs[:2] == ["perf-bench-sched-pipe"] * 2
    assert programs[2:] == ["cpuidle", "perf-sched", "boot-time", "mpstat", "numa-vmstat", "perf-profile"]


@pytest.mark.parametrize(
    ("headline", "factor"),
    [
        ("noticed a 12.9% regression of x.ops_per_sec on:", -1.0),
        ("noticed a -12.9% regression of x.ops_per_sec due to commit:", 1.0),
        ("noticed a -12.9% regression of\n> x.ops_per_sec due to commit:", 1.0),
        ("|  testcase: change | x: x.ops_per_sec -12.9% regression   |", 1.0),
    ],
)
def test_a_headline_is_a_claim_of_its_row_with_or_without_a_sign(headline: str, factor: float) -> None:
    (block,) = blocks(READER, f"> FYI, we {headline}\n\n{TWO}    217049           -12.9%     189123        x.ops_per_sec\n")
    claim = block.claims[0]
    assert (claim.what, claim.factor) == ("headline: regression of x.ops_per_sec", factor)
    assert check(block).claims[0].standing is Standing.HOLDS


def test_a_headline_that_is_wrong_is_off() -> None:
    (block,) = blocks(READER, LATENCY.replace("a 11.5%", "a 21.5%"))
    assert check(block).claims[0].standing is Standing.OFF


def test_a_headline_without_its_row_cannot_be_checked() -> None:
    (block,) = blocks(READER, "FYI, we noticed a -5.0% regression of aim7.jobs-per-min due to commit:\n")
    assert (block.entries, block.claims[0].of, block.claims[0].printed.text) == ((), (), "-5.0")


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("lmbench3.PIPE.latency.us", Better.SMALLER),
        ("perf-bench-sched-pipe.ops_per_sec", Better.LARGER),
        ("kbuild.buildtime_per_iteration", Better.SMALLER),
        ("vm-scalability.throughput", Better.LARGER),
        ("aim7.jobs-per-min", Better.LARGER),
        ("fileio.latency_95th_ms", Better.SMALLER),
        ("stress-ng.switch.nanosecs_per_context_switch_mq_method", Better.SMALLER),
        ("kbuild.time.major_page_faults", None),
        ("vmstat.system.cs", None),
        ("perf-sched.wait_time.avg.ms.do_poll", None),
    ],
)
def test_which_direction_is_better_is_known_by_the_name_of_what_was_tested(name: str, better: Better | None) -> None:
    assert metric_of(name).better is better


def test_the_headline_says_which_direction_is_better_where_the_name_does_not() -> None:
    (block,) = blocks(READER, LATENCY.replace("lmbench3.PIPE.latency.us", "new.thing"))
    assert {one.better for one in entries([block], metric="new.thing")} == {Better.SMALLER}


@pytest.mark.parametrize(
    ("name", "unit", "factor"),
    [
        ("lmbench3.PIPE.latency.us", "s", 1e-6),
        ("perf-sched.wait_time.avg.ms.kjournald2.kthread", "s", 1e-3),
        ("kbuild.time.elapsed_time.max", "s", 1.0),
        ("vmstat.cpu.us", "%", 1.0),
        ("dbench.throughput-MB/sec", "B/s", 1e6),
        ("mpstat.cpu.all.usr%", "%", 1.0),
        ("turbostat.C1", "", 1.0),
    ],
)
def test_units_are_those_that_the_name_ends_with(name: str, unit: str, factor: float) -> None:
    found = metric_of(name)
    assert (found.unit, found.factor) == (unit, factor)


def test_a_percentage_of_a_negative_base_is_remarked_and_off() -> None:
    name = "sched_debug.cpu.nr_uninterruptible.min"
    (block,) = blocks(READER, f"{BUILD}    -93.66           +38.8%    -130.00        {name}\n")
    assert figures(entries([block], metric=name)) == [-93.66, -130.0]
    assert "plus is less here" in said(block)
    (found,) = [one for one in check(block).claims if one.claim.what.startswith(name)]
    assert (found.standing, round(found.again or 0.0, 1)) == (Standing.OFF, -38.8)


def test_zeros_of_a_monitor_that_did_not_run_are_missing() -> None:
    (block,) = blocks(READER, BUILD)
    base, new = entries([block], metric="turbostat.Avg_MHz")
    assert (base.figures["mean"].value, base.state) == (875.33, CellState.OK)
    assert (new.figures, new.state, [one.number.text for one in new.discarded]) == ({}, CellState.FAILED, ["0.00"])
    assert "it did not run there" in said(block)


def test_a_zero_of_one_counter_among_others_is_a_value() -> None:
    (block,) = blocks(READER, BUILD)
    assert printed(block, "vmstat.cpu.us") == ["24.00", "0.00"]


def test_a_zero_of_a_monitor_that_did_run_is_a_value() -> None:
    (block,) = blocks(READER, BUILD + "      1000            +1.0%       1010        turbostat.C1\n")
    assert printed(block, "turbostat.Avg_MHz") == ["875.33", "0.00"]


def test_means_for_one_iteration_are_doubted_where_far_fewer_were_done() -> None:
    (block,) = blocks(READER, BUILD)
    assert "7.00 and 1.00 iterations were done" in said(block)


def test_a_counter_of_few_whole_microseconds_is_doubted() -> None:
    block = row("      6.00           -33.3%       4.00        adrestia.wakeup_cost_periodic_us")
    assert "whole us: one more or less is 17 % of the base" in said(block)
    assert "whole" not in said(row("      5.11           -11.5%       4.52        lmbench3.PIPE.latency.us"))


def test_without_names_above_the_columns_these_are_numbered() -> None:
    (block,) = blocks(READER, "\n".join(LATENCY.splitlines()[4:]))
    assert [one.variant for one in block.entries[:2]] == ["column 1", "column 2"]
    assert "no names stand above the columns" in said(block)


def test_two_columns_of_one_name_are_told_apart() -> None:
    (block,) = blocks(READER, LATENCY.replace("db86f55bf81a3a297be05ee8775", f"{'v6.18-rc3':>27}"))
    assert [one.variant for one in block.entries[:2]] == ["v6.18-rc3", "v6.18-rc3 (2)"]


def test_what_stands_around_the_table_is_kept_as_facts_and_parameters() -> None:
    (block,) = blocks(READER, stored("lkp_regression.txt"))
    assert block.facts["commit"].startswith("779b1a1cb13ae17028aeddb2fbbdba97357a1e15 ")
    assert block.facts["still regression on linus/master"] == "1b237f190eb3d36f52dffe07a40b5eb210280e00"
    assert block.entries[0].parameters == {"loops": "10000000ops", "mode": "threads", "cpufreq_governor": "performance"}


def test_a_wrapped_table_of_five_kernels_is_joined() -> None:
    (block,) = blocks(READER, stored("lkp_five_kernels.txt"))
    found = entries([block], metric="will-it-scale.per_thread_ops")
    assert figures(found) == [1652352.0, 1444002.0, 1431865.0, 1489323.0, 1502580.0]
    assert figures(found[1:], "change") == [-12.6, -13.3, -9.9, -9.1]
    assert [one.variant for one in found] == [
        "v5.8-rc3",
        "b6509f6a8c4313c068c69785c001451415969e44",
        "v5.8",
        "v5.9-rc1",
        "v5.9-rc8",
    ]
    assert "wrapped over 3 lines" in said(block)


def test_a_number_of_a_wrapped_row_keeps_its_own_line_and_column() -> None:
    (block,) = blocks(READER, stored("lkp_five_kernels.txt"))
    first, *_, last = [one.figures["mean"] for one in entries([block], metric="will-it-scale.per_thread_ops")]
    assert (first.line, first.column, last.line, last.column) == (23, 5, 24, 45)


def test_box_test_and_parameters_stand_above_the_commits() -> None:
    one = blocks(READER, stored("lkp_five_kernels.txt"))[0].entries[0]
    assert (one.box, one.program, one.benchmark) == ("lkp-csl-2ap4", "will-it-scale", "will-it-scale-eventfd1")
    assert one.parameters == {"nr_task": "100%", "mode": "thread", "test": "eventfd1", "cpufreq_governor": "performance"}


def test_counts_of_failures_are_no_measurements() -> None:
    (block,) = blocks(READER, FAILURES)
    assert (block.entries, block.facts["fail:runs"]) == ((), "2 rows: how often in how many runs")
    assert "this measures nothing" in said(block)


def test_more_failures_than_runs_are_a_value_taken_for_a_count() -> None:
    (block,) = blocks(READER, FAILURES)
    nonsense, sound = check(block).claims
    assert (nonsense.standing, nonsense.again, sound.standing) == (Standing.OFF, -494300.0, Standing.HOLDS)
    assert "dmesg.timestamp:last: more failures than runs" in said(block)


def test_a_name_cut_to_sixteen_characters_is_that_of_the_list_of_commits() -> None:
    (block,) = blocks(READER, FAILURES)
    assert "3.18.0-rc5 against 3.10.0-1062.9.1.el7.x86_64" in block.claims[0].what


def test_the_tables_of_2014_without_words_above_the_columns_are_read() -> None:
    (block,) = blocks(READER, OLD)
    base, new = entries([block], metric="vm-scalability.migrate_mbps")
    assert (base.box, base.program, base.parameters) == ("ivb44", "vm-scalability", {"test": "300s-migrate"})
    assert (base.figures["mean"].value, new.figures["mean"].value, new.figures["cv"].value) == (347258.0, 284195.0, 0.0)
    assert printed(block, "turbostat.%c0") == ["2.17", "2.14"]


def test_a_row_whose_values_are_blank_is_passed_over_and_said() -> None:
    (block,) = blocks(READER, OLD)
    assert "turbostat.Cor_W" in said(block)
    assert entries([block], metric="turbostat.Cor_W") == []


def test_an_infinite_change_is_none() -> None:
    (block,) = blocks(READER, OLD)
    _, new = entries([block], metric="perf-profile.cpu-cycles._raw_spin_lock.walk_page_range")
    assert set(new.figures) == {"mean", "cv"}


def test_a_row_that_stands_in_two_tables_of_one_mail_is_counted_once() -> None:
    chief = TWO + "      5.11           -11.5%       4.52        lmbench3.PIPE.latency.us\n"
    found = blocks(READER, f"{chief}\nbelow is the full comparison\n\n{LATENCY}")
    assert [len(block.entries) for block in found] == [2, 6]
    assert "are not counted twice: 1" in said(found[1])


def test_each_of_two_headlines_of_one_metric_is_of_the_row_that_is_nearest() -> None:
    first = "|  testcase: change | x: x.ops_per_sec 4.0% regression |\n|  testcase: change | x: x.ops_per_sec 12.9% regression |\n"
    tables = [f"{TWO} 217049 -12.9% 189123 x.ops_per_sec\n", f"{TWO} 100.00 -4.0% 96.00 x.ops_per_sec\n"]
    found = blocks(READER, "\n".join((first, *tables)))
    assert [block.claims[0].printed.text for block in found] == ["12.9", "4.0"]


def test_rows_of_boxes_have_the_metric_of_the_total_below_them() -> None:
    boxes = """\
8c81f3eeb336567  5507231dd04d3d68796bafe83
---------------  -------------------------
        5446 ~ 4%     -40.5%       3240 ~ 9%  lkp-a04/netperf/120s-200%-TCP_STREAM
        1000 ~ 4%     -10.0%        900 ~ 9%  lkp-a05/netperf/120s-200%-TCP_STREAM
        6446 ~ 4%     -35.8%       4140 ~ 9%  TOTAL netperf.Throughput_Mbps
"""
    found = entries(blocks(READER, boxes), metric="netperf.Throughput_Mbps", variant="8c81f3eeb336567")
    assert [one.box.partition("/")[0] for one in found] == ["lkp-a04", "lkp-a05", "all boxes"]
    assert figures(found) == [5446.0, 1000.0, 6446.0]


def test_two_tables_of_one_mail_are_two_blocks() -> None:
    found = blocks(READER, f"{LATENCY}\n{BUILD}")
    assert [len(block.entries) for block in found] == [8, 16]


@pytest.mark.parametrize(
    "other",
    [
        "name  value\n---------------- ---------------------------\n 12  -1.0% 13  a.b\n",
        TWO,
        TWO + "nothing\n",
        "-" * 70000 + "\n",
        f"{'-' * 16} " * 2000,
        TWO + "1" * 60000 + "  -1%  2 a.b\n",
        TWO + "1e999  -1%  2 a.b\n",
        TWO + "1:0 -5% 9:0 a.b\n",
        "%stddev %change\n" * 50,
    ],
)
def test_what_is_no_table_gives_no_entries(other: str) -> None:
    assert entries(READER.read(text(other))) == []


def test_a_headline_that_is_quoted_is_not_of_the_table_that_the_reply_adds() -> None:
    row = "    330750           -41.6%     193163        will-it-scale.per_thread_ops\n"
    headline = "FYI, we noticed a -53.3% regression of will-it-scale.per_thread_ops due to commit:\n"
    answer, quoted = blocks(READER, f"> {headline}\nThis is what it is now:\n\n{TWO}{row}")
    assert [one.what.startswith("headline") for one in answer.claims] == [False]
    assert [one.missing for one in quoted.claims] == ["its metric stands in no table of the text"]
    (whole,) = blocks(READER, f"> {headline}> \n" + "".join(f"> {line}\n" for line in f"{TWO}{row}".splitlines()))
    assert [one.what.startswith("headline") for one in whole.claims] == [True, False]
