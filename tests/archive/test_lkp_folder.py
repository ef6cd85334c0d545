"""Folders of results of lkp-tests."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.archive.reading import entries, samples

from kdelta.archive.lkp_folder import READER
from kdelta.archive.tree import of_folder
from kdelta.judge.claims import check
from kdelta.model.checked import Standing
from kdelta.model.published import Block

TEST = "hackbench/performance-pipe-1600%/box1/debian-12/x86_64-rhel-9.4/gcc-12"
OPS = "hackbench.throughput"


def written(root: Path, files: dict[str, object]) -> list[Block]:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    tree = of_folder(root)
    return list(READER.read(tree)) if READER.recognises(tree.names()) else []


def runs(commit: str, *values: float, **more: object) -> dict[str, object]:
    return {f"{TEST}/{commit}/{run}/stats.json": {OPS: value, **more} for run, value in enumerate(values)}


def said(found: list[Block]) -> str:
    return "\n".join(one.text for block in found for one in block.remarks)


def test_each_run_of_a_kernel_is_a_sample_and_a_boot(tmp_path: Path) -> None:
    found = written(tmp_path, {**runs("v6.16", 100.0, 101.0), **runs("v6.17-rc2", 90.0, 91.0, 92.0)})
    assert [(one.variant, samples(one), one.boots) for one in entries(found)] == [
        ("v6.16", [100.0, 101.0], True),
        ("v6.17-rc2", [90.0, 91.0, 92.0], True),
    ]


def test_box_test_and_parameters_are_parts_of_the_path(tmp_path: Path) -> None:
    (block,) = written(tmp_path, runs("v6.16", 100.0))
    one = block.entries[0]
    assert (one.box, one.benchmark, one.parameters) == (
        "box1",
        "hackbench-performance-pipe-1600",
        {"params": "performance-pipe-1600%"},
    )
    assert block.facts == {"rootfs": "debian-12", "kconfig": "x86_64-rhel-9.4", "compiler": "gcc-12"}


def test_the_folder_of_one_kernel_is_read_by_itself(tmp_path: Path) -> None:
    (one,) = entries(written(tmp_path / "v6.16", {"0/stats.json": {OPS: 100.0}}))
    assert (one.variant, one.box, samples(one)) == ("v6.16", "", [100.0])


def test_runs_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    (one,) = entries(written(tmp_path, runs("v6.16", *map(float, range(12)))))
    assert samples(one) == [float(run) for run in range(12)]


def test_an_incomplete_run_is_kept_and_not_judged(tmp_path: Path) -> None:
    broken = {f"{TEST}/v6.16/7/stats.json": {OPS: 1.0, "last_state.is_incomplete_run": 1}}
    found = written(tmp_path, {**runs("v6.16", 100.0), **broken})
    (one,) = entries(found)
    assert (samples(one), [each.number.value for each in one.discarded]) == ([100.0], [1.0])
    assert "run 7 was incomplete" in said(found)


def test_an_empty_point_is_no_value(tmp_path: Path) -> None:
    (one,) = entries(written(tmp_path, runs("v6.16", 100.0, -1.0)))
    assert (samples(one), [each.reason for each in one.discarded]) == ([100.0], ["an empty point"])


@pytest.mark.parametrize("name", ["matrix.json", "matrix.json.gz"])
def test_a_matrix_is_read_where_there_are_no_runs(tmp_path: Path, name: str) -> None:
    matrix = {"stats_source": ["0/stats.json", "1/stats.json"], OPS: [100, 101.5]}
    (one,) = entries(written(tmp_path, {f"{TEST}/v6.16/{name}": matrix}))
    assert samples(one) == [100.0, 101.5]


def test_a_matrix_that_is_short_is_not_filled_with_zeros(tmp_path: Path) -> None:
    found = written(tmp_path, {f"{TEST}/v6.16/matrix.json": {"stats_source": ["a", "b", "c"], OPS: [100, 101]}})
    assert samples(entries(found)[0]) == [100.0, 101.0]
    assert "fewer values than there were runs (3): 1" in said(found)


def test_zeros_in_front_of_a_matrix_are_not_judged(tmp_path: Path) -> None:
    (one,) = entries(written(tmp_path, {f"{TEST}/v6.16/matrix.json": {"stats_source": ["a", "b", "c"], OPS: [0, 0, 101]}}))
    assert (samples(one), len(one.discarded)) == ([101.0], 2)


def test_zeros_throughout_are_values(tmp_path: Path) -> None:
    (one,) = entries(written(tmp_path, {f"{TEST}/v6.16/matrix.json": {"stats_source": ["a", "b"], OPS: [0, 0]}}))
    assert samples(one) == [0.0, 0.0]


def test_incomplete_columns_of_a_matrix_are_not_judged(tmp_path: Path) -> None:
    matrix = {"stats_source": ["a", "b"], "last_state.is_incomplete_run": [1, 0], OPS: [3, 100]}
    found = written(tmp_path, {f"{TEST}/v6.16/matrix.json": matrix})
    assert [samples(one) for one in entries(found)] == [[100.0]]
    assert "incomplete runs, which are not judged: 1" in said(found)


def test_averages_are_claims_of_the_runs(tmp_path: Path) -> None:
    summaries = {f"{TEST}/v6.16/avg.json": {OPS: 100.5}, f"{TEST}/v6.16/stddev.json": {OPS: 2.0}}
    (block,) = written(tmp_path, {**runs("v6.16", 100.0, 101.0), **summaries})
    assert [(one.claim.kind, one.standing) for one in check(block).claims] == [("mean", Standing.HOLDS), ("sd", Standing.OFF)]


def test_averages_alone_are_a_summary(tmp_path: Path) -> None:
    (one,) = entries(written(tmp_path, {f"{TEST}/v6.16/avg.json": {OPS: 100.5}, f"{TEST}/v6.16/stddev.json": {OPS: 2.0}}))
    assert (one.samples, {name: number.value for name, number in one.figures.items()}, one.count) == (
        (),
        {"mean": 100.5, "sd": 2.0},
        None,
    )


def test_the_time_series_of_a_run_is_not_a_matrix_of_runs(tmp_path: Path) -> None:
    series: dict[str, object] = {f"{TEST}/v6.16/0/matrix.json.gz": {OPS: [1, 2, 3, 4]}}
    (one,) = entries(written(tmp_path, {**runs("v6.16", 100.0), **series}))
    assert samples(one) == [100.0]
    assert written(tmp_path / "other", series) == []


def test_values_have_the_unit_that_the_name_ends_with(tmp_path: Path) -> None:
    (one,) = entries(written(tmp_path, {"v6.16/0/stats.json": {"lmbench3.PIPE.latency.us": 5.11}}))
    assert samples(one) == pytest.approx([5.11e-6])
    assert (one.unit, one.samples[0].text) == ("s", "5.11")


def test_monitors_come_last_and_messages_are_none(tmp_path: Path) -> None:
    stats = {"vmstat.system.cs": 5, "dmesg.timestamp:last": 3, OPS: 100, "last_state.exit_fail": 1}
    found = entries(written(tmp_path, {f"{TEST}/v6.16/0/stats.json": stats}))
    assert [one.metric for one in found] == [OPS, "vmstat.system.cs"]


@pytest.mark.parametrize(
    "content", [b"", b"[" * 100000, b'{"a": {}}', b'{"a.b": 1e999}', b"[1]", b'{"a.b": "x", "c.d": null, "e.f": true}', b"\xff\xfe"]
)
def test_what_is_no_file_of_results_gives_nothing(tmp_path: Path, content: bytes) -> None:
    assert written(tmp_path, {f"{TEST}/v6.16/0/stats.json": content}) == []


def test_a_damaged_file_beside_good_ones_is_remarked(tmp_path: Path) -> None:
    found = written(tmp_path, {**runs("v6.16", 100.0), f"{TEST}/v6.16/1/stats.json": b"{"})
    assert samples(entries(found)[0]) == [100.0]
    assert "1/stats.json" in said(found)
