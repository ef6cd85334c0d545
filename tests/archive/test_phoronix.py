"""What phoronix-test-suite prints while it runs."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples, stored, text

from kdelta.archive.phoronix import READER
from kdelta.archive.phoronix_units import direction, parameters, profile, scale
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing
from kdelta.model.published import Block

LOOKUPS = """\
Kernel: 4.12.0-rc7 (x86_64) 20170630

\x1b[1;36mXsbench OpenCL 2017-07-06:
    pts/xsbench-cl-1.0.0\x1b[0m
    Test 1 of 1
        Started Run 1 @ 09:56:55\r
        Started Run 2 @ 09:57:11\r
        Started Run 3 @ 09:57:27\r

    Test Results:
        \x1b[1;32m15510170\x1b[0m
        15432137
        \x1b[1;31m15419356\x1b[0m

    Average: \x1b[1;34m15453888 Lookups/s\x1b[0m
    Deviation: 0.32%
"""
BROKEN = """\
Tachyon 0.98.9:
    pts/tachyon-1.1.1 [Test: OpenCL Histo - Size: 3]
    Test 1 of 1
        Started Run 1 @ 00:33:56
        The test quit with a non-zero exit status.
        Started Run 2 @ 00:33:58
        The test run did not produce a result.

    Test Results:

    Average: 0 Seconds
    This test failed to run properly.
"""


def said(found: list[Block]) -> str:
    return "\n".join(one.text for block in found for one in block.remarks)


def test_each_run_is_a_sample_in_the_order_of_the_list() -> None:
    (block,) = blocks(READER, stored("phoronix_octave.txt"))
    (entry,) = block.entries
    assert samples(entry)[0] == 8.1603951454163
    assert (entry.samples[5].text, len(entry.samples), entry.count) == ("7.27849817276", 15, 15)


def test_runs_of_one_session_are_within_one_boot() -> None:
    assert {one.boots for one in entries(blocks(READER, LOOKUPS))} == {False}


def test_average_and_deviation_are_claims_of_the_runs_and_hold() -> None:
    (block,) = blocks(READER, stored("phoronix_octave.txt"))
    assert [(one.claim.kind, one.claim.printed.text, one.standing) for one in check(block).claims] == [
        ("mean", "7.46", Standing.HOLDS),
        ("cv", "3.47", Standing.HOLDS),
    ]


def test_an_average_that_is_not_of_its_runs_is_off() -> None:
    (block,) = blocks(READER, LOOKUPS.replace("15453888", "15553888"))
    assert check(block).claims[0].standing is Standing.OFF


def test_runs_that_were_added_are_remarked() -> None:
    assert "12 of 15 runs were added" in said(blocks(READER, stored("phoronix_octave.txt")))


def test_a_first_run_that_is_off_the_others_is_remarked() -> None:
    assert "the first run is +10.1 % off the mean of the others" in said(blocks(READER, stored("phoronix_octave.txt")))
    assert "first run" not in said(blocks(READER, LOOKUPS))


def test_a_number_of_samples_that_is_not_that_of_the_list_is_remarked() -> None:
    other = (LOOKUPS + "    Samples: 15\n").replace("\r", "")
    assert "15 samples are said, and 3 listed" in said(blocks(READER, other))


def test_values_in_colour_are_read() -> None:
    (entry,) = entries(blocks(READER, LOOKUPS))
    assert samples(entry) == [15510170.0, 15432137.0, 15419356.0]
    assert (entry.figures["mean"].value, entry.figures["cv"].value) == (15453888.0, 0.32)


def test_the_unit_behind_the_average_is_that_of_all_runs() -> None:
    (entry,) = entries(blocks(READER, LOOKUPS))
    assert (entry.unit, entry.better, entry.variant) == ("Lookups/s", Better.LARGER, "4.12.0-rc7")
    one = entries(blocks(READER, stored("phoronix_networks.txt")))[0]
    assert samples(one)[0] == pytest.approx(0.019731)
    assert one.figures["cv"].value == 0.8


def test_a_number_below_the_average_is_no_run() -> None:
    (entry,) = entries(blocks(READER, LOOKUPS + "\n        12345\n"))
    assert len(entry.samples) == 3


def test_a_test_of_several_results_has_an_entry_for_each() -> None:
    found = entries(blocks(READER, stored("phoronix_networks.txt")))
    assert [one.benchmark for one in found] == ["mnn-model-nasnet", "mnn-model-squeezenetv1.1"]
    assert found[1].parameters == {"Model": "squeezenetv1.1"}


def test_what_php_warns_of_between_the_runs_is_passed_over() -> None:
    found = entries(blocks(READER, stored("phoronix_networks.txt")))[1]
    assert [one.text for one in found.samples] == ["10.046", "9.262", "9.226"]


def test_a_minimum_outside_of_the_runs_is_no_claim_of_them() -> None:
    (block,) = blocks(READER, stored("phoronix_networks.txt"))
    assert {one.kind for one in block.claims} == {"mean", "cv"}
    assert block.entries[0].figures["min"].value == pytest.approx(0.01902)
    assert "mnn-model-nasnet: the min is of what is within the runs" in said([block])


def test_a_test_without_a_result_has_failed_and_is_not_zero() -> None:
    (entry,) = entries(blocks(READER, BROKEN))
    assert (entry.state, entry.figures, entry.samples) == (CellState.FAILED, {}, ())
    assert entry.reason.startswith("The test quit with a non-zero exit status")
    assert entry.parameters == {"Test": "OpenCL Histo", "Size": "3"}


def test_a_test_that_ends_without_a_list_has_failed() -> None:
    (entry,) = entries(blocks(READER, BROKEN.partition("    Test Results:")[0]))
    assert (entry.state, entry.benchmark) == (CellState.FAILED, "tachyon-test-opencl-histo-size-3")


def test_a_failed_run_among_others_is_remarked() -> None:
    broken = LOOKUPS.replace("09:57:11\r\n", "09:57:11\n        The test run did not produce a result.\n")
    assert "a run of xsbench-cl: The test run did not produce a result" in said(blocks(READER, broken))


def test_several_tests_of_one_log_are_blocks_of_their_own() -> None:
    found = blocks(READER, LOOKUPS + "\n\n" + BROKEN + "\n\n" + LOOKUPS.replace("xsbench-cl", "xsbench"))
    assert [block.entries[0].program for block in found] == ["xsbench-cl", "tachyon", "xsbench"]


def test_a_test_that_is_run_again_on_one_kernel_is_another_variant() -> None:
    found = blocks(READER, LOOKUPS + LOOKUPS.replace("15432137", "15432138"))
    assert [one.variant for one in entries(found)] == ["4.12.0-rc7", "4.12.0-rc7 (2)"]


def test_an_average_without_a_list_cannot_be_checked() -> None:
    line_graph = BROKEN.partition("    Test Results:")[0].replace("The test", "It") + "        Average: 61.5 (Frames Per Second)\n"
    (block,) = blocks(READER, line_graph.replace("It run did not", "").replace("It quit", ""))
    assert (block.entries[0].figures["mean"].value, block.claims[0].of, block.entries[0].better) == (61.5, (), Better.LARGER)


@pytest.mark.parametrize(
    ("printed", "unit", "factor"),
    [("Seconds", "s", 1.0), ("ms", "s", 1e-3), ("Microseconds", "s", 1e-6), ("MiB/s", "B/s", 2.0**20), ("Score", "Score", 1.0)],
)
def test_units_are_words_of_the_profile(printed: str, unit: str, factor: float) -> None:
    assert scale(printed) == (unit, factor)


@pytest.mark.parametrize(("printed", "better"), [("Seconds", Better.SMALLER), ("MB/s", Better.LARGER), ("Score", None), ("", None)])
def test_a_time_is_better_smaller_and_a_rate_larger(printed: str, better: Better | None) -> None:
    assert direction(printed) is better


def test_the_name_of_a_profile_is_without_its_version() -> None:
    assert (profile("pts/mnn-2.1.0"), profile("octave-benchmark-1.0.0"), profile("local/x")) == (
        ("mnn", "2.1.0"),
        ("octave-benchmark", "1.0.0"),
        ("x", ""),
    )
    assert parameters("only words") == {"arguments": "only words"}


@pytest.mark.parametrize(
    "other",
    [
        "Started Run 1 @ 10:20:30\n    Test Results:\n        5.0\n",
        "Title:\n    pts/x-1.0.0\n",
        "Title:\n    pts/x-1.0.0\n        Started Run 1 @ 10:20:30\n    Test Results:\n        1e999\n    Average: 1e999 s\n",
        "Title:\n    pts/x-1.0.0\n" + "        Started Run 1 @ 10:20:30\n    a:\n" * 50,
        "Test Results:" + ":" * 60000,
    ],
)
def test_what_is_no_result_gives_no_value(other: str) -> None:
    found = [entry for block in READER.read(text(other)) for entry in block.entries]
    assert [(one.samples, one.figures) for one in found if one.state is CellState.OK] == []
