"""kernbench's log, read in the forms in which it is printed and mailed."""

from __future__ import annotations

import pytest
from tests.archive.kernbench_logs import (
    CAPPED_2013,
    CGROUP_2007,
    FLUSH_2017,
    IF_2010,
    TABS_2019,
    TERMINAL_2006,
    beside,
    progress,
    table,
)
from tests.archive.reading import blocks, entries, figures, text

from kdelta.archive.kernbench_log import READER
from kdelta.archive.reading import read
from kdelta.judge.claims import check
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing
from kdelta.model.published import Block, Entry

SORTED = "Kernbench log for {}\n====\n\nKernel: {}\n"
VANILLA = SORTED.format("Vanilla", "3.7.0-rc3-vanilla") + table(
    "Optimal load -j 32",
    "650.742 (2.49774)",
    "8213.08 (17.6347)",
    "1273.91 (6.00643)",
    "1457.4 (3.64692)",
    "2250203 (3846.61)",
    "1.8781e+06 (5310.33)",
)
BUDDY = SORTED.format("this patchset", "3.7.0-rc3-buddy") + table(
    "Optimal load -j 32",
    "591.696 (0.660969)",
    "7511.97 (1.08313)",
    "1062.99 (1.1109)",
    "1448.6 (1.94936)",
    "2.1496e+06 (3507.12)",
    "1.84305e+06 (3092.67)",
)
OLD = "Average {} Run:"
FIVE = (
    "All data logged to kernbench.log\nWarmup run...\n"
    + progress("Optimal load -j 8", 5)
    + table(
        "Optimal load -j 8",
        "28.094 (0.182565)",
        "184.74 (0.397052)",
        "20.72 (0.18262)",
        "730.8 (5.54076)",
        "20525.8 (1393.89)",
        "23456.6 (16.2111)",
    )
)
BARE = "Average Half load -j 8 Run (std deviation)\n\t\t old\t\tnew{}\nUser Time        1006.58 (2.74)\t1003.7 (4.11)\t-0.29\n"
ONE = table("Optimal load -j 144", "7.770000", "205.550000", "32.020000", "3054.000000", "8621.000000", "24101.000000")


def only(of: str) -> Block:
    (block,) = blocks(READER, of)
    return block


def variants(of: str) -> list[str]:
    return list(dict.fromkeys(one.variant for one in entries(blocks(READER, of))))


def said(of: str) -> str:
    return "\n".join(f"{one.line}: {one.text}" for block in blocks(READER, of) for one in block.remarks)


def means(of: str, **wanted: str) -> list[float]:
    return figures(entries(blocks(READER, of), **wanted))


def counts(of: str) -> set[int | None]:
    return {one.count for one in entries(blocks(READER, of))}


def changes(of: str) -> list[tuple[str, Standing]]:
    found = [check(block) for block in blocks(READER, of)]
    return [(one.claim.printed.text, one.standing) for block in found for one in block.claims if one.claim.kind == "change"]


def test_means_and_deviations_of_a_log_are_read_with_its_kernel() -> None:
    found = entries(blocks(READER, VANILLA + "\n" + BUDDY), variant="3.7.0-rc3-buddy")
    assert figures(found) == [591.696, 7511.97, 1062.99, 1448.6, 2149600, 1843050]
    assert figures(found, "sd") == [0.660969, 1.08313, 1.1109, 1.94936, 3507.12, 3092.67]
    assert [one.metric for one in found] == ["elapsed_s", "user_s", "system_s", "percent_cpu", "context_switches", "sleeps"]


def test_logs_that_follow_one_another_are_compared_and_the_first_is_the_base() -> None:
    assert [one.variant for one in only(VANILLA + "\n" + BUDDY).entries][::6] == ["3.7.0-rc3-vanilla", "3.7.0-rc3-buddy"]


def test_a_number_keeps_its_digits_and_its_place() -> None:
    sleeps = entries(blocks(READER, VANILLA), metric="sleeps")[0].figures["mean"]
    assert (sleeps.text, sleeps.value, sleeps.step, sleeps.line, sleeps.column) == ("1.8781e+06", 1878100.0, 100.0, 11, 8)


def test_loads_are_named_as_in_our_own_catalogue_with_their_jobs() -> None:
    found = entries(blocks(READER, TERMINAL_2006), metric="elapsed_s")
    assert [(one.benchmark, one.parameters) for one in found] == [
        ("kernbench-half", {"load": "half", "jobs": "8"}),
        ("kernbench-optimal", {"load": "optimal", "jobs": "64"}),
        ("kernbench-maximal", {"load": "maximal"}),
    ]


def test_lines_of_progress_say_how_many_runs_there_were() -> None:
    assert counts(FIVE) == {5}


def test_what_the_terminal_announces_says_how_many_runs_there_are() -> None:
    assert counts("Performing 4 runs of\nmake -j 8\n\n" + table("Half load -j 8", "12.5 (0.3)")) == {4}


def test_a_number_of_runs_that_nobody_states_stays_unknown() -> None:
    assert counts(VANILLA) == {None}


def test_no_deviation_where_one_is_announced_is_one_run() -> None:
    assert (counts(ONE), {*entries(blocks(READER, ONE))[0].figures}) == ({1}, {"mean"})


def test_no_deviation_in_the_old_form_says_nothing_of_the_number_of_runs() -> None:
    assert counts(table("Half Load -j 4", "274.916", title=OLD)) == {None}


def test_whether_runs_are_of_one_boot_is_not_said() -> None:
    assert {one.boots for one in entries(blocks(READER, FIVE))} == {None}


def test_two_logs_of_the_old_form_beside_each_other_are_two_kernels() -> None:
    written = "kernel: nikita-b2                     kernel: patch-2.6.10-rc2\nHost: stp8-002      Host: stp8-003\n\n" + beside(
        "Half Load -j 4", ("274.916", "833.63"), ("245.026", "832.34"), "Average {0} Run:                 Average {0} Run:"
    )
    assert means(written, variant="nikita-b2") == [274.916, 833.63]
    assert means(written, variant="patch-2.6.10-rc2") == [245.026, 832.34]
    assert "different machines: stp8-002, stp8-003" in said(written)


def test_two_loads_beside_each_other_are_of_one_kernel() -> None:
    written = "*** Before ***\n Average Half Load -j 4 Run:         Average Optimal -j 32 Load Run:\n"
    written += " Elapsed Time 266.104      Elapsed Time 353.957 --(1)\n"
    found = entries(blocks(READER, written))
    assert [(one.variant, one.benchmark) for one in found] == [("Before", "kernbench-half"), ("Before", "kernbench-optimal")]


def test_columns_are_named_by_the_line_above_them() -> None:
    assert means(IF_2010, variant="With 'if'", metric="elapsed_s") == [338.122, 255.32, 236.318]
    assert means(IF_2010, variant="Without 'if'", metric="elapsed_s") == [336.404, 255.144, 236.018]
    assert figures(entries(blocks(READER, IF_2010), variant="Without 'if'", metric="elapsed_s"), "sd") == [
        1.69196,
        1.09674,
        1.32215,
    ]


def test_a_table_that_is_cut_is_read_as_far_as_it_goes() -> None:
    assert [one.metric for one in entries(blocks(READER, IF_2010), benchmark="kernbench-custom")][::2] == [
        "elapsed_s",
        "user_s",
        "system_s",
    ]
    assert "without Percent CPU, Context Switches, Sleeps" in said(IF_2010)


def test_tabs_and_quotes_within_labels_and_titles_are_blanks() -> None:
    found = entries(blocks(READER, TABS_2019), variant="SPF", box="48 CPUs X86 system")
    assert figures(found) == [56.256, 984.958, 1988.4, 30472.4, 125003, 45.968]
    assert {one.benchmark for one in found} == {"kernbench-half", "kernbench-optimal"}


def test_another_machine_begins_another_comparison() -> None:
    (found,) = [block for block in blocks(READER, TABS_2019) if block.entries[0].box == "1024 CPUs Power8 VM"]
    assert [one.variant for one in found.entries[:2]] == ["5.1.0-rc4-mm1+", "5.1.0-rc4-mm1-spf-rcu+"]
    assert figures(entries([found], metric="percent_cpu")) == [11111.6, 11115.2]


def test_runs_that_prose_counts_for_one_machine_are_not_counted_for_another() -> None:
    found = entries(blocks(READER, TABS_2019))
    assert {(one.box, one.count) for one in found} == {("48 CPUs X86 system", 5), ("1024 CPUs Power8 VM", None)}


def test_a_third_column_of_percentages_is_a_change_of_the_second() -> None:
    elapsed = entries(blocks(READER, TABS_2019), variant="SPF", metric="elapsed_s")[0]
    assert {name: one.text for name, one in elapsed.figures.items()} == {"mean": "56.256", "sd": "1.15106", "change": "0.47"}


def test_plus_is_less_in_every_row_of_a_mail_and_all_changes_hold() -> None:
    assert {standing for _, standing in changes(TABS_2019)} == {Standing.HOLDS}
    assert {check(block).reading for block in blocks(READER, TABS_2019)} == {"plus is less, in percent of the base"}


def test_counters_of_perf_between_the_tables_are_not_read_as_rows() -> None:
    texts = {one.text for entry in entries(blocks(READER, TABS_2019)) for one in entry.figures.values()}
    assert not texts & {"525,873,132", "242", "149", "149 375 832", "832"}


def test_a_column_named_delta_is_a_change_though_no_percent_sign_stands_in_it() -> None:
    assert changes(BARE.format("\t\tdelta %")) == [("-0.29", Standing.HOLDS)]


def test_numbers_behind_the_columns_that_nobody_names_are_passed_over() -> None:
    written = BARE.format("")
    assert (changes(written), "more numbers than columns" in said(written)) == ([], True)


def test_percentages_in_a_second_bracket_are_changes_against_the_first_log() -> None:
    found = changes(CAPPED_2013)
    assert [text for text, _ in found] == ["+ 2", "+ 0.84", "+ 0.18", "-1.8", "+ 0.47", "+ 9.7", "- 2.5", "+ 4.7", "- 5.6", "- 10"]
    assert [text for text, standing in found if standing is not Standing.HOLDS] == ["+ 0.84"]


def test_a_blank_behind_the_sign_does_not_lose_it() -> None:
    found = entries(blocks(READER, CAPPED_2013), variant="Full", metric="user_s")[0].figures["change"]
    assert (found.text, found.value, found.step) == ("- 2.5", -2.5, 0.1)


def test_a_spread_of_more_than_half_of_the_mean_is_remarked() -> None:
    assert said(CAPPED_2013).count("spreads by more than half of its mean: runs of different loads are mixed in it") == 3


def test_a_colon_makes_a_heading_above_a_log_its_name() -> None:
    assert variants(CAPPED_2013) == ["Base", "PatchD", "Full"]


@pytest.mark.parametrize(
    ("above", "name"),
    [
        ("Kernbench log for Vanilla 3.7-rc3\n=====\n\n", "Vanilla 3.7-rc3"),
        ("Base (3.9)\n==========\n", "Base (3.9)"),
        ("Kernbench, before:\n\n", "before"),
        ("***** With percpu_counter:\n\n", "With percpu_counter"),
        ("the runs below are of one machine.\n\nEnabled\n\n", "Enabled"),
        ("Kernel: 3.7.0-rc3\n", "3.7.0-rc3"),
        ("Patched:\nTue Aug 11 13:45:14 EDT 2009\n2.6.31-rc5-git2-resources\n", "2.6.31-rc5-git2-resources"),
        ("2.6.31-rc5\n", "2.6.31-rc5"),
        ("Kernbench:\n----------\n", ""),
        ("Results:\n\n", ""),
        ("I ran it on all of the machines that were there, and it looks good:\n", ""),
        ("- 16 CPUs x86 VM\n", ""),
    ],
)
def test_what_stands_above_a_log_names_it(above: str, name: str) -> None:
    assert variants(above + table("Half load -j 2", "86.57 (1.06099)")) == [name]


@pytest.mark.parametrize(("of", "heading"), [(FLUSH_2017, "a range"), (CGROUP_2007, "Results in the default one")])
def test_one_kernel_twice_in_a_text_is_told_apart_with_what_the_text_says(of: str, heading: str) -> None:
    first, second = variants(of)
    assert second == f"{first} (2)"
    assert repr(heading) in said(of)


def test_two_logs_of_one_kernel_are_not_merged() -> None:
    assert means(CGROUP_2007, metric="elapsed_s") == [466.548, 423.496, 424.17, 407.092]
    assert means(CGROUP_2007, variant="2.6.23-rc2-mm2-mem-v6 (2)", benchmark="kernbench-optimal") == [407.092, 878.493]


def test_a_log_that_is_quoted_below_is_not_counted_twice() -> None:
    quoted = "".join(f"> {line}\n" for line in BUDDY.splitlines()[:8])
    written = f"{VANILLA}\n{BUDDY}\nSomebody wrote:\n{quoted}"
    assert len(entries(blocks(READER, written))) == 12
    assert "pasted or quoted again, and not counted twice" in said(written)


def test_a_kernel_without_a_name_has_none() -> None:
    assert variants(FIVE) == [""]


def test_no_data_is_a_failure_and_no_number() -> None:
    found = entries(blocks(READER, table("Half load -j 2", "86.57 (1.06099)", "No data")), metric="user_s")[0]
    assert (found.state, found.figures, found.reason) == (CellState.FAILED, {}, "the log says that there are no data")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("Percent CPU 738%", "738"),
        ("User    Time     10135.4 (30.3699)", "10135.4"),
        ("Context Switches 149 375 832 (1)", "149 375 832"),
        ("Context Switches 1.30478e+06", "1.30478e+06"),
        ("Context Switches 1,304,780", "1,304,780"),
        ("elapsed time 12.5 s (0.1)", "12.5"),
    ],
)
def test_a_number_is_read_as_it_is_written(row: str, text: str) -> None:
    found = entries(blocks(READER, f"Average Half load -j 2 Run\n{row}\n"))
    assert [one.figures["mean"].text for one in found] == [text]


def test_blanks_between_thousands_are_remarked() -> None:
    written = "Average Half load -j 2 Run\nSleeps 149 375 832 (7)\n"
    assert (means(written), "blanks between its thousands" in said(written)) == ([149375832.0], True)


def test_a_row_that_a_mail_wrapped_is_joined() -> None:
    written = (
        "Average Half load -j 8\nUser Time  1033.25 (52.6037)\t1034.63\n(51.8167)\nSystem Time 185.46 (18.4826)\n191.75 (19.6379)\n"
    )
    found = blocks(READER, written)
    assert (figures(entries(found)), figures(entries(found), "sd")) == (
        [1033.25, 1034.63, 185.46, 191.75],
        [52.6037, 51.8167, 18.4826, 19.6379],
    )
    assert said(written).count("the line is wrapped") == 2


def test_a_sum_that_somebody_added_between_the_rows_does_not_end_them() -> None:
    written = (
        "Average Optimal -j 8 Load Run:\n\n        Vanilla          Soft Cap 0%\n\nSystem Time  181.7   (0.60)   177.5   (0.74)\n"
    )
    written += "  Total   2089.8   2072.7\nPercent CPU  197.6   (0.55)   197.0   (0)\n"
    assert [(one.variant, one.metric) for one in entries(blocks(READER, written))][2:] == [
        ("Vanilla", "percent_cpu"),
        ("Soft Cap 0%", "percent_cpu"),
    ]


def test_a_mean_that_another_is_set_against_is_kept_as_the_base() -> None:
    found = entries(blocks(READER, "Average Half Load -j 3 Run:\nElapsed Time 573.582 (vs 576.196)\n"))
    assert [(one.variant, one.figures["mean"].value) for one in found] == [("vs", 576.196), ("", 573.582)]


def test_a_table_with_a_line_for_each_kernel_is_read() -> None:
    written = (
        "Average Optimal -j8 Load Run:\n      Elapsed Time  User Time  System Time  Percent CPU  C/Switch   Sleeps\n"
        "2.6.9-rc3        699.906   1322.01     39.336        194        64390    74416.8\n"
        "2.6.9-rc3 + map  698.478   1321.76     38.228        194        64502    74185\n"
    )
    assert means(written, variant="2.6.9-rc3 + map") == [698.478, 1321.76, 38.228, 194, 64502, 74185]


@pytest.mark.parametrize(("of", "standing"), [(VANILLA, Standing.HOLDS), (FIVE, Standing.HOLDS), (CAPPED_2013, Standing.UNCHECKED)])
def test_cpu_follows_from_the_times_where_the_runs_are_alike(of: str, standing: Standing) -> None:
    found = [one for one in check(blocks(READER, of)[0]).claims if one.claim.kind == "cpu"]
    assert found[0].standing is standing


@pytest.mark.parametrize(
    "written",
    [
        "Average Half load -j 8 Run (std deviation):\n",
        "On average half load is fine.\nElapsed Time was short.\nUser Time is up.\n",
        "Elapsed Time 12.5 (0.3)\nUser Time 30\nThe average is fine.\n",
        "Average Latency 5.3\nElapsed Time 12.5\n",
    ],
)
def test_what_is_no_log_is_not_read(written: str) -> None:
    assert blocks(READER, written) == []


HOSTILE = [
    table("Half load -j 2", "1e999 (1)", "nan (nan)", "1 (1e999)", "-5 (-3)", "9" * 5000),
    "Average Half load -j " + "9" * 5000 + " Run\nElapsed Time " + "1 " * 30000 + "\n",
    ("Average Half load\n" * 3000) + "Elapsed Time 1\n",
    "".join(table("Half load -j 2", *[f"{one} (1)"] * 6) for one in range(200)),
    "Elapsed Time " * 5000 + "Average Half\nElapsed Time 1 (" + " " * 60000 + ")\n",
]


@pytest.mark.parametrize("written", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_read_to_its_end(written: str) -> None:
    found = read(text(written), (READER,))
    assert all(isinstance(one, Entry) for block in found.blocks for one in block.entries)
