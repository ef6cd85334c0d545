"""hyperfine's output and exports, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures, samples

from kdelta.archive import hyperfine, hyperfine_json
from kdelta.judge.claims import check
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing

PRINTED = (
    "Benchmark #1: chromium https://one\n"
    "  Time (mean \u00b1 \u03c3):      4.293 s \u00b1  0.373 s    [User: 1.481 s, System: 0.382 s]\n"
    "  Range (min \u2026 max):    3.867 s \u2026  4.945 s    10 runs\n \n"
    "Benchmark #2: chromium https://two\n"
    "  Time (mean \u00b1 \u03c3):      2.201 s \u00b1  0.172 s    [User: 849.7 ms, System: 264.5 ms]\n"
)
SUMMARY = "\nSummary\n  'chromium https://two' ran\n    1.95 \u00b1 0.23 times faster than 'chromium https://one'\n"
EXPORT = """\
{"results": [
  {"command": "sleep 0.1", "mean": 0.1076625, "stddev": 0.0020, "median": 0.1075, "user": 0.000717, "system": 0.001351,
   "min": 0.10586876872, "max": 0.10985180972,
   "times": [0.10586876872, 0.10725897672000001, 0.10985180972], "exit_codes": [0, 0, 0]},
  {"command": "sleep 0.2", "user": 0.001, "times": [0.2123, 0.2069, 0.2033], "exit_codes": [0, 1, null],
   "parameters": {"delay": "0.2"}, "memory_usage_byte": [1024, 2048, 4096]}
]}
"""
MARKDOWN = """\
| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |
|:---|---:|---:|---:|---:|
| `sleep 0.1` | 107.5 \u00b1 3.2 | 102.5 | 115.3 | 1.00 |
| `sleep 0.2` | 208.5 \u00b1 3.7 | 201.8 | 214.1 | 1.94 \u00b1 0.07 |
"""
CSV = (
    'command,mean,stddev,median,user,system,min,max,parameter_x\n"sleep 0.1, twice",0.107,0.003,0.106,0.0007,0.0013,0.102,0.115,4\n'
)


def test_each_number_has_its_own_unit() -> None:
    found = blocks(hyperfine.READER, PRINTED)
    one, two = "chromium https://one", "chromium https://two"
    assert {(e.benchmark, e.metric): next(iter(e.figures.values())).value for e in entries(found)} == {
        (one, "elapsed_s"): 4.293,
        (one, "user_s"): 1.481,
        (one, "system_s"): 0.382,
        (two, "elapsed_s"): 2.201,
        (two, "user_s"): pytest.approx(0.8497),
        (two, "system_s"): pytest.approx(0.2645),
    }
    assert entries(found, benchmark=two, metric="user_s")[0].printed_unit == "ms"


def test_a_range_says_how_many_runs_there_were() -> None:
    first = blocks(hyperfine.READER, PRINTED)[0].entries[0]
    assert {name: one.value for name, one in first.figures.items()} == {"mean": 4.293, "sd": 0.373, "min": 3.867, "max": 4.945}
    assert first.count == 10


def test_a_missing_range_leaves_the_number_of_runs_unknown() -> None:
    (block,) = blocks(hyperfine.READER, PRINTED)
    assert [one.count for one in block.entries] == [10, 10, 10, None, None, None]
    assert [(remark.line, remark.text[:4]) for remark in block.remarks] == [(6, "cut:")]


def test_times_faster_follow_from_the_means() -> None:
    (block,) = blocks(hyperfine.READER, PRINTED + SUMMARY)
    (one,) = check(block).claims
    assert one.standing is Standing.HOLDS
    assert one.again == pytest.approx(4.293 / 2.201)


def test_a_summary_of_commands_that_are_not_there_cannot_be_checked() -> None:
    (block,) = blocks(hyperfine.READER, PRINTED + SUMMARY.replace("two", "three"))
    assert [one.standing for one in check(block).claims] == [Standing.UNCHECKED]


def test_a_single_run_has_no_mean_and_no_spread() -> None:
    text = "Benchmark 1: make\n  Time (abs \u2261):        12.345 s               [User: 1.0 s, System: 0.1 s]\n"
    entry = blocks(hyperfine.READER, text)[0].entries[0]
    assert (list(entry.figures), entry.count) == (["value"], 1)


def test_what_hyperfine_warns_of_is_remarked_and_an_error_is_a_failure() -> None:
    text = (
        PRINTED
        + "  Warning: Statistical outliers were detected.\nBenchmark 3: false\nError: Command terminated with non-zero exit code.\n"
    )
    (block,) = blocks(hyperfine.READER, text)
    assert any("outliers" in remark.text for remark in block.remarks)
    last = block.entries[-1]
    assert (last.benchmark, last.state, last.figures) == ("false", CellState.FAILED, {})


def test_signs_that_lost_their_encoding_are_passed_over() -> None:
    garbled = PRINTED.replace("\u00b1", "+-").replace("\u03c3", "?").replace("\u2026", "...")
    assert len(blocks(hyperfine.READER, garbled)[0].entries) == 6


def test_other_output_with_the_same_signs_is_not_read() -> None:
    julia = "BenchmarkTools.Trial: 7864 samples\n Time  (mean \u00b1 \u03c3):   632.479 \u03bcs \u00b1 628.993 \u03bcs\n"
    assert blocks(hyperfine.READER, julia) == []


def test_the_times_of_the_export_are_samples_and_its_figures_are_claims() -> None:
    (block,) = blocks(hyperfine_json.READER, EXPORT)
    (entry,) = entries([block], benchmark="sleep 0.1", metric="elapsed_s")
    assert samples(entry) == [0.10586876872, 0.10725897672000001, 0.10985180972]
    assert (entry.figures, entry.count, entry.samples[0].line) == ({}, 3, 4)
    standing = {one.claim.what: one.standing for one in check(block).claims}
    assert standing["sleep 0.1, min"] is Standing.HOLDS
    assert standing["sleep 0.1, median"] is Standing.OFF


def test_user_and_system_are_means_only() -> None:
    (block,) = blocks(hyperfine_json.READER, EXPORT)
    found = [(one.figures["mean"].value, one.samples) for one in entries([block], benchmark="sleep 0.1") if one.figures]
    assert found == [(0.000717, ()), (0.001351, ())]


def test_a_run_that_failed_is_no_sample() -> None:
    (block,) = blocks(hyperfine_json.READER, EXPORT)
    (entry,) = entries([block], benchmark="sleep 0.2", metric="elapsed_s")
    assert samples(entry) == [0.2123]
    assert [(one.number.value, one.reason) for one in entry.discarded] == [
        (0.2069, "ended with exit status 1"),
        (0.2033, "ended by a signal"),
    ]
    assert "2 of 3 runs failed" in block.remarks[0].text


def test_a_command_of_which_all_runs_failed_has_failed() -> None:
    (block,) = blocks(hyperfine_json.READER, EXPORT.replace("[0, 1, null]", "[2, 1, null]"))
    (entry,) = entries([block], benchmark="sleep 0.2", metric="elapsed_s")
    assert (entry.state, entry.samples, entry.reason) == (CellState.FAILED, (), "ended with exit status 2")


def test_parameters_and_memory_of_the_export_are_kept() -> None:
    (block,) = blocks(hyperfine_json.READER, EXPORT)
    (memory,) = entries([block], metric="memory")
    assert (memory.parameters, samples(memory), memory.unit) == ({"delay": "0.2"}, [1024.0, 2048.0, 4096.0], "B")


def test_the_table_of_markdown_is_read_with_its_ratios() -> None:
    (block,) = blocks(hyperfine.READER, MARKDOWN)
    assert [one.benchmark for one in block.entries] == ["sleep 0.1", "sleep 0.2"]
    assert figures(block.entries) == pytest.approx([0.1075, 0.2085])
    assert figures(block.entries, "sd") == pytest.approx([0.0032, 0.0037])
    assert [one.standing for one in check(block).claims] == [Standing.HOLDS] * 2


def test_the_export_of_csv_is_read_in_seconds() -> None:
    (block,) = blocks(hyperfine.READER, CSV)
    first = block.entries[0]
    assert (first.benchmark, first.parameters) == ("sleep 0.1, twice", {"x": "4"})
    assert {name: one.value for name, one in first.figures.items()} == {
        "mean": 0.107,
        "sd": 0.003,
        "median": 0.106,
        "min": 0.102,
        "max": 0.115,
    }
    assert [one.metric for one in block.entries] == ["elapsed_s", "user_s", "system_s"]


SESSIONS = (("48.685", "46.797", "1.04"), ("51.816", "46.806", "1.11"))


def test_a_summary_is_of_the_means_above_it_where_a_command_is_measured_twice() -> None:
    run = "Benchmark 1: {}\n  Time (mean \u00b1 \u03c3):  {} s \u00b1  0.1 s\n"
    ratio = "Summary\n  'new' ran\n    {} \u00b1 0.00 times faster than 'old'\n"
    text = "".join(run.format("old", old) + run.format("new", new) + ratio.format(said) for old, new, said in SESSIONS)
    (block,) = blocks(hyperfine.READER, text)
    assert [[one.text for one in claim.of] for claim in block.claims] == [["48.685", "46.797"], ["51.816", "46.806"]]
    assert {one.standing for one in check(block).claims} == {Standing.HOLDS}
