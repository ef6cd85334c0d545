"""`cargo bench`, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.cargo_bench import READER
from kdelta.model.boot import CellState

RUN = """\
     Running unittests src/lib.rs (target/release/deps/rust_bench-1)

running 4 tests
test tests::ignored ... ignored
test tests::benchmark_a ... bench:       3,296 ns/iter (+/- 521)
test tests::benchmark_b ... FAILED
test tests::benchmark_c ... bench:       3,215.50 ns/iter (+/- 356.25) = 12 MB/s

failures:

---- tests::benchmark_b stdout ----
thread 'main' panicked at 'explicit panic', src/tests.rs:28:9

test result: FAILED. 0 passed; 1 failed; 1 ignored; 2 measured; 0 filtered out; finished in 6.00s

error: bench failed, to rerun pass `--bin rust_bench`
"""


def test_medians_have_thousands_and_their_range() -> None:
    found = [one for one in entries(blocks(READER, RUN), metric="time") if one.figures]
    assert [one.benchmark for one in found] == ["tests::benchmark_a", "tests::benchmark_c"]
    assert figures(found, "median") == pytest.approx([3296e-9, 3215.5e-9])
    assert figures(found, "error") == pytest.approx([521e-9, 356.25e-9])
    assert {one.count for one in found} == {None}


def test_one_that_failed_does_not_make_the_others_void() -> None:
    (block,) = blocks(READER, RUN)
    states = {one.benchmark: one.state for one in block.entries if not one.figures}
    assert states == {"tests::ignored": CellState.NOT_HERE, "tests::benchmark_b": CellState.FAILED}
    assert [(one.line, one.text) for one in block.remarks] == [
        (14, "tests::benchmark_b failed: the other 2 were measured all the same")
    ]


def test_a_rate_is_a_metric_of_its_own() -> None:
    (entry,) = entries(blocks(READER, RUN), metric="throughput")
    assert (entry.figures["value"].value, entry.unit) == (12e6, "B/s")


def test_a_text_that_was_cut_has_fewer_than_were_measured() -> None:
    cut = "".join(line + "\n" for line in RUN.splitlines() if "benchmark_a ..." not in line)
    assert any("2 measured, it says, and 1 are in the text" in one.text for one in blocks(READER, cut)[0].remarks)


def test_each_program_is_a_block() -> None:
    assert [block.title for block in blocks(READER, RUN + RUN.replace("src/lib.rs", "src/main.rs"))] == [
        "src/lib.rs",
        "src/main.rs",
    ]


def test_tests_alone_are_no_benchmarks() -> None:
    assert blocks(READER, "running 1 test\ntest a ... FAILED\ntest result: FAILED. 0 passed; 0 measured; 5 ns/iter\n") == []
