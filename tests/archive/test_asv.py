"""asv's output and files of results, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples

from kdelta.archive import asv, asv_json
from kdelta.model.boot import CellState

DOT = "\u00b7"
MICRO = "\u03bcs"  # Greek mu
RUN = f"""\
{DOT} Running 10 total benchmarks (1 commits * 2 environments * 5 benchmarks)
[  0.00%] {DOT} For project commit 4238c44d <master>:
[  0.00%] {DOT * 2} Benchmarking virtualenv-py2.7
[ 10.00%] {DOT * 3} Running (benchmarks.TimeSuite.time_iterkeys--)....
[ 30.00%] {DOT * 3} benchmarks.MemSuite.mem_list                                 2.42k
[ 35.00%] {DOT * 3} benchmarks.TimeSuite.time_iterkeys                     11.1\u00b10.01{MICRO}
[ 50.00%] {DOT * 2} Benchmarking virtualenv-py3.6
[ 80.00%] {DOT * 3} benchmarks.MemSuite.mem_list3                                2.11k
[ 85.00%] {DOT * 3} benchmarks.TimeSuite.time_iterkeys3                         failed
[ 90.00%] {DOT * 3} benchmarks.TimeSuite.time_keys3                         9.07\u00b10.5{MICRO}
"""
TABLES = f"""\
[ 50.00%] {DOT * 3} benchmarks.ray_sum                        ok
[ 50.00%] {DOT * 3} ======== =======
               param1
              -------- -------
                 10     1.72k
               20000     162k
              ======== =======

[100.00%] {DOT * 3} benchmarks.time_access                    1/4 failed
[100.00%] {DOT * 3} ========= ======== ============= =============
              --                            module
              ------------------ ---------------------------
                 size     dim         xnd            np
              ========= ======== ============= =============
                  1      (1, 1)     943\u00b120ns      839\u00b120ns
                  2      (1, 1)     1.2\u00b10ms      failed
              ========= ======== ============= =============
"""
FILE = """\
{"commit_hash": "4238c44d", "env_name": "py3.6", "params": {"machine": "host1", "os": "Linux 4.15.0", "numpy": null}, "version": 2,
 "result_columns": ["result", "params", "version", "stats_q_25", "stats_q_75", "samples"],
 "results": {
  "suite.time_keys": [[1.1e-05, null, NaN], [["1", "2", "3"]], "ver", [1.0e-05, null, null], [1.2e-05, null, null]],
  "suite.mem_list": [[2420], [], "ver"],
  "suite.time_all": [[0.5], [], "ver", [0.4], [0.6], [[0.4, 0.6]]]}}
"""
OLD = """\
{"commit_hash": "22b920c6", "params": {"machine": "cheetah"}, "version": 1, "results": {
  "time_fails": null, "time_skip": NaN, "time_latitude": 0.00045, "mem_unit": 344,
  "time_many": {"params": [["1", "2"]], "result": [1, 2], "stats": [{"q_25": 0.9, "q_75": 1.1}, null]}}}
"""


def test_times_are_read_with_greek_and_latin_micro() -> None:
    for text in (RUN, RUN.replace(MICRO, "\u00b5s"), RUN.replace(MICRO, "us")):
        (entry,) = entries(blocks(asv.READER, text), benchmark="benchmarks.TimeSuite.time_iterkeys")
        assert entry.figures["value"].value == pytest.approx(11.1e-6)
        assert entry.figures["error"].value == pytest.approx(0.01e-6)
        assert (entry.unit, entry.metric, entry.count) == ("s", "time", None)


def test_sizes_without_a_unit_were_shortened() -> None:
    found = blocks(asv.READER, RUN)
    sizes = {one.benchmark: one.figures["value"].value for one in entries(found, metric="memory")}
    assert sizes == {"benchmarks.MemSuite.mem_list": 2420.0, "benchmarks.MemSuite.mem_list3": 2110.0}
    assert [remark.line for block in found for remark in block.remarks] == [5, 8]


def test_what_failed_is_missing_with_its_state() -> None:
    (entry,) = entries(blocks(asv.READER, RUN), benchmark="benchmarks.TimeSuite.time_iterkeys3")
    assert (entry.state, entry.reason, entry.figures) == (CellState.FAILED, "failed", {})


def test_each_environment_is_a_block_of_the_commit() -> None:
    found = blocks(asv.READER, RUN)
    assert [(block.title, len(block.entries)) for block in found] == [("virtualenv-py2.7", 2), ("virtualenv-py3.6", 3)]
    assert {entry.variant for block in found for entry in block.entries} == {"master"}
    assert found[1].entries[0].parameters == {"environment": "virtualenv-py3.6"}


def test_parameters_have_a_table_of_which_the_last_column_is_the_value() -> None:
    found = entries(blocks(asv.READER, TABLES), benchmark="benchmarks.ray_sum")
    assert [(one.parameters, one.figures["value"].value) for one in found] == [
        ({"param1": "10"}, 1720.0),
        ({"param1": "20000"}, 162e3),
    ]


def test_values_of_the_last_parameter_may_be_columns() -> None:
    found = entries(blocks(asv.READER, TABLES), benchmark="benchmarks.time_access")
    assert [tuple(one.parameters.values()) for one in found] == [
        ("1", "(1, 1)", "xnd"),
        ("1", "(1, 1)", "np"),
        ("2", "(1, 1)", "xnd"),
        ("2", "(1, 1)", "np"),
    ]
    assert list(found[0].parameters) == ["size", "dim", "module"]
    assert [one.figures["value"].value for one in found[:3]] == pytest.approx([943e-9, 839e-9, 1.2e-3])
    assert found[3].state is CellState.FAILED
    assert (found[1].figures["value"].line, found[1].figures["value"].column) == (15, 51)


def test_progress_of_other_programs_is_not_read() -> None:
    assert blocks(asv.READER, "[ 35%] Building C object foo.o\n[ 50.00%] \u00b7 Linking libfoo 12 times\n") == []


def test_a_file_gives_medians_with_quartiles_or_samples() -> None:
    (block,) = blocks(asv_json.READER, FILE)
    keys, failed, skipped = entries([block], benchmark="suite.time_keys")
    assert {name: one.value for name, one in keys.figures.items()} == {"median": 1.1e-05, "p25": 1.0e-05, "p75": 1.2e-05}
    assert (failed.state, failed.figures) == (CellState.FAILED, {})
    assert (skipped.state, skipped.reason) == (CellState.NOT_HERE, "NaN: it was skipped")
    assert samples(entries([block], benchmark="suite.time_all")[0]) == [0.4, 0.6]


def test_a_file_names_commit_machine_environment_and_parameters() -> None:
    (block,) = blocks(asv_json.READER, FILE)
    entry = block.entries[1]
    assert (entry.variant, entry.box, entry.parameters) == ("4238c44d", "host1", {"environment": "py3.6", "parameter 1": "2"})
    assert block.facts == {"os": "Linux 4.15.0"}
    assert block.entries[0].figures["median"].line == 4


def test_memory_is_in_bytes() -> None:
    (entry,) = entries(blocks(asv_json.READER, FILE), benchmark="suite.mem_list")
    assert (entry.unit, entry.figures["value"].value) == ("B", 2420.0)


def test_the_first_version_of_files_is_read_too() -> None:
    (block,) = blocks(asv_json.READER, OLD)
    assert [(one.benchmark, one.state.name) for one in block.entries] == [
        ("time_fails", "FAILED"),
        ("time_skip", "NOT_HERE"),
        ("time_latitude", "OK"),
        ("mem_unit", "OK"),
        ("time_many", "OK"),
        ("time_many", "OK"),
    ]
    assert [one.figures["median"].value for one in block.entries[4:]] == [1.0, 2.0]


@pytest.mark.parametrize("results", ["3", "[[1, 2], 3]", '{"stats": 4}', '"x"', '{"result": {"a": 1}}'])
def test_results_of_another_shape_are_no_values(results: str) -> None:
    found = blocks(asv_json.READER, f'{{"commit_hash": "a", "results": {{"time_x": {results}}}}}')
    assert all(one.figures.get("median", None) is None or results == "3" for block in found for one in block.entries)
