"""schbench's reports, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples

from kdelta.archive.schbench import READER
from kdelta.model.benchmark import Better
from kdelta.model.published import Entry

HEAD = "2023-04-19 17:08:51 ./schbench -m 1 -t 128 -r 30\nwarmup done, zeroing stats\n"


def report(label: str, seconds: int, total: int, values: tuple[int, ...], ends: tuple[int, int], unit: str = "usec") -> str:
    rows = zip(("50.0", "90.0", "99.0", "99.9"), values, strict=True)
    lines = [f"        {'*' if name == '99.0' else ' '} {name}th: {value:<10} (7 samples)\n" for name, value in rows]
    title = f"{label} percentiles ({unit}) runtime {seconds} (s) ({total} total samples)\n"
    return title + "".join(lines) + f"          min={ends[0]}, max={ends[1]}\n"


def wakeup(seconds: int, total: int, *values: int) -> str:
    return report("Wakeup Latencies", seconds, total, values, (1, 119))


def request(seconds: int, total: int, *values: int) -> str:
    return report("Request Latencies", seconds, total, values, (5698, 17204))


REPORTS = (
    wakeup(10, 82781, 5, 7, 8, 13).replace("5          (7", "5          (0"),
    request(10, 83326, 6008, 10896, 11376, 11760),
    "current rps: 15869.42\n",
    wakeup(20, 255539, 6, 7, 9, 13),
    request(20, 257229, 5992, 10896, 11376, 11728),
    "current rps: 17385.74\n",
    wakeup(30, 434563, 6, 7, 9, 13),
    request(30, 437704, 6008, 10864, 11376, 11728),
    "current rps: 18042.84\n",
)
LOG = HEAD + "".join(REPORTS)
CUT = (
    LOG
    + "Wakeup Latencies percentiles (usec) runtime 30 (s) (434591 total samples)\n          50.0th: 6          (169879 samples)\n"
)
OLD = """\
schbench:
Not much to see below the 99.9th.

Without-patch
Latency percentiles (usec)
\t50.0th: 29
\t75.0th: 39
\t*99.0th: 13104
\t99.5th: 14672
\tmin=0, max=17993

With-patch:
Latency percentiles (usec)
\t50.0th: 29
\t75.0th: 40
\t*99.0th: 13648
\t99.5th: 14768
\tmin=0, max=29812
"""
JSON = """\
{"int": {"wakeup_latency_pct20.0": 4, "wakeup_latency_pct50.0": 6, "wakeup_latency_pct99.0": 9,
 "wakeup_latency_min": 1,"wakeup_latency_max": 119, "rps_pct20.0": 15000, "rps_pct50.0": 16000, "rps_min": 14000,"rps_max": 17000,
 "runtime": 30}, "normal": {"version": "1.0"}}
"""


def microseconds(entry: Entry) -> dict[str, float]:
    return {name: round(one.value * 1e6, 6) for name, one in entry.figures.items()}


@pytest.mark.parametrize("text", [LOG, CUT], ids=["whole", "cut"])
def test_only_the_last_whole_report_counts(text: str) -> None:
    found = blocks(READER, text)
    (first,) = entries(found, metric="wakeup_latency")
    (second,) = entries(found, metric="request_latency")
    assert microseconds(first) == {"p50": 6, "p90": 7, "p99": 9, "p99.9": 13, "min": 1, "max": 119}
    assert microseconds(second) == {"p50": 6008, "p90": 10864, "p99": 11376, "p99.9": 11728, "min": 5698, "max": 17204}
    assert (first.count, second.count, first.unit, first.printed_unit) == (434563, 437704, "s", "usec")
    assert "4 reports before the last" in found[0].remarks[0].text


def test_a_report_that_is_cut_is_said() -> None:
    (block,) = blocks(READER, CUT)
    assert any(one.text == "the report of wakeup_latency is cut: the one before it counts" for one in block.remarks)
    assert not any("is cut" in one.text for one in blocks(READER, LOG)[0].remarks)


def test_rates_of_earlier_intervals_are_kept_and_not_judged() -> None:
    (rate,) = entries(blocks(READER, LOG), metric="current_rps")
    assert (samples(rate), [one.number.value for one in rate.discarded]) == ([18042.84], [15869.42, 17385.74])
    assert rate.better is Better.LARGER


def test_an_average_rate_stands_for_its_run() -> None:
    (rate,) = entries(blocks(READER, LOG + "average rps: 17099.33\n"), metric="average_rps")
    assert (samples(rate), len(rate.discarded)) == ([17099.33], 3)


def test_percentiles_of_rates_are_better_when_they_are_larger() -> None:
    (rate,) = entries(blocks(READER, LOG + report("RPS", 30, 31, (1, 2, 3, 4), (1, 5), "requests")), metric="rps")
    assert (rate.unit, rate.better, rate.figures["p50"].value) == ("requests/s", Better.LARGER, 1)


def test_a_star_is_the_headline_and_shifts_nothing_also_where_it_is_glued() -> None:
    first, second = entries(blocks(READER, OLD))
    assert (first.variant, second.variant) == ("Without-patch", "With-patch")
    assert microseconds(first) == {"p50": 29, "p75": 39, "p99": 13104, "p99.5": 14672, "min": 0, "max": 17993}
    assert microseconds(second) == {"p50": 29, "p75": 40, "p99": 13648, "p99.5": 14768, "min": 0, "max": 29812}
    assert (first.benchmark, first.metric, first.count) == ("schbench", "latency", None)


def test_a_percentile_of_no_samples_is_said() -> None:
    (block,) = blocks(READER, HEAD + REPORTS[0])
    assert any("no sample stands behind p50" in one.text for one in block.remarks)
    assert not any("no sample" in one.text for one in blocks(READER, LOG)[0].remarks)


def test_whole_microseconds_are_said_to_be_coarse() -> None:
    assert any("17 %" in one.text for one in blocks(READER, LOG)[0].remarks)


def test_parameters_stand_in_the_command() -> None:
    (one,) = entries(blocks(READER, LOG), metric="wakeup_latency")
    assert (one.benchmark, one.parameters) == ("schbench-m1-t128", {"messages": "1", "workers": "128", "seconds": "30"})


def test_several_runs_are_results_of_each_percentile() -> None:
    found = blocks(READER, f"Iteration : 1\n{HEAD}{REPORTS[6]}Iteration : 2\n{HEAD}{wakeup(30, 9, 6, 7, 10, 14)}")
    (p99,) = entries(found, metric="wakeup_latency_p99")
    assert samples(p99) == pytest.approx([9e-6, 10e-6])
    assert p99.figures == {}


def test_a_shorter_time_than_that_of_the_report_before_is_of_another_run() -> None:
    (p99,) = entries(blocks(READER, REPORTS[3] + REPORTS[6] + wakeup(10, 9, 6, 7, 10, 14)), metric="wakeup_latency_p99")
    assert samples(p99) == pytest.approx([9e-6, 10e-6])


def test_instances_are_not_repetitions_of_each_other() -> None:
    found = blocks(READER, f"Instance: 1\n{HEAD}{REPORTS[6]}Instance: 2\n{HEAD}{REPORTS[6]}")
    assert [one.benchmark for one in entries(found)] == ["schbench-m1-t128", "schbench-m1-t128-instance-2"]


def test_its_json_holds_the_same_percentiles() -> None:
    latency, rate = entries(blocks(READER, JSON))
    assert microseconds(latency) == {"p20": 4, "p50": 6, "p99": 9, "min": 1, "max": 119}
    assert {name: one.value for name, one in rate.figures.items()} == {"p20": 15000, "p50": 16000, "min": 14000, "max": 17000}
    assert latency.figures["p20"].line == 1


def test_other_percentiles_are_not_read() -> None:
    assert (
        blocks(READER, "    clat percentiles (usec):\n     |  1.00th=[   10]\n99.0th: 9\n  min=1, max=2\n average rps: 3\n") == []
    )
