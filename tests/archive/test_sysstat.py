"""The tables of sar and mpstat, and their JSON, read."""

from __future__ import annotations

import json

import pytest
from tests.archive.reading import blocks, entries, figures, samples

from kdelta.archive.sysstat import READER

SAR = """\
Linux 4.4.0-1083-aws (ip-10-0-0-97) \t05/21/2019 \t_x86_64_\t(8 CPU)

06:42:09 PM     CPU     %user     %nice   %system   %iowait    %steal     %idle
06:42:39 PM     all     99.85      0.00      0.00      0.00      0.15      0.00
06:43:09 PM     all     99.77      0.00      0.01      0.00      0.22      0.00
06:43:39 PM     all     99.69      0.00      0.00      0.00      0.30      0.00
Average:        all     81.96      0.00      0.00      0.00     17.99      0.04
"""
MPSTAT = """\
Linux 6.1.0 (box)  14.07.2026  _x86_64_  (2 CPU)

18:42:09     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
18:42:10     all   10,50    0,00    1,00    0,00    0,00    0,00    0,00    0,00    0,00   88,50
18:42:10       0   20,00    0,00    2,00    0,00    0,00    0,00    0,00    0,00    0,00   78,00

Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
Average:     all   10,50    0,00    1,00    0,00    0,00    0,00    0,00    0,00    0,00   88,50
Average:       0   20,00    0,00    2,00    0,00    0,00    0,00    0,00    0,00    0,00   78,00
"""
HOST = {"nodename": "box", "sysname": "Linux", "release": "6.1.0", "machine": "x86_64", "number-of-cpus": 4, "date": "2026-07-14"}
LOADS = [{"cpu": "all", "usr": 1.5, "idle": 98.5}, {"cpu": "0", "usr": 2, "idle": 98}]


def written(statistics: object) -> str:
    return json.dumps({"sysstat": {"hosts": [HOST | {"statistics": statistics}]}}, indent=1)


def test_intervals_are_samples_and_their_average_is_a_claim() -> None:
    (block,) = blocks(READER, SAR)
    (user,) = entries([block], metric="user")
    assert (samples(user), user.figures) == ([99.85, 99.77, 99.69], {})
    claim = next(one for one in block.claims if one.printed.text == "81.96")
    assert (claim.kind, [one.value for one in claim.of]) == ("mean", [99.85, 99.77, 99.69])


def test_an_average_that_contradicts_its_rows_is_kept_as_it_is_printed() -> None:
    (block,) = blocks(READER, SAR)
    assert [one.printed.text for one in block.claims] == ["81.96", "0.00", "0.00", "0.00", "17.99", "0.04"]


def test_the_kernel_and_the_host_stand_in_the_banner() -> None:
    assert {(one.variant, one.box) for one in entries(blocks(READER, SAR))} == {("4.4.0-1083-aws", "ip-10-0-0-97")}


def test_each_processor_is_a_benchmark_of_its_own() -> None:
    found = entries(blocks(READER, MPSTAT), metric="user")
    assert [(one.benchmark, one.parameters, samples(one)) for one in found] == [
        ("sar-cpu-all", {"cpu": "all"}, [10.5]),
        ("sar-cpu-0", {"cpu": "0"}, [20.0]),
    ]


def test_an_average_without_its_rows_is_a_mean() -> None:
    kept = "".join(line for line in SAR.splitlines(keepends=True) if not line.startswith("06:4") or "CPU" in line)
    found = blocks(READER, kept)
    assert (figures(entries(found, metric="user")), found[0].claims) == ([81.96], ())


def test_a_log_below_the_average_of_another_is_another() -> None:
    rest = SAR.partition("\n")[2].replace("99.85", "50.00")
    found = entries(blocks(READER, SAR + rest), metric="user")
    assert [(one.variant, one.samples[0].text) for one in found] == [("4.4.0-1083-aws", "99.85"), ("4.4.0-1083-aws (2)", "50.00")]


def test_json_is_read_as_the_table_is() -> None:
    found = blocks(
        READER, written([{"timestamp": "20:18:36", "cpu-load": LOADS}, {"timestamp": "20:18:37", "cpu-load": LOADS[:1]}])
    )
    assert [(one.variant, one.benchmark, samples(one)) for one in entries(found, metric="user")] == [
        ("6.1.0", "sar-cpu-all", [1.5, 1.5]),
        ("6.1.0", "sar-cpu-0", [2.0]),
    ]


@pytest.mark.parametrize("before", ["", "some text before it\n\n"])
def test_json_without_statistics_has_no_values_and_says_so(before: str) -> None:
    (block,) = blocks(READER, before + written([]))
    assert [(one.samples, one.figures, one.reason) for one in block.entries] == [((), {}, "its list of statistics is empty")]
    assert "nothing was measured" in block.remarks[0].text
    assert block.facts == {"CPUs": "4"}


@pytest.mark.parametrize(
    "text",
    [
        '{"sysstat": {"hosts": [{"statistics": 3}]}}',
        '{"sysstat": {"hosts": [',
        '{"sysstat"' + "[" * 5000,
        "06:42:39 PM     all     99.85      0.00      %idle\n",
        "06:42:09 PM  CPU  %user  %idle\n06:42:39 PM     all     99.85\n",
    ],
)
def test_what_is_damaged_is_passed_over(text: str) -> None:
    assert blocks(READER, text) == []
