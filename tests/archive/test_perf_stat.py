"""`perf stat` as it prints for people, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures, samples

from kdelta.archive import perf_bench, perf_stat_means
from kdelta.archive.perf_stat import READER
from kdelta.judge.claims import check
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing
from kdelta.model.published import Block

PARSE = """\
  # Running 'internals/kallsyms-parse' benchmark:
    Average kallsyms__parse took: 80.563 ms (+- 0.079 ms)
  # Running 'internals/kallsyms-parse' benchmark:
    Average kallsyms__parse took: 81.046 ms (+- 0.155 ms)

 Performance counter stats for 'perf bench internals kallsyms-parse' (5 runs):

          8,093.54 msec task-clock                #    0.999 CPUs utilized            ( +-  0.14% )
             3,165      context-switches          #    0.391 K/sec                    ( +-  0.18% )
                10      cpu-migrations            #    0.001 K/sec                    ( +- 23.13% )
    34,551,564,954      cycles                    #    4.269 GHz                      ( +-  0.05% )  (83.33%)
     1,160,584,308      stalled-cycles-frontend   #    3.36% frontend cycles idle     ( +-  1.60% )  (83.33%)
    14,974,323,985      stalled-cycles-backend    #   43.34% backend cycles idle      ( +-  0.24% )  (83.33%)
    58,712,905,705      instructions              #    1.70  insn per cycle
                                                  #    0.26  stalled cycles per insn  ( +-  0.01% )  (83.34%)
    14,136,433,778      branches                  # 1746.632 M/sec                    ( +-  0.01% )  (83.33%)
       141,943,217      branch-misses             #    1.00% of all branches          ( +-  0.04% )  (83.33%)

            8.1040 +- 0.0115 seconds time elapsed  ( +-  0.14% )
"""
ONCE = """\
 Performance counter stats for 'sleep 1':

              0.58 msec task-clock
   <not supported>      cycles:u                                                      (0.00%)
     <not counted>      cpu_atom/instructions/
                 0      faults
       149 375 832      spf

       1.001306160 seconds time elapsed

       0.000980000 seconds user
       0.002000000 seconds sys
"""
MEANS = """\
The context-switches are reduced by about 20 times here.

unpatched:
Average of 10 test results
582.4674048\ttask-clock(msec)
19910.8\t\tcontext-switches
<not supported>\tstalled-cycles-frontend

patched
Average of 10 test results
973.6174796\ttask-clock(msec)
988.6\t\tcontext-switches
"""


def _one(of: str) -> Block:
    (block,) = blocks(READER, of)
    return block


@pytest.mark.parametrize(
    ("metric", "mean", "error"),
    [
        ("task-clock", 8.09354, 0.0014 * 8.09354),
        ("context-switches", 3165.0, 0.0018 * 3165),
        ("cpu-migrations", 10.0, 2.313),
        ("cycles", 34_551_564_954.0, 0.0005 * 34_551_564_954),
        ("instructions", 58_712_905_705.0, 0.0001 * 58_712_905_705),
        ("elapsed_s", 8.1040, 0.0115),
    ],
)
def test_a_count_of_several_runs_is_a_mean_with_its_standard_error(metric: str, mean: float, error: float) -> None:
    (entry,) = entries([_one(PARSE)], metric=metric)
    assert entry.figures["mean"].value == pytest.approx(mean, rel=1e-12)
    assert entry.figures["error"].value == pytest.approx(error, rel=1e-9)
    assert (entry.count, sorted(entry.figures)) == (5, ["error", "mean"])


def test_the_spread_below_a_second_figure_is_of_the_event_above() -> None:
    (entry,) = entries([_one(PARSE)], metric="instructions")
    assert (entry.figures["error"].text, entry.figures["error"].line) == ("0.01", 15)
    assert "instructions 83.34 %" in _one(PARSE).facts["counted"]


def test_what_stands_behind_the_hash_follows_from_the_counts() -> None:
    checked = check(_one(PARSE)).claims
    assert [one.standing for one in checked] == [Standing.HOLDS] * 11
    again = {one.claim.what: one.again for one in checked}
    assert again["instructions, insn per cycle"] == pytest.approx(1.699, abs=5e-4)
    assert again["spread of time elapsed, in percent"] == pytest.approx(0.1419, abs=1e-4)


def test_counters_that_were_shared_are_said_to_be_estimates() -> None:
    (remark,) = _one(PARSE).remarks
    assert (remark.line, remark.text[:49]) == (11, "6 events shared the counters, the least for 83.33")


def test_what_the_benchmark_prints_between_is_not_counted() -> None:
    (entry,) = entries(blocks(perf_bench.READER, PARSE))
    assert samples(entry) == pytest.approx([0.080563, 0.081046], rel=1e-12)


def test_what_is_not_supported_is_missing_and_not_0() -> None:
    (block,) = blocks(READER, ONCE)
    missing = {one.metric: one.reason for one in block.entries if one.state is CellState.NOT_HERE}
    assert missing == {"cycles:u": "<not supported>", "cpu_atom/instructions/": "<not counted>"}
    assert all(not one.samples and not one.figures for one in block.entries if one.metric in missing)


def test_a_single_run_is_one_result_and_has_no_spread() -> None:
    block = _one(ONCE)
    assert {one.metric: samples(one) for one in block.entries if one.samples} == {
        "task-clock": [0.00058],
        "faults": [0.0],
        "spf": [149_375_832.0],
        "elapsed_s": [1.001306160],
        "user_s": [0.00098],
        "system_s": [0.002],
    }
    assert {one.count for one in block.entries if one.samples} == {1}


def test_a_second_session_of_the_same_command_is_told_apart() -> None:
    found = blocks(READER, ONCE + "\npatched:\n" + ONCE + ONCE)
    assert [block.entries[0].variant for block in found] == ["", "patched", "(2)"]
    assert [remark.line for remark in found[2].remarks] == [found[2].first - 2]


def test_a_line_that_was_wrapped_keeps_its_spread() -> None:
    wrapped = PARSE.replace("4.269 GHz                      ( +-  0.05% )", "4.269 GHz\n( +-  0.05% )")
    (entry,) = entries([_one(wrapped)], metric="cycles")
    assert entry.figures["error"].text == "0.05"
    assert any("wrapped" in remark.text for remark in _one(wrapped).remarks)


def test_a_table_of_single_measurements_is_the_samples_of_the_time() -> None:
    table = "\n  # Table of individual measurements:\n   5.189 (-0.293) #\n   5.775 (+0.293) #\n\n  # Final result:\n"
    text = PARSE.replace("(5 runs)", "(2 runs)").replace("\n            8.1040 +- 0.0115", f"{table}            5.482 +- 0.293")
    (entry,) = entries([_one(text)], metric="elapsed_s")
    assert (samples(entry), entry.figures["mean"].value) == ([5.189, 5.775], 5.482)


def test_intervals_are_samples_of_one_run() -> None:
    text = (
        "#           time             counts unit events\n"
        "     1.000123456      1,000,000      cycles        #  0.2 GHz     (50.00%)\n"
        "     2.000123456      3,000,000      cycles        #  0.2 GHz     (50.00%)\n"
    )
    (entry,) = _one(text).entries
    assert (samples(entry), entry.count, entry.boots) == ([1e6, 3e6], 2, False)


def test_each_processor_is_a_parameter() -> None:
    text = " Performance counter stats for 'system wide':\n\nS0      112     6,887,216,716,185      cycles   # 0.154 GHz\n"
    (entry,) = _one(text).entries
    assert (entry.parameters, samples(entry)) == ({"cpu": "S0"}, [6_887_216_716_185.0])


@pytest.mark.parametrize(("printed", "value"), [("8.093,54", 8093.54), ("0,31", 0.31), ("1.234.567,5", 1_234_567.5), ("12", 12.0)])
def test_a_decimal_comma_of_the_locale_is_one(printed: str, value: float) -> None:
    (entry,) = _one(f" Performance counter stats for 'x':\n\n  {printed}      thing\n").entries
    assert samples(entry) == [value]


def test_prose_behind_the_counts_ends_them() -> None:
    text = ONCE.partition("\n       1.0013")[0] + "\n16 processors were used.\n"
    assert len(_one(text).entries) == 5


def test_a_list_of_means_names_its_kernel_above() -> None:
    (block,) = blocks(perf_stat_means.READER, MEANS)
    found = {(one.variant, one.metric): one for one in block.entries}
    assert figures(entries([block], metric="task-clock")) == pytest.approx([0.5824674048, 0.9736174796], rel=1e-12)
    assert figures(entries([block], metric="context-switches")) == [19910.8, 988.6]
    assert {one.count for one in block.entries} == {10}
    assert found["unpatched", "stalled-cycles-frontend"].state is CellState.NOT_HERE
    assert [key[0] for key in found] == ["unpatched"] * 3 + ["patched"] * 2


def test_a_sentence_of_times_is_checked_by_the_lists() -> None:
    (block,) = blocks(perf_stat_means.READER, MEANS)
    (one,) = check(block).claims
    assert one.standing is Standing.HOLDS
    assert one.again == pytest.approx(20.14, abs=0.01)


def test_a_list_of_other_things_is_none_of_perfs() -> None:
    assert blocks(perf_stat_means.READER, "Average of 10 test results\n12 apples\n13 pears\n") == []


FRAMED = """\
With it:
|  Performance counter stats for './b.sh' (5 runs):
|
|       43.367.405,59 msec task-clock                #   30,878 CPUs utilized            ( +-  0,01% )
|           7.393.238      context-switches          #  170,479 /sec                     ( +-  0,13% )
|             832.364      cpu-migrations            #   19,193 /sec                     ( +-  0,15% )
|
|            1404,474 +- 0,466 seconds time elapsed  ( +-  0,03% )
"""


def test_bars_before_each_line_are_no_part_of_it_and_dots_part_thousands() -> None:
    block = _one(FRAMED)
    assert figures(block.entries) == [43367.40559, 7393238.0, 832364.0, 1404.474]
    assert block.entries[-1].figures["error"].value == 0.466
    number = block.entries[2].figures["mean"]
    assert (number.text, number.line, number.column) == ("832.364", 6, 15)
    assert {one.standing for one in check(block).claims} == {Standing.HOLDS}


def test_where_one_figure_is_not_of_the_means_none_is_asked_to_be() -> None:
    claims = check(_one(FRAMED.replace("30,878", "30,901"))).claims
    assert {one.standing for one in claims[:3]} == {Standing.UNCHECKED}
    assert claims[3].standing is Standing.HOLDS


def test_half_a_digit_more_than_the_means_give_is_of_the_last_run_too() -> None:
    text = """
 Performance counter stats for 'x' (10 runs):

       874,154,415      cycles:u                                            ( +-  0.78% )
        82,724,420      instructions:u            #    0.10  insn per cycle  ( +-  0.00% )
"""
    assert [one.standing for one in check(_one(text)).claims] == [Standing.UNCHECKED]


def test_a_figure_of_a_single_run_that_does_not_follow_is_off() -> None:
    text = " Performance counter stats for 'x':\n\n  1,000 cycles\n  2,000 instructions  #  1.50  insn per cycle\n"
    assert [one.standing for one in check(_one(text)).claims] == [Standing.OFF]


def test_a_clock_without_a_unit_is_in_nanoseconds_where_it_is_whole() -> None:
    text = " Performance counter stats for 'x':\n\n  22,065,625,475  task-clock\n  22065.625475  cpu-clock\n"
    assert [one.samples[0].value for one in _one(text).entries] == pytest.approx([22.065625475, 22.065625475])


def test_means_that_were_cut_out_are_of_the_command_above_them() -> None:
    text = """
echo NO_RUN_TO_PARITY > features
perf stat -a -e context-switches --repeat 10 -- perf bench sched messaging -g 20

        3,723,554        context-switches      ( +-  0.56% )
        9.5136 +- 0.0394 seconds time elapsed  ( +-  0.41% )
"""
    block = _one(text)
    assert block.title == "perf bench sched messaging -g 20"
    assert [(one.metric, one.count) for one in block.entries] == [("context-switches", 10), ("elapsed_s", 10)]


@pytest.mark.parametrize(
    "text",
    [
        "  3,723,554  context-switches  ( +-  0.56% )\n",
        "  3,723,554  apples  ( +-  0.56% )\n  9.5136 +- 0.0394 seconds time elapsed  ( +-  0.41% )\n",
        "it took  9.5136 +- 0.0394 seconds time elapsed  ( +-  0.41% )\n",
    ],
)
def test_without_a_header_both_an_event_and_the_time_must_stand_there(text: str) -> None:
    assert not blocks(READER, text)
