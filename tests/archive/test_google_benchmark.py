"""Google Benchmark's output, its JSON, and the table of compare.py, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures, samples

from kdelta.archive import google_benchmark, google_benchmark_json
from kdelta.judge.claims import check
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing

JSON = """\
{"context": {"date": "2016-08-02 17:44:46", "num_cpus": 4, "mhz_per_cpu": 4228, "cpu_scaling_enabled": false,
   "library_build_type": "release"},
 "benchmarks": [
  {"name": "BM_One", "run_type": "aggregate", "iterations": 1000, "real_time": 10, "cpu_time": 100, "time_unit": "ns"},
  {"name": "BM_Two", "iterations": 1000, "real_time": 9, "cpu_time": 90, "time_unit": "ns"},
  {"name": "BM_Two", "iterations": 1000, "real_time": 8, "cpu_time": 80, "time_unit": "ns"},
  {"name": "BM_Slow", "run_type": "iteration", "real_time": 1.5, "cpu_time": 1.4, "time_unit": "us",
   "bytes_per_second": 2e9, "hits": 7},
  {"name": "short", "run_type": "aggregate", "real_time": 8, "cpu_time": 80, "time_unit": "ns"},
  {"name": "short", "run_type": "aggregate", "real_time": 8, "cpu_time": 77, "time_unit": "ns"}
 ]}
"""
AGGREGATES = """\
{"context": {"cpu_scaling_enabled": true, "library_build_type": "debug", "host_name": "box"}, "benchmarks": [
  {"name": "A", "run_name": "A", "run_type": "iteration", "repetition_index": 0, "real_time": 1, "cpu_time": -2, "time_unit": "ms"},
  {"name": "A", "run_name": "A", "run_type": "iteration", "repetition_index": 1, "real_time": 3, "cpu_time": -2, "time_unit": "ms"},
  {"name": "A_mean", "run_name": "A", "run_type": "aggregate", "repetitions": 2, "aggregate_name": "mean", "real_time": 2, "time_unit": "ms"},
  {"name": "A_cv", "run_name": "A", "run_type": "aggregate", "aggregate_name": "cv", "aggregate_unit": "percentage", "real_time": 0.7},
  {"name": "A_BigO", "run_name": "A", "run_type": "aggregate", "aggregate_name": "BigO", "real_time": 4},
  {"name": "B", "error_occurred": true, "error_message": "no file", "real_time": 0, "cpu_time": 0, "time_unit": "ns"}
]}
"""  # noqa: E501
PRINTED = """\
Run on (4 X 775 MHz CPUs)
2015/03/12-21:22:09
***WARNING*** CPU scaling is enabled, the benchmark timings may be noisy
Benchmark                              Time(ns)    CPU(ns) Iterations
----------------------------------------------------------------------
BM_empty                                      1          2  360765235
BM_spin_empty/8                              -4          4  194933402
BM_spin_empty/512                           552        172    4084371
BM_spin_empty/8k                          -7250       2660     265357
"""
NEWER = """\
--------------------------------------------------------------------------------
Benchmark                          Time             CPU   Iterations UserCounters...
--------------------------------------------------------------------------------
BM_copy<int, 4>/8               12.5 ns         12.4 ns     56000000 bytes_per_second=1.2G/s
BM_copy<int, 4>/8               13.5 ns         13.4 ns     56000000 bytes_per_second=1.1G/s
BM_copy<int, 4>/8_mean          13.0 ns         12.9 ns            2 bytes_per_second=1.1G/s
BM_copy<int, 4>/8_cv            5.44 %          5.48 %             2
BM_copy<int, 4>/8_BigO          0.25 N          0.25 N
BM_copy<int, 4>/8_RMS              3 %             3 %
BM_open                         ERROR OCCURRED: 'no such file'
"""
COMPARED = """\
Comparing run0.json to run1.json
Benchmark                   Time             CPU      Time Old      Time New       CPU Old       CPU New
--------------------------------------------------------------------------------------------------------
BM_One                   -0.1000         +0.1000            10             9           100           110
BM_Two                   +0.1111         -0.0111             9            10            90            89
BM_Two                   +0.2500         +0.1125             8            10            80            89
BM_Two_pvalue             0.2207          0.6831      U Test, Repetitions: 2. WARNING: Results unreliable! 9+ recommended.
OVERALL_GEOMEAN          -0.8344         -0.8026             0             0             0             0
"""


def test_the_same_name_twice_is_two_repetitions() -> None:
    found = blocks(google_benchmark_json.READER, JSON)
    two = entries(found, benchmark="BM_Two")
    assert [samples(one) for one in two] == [pytest.approx([9e-9, 8e-9]), pytest.approx([90e-9, 80e-9])]
    assert [one.count for one in two] == [2, 2]


def test_an_aggregate_of_no_name_is_one_figure_of_which_nothing_is_said() -> None:
    found = blocks(google_benchmark_json.READER, JSON)
    assert figures(entries(found, benchmark="BM_One"), "value") == pytest.approx([10e-9, 100e-9])
    assert samples(entries(found, benchmark="short", metric="cpu_time")[0]) == pytest.approx([80e-9, 77e-9])
    assert any("short" in remark.text for remark in found[0].remarks)


def test_each_object_has_its_own_unit_of_time() -> None:
    slow = entries(blocks(google_benchmark_json.READER, JSON), benchmark="BM_Slow")
    assert {one.metric: (samples(one)[0], one.unit, one.printed_unit) for one in slow} == {
        "real_time": (pytest.approx(1.5e-6), "s", "us"),
        "cpu_time": (pytest.approx(1.4e-6), "s", "us"),
        "bytes_per_second": (2e9, "B/s", "B/s"),
        "hits": (7.0, "", ""),
    }


def test_the_context_is_told_and_what_is_wrong_with_it_remarked() -> None:
    good, bad = (blocks(google_benchmark_json.READER, of)[0] for of in (JSON, AGGREGATES))
    assert (good.facts["num_cpus"], good.facts["mhz_per_cpu"]) == ("4", "4228")
    assert not any("debugging" in one.text or "scaled" in one.text for one in good.remarks)
    assert [one.text[:29] for one in bad.remarks[:2]] == ["the processor's frequency was", "the library was built for deb"]


def test_named_aggregates_are_figures_beside_the_samples() -> None:
    (entry,) = entries(blocks(google_benchmark_json.READER, AGGREGATES), benchmark="A", metric="real_time")
    assert (samples(entry), entry.figures["mean"].value) == ([0.001, 0.003], 0.002)
    assert (entry.figures["cv"].value, sorted(entry.figures), entry.box) == (70.0, ["cv", "mean"], "box")


def test_times_below_0_are_rejected_with_a_message() -> None:
    (block,) = blocks(google_benchmark_json.READER, AGGREGATES)
    (entry,) = entries([block], benchmark="A", metric="cpu_time")
    assert (entry.samples, entry.state, len(entry.discarded)) == ((), CellState.FAILED, 2)
    assert any(remark.text == "A: 2 cpu_time below 0, not counted" for remark in block.remarks)


def test_an_error_is_a_failure_and_never_0() -> None:
    found = entries(blocks(google_benchmark_json.READER, AGGREGATES), benchmark="B")
    assert {(one.state, one.reason, one.samples) for one in found} == {(CellState.FAILED, "no file", ())}


def test_the_table_keeps_valid_times_and_sets_those_below_0_apart() -> None:
    (block,) = blocks(google_benchmark.READER, PRINTED)
    found = {(one.benchmark, one.metric): one for one in block.entries}
    assert samples(found["BM_spin_empty/512", "real_time"]) == pytest.approx([552e-9])
    assert samples(found["BM_spin_empty/8k", "cpu_time"]) == pytest.approx([2660e-9])
    assert [found[name, "real_time"].discarded[0].number.text for name in ("BM_spin_empty/8", "BM_spin_empty/8k")] == [
        "-4",
        "-7250",
    ]
    assert found["BM_spin_empty/8k", "real_time"].state is CellState.FAILED
    assert {8, 9, 10, 1, 3} - {remark.line for remark in block.remarks} == {8, 10}


def test_a_slow_clock_at_the_start_is_told() -> None:
    (block,) = blocks(google_benchmark.READER, PRINTED)
    assert block.facts == {"processors": "4 X 775 MHz"}
    assert [remark.text for remark in block.remarks[:2]] == [
        "the processors ran at 775 MHz at the start, as idle ones do",
        "CPU scaling is enabled, the benchmark timings may be noisy",
    ]


def test_the_newer_table_has_a_unit_at_each_time_and_blanks_in_names() -> None:
    (block,) = blocks(google_benchmark.READER, NEWER)
    (entry,) = entries([block], benchmark="BM_copy<int, 4>/8", metric="real_time")
    assert samples(entry) == pytest.approx([12.5e-9, 13.5e-9])
    assert {name: one.value for name, one in entry.figures.items()} == {"mean": pytest.approx(13e-9), "cv": 5.44}
    assert entries([block], benchmark="BM_open")[0].reason == "no such file"
    assert len(block.entries) == 4


def test_changes_of_compare_are_fractions_of_the_old_value() -> None:
    (block,) = blocks(google_benchmark.READER, COMPARED)
    checked = check(block).claims
    assert [one.standing for one in checked] == [Standing.HOLDS] * 6 + [Standing.UNCHECKED] * 2
    assert checked[0].claim.printed.text == "-0.1000"
    assert checked[0].claim.printed.value == pytest.approx(-10.0)


def test_old_and_new_values_are_of_two_variants() -> None:
    found = blocks(google_benchmark.READER, COMPARED)
    times = {(one.variant, one.benchmark): samples(one) for one in entries(found, metric="real_time")}
    assert times == {
        ("run0.json", "BM_One"): [10.0],
        ("run0.json", "BM_Two"): [9.0, 8.0],
        ("run1.json", "BM_One"): [9.0],
        ("run1.json", "BM_Two"): [10.0, 10.0],
    }


def test_the_row_of_p_values_is_no_change() -> None:
    (block,) = blocks(google_benchmark.READER, COMPARED)
    said = "BM_Two: U test, p = 0.2207 for real_time and 0.6831 for cpu_time, 2 repetitions: too few to be relied on, it says"
    assert [remark.text for remark in block.remarks if remark.line == 7] == [said]
    assert not any("pvalue" in one.benchmark for one in block.entries)


def test_a_small_p_value_is_a_claim_of_significance() -> None:
    text = COMPARED.replace("0.2207          0.6831", "0.0011          0.6831").replace("Repetitions: 2.", "Repetitions: 9 vs 9")
    claims = [one for one in blocks(google_benchmark.READER, text)[0].claims if one.kind == "significant"]
    assert [(one.printed.text, one.count) for one in claims] == [("0.0011", 9)]
