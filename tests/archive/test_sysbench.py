"""sysbench's reports, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples

from kdelta.archive.sources import one_text
from kdelta.archive.sysbench import READER
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing

OLTP = """\
sysbench 1.1.0-df89d34 (using bundled LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 16
Target transaction rate: 143/sec
Initializing random number generator from current time

Threads started!

[ 10s ] thds: 16 tps: 143.00 qps: 3650.00 (r/w/o: 2793/143/714) lat (ms,95%): 68.05 err/s: 0.00 reconn/s: 0.00
SQL statistics:
    queries performed:
        read:                            5039772
        write:                           259534
        other:                           1284992
        total:                           6584298
    transactions:                        257521 (143.01 per sec.)
    queries:                             6584298 (3657.94 per sec.)
    ignored errors:                      0      (0.00 per sec.)

Throughput:
    events/s (eps):                      143.0086
    time elapsed:                        1800.0319s
    total number of events:              257521

Latency (ms):
         min:                                    7.39
         avg:                                   28.97
         max:                                  720.22
         95th percentile:                       68.05
         sum:                              7458385.25

Threads fairness:
    events (avg/stddev):           16083.8125/12.14
    execution time (avg/stddev):   416.1366/1.13
"""
FREE = OLTP.replace("Target transaction rate: 143/sec\n", "").replace(
    "[ 10s ] thds: 16 tps: 143.00 qps: 3650.00 (r/w/o: 2793/143/714) lat (ms,95%): 68.05 err/s: 0.00 reconn/s: 0.00\n", ""
)
OLD = """\
sysbench 0.4.12:  multi-threaded system evaluation benchmark

Running the test with following options:
Number of threads: 1

Doing CPU performance benchmark

Maximum prime number checked in CPU test: 20000

Test execution summary:
    total time:                          27.5812s
    total number of events:              10000
    total time taken by event execution: 27.5796
    per-request statistics:
         min:                                  2.70ms
         avg:                                  2.76ms
         max:                                  4.45ms
         approx.  95 percentile:               2.86ms

Threads fairness:
    events (avg/stddev):           10000.0000/0.00
    execution time (avg/stddev):   27.5796/0.00
"""


def test_each_number_of_a_report_is_read_with_its_unit() -> None:
    found = {one.metric: one for one in entries(blocks(READER, OLTP))}
    wanted = {
        "transactions": 257521,
        "transactions_per_s": 143.01,
        "queries": 6584298,
        "queries_per_s": 3657.94,
        "events_per_s": 143.0086,
        "elapsed_s": 1800.0319,
        "events": 257521,
        "latency_sum": 7458.38525,
    }
    assert {metric: samples(found[metric])[0] for metric in wanted} == pytest.approx(wanted)
    latency = found["latency"]
    assert {name: one.text for name, one in latency.figures.items()} == {
        "min": "7.39",
        "mean": "28.97",
        "max": "720.22",
        "p95": "68.05",
    }
    assert latency.figures["p95"].value == pytest.approx(0.06805)
    assert (latency.unit, latency.printed_unit, latency.count) == ("s", "ms", 257521)


def test_a_mark_of_the_byte_order_and_lines_of_windows_change_nothing() -> None:
    (block,) = blocks(READER, one_text("text", b"\xef\xbb\xbf" + OLTP.replace("\n", "\r\n").encode()))
    assert block.entries == blocks(READER, OLTP)[0].entries


def test_a_throughput_that_the_generator_sets_is_no_result() -> None:
    (block,) = blocks(READER, OLTP)
    assert block.entries[0].metric == "latency"
    assert {one.metric for one in block.entries if one.better is not None} == {"latency"}
    assert "target rate of 143" in block.remarks[0].text
    assert block.entries[0].parameters == {"threads": "16", "rate": "143"}


def test_without_a_rate_the_throughput_is_the_headline() -> None:
    (block,) = blocks(READER, FREE)
    assert (block.entries[0].metric, block.entries[0].better) == ("transactions_per_s", Better.LARGER)
    assert (block.entries[0].benchmark, block.remarks) == ("sysbench-oltp-16", ())


def test_a_rate_that_does_not_follow_from_its_count_and_time_is_off() -> None:
    checked = {one.claim.what: one for one in check(blocks(READER, FREE)[0]).claims}
    rate = checked["sysbench-oltp-16: transactions_per_s"]
    assert (rate.standing, round(rate.again or 0.0, 2)) == (Standing.OFF, 143.06)
    assert checked["sysbench-oltp-16: of reads, writes and others"].standing is Standing.HOLDS
    assert len(checked) == 6


def test_reports_of_intervals_are_not_counted() -> None:
    (block,) = blocks(READER, OLTP)
    assert any(one.text.startswith("1 reports of intervals") for one in block.remarks)
    assert [len(one.samples) for one in entries([block], metric="transactions_per_s")] == [1]


def test_the_older_form_has_its_unit_behind_each_number() -> None:
    found = entries(blocks(READER, OLD))
    latency, elapsed = (next(one for one in found if one.metric == name) for name in ("latency", "elapsed_s"))
    assert {name: round(one.value, 6) for name, one in latency.figures.items()} == {
        "min": 0.0027,
        "mean": 0.00276,
        "max": 0.00445,
        "p95": 0.00286,
    }
    assert (samples(elapsed), elapsed.unit, elapsed.better) == ([27.5812], "s", Better.SMALLER)
    assert latency.benchmark == "sysbench-cpu-1"


@pytest.mark.parametrize(
    ("lines", "benchmark", "metric", "unit", "value"),
    [
        ("CPU speed:\n    events per second:   456.78\n", "sysbench-cpu-4", "events_per_s", "/s", 456.78),
        (
            "Running memory speed test with the following options:\nTotal operations: 104857600 (2283226.36 per second)\n\n"
            "102400.00 MiB transferred (2229.71 MiB/sec)\n",
            "sysbench-memory-4",
            "moved_per_s",
            "B/s",
            2229.71 * 2**20,
        ),
        (
            "Doing memory operations speed test\nOperations performed: 2097152 (1573841.38 ops/sec)\n",
            "sysbench-memory-4",
            "operations_per_s",
            "/s",
            1573841.38,
        ),
        ("File operations:\n    reads/s:                      1234.5\n", "sysbench-fileio-4", "reads_per_s", "/s", 1234.5),
        (
            "File operations:\nThroughput:\n    read, MiB/s:                  19.29\n",
            "sysbench-fileio-4",
            "read",
            "B/s",
            19.29 * 2**20,
        ),
        (
            "Doing random r/w test\nOperations performed:  6000 Read, 4000 Write, 12800 Other = 22800 Total\n"
            "Read 93.75Mb  Written 62.5Mb  Total transferred 156.25Mb  (4.5Mb/sec)\n  288.14 Requests/sec executed\n",
            "sysbench-fileio-4",
            "moved_per_s",
            "B/s",
            4.5 * 2**20,
        ),
        ("Doing mutex performance test\n    total time:           2.5s\n", "sysbench-mutex-4", "elapsed_s", "s", 2.5),
        ("Doing thread subsystem performance test\n    total time:           2.5s\n", "sysbench-threads-4", "elapsed_s", "s", 2.5),
    ],
)
def test_each_test_has_its_own_numbers(lines: str, benchmark: str, metric: str, unit: str, value: float) -> None:
    (one,) = entries(blocks(READER, f"sysbench 1.0.20 (using LuaJIT 2.1)\n\nNumber of threads: 4\n{lines}"), metric=metric)
    assert (one.benchmark, one.unit) == (benchmark, unit)
    assert samples(one) == pytest.approx([value])


def test_seconds_behind_a_latency_are_no_milliseconds() -> None:
    (latency,) = entries(blocks(READER, OLD.replace("2.70ms", "0.0027s")), metric="latency")
    assert latency.figures["min"].value == pytest.approx(0.0027)


def test_reports_below_headings_are_of_variants() -> None:
    found = entries(blocks(READER, f"base:\n\n{FREE}\npatched:\n\n{FREE.replace('143.01', '150.25')}"), metric="transactions_per_s")
    assert [(one.variant, samples(one)) for one in found] == [("base", [143.01]), ("patched", [150.25])]


def test_several_reports_of_one_variant_are_results_of_each_figure() -> None:
    found = blocks(READER, FREE + FREE.replace("68.05", "70.05"))
    assert samples(entries(found, metric="latency_p95")[0]) == pytest.approx([0.06805, 0.07005])
    assert samples(entries(found, metric="transactions_per_s")[0]) == [143.01, 143.01]


def test_a_report_that_lost_its_title_is_read_where_sysbench_is_named() -> None:
    (one,) = entries(blocks(READER, "With sysbench cpu run I get\n\nCPU speed:\n    events per second:   456.78\n"))
    assert (one.benchmark, samples(one)) == ("sysbench-cpu", [456.78])


def test_a_run_that_ended_in_an_error_has_failed() -> None:
    (one,) = entries(
        blocks(READER, "sysbench 1.0.20 (using LuaJIT 2.1)\n\nFATAL: unable to connect to MySQL server, aborting...\n")
    )
    assert (one.state, one.reason, one.samples) == (CellState.FAILED, "unable to connect to MySQL server, aborting...", ())
