"""Tables of MMTests, as they are posted, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.mmtests import EMPTY, READER
from kdelta.archive.reading import read
from kdelta.archive.sources import one_text
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.checked import Standing
from kdelta.model.published import Claim

DBENCH = """\
dbench4 Throughput (misleading but traditional)
                            6.18-rc1               6.18-rc1
                             vanilla   sched-preemptnext-v5
Hmean     1       1268.80 (   0.00%)     1269.74 (   0.07%)
Hmean     160     7666.60 (   0.00%)    10768.72 (  40.46%)

The next table has milliseconds, of a short loadfile.

dbench4 Loadfile Execution Time
                             6.18-rc1               6.18-rc1
                              vanilla   sched-preemptnext-v5
Amean      1         14.62 (   0.00%)       14.69 (  -0.46%)
Amean      160      401.15 (   0.00%)      283.73 (  29.27%)
Stddev     1          0.52 (   0.00%)        0.51 (   2.45%)
Stddev     160       96.38 (   0.00%)       39.72 (  58.79%)
hackbench-process-pipes
                          6.18-rc1             6.18-rc1
                             vanilla   sched-preemptnext-v5
Amean     1        0.2657 (   0.00%)      0.2150 (  19.07%)
Amean     48       3.5023 (   0.00%)      3.9197 ( -11.92%)
"""
STARS = """\
                                  5.7.0-rc6              5.7.0-rc6              5.7.0-rc6
                                    vanilla           optttwu-v1r1     localwakelist-v1r2
Hmean     send-64         251.49 (   0.00%)      258.05 *   2.61%*      305.59 *  21.51%*
Hmean     send-4096     13436.19 (   0.00%)    13614.09 (   1.32%)    15041.09 *  11.94%*
"""
ALONE = """\
                                                 baselin               nb_cgrou
                                                baseline              nb_cgroup
Min       elsp-NUMA01_THREADLOCAL      191.32 (   0.00%)      104.46 (  45.40%)
Amean     elsp-NUMA01_THREADLOCAL      191.32 (   0.00%)      104.46 *  45.40%*  <---
Stddev    elsp-NUMA01_THREADLOCAL        0.00 (   0.00%)        0.00 (   0.00%)
CoeffVar  elsp-NUMA01_THREADLOCAL        0.00 (   0.00%)        0.00 (   0.00%)
Max       elsp-NUMA01_THREADLOCAL      191.32 (   0.00%)      104.46 (  45.40%)
"""
WIDE = """\
On a machine with 3 levels of cgroup, run mmtests config-scheduler-perfpipe:

                                  tip                    tip                patched                            patched
                               default   cgroup_disable=pressure            default     PSI_IRQ + psi_inner_cgroup=off
Min       Time        9.89 (   0.00%)        8.99 (   9.12%)        9.63 (   2.58%)        9.45 (   4.41%)   \n\
1st-qrtle Time       10.01 (   0.00%)        9.15 (   8.66%)        9.72 (   2.89%)        9.54 (   4.77%)
2nd-qrtle Time       10.07 (   0.00%)        9.25 (   8.12%)        9.79 (   2.73%)        9.59 (   4.68%)
Max-1     Time        9.89 (   0.00%)        8.99 (   9.12%)        9.63 (   2.58%)        9.45 (   4.41%)
Max-99    Time       10.23 (   0.00%)        9.37 (   8.43%)        9.99 (   2.41%)        9.69 (   5.25%)
Max       Time       10.34 (   0.00%)        9.46 (   8.50%)       17.04 ( -64.80%)        9.71 (   6.07%)
Amean     Time       10.08 (   0.00%)        9.23 *   8.39%*       10.03 (   0.47%)        9.59 *   4.87%*
"""
HEADLESS = """\
MB/sec copy     29929.64 (   0.00%)    32932.68 (  10.03%)

Min       elsp-24      600.46 (   0.00%)      598.64 (   0.30%)
Amean     user-24    12063.99 (   0.00%)    12030.78 *   0.28%*
Amean     elsp-24      601.60 (   0.00%)      600.19 (   0.23%)
"""
SESSION = """\
kernbench
==========\t\tbase                  patched %gain
Amean    elsp-128      165.09 ( 0.00%)      164.78 *   0.19%*

Duration User       41404.28    41375.08
Duration Elapsed      519.87      518.72

Ops NUMA PTE updates           1041416.00      831536.00
"""
TABS = """\
there is really nothing to go by except for one of them here:
\t\t     simple-spinlock           vanilla\t\t\tdirty
Hmean     14        73.50 (   0.00%)       54.44 * -25.93%*       73.45 * -0.07%*
Hmean     850     6726.21 (   0.00%)     5264.03 * -21.74%*     6863.12 * 2.04%*
"""
OPTIONS = """\
                     mb_optimize_scan=0     mb_optimize_scan=1     patched
Hmean     disk-41     92481.20 (   0.00%)    83787.47 *  -9.40%*    90308.37 (  -2.35%)
"""
ROW = "Amean     1        0.2657 (   0.00%)      0.2150 (  19.07%)\n"


def stars(of: str) -> list[Claim]:
    return [claim for block in blocks(READER, of) for claim in block.claims if claim.kind == "significant"]


def values(of: str, variant: str, name: str, **wanted: str) -> list[float]:
    return figures(entries(blocks(READER, of), variant=variant, **wanted), name)


def test_more_is_better_of_a_harmonic_mean_and_less_of_an_arithmetic_one() -> None:
    found = blocks(READER, DBENCH)
    assert {(one.metric, one.better) for one in entries(found)} == {("throughput", Better.LARGER), ("time", Better.SMALLER)}


def test_values_are_in_base_units_where_the_benchmark_is_known() -> None:
    new = "sched-preemptnext-v5"
    assert values(DBENCH, new, "hmean", metric="throughput") == pytest.approx([1269.74e6, 10768.72e6])
    assert values(DBENCH, new, "mean", metric="time") == pytest.approx([0.01469, 0.28373, 0.2150, 3.9197])
    assert values(DBENCH, "vanilla", "sd", benchmark="dbench4-loadfile-execution-time-160") == pytest.approx([0.09638])


def test_the_operation_is_the_load_of_the_benchmark_above_the_table() -> None:
    (one,) = entries(blocks(READER, DBENCH), benchmark="hackbench-process-pipes-48", variant="vanilla")
    assert (one.program, one.parameters, one.unit) == ("hackbench", {"groups": "48"}, "s")


def test_the_percentage_kept_with_a_value_is_that_of_its_mean() -> None:
    assert values(DBENCH, "sched-preemptnext-v5", "change") == [0.07, 40.46, -0.46, 29.27, 19.07, -11.92]


def test_percentages_hold_though_they_are_of_unrounded_figures() -> None:
    found = [one for block in blocks(READER, DBENCH) for one in check(block).claims]
    assert {one.standing for one in found} == {Standing.HOLDS}
    assert [one.again for one in found if one.claim.printed.text == "-0.46"] == [pytest.approx(-0.479, abs=1e-3)]


def test_a_deviation_that_shrinks_is_a_plus_beside_a_mean_that_grows() -> None:
    of = "Hmean   1   100.00 (  0.00%)  110.00 (  10.00%)\nHStddev 1     2.00 (  0.00%)    1.00 (  50.00%)\n"
    (block,) = blocks(READER, of)
    assert {one.standing for one in check(block).claims} == {Standing.HOLDS}


def test_kernels_of_one_name_are_called_by_the_second_line() -> None:
    (block,) = blocks(READER, STARS)
    assert list(dict.fromkeys(one.variant for one in block.entries)) == ["vanilla", "optttwu-v1r1", "localwakelist-v1r2"]
    assert block.facts == {"kernel": "5.7.0-rc6"}


def test_a_star_is_a_claim_and_its_absence_none() -> None:
    assert [(one.printed.text, one.what.split(",")[0], one.count) for one in stars(STARS)] == [
        ("*", "send-64 result Hmean", None),
        ("*", "send-64 result Hmean", None),
        ("*", "send-4096 result Hmean", None),
    ]


def test_the_place_of_a_star_and_of_a_percentage_is_that_in_the_text() -> None:
    assert (stars(STARS)[0].printed.line, stars(STARS)[0].printed.column) == (3, 57)
    change = entries(blocks(READER, STARS), variant="optttwu-v1r1")[0].figures["change"]
    assert (change.text, change.line, change.column) == ("2.61", 3, 61)


def test_one_sample_a_side_makes_its_star_say_nothing() -> None:
    (block,) = blocks(READER, ALONE)
    assert {one.count for one in block.entries} == {1}
    assert [one.standing for one in check(block).claims if one.claim.kind == "significant"] == [Standing.OFF]
    assert any("one sample" in one.text and "the star says nothing" in one.text and one.line == 4 for one in block.remarks)


def test_one_sample_has_no_deviation_but_what_is_printed_of_it_is_kept() -> None:
    entry = entries(blocks(READER, ALONE))[0]
    assert "sd" not in entry.figures
    assert [one.number.text for one in entry.discarded] == ["0.00", "0.00"]


def test_equal_ends_of_coarse_values_need_not_be_one_sample() -> None:
    coarse = ALONE.replace("191.32", "191").replace("104.46", "104")
    assert {one.count for one in entries(blocks(READER, coarse))} == {None}


def test_a_name_without_a_dash_is_printed_whole_in_the_second_line() -> None:
    assert [one.variant for one in entries(blocks(READER, ALONE))] == ["baseline", "nb_cgroup"]


def test_names_with_blanks_and_names_wider_than_their_columns_are_whole() -> None:
    names = [one.variant for one in entries(blocks(READER, WIDE))]
    assert names == ["tip default", "tip cgroup_disable=pressure", "patched default", "patched PSI_IRQ + psi_inner_cgroup=off"]


def test_quartiles_and_percentiles_are_figures_of_one_entry() -> None:
    (one,) = entries(blocks(READER, WIDE), variant="patched default")
    found = {name: each.text for name, each in one.figures.items()}
    assert found.items() >= {"min": "9.63", "p25": "9.72", "median": "9.79", "p1": "9.63", "p99": "9.99"}.items()
    assert found.items() >= {"max": "17.04", "mean": "10.03", "change": "0.47"}.items()
    assert (one.benchmark, one.unit, one.printed_unit) == ("perfpipe", "s", "usecs/op")


def test_an_outlier_that_moves_a_mean_is_remarked() -> None:
    (block,) = blocks(READER, WIDE)
    (remark,) = block.remarks
    assert "patched default" in remark.text
    assert (remark.line, "17.04" in remark.text, "9.99" in remark.text) == (10, True, True)


def test_percentiles_of_what_is_better_larger_are_counted_from_above() -> None:
    of = "Max-99  1   90.00 (  0.00%)  91.00 (  1.11%)\nHmean   1  100.00 (  0.00%)  110.00 (  10.00%)\n"
    (block,) = blocks(READER, of)
    assert set(block.entries[0].figures) == {"p1", "hmean", "change"}
    assert "from the largest" in block.remarks[0].text


def test_kernbench_has_its_jobs_in_the_labels_of_its_rows() -> None:
    found = entries(blocks(READER, HEADLESS), program="kernbench", variant="column 2")
    assert [(one.benchmark, one.metric, one.parameters) for one in found] == [
        ("kernbench-24", "elapsed_s", {"load": "24"}),
        ("kernbench-24", "user_s", {"load": "24"}),
    ]
    assert found[0].figures["mean"].value == 600.19


def test_a_table_without_names_says_so_and_numbers_its_columns() -> None:
    first, second = blocks(READER, HEADLESS)
    assert {one.variant for one in (*first.entries, *second.entries)} == {"column 1", "column 2"}
    assert all("no line above the table names its runs" in [one.text for one in block.remarks] for block in (first, second))


def test_a_unit_at_the_head_of_a_row_is_that_of_its_values() -> None:
    one = entries(blocks(READER, HEADLESS), benchmark="copy")[1]
    assert one.figures["value"].value == pytest.approx(32932.68e6)
    assert (one.unit, one.better) == ("B/s", Better.LARGER)


def test_the_time_of_the_session_is_no_result_of_the_benchmark() -> None:
    found = blocks(READER, SESSION)
    assert figures(entries(found, benchmark="kernbench-128", variant="patched")) == [164.78]
    session = entries(found, benchmark="kernbench-session")
    assert {one.better for one in session} == {None}
    assert [(one.metric, one.variant, one.figures["value"].text) for one in session] == [
        ("user_s", "base", "41404.28"),
        ("user_s", "patched", "41375.08"),
        ("elapsed_s", "base", "519.87"),
        ("elapsed_s", "patched", "518.72"),
        ("numa-pte-updates", "base", "1041416.00"),
        ("numa-pte-updates", "patched", "831536.00"),
    ]


def test_tabs_before_names_and_prose_above_them_are_understood() -> None:
    (block,) = blocks(READER, TABS)
    assert [(one.variant, one.figures["hmean"].text) for one in block.entries[:3]] == [
        ("simple-spinlock", "73.50"),
        ("vanilla", "54.44"),
        ("dirty", "73.45"),
    ]
    assert (block.title, stars(TABS)[1].what) == ("", "mmtests-14 result Hmean, dirty against simple-spinlock")


def test_names_of_columns_may_hold_an_equals_sign() -> None:
    assert [one.variant for one in entries(blocks(READER, OPTIONS))] == ["mb_optimize_scan=0", "mb_optimize_scan=1", "patched"]
    assert values(OPTIONS, "patched", "change") == [-2.35]


def test_a_result_that_a_run_lacks_is_missing_and_not_zero() -> None:
    (block,) = blocks(READER, "Amean     1        0.2657 (   0.00%)      0.0000 (   0.00%)\n")
    lacking = block.entries[1]
    assert (lacking.figures, lacking.reason, [one.number.text for one in lacking.discarded]) == ({}, EMPTY, ["0.0000"])
    assert any(EMPTY in one.text for one in block.remarks)


@pytest.mark.parametrize("word", ["nan", "-nan", "inf"])
def test_what_is_no_number_is_missing(word: str) -> None:
    (block,) = blocks(READER, f"Amean     1        0.2657 (   0.00%)      {word} (   {word}%)\n")
    assert [sorted(one.figures) for one in block.entries] == [["change", "mean"], []]


def test_names_that_stand_without_a_blank_between_them_are_those_of_the_table_above() -> None:
    names = ("sched-pidclear-v1r5", "sched-forcescan-v1r5")
    wide = f"{names[0]:>30}{names[1]:>23}\n"
    of = f"{wide}{ROW}\n{'':20}{names[0]}{names[1]}\nDuration User        5702.00    10264.25\n"
    assert [one.variant for one in entries(blocks(READER, of), metric="user_s")] == list(names)


@pytest.mark.parametrize("before", ["305.59", "*  21.51%*", "258.05"])
def test_a_row_that_a_mail_wrapped_is_joined(before: str) -> None:
    of = STARS.splitlines()[2]
    (block,) = blocks(READER, f"{of.replace(before, chr(10) + before)}\n{STARS.splitlines()[3]}\n")
    assert [one.figures["hmean"].text for one in block.entries[:3]] == ["251.49", "258.05", "305.59"]
    assert [one.figures["change"].text for one in block.entries[:3]] == ["0.00", "2.61", "21.51"]
    assert len(block.entries) == 6
    assert any("joined" in one.text and one.line == 2 for one in block.remarks)


def test_the_rows_of_2012_have_their_statistic_last() -> None:
    of = "User    mean   1306.99 (  0.00%)   1310.00 ( -0.23%)\nUser    stddev    2.00 (  0.00%)      1.00 ( 50.00%)\n"
    (base, _) = entries(blocks(READER, of))
    assert (base.metric, {name: one.text for name, one in base.figures.items()}) == (
        "user_s",
        {"mean": "1306.99", "change": "0.00", "sd": "2.00"},
    )


def test_a_mean_of_the_best_half_is_another_metric() -> None:
    of = f"{ROW}BAmean-50 1        0.2500 (   0.00%)      0.2100 (  16.00%)\n"
    assert [one.metric for one in entries(blocks(READER, of))] == ["result", "result", "result-best-50", "result-best-50"]


def test_a_second_table_of_the_same_names_is_told_apart() -> None:
    found = blocks(READER, f"{ROW}\nAnd now with the other one.\n\n{ROW.replace('0.2150', '0.2151')}")
    assert [one.benchmark for one in entries(found)] == ["mmtests-1", "mmtests-1", "mmtests-1-table-2", "mmtests-1-table-2"]
    assert any("table 2" in one.text for one in found[1].remarks)


def test_a_table_that_is_quoted_again_counts_once() -> None:
    quoted = "".join(f"> {line}\n" for line in STARS.splitlines())
    assert len(read(one_text("mail", f"{STARS}\n{quoted}".encode()), (READER,)).blocks) == 1


@pytest.mark.parametrize(
    "other",
    [
        "null syscall: 1.20  1.30 (8%)  1.10 (-8%)\n",
        "1-groups:  3.92 (0.00 pct)  4.05 (-3.31 pct)\n",
        "Max is 3.5 (0.00%) of it, and Min less\n",
        "Min   1\n",
        "Amean of all is 3.50\n",
    ],
)
def test_other_tables_and_prose_are_passed_over(other: str) -> None:
    assert list(READER.read(one_text("text", other.encode()))) == []


def test_blanks_before_a_bracket_part_no_row() -> None:
    text = """\
process-pipes:
                Baseline                Patched
Amean   1       0.4300   ( 0.00%)       0.4420   ( -2.79%)
Amean   48      9.3873  ( 0.00%)        9.4898  ( -1.09%)
Amean   79      15.9281 ( 0.00%)        16.1385 ( -1.32%)
"""
    (block,) = blocks(READER, text)
    assert figures(entries([block], variant="Patched")) == [0.4420, 9.4898, 16.1385]
    assert {one.standing for one in check(block).claims} == {Standing.HOLDS}
