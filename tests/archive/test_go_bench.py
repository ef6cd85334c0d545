"""Go's benchmark format, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples

from kdelta.archive.go_bench import READER
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState

NOTES = """\
goos: linux
note: before

BenchmarkFloatSub/100-4         20000000           115 ns/op
BenchmarkFloatSub/100-4         20000000           114 ns/op
BenchmarkB 10 10000 ns/op

note: after

BenchmarkFloatSub/100-4         20000000            78.8 ns/op
BenchmarkFloatSub/100-4         20000000            78.8 ns/op
PASS
ok  \tpkg\t12.3s
"""
UNITS = """\
Unit text-bytes assume=exact better=lower
pkg: a/b
BenchmarkCopy-8   100  1151 ns/op  890.1 MB/s  16 B/op  2 allocs/op  7 text-bytes
--- SKIP: BenchmarkOther
--- FAIL: BenchmarkBroken-8
BenchmarkX\t1\t-5 ns/op
"""


def test_results_of_the_same_name_are_samples() -> None:
    found = blocks(READER, NOTES)
    assert samples(entries(found, variant="before", benchmark="FloatSub/100-4")[0]) == pytest.approx([115e-9, 114e-9])
    assert samples(entries(found, variant="after")[0]) == pytest.approx([78.8e-9, 78.8e-9])


def test_a_key_with_several_values_tells_variants_apart() -> None:
    (block,) = blocks(READER, NOTES)
    assert [(one.variant, one.benchmark) for one in block.entries] == [
        ("before", "FloatSub/100-4"),
        ("before", "B"),
        ("after", "FloatSub/100-4"),
    ]
    assert block.facts == {"goos": "linux"}


def test_a_benchmark_on_one_side_only_is_not_invented_on_the_other() -> None:
    assert entries(blocks(READER, NOTES), variant="after", benchmark="B") == []


def test_equal_keys_tell_nothing() -> None:
    assert {one.variant for one in entries(blocks(READER, NOTES.replace("after", "before")))} == {""}


def test_each_unit_is_a_metric_with_its_direction() -> None:
    found = entries(blocks(READER, UNITS), benchmark="Copy-8")
    assert {one.metric: (samples(one)[0], one.unit, one.better) for one in found} == {
        "time": (pytest.approx(1151e-9), "s", Better.SMALLER),
        "throughput": (pytest.approx(890.1e6), "B/s", Better.LARGER),
        "memory": (16.0, "B", Better.SMALLER),
        "allocations": (2.0, "", Better.SMALLER),
        "text-bytes": (7.0, "text-bytes", Better.SMALLER),
    }
    assert found[0].parameters == {"processors": "8", "package": "a/b"}


def test_what_failed_or_was_skipped_is_missing() -> None:
    found = blocks(READER, UNITS)
    assert entries(found, benchmark="Other")[0].state is CellState.NOT_HERE
    assert entries(found, benchmark="Broken-8")[0].state is CellState.FAILED


def test_a_time_below_0_is_rejected() -> None:
    (block,) = blocks(READER, UNITS)
    (entry,) = entries([block], benchmark="X")
    assert (entry.samples, entry.state, entry.discarded[0].number.text) == ((), CellState.FAILED, "-5")
    assert [remark.line for remark in block.remarks] == [6]


@pytest.mark.parametrize(
    "line", ["Benchmark results are good", "Benchmark 1: sleep 0.1", "Benchmarking 10 times 5 apples", "BenchmarkX 10"]
)
def test_other_lines_are_none(line: str) -> None:
    assert blocks(READER, f"{line}\n") == []


def test_keys_that_people_write_go_before_those_of_the_tool() -> None:
    both = NOTES.replace("goos: linux", "cpu: one").replace("note: after", "cpu: two\nnote: after")
    assert {one.variant for one in entries(blocks(READER, both))} == {"before", "after"}
    assert {one.variant for one in entries(blocks(READER, both.replace("note", "pkg")))} == {"one", "two"}
