"""dbench's summary, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples

from kdelta.archive.dbench import READER
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState

LAST = "Throughput 13563.9 MB/sec  128 clients  128 procs  max_latency=53.132 ms\n"
LOG = f"""\
2023-10-30 16:13:09 dbench 128 -c /usr/local/share/client.txt
dbench version 4.00 - Copyright the author 1999-2004

Running for 600 seconds with load '/usr/local/share/client.txt' and minimum warmup 120 secs
127 of 128 processes prepared for launch   0 sec
releasing clients
 128     18384  14924.44 MB/sec  warmup   1 sec  latency 45.920 ms
 128     39295  14716.65 MB/sec  warmup   2 sec  latency 9.680 ms
 128  14082566  13563.95 MB/sec  execute 599 sec  latency 11.331 ms
 128  cleanup 600 sec
   0  cleanup 600 sec

 Operation                Count    AvgLat    MaxLat
 --------------------------------------------------
 Flush                  18168703     3.095    53.127
 QUERY_FILE_INFORMATION 41171932     0.001     0.626
 QUERY_PATH_INFORMATION234963059     0.005    12.536
 NTCreateX              259219016     0.014    13.511

{LAST}"""


def test_the_last_line_is_the_result_and_the_lines_of_seconds_are_none() -> None:
    (block,) = blocks(READER, LOG)
    (rate,) = entries([block], metric="throughput")
    assert [one.text for one in rate.samples] == ["13563.9"]
    assert (samples(rate), rate.unit, rate.printed_unit, rate.better) == ([13563.9e6], "B/s", "MB/sec", Better.LARGER)
    assert (rate.discarded, rate.figures) == ((), {})
    assert "2 of warmup, 1 of execute" in block.remarks[0].text


def test_the_run_is_named_by_its_clients() -> None:
    (rate,) = entries(blocks(READER, LOG), metric="throughput")
    assert (rate.program, rate.benchmark) == ("dbench", "dbench-128")
    assert rate.parameters == {"clients": "128", "seconds": "600", "load": "/usr/local/share/client.txt", "warmup": "120"}


def test_the_longest_latency_is_in_milliseconds() -> None:
    (one,) = entries(blocks(READER, LOG), metric="max_latency")
    assert samples(one) == pytest.approx([0.053132])
    assert (one.unit, one.better) == ("s", Better.SMALLER)


@pytest.mark.parametrize(
    ("metric", "count", "mean", "longest"),
    [
        ("flush_latency", 18168703, 3.095, 53.127),
        ("query_file_information_latency", 41171932, 0.001, 0.626),
        ("query_path_information_latency", 234963059, 0.005, 12.536),
        ("ntcreatex_latency", 259219016, 0.014, 13.511),
    ],
)
def test_a_count_may_touch_the_name_before_it(metric: str, count: int, mean: float, longest: float) -> None:
    (one,) = entries(blocks(READER, LOG), metric=metric)
    assert one.count == count
    assert [one.figures[name].value * 1e3 for name in ("mean", "max")] == pytest.approx([mean, longest])


@pytest.mark.parametrize(
    ("last", "benchmark", "value"),
    [
        ("Throughput 234.5 MB/sec 10 procs\n", "dbench-10", 234.5e6),
        ("Throughput 37.1 MB/sec (NB=46.4 MB/sec  371 MBit/sec)\n", "dbench", 37.1e6),
        ("Throughput 37.1 MB/sec (sync open) (sync dirs)  8 clients  8 procs  max_latency=5.1 ms\n", "dbench-8-open-dirs", 37.1e6),
    ],
)
def test_the_last_line_of_each_version_is_read(last: str, benchmark: str, value: float) -> None:
    (one,) = entries(blocks(READER, f"$ dbench\n{last}"), metric="throughput")
    assert (one.benchmark, samples(one)) == (benchmark, [value])


def test_tbench_prints_the_same() -> None:
    (one,) = entries(blocks(READER, LOG.replace("dbench", "tbench")), metric="throughput")
    assert (one.program, one.benchmark) == ("tbench", "tbench-128")


def test_runs_below_headings_are_of_variants() -> None:
    found = entries(
        blocks(READER, f"dbench, base:\n\n{LAST}\ndbench, patched:\n\n{LAST.replace('13563', '14563')}"), metric="throughput"
    )
    assert [(one.variant, samples(one)) for one in found] == [("dbench, base", [13563.9e6]), ("dbench, patched", [14563.9e6])]


def test_several_runs_of_one_variant_are_results_of_each_figure() -> None:
    found = blocks(READER, LOG + LOG.replace("13563.9", "13600.1"))
    assert samples(entries(found, metric="throughput")[0]) == [13563.9e6, 13600.1e6]
    assert samples(entries(found, metric="flush_latency_mean")[0]) == pytest.approx([3.095e-3, 3.095e-3])


def test_a_run_without_its_last_line_has_failed() -> None:
    (block,) = blocks(READER, LOG.partition(" 128  cleanup")[0])
    (one,) = block.entries
    assert (one.state, one.samples) == (CellState.FAILED, ())


def test_a_throughput_without_the_program_is_not_read() -> None:
    assert blocks(READER, "With 8 procs:\nThroughput 234.5 MB/sec\n") == []


def test_rows_of_operations_and_what_was_left_out_are_no_words_of_a_name() -> None:
    cut = "1)example {}\nWriteX        365460     4.474  2279.808\n...\n{}\n"
    found = blocks(READER, f"dbench\n\n{cut.format('a', LAST)}\n{cut.format('b', LAST.replace('13563.9', '13500.1'))}")
    assert [one.variant for one in entries(found, metric="throughput")] == ["1)example a", "1)example b"]


@pytest.mark.parametrize(
    ("called", "program"), [("tbench -t 30 128 127.0.0.1", "tbench"), ("dbench 128", "dbench"), ("", "dbench")]
)
def test_tbench_is_known_by_its_command_where_it_says_that_it_is_dbench(called: str, program: str) -> None:
    log = f"2023-10-30 16:04:30 {called}\ndbench version 4.00 - Copyright Andrew Tridgell 1999-2004\n\n{LAST}"
    assert {one.benchmark for one in entries(blocks(READER, log), metric="throughput")} == {f"{program}-128"}
