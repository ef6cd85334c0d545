"""Result files of lmbench, and parts of them, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples, stored

from kdelta.archive.lmbench_result import READER
from kdelta.model.benchmark import Better
from kdelta.workload.catalogue import by_name

RUN = stored("lmbench-result.txt")

SERIES = """\
"mappings
0.524288 7.342
1073.741824 6613


"Mmap read bandwidth
0.524288 38239.27
1.05 38427.49
6.29 39000.00
1073.74 17573.23

"Mmap read open2close bandwidth
1073.74 9062.41
"""


def value(benchmark: str, metric: str = "time") -> float:
    (found,) = entries(blocks(READER, RUN), benchmark=benchmark, metric=metric)
    return found.figures["value"].value


@pytest.mark.parametrize(
    ("benchmark", "microseconds"),
    [
        ("null", 0.2345),
        ("lmbench-read", 0.3515),
        ("syscall-open", 1.5541),
        ("select-10", 0.4464),
        ("select-100", 1.0422),
        ("lmbench-select-tcp-500", 32.8527),
        ("lmbench-signal-install", 0.3226),
        ("lmbench-protection-fault", 0.7491),
        ("pipe", 25.5437),
        ("af-unix", 25.2813),
        ("proc-fork", 121.7399),
        ("proc-exec", 318.6445),
        ("proc-sh", 800.2188),
        ("pagefault-file", 0.1639),
        ("lmbench-int-mul", 0.99e-3),
        ("lmbench-udp", 29.6004),
        ("lmbench-tcp", 34.4858),
        ("lmbench-tcp-connect", 1047.5714),
        ("mmap-512k", 9.645),
        ("mmap-8m", 66),
        ("ctx-2", 11.57),
        ("ctx-96", 11.45),
        ("ctx-2-4k", 11.99),
        ("lmbench-memory-128-8000000", 5.432e-3),
    ],
)
def test_a_latency_is_read_in_seconds(benchmark: str, microseconds: float) -> None:
    assert value(benchmark) == pytest.approx(microseconds / 1e6)


@pytest.mark.parametrize(
    ("benchmark", "bytes_per_second"),
    [
        ("lmbench-bw-file-write", 84049e3),
        ("lmbench-bw-tcp-1", 1.71e6),
        ("lmbench-bw-tcp-10m", 4676.97e6),
        ("lmbench-bw-pipe", 2648.95e6),
        ("lmbench-bw-mem-bzero-512", 82230.54e6),
        ("lmbench-bw-mem-bzero-1m", 45099.24e6),
    ],
)
def test_kilobytes_and_megabytes_are_powers_of_ten(benchmark: str, bytes_per_second: float) -> None:
    assert value(benchmark, "bandwidth") == pytest.approx(bytes_per_second)


def test_files_are_made_and_deleted_at_a_rate() -> None:
    found = entries(blocks(READER, RUN), unit="files/s")
    assert [(one.benchmark, one.figures["value"].value, one.better) for one in found] == [
        ("lat-file-create", 171147, Better.LARGER),
        ("lat-file-delete", 234949, Better.LARGER),
        ("lat-file-create-10k", 73454, Better.LARGER),
        ("lat-file-delete-10k", 147657, Better.LARGER),
    ]


@pytest.mark.parametrize(
    "benchmark", ["null", "syscall-open", "pipe", "af-unix", "proc-fork", "proc-exec", "proc-sh", "pagefault-file"]
)
def test_what_kdelta_measures_too_has_its_names(benchmark: str) -> None:
    (found,) = entries(blocks(READER, RUN), benchmark=benchmark)
    ours = by_name()[benchmark]
    assert (found.program, found.parameters, found.metric) == (ours.program, ours.parameters, ours.metric.name)


def test_the_kernel_is_the_variant_and_the_host_the_box() -> None:
    (block,) = blocks(READER, RUN)
    assert {(one.variant, one.box) for one in block.entries} == {("4.15.0-1014-azure", "host1")}


def test_how_it_was_measured_is_kept_as_facts() -> None:
    (block,) = blocks(READER, RUN)
    assert block.facts["MHZ"] == "3034 MHz, 0.3296 nanosec clock"
    assert block.facts["overhead of a switch at 0 KiB"] == "0.93 us"
    assert block.facts["overhead of a switch at 4 KiB"] == "1.06 us"


def test_complaints_between_results_are_passed_over() -> None:
    found = {one.benchmark for one in entries(blocks(READER, RUN))}
    assert not [name for name in found if "rpc" in name or "xfer" in name or "parallelism" in name]


def test_a_negative_time_is_kept_and_not_judged() -> None:
    (found,) = entries(blocks(READER, RUN), benchmark="ctx-4-4k")
    assert (found.figures, [one.number.text for one in found.discarded]) == ({}, ["-0.89"])
    assert "overhead" in found.discarded[0].reason


def test_a_series_alone_is_read() -> None:
    found = blocks(READER, SERIES)
    assert {one.variant for one in entries(found)} == {""}
    assert [one.figures["value"].value for one in entries(found, parameters={"size": "1073741824"})] == pytest.approx(  # type: ignore[arg-type]
        [6613e-6, 17573.23e6, 9062.41e6]
    )


def test_a_mapping_takes_time_and_bandwidth_is_better_larger() -> None:
    better = {one.metric: one.better for one in entries(blocks(READER, SERIES))}
    assert better == {"time": Better.SMALLER, "bandwidth": Better.LARGER}


def test_a_size_that_was_rounded_is_the_same_size() -> None:
    found = entries(blocks(READER, SERIES), metric="bandwidth")
    assert [one.parameters["size"] for one in found[:4]] == ["524288", "1048576", "6291456", "1073741824"]


def test_a_result_that_is_repeated_at_once_is_a_sample() -> None:
    found = entries(blocks(READER, "Simple stat: 0.68 microseconds\nSimple stat: 0.70 microseconds\n"))
    assert [samples(one) for one in found] == [pytest.approx([0.68e-6, 0.70e-6])]


def test_what_is_measured_again_later_is_another_run() -> None:
    once = "Simple stat: 0.68 microseconds\nPipe latency: 4.5 microseconds\n"
    found = entries(blocks(READER, f"before:\n{once}after:\n{once.replace('4.5', '4.2')}"), benchmark="pipe")
    assert [(one.variant, one.figures["value"].text) for one in found] == [("", "4.5"), ("(2)", "4.2")]


def test_a_second_run_of_one_kernel_is_not_merged_with_the_first() -> None:
    whole = RUN.source.decode()
    found = blocks(READER, whole + whole.replace("0.2345", "0.2555"))
    assert [(one.variant, one.figures["value"].text) for one in entries(found, benchmark="null")] == [
        ("4.15.0-1014-azure", "0.2345"),
        ("4.15.0-1014-azure (2)", "0.2555"),
    ]
    assert "another run of 4.15.0-1014-azure" in found[1].remarks[0].text


def test_a_run_that_is_quoted_again_is_the_same_run() -> None:
    whole = RUN.source.decode()
    assert {one.variant for one in entries(blocks(READER, whole + whole), benchmark="null")} == {"4.15.0-1014-azure"}


def test_copies_that_ran_at_once_are_said() -> None:
    (block,) = blocks(READER, RUN.source.decode().replace("[SYNC_MAX: 1]", "[SYNC_MAX: 4]"))
    assert [one.text for one in block.remarks] == ["4 copies ran at once"]


def test_page_faults_in_milliseconds_are_doubted() -> None:
    (block,) = blocks(READER, "Pagefaults on /tmp/XXX: 0.1639 milliseconds\n")
    assert "may be wrong" in block.remarks[0].text


@pytest.mark.parametrize(
    "written",
    [
        "The timer fires after: 100 microseconds\n",
        '"mappings\n\n',
        '"mappings\n' + "9" * 400 + " 1\n",
        '"unknown curve\n1 2\n3 4\n',
        "Simple stat: inf microseconds\n",
        "Memory was short of bandwidth\n1 2\n",
        "[lmbench3.0 results for Linux\n[MHZ: 1]\n",
    ],
)
def test_what_only_looks_like_a_result_is_none(written: str) -> None:
    assert blocks(READER, written) == []
