"""Tables of perf sched latency, read."""

from __future__ import annotations

from tests.archive.reading import blocks, entries

from kdelta.archive.perf_sched import READER
from kdelta.judge.claims import check
from kdelta.model.checked import Standing

RULE = "  -----------------------------------------------------------------------------\n"
TABLE = f"""\
{RULE}   Task                  |   Runtime ms  | Switches | Average delay ms | Maximum delay ms | Maximum delay at       |
{RULE}
 vanilla
   netperf:4337          |  21709.193 ms |     2932 | avg:    0.002 ms | max:    0.041 ms | max at:    112.154512 s
   netserver:4338        |  14629.459 ms |  5146990 | avg:    0.001 ms | max: 1615.864 ms | max at:    140.134496 s

 localwakelist-v1r2
   netserver:4340        |  18858.767 ms |  7279005 | avg:    0.001 ms | max:    0.362 ms | max at:    135.709683 s
"""
ROWS = "".join(TABLE.splitlines(keepends=True)[:3] + TABLE.splitlines(keepends=True)[5:7])


def test_a_task_has_a_delay_under_each_variant() -> None:
    found = entries(blocks(READER, TABLE), benchmark="sched-latency-netserver", metric="delay")
    assert [(one.variant, one.figures["max"].value, one.figures["mean"].text) for one in found] == [
        ("vanilla", 1.615864, "0.001"),
        ("localwakelist-v1r2", 0.362e-3, "0.001"),
    ]


def test_the_process_in_the_name_of_a_task_is_no_part_of_the_benchmark() -> None:
    names = list(dict.fromkeys(one.benchmark for one in entries(blocks(READER, TABLE))))
    assert names == ["sched-latency-netperf", "sched-latency-netserver"]


def test_runtime_and_switches_are_neither_better_nor_worse() -> None:
    found = [one for one in entries(blocks(READER, TABLE), variant="vanilla") if one.better is None]
    assert [(one.metric, one.figures["value"].value) for one in found[:2]] == [("runtime", 21.709193), ("switches", 2932.0)]


def test_tasks_of_one_name_are_told_apart() -> None:
    (block,) = blocks(READER, TABLE.replace("netserver:4338", "netperf:4338"))
    assert "sched-latency-netperf-2" in {one.benchmark for one in block.entries}
    assert "told apart" in block.remarks[0].text


def test_the_total_is_claimed_to_be_the_sum_of_rows_that_reach_it() -> None:
    total = f"{RULE}   TOTAL:                |  36338.652 ms |  5149922 |\n"
    (block,) = blocks(READER, ROWS + total)
    assert [one.standing for one in check(block).claims] == [Standing.HOLDS, Standing.HOLDS]
    (cut,) = blocks(READER, "".join(ROWS.splitlines(keepends=True)[:4]) + total)
    assert [one.standing for one in check(cut).claims] == [Standing.UNCHECKED, Standing.UNCHECKED]


def test_prose_ends_the_table() -> None:
    more = "So the server waited for more than a second in all.\n" + ROWS.splitlines()[3].replace("4337", "1")
    assert len(entries(blocks(READER, ROWS + more), metric="delay")) == 2
