"""pytest-benchmark's files, read."""

from __future__ import annotations

from tests.archive.reading import blocks, samples

from kdelta.archive.pytest_benchmark import READER
from kdelta.judge.claims import check
from kdelta.model.checked import Standing

FILE = """\
{"benchmarks": [{"fullname": "tests/test_normal.py::test_xfast[0]", "name": "test_xfast[0]",
   "options": {"max_time": 1.0, "timer": "time"},
   "stats": {
     "q3": 2.5838185725599954e-07, "q1": 2.2016643907464864e-07, "median": 2.2016643907464864e-07,
     "max": 1.1447389118979422e-05, "min": 2.1731454219544334e-07,
     "mean": 2.622408132654948e-07, "stddev": 2.140441942118885e-07,
     "rounds": 9987, "iterations": 418, "outliers": "90;1878"}}],
 "commit_info": {"id": "5b78858"}, "datetime": "2015-08-15T00:01:46", "version": "2.5.0",
 "machine_info": {"release": "3.13.0-55-generic", "system": "Linux", "node": "host1"}}
"""
DATA = """\
{"machine_info": {}, "benchmarks": [{"name": "a", "fullname": "a", "params": {"size": 4},
  "stats": {"min": 1.0, "max": 4.0, "mean": 2.5, "median": 2.0, "stddev": 1.2909944487358056, "rounds": 4, "iterations": 1,
            "data": [1.0, 2.0, 3.0, 4.0]}}]}
"""


def test_figures_without_the_rounds_stay_figures() -> None:
    (entry,) = blocks(READER, FILE)[0].entries
    assert {name: one.value for name, one in entry.figures.items()} == {
        "mean": 2.622408132654948e-07,
        "median": 2.2016643907464864e-07,
        "sd": 2.140441942118885e-07,
        "min": 2.1731454219544334e-07,
        "max": 1.1447389118979422e-05,
        "p25": 2.2016643907464864e-07,
        "p75": 2.5838185725599954e-07,
    }
    assert (entry.samples, entry.count, entry.boots, entry.unit) == ((), 9987, False, "s")


def test_the_kernel_and_the_machine_are_those_of_the_file() -> None:
    (block,) = blocks(READER, FILE)
    assert (block.entries[0].variant, block.entries[0].box) == ("3.13.0-55-generic", "host1")
    assert (block.facts["commit"], block.facts["date"]) == ("5b78858", "2015-08-15T00:01:46")


def test_what_is_doubtful_is_told_at_its_line() -> None:
    said = [(remark.line, remark.text.partition(": ")[2]) for remark in blocks(READER, FILE)[0].remarks]
    assert said == [
        (6, "a round is the mean of 418 iterations"),
        (6, "outliers 90;1878: beyond one standard deviation, and beyond 1.5 quartile ranges"),
        (4, "the median is the first quartile: the clock has steps as long as these differences"),
        (5, "the longest round is 52 times the median"),
        (6, "the timer is `time`, a wall clock that may be set while it runs"),
    ]


def test_rounds_that_were_saved_are_samples_and_the_figures_claims_of_them() -> None:
    (block,) = blocks(READER, DATA)
    (entry,) = block.entries
    assert (samples(entry), entry.figures, entry.parameters) == ([1.0, 2.0, 3.0, 4.0], {}, {"size": "4"})
    standing = {one.claim.kind: one.standing for one in check(block).claims}
    assert standing.pop("median") is Standing.OFF
    assert set(standing.values()) == {Standing.HOLDS}


def test_other_json_with_rounds_is_not_read() -> None:
    assert blocks(READER, '{"rounds": 3, "benchmarks": [{"stats": 1}]}') == []
    assert blocks(READER, '{"benchmarks": [{"stats": {"iterations": 1}}]}') == []


def test_a_part_of_the_rounds_is_no_sample_of_them_all() -> None:
    text = """{"machine_info": {}, "benchmarks": [{"fullname": "t.py::test_a", "stats":
        {"rounds": 500, "iterations": 1, "mean": 0.002, "max": 0.009, "data": [0.001, 0.003, "... omitted"]}}]}"""
    (block,) = blocks(READER, text)
    assert (block.entries[0].samples, block.claims) == ((), ())
    assert block.entries[0].figures["mean"].value == 0.002
    assert block.entries[0].count == 500
    assert "2 of 500 rounds stand in the file" in block.remarks[0].text
