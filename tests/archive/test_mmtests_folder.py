"""Folders of MMTests' logs, and its JSON, read."""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.archive.reading import blocks, entries, samples

from kdelta.archive import mmtests_json, tree
from kdelta.archive.documents import documents
from kdelta.archive.mmtests_folder import READER, recognises
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing
from kdelta.model.published import Block

BUILD = "{user}user {system}system {elapsed}elapsed {cpu}%CPU (0avgtext+0avgdata 9maxresident)k\n"
BENCH = "# Running 'sched/messaging' benchmark:\n# 20 sender and receiver processes per group\n# 1 groups == 40 processes run\n\n"
STAMPS = """\
start :: {epoch}
test begin :: kernbench {epoch}
test end :: kernbench 1600002000 0
time :: kernbench 41404.28 user 9862.22 system 519.87 elapsed
finish :: 1600002001
"""


def build(user: str, system: str, elapsed: str, cpu: str) -> str:
    return BUILD.format(user=user, system=system, elapsed=elapsed, cpu=cpu)


def attempt(seconds: str) -> str:
    return f"{BENCH}     Total time: {seconds} [sec]\n\n"


FILES = {
    "patched/iter-0/tests-timestamp": STAMPS.format(epoch=1600001000),
    "patched/iter-0/kernel.version": "Linux box 6.18.0-rc1-patched #1 SMP x86_64 GNU/Linux\n",
    "patched/iter-0/kernbench/logs/time-24-1": build("12030.78", "1735.53", "10:00.19", "2293"),
    "patched/iter-0/hackbench-process-pipes/logs/hackbench-48": attempt("3.919"),
    "vanilla/iter-0/tests-timestamp": STAMPS.format(epoch=1600000000),
    "vanilla/iter-0/kernbench/logs/time-24-1": build("12063.99", "1755.20", "10:01.60", "2297"),
    "vanilla/iter-0/kernbench/logs/time-24-2": build("12064.99", "1756.20", "1:10:01.6", "2297"),
    "vanilla/iter-0/kernbench/logs/time-24-10": build("12065.99", "1757.20", "10:03.60", "2297"),
    "vanilla/iter-0/hackbench-process-pipes/logs/hackbench-48": attempt("3.502") + BENCH + attempt("3.511"),
    "vanilla/iter-0/dmesg.gz": "not read\n",
}


def found(tmp_path: Path, files: Mapping[str, str] = FILES) -> list[Block]:
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return list(READER.read(tree.of_folder(tmp_path)))


def test_times_of_builds_are_samples_of_kernbench_in_their_order(tmp_path: Path) -> None:
    (one,) = entries(found(tmp_path), variant="vanilla", benchmark="kernbench-24", metric="elapsed_s")
    assert samples(one) == [601.60, 4201.6, 603.60]
    assert (one.program, one.parameters, one.unit, one.better) == ("kernbench", {"load": "24"}, "s", Better.SMALLER)


def test_the_share_of_a_cpu_is_claimed_to_follow_from_the_times(tmp_path: Path) -> None:
    block = next(one for one in found(tmp_path) if one.title == "patched: kernbench")
    assert [(one.claim.printed.text, one.standing) for one in check(block).claims] == [("2293", Standing.HOLDS)]


def test_runs_are_variants_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    assert list(dict.fromkeys(one.variant for one in entries(found(tmp_path)))) == ["vanilla", "patched"]


def test_attempts_of_hackbench_without_a_time_are_no_results(tmp_path: Path) -> None:
    blocks_ = found(tmp_path)
    (one,) = entries(blocks_, variant="vanilla", benchmark="hackbench-process-pipes-48")
    assert samples(one) == [3.502, 3.511]
    assert (one.metric, one.parameters) == ("time", {"groups": "48"})
    assert any("1 of 3 attempts have no time" in remark.text for block in blocks_ for remark in block.remarks)


def test_the_time_of_the_session_is_beside_the_results(tmp_path: Path) -> None:
    session = entries(found(tmp_path), benchmark="kernbench-session", variant="vanilla")
    assert [(one.metric, samples(one), one.better) for one in session] == [
        ("user_s", [41404.28], None),
        ("system_s", [9862.22], None),
        ("elapsed_s", [519.87], None),
    ]


def test_the_kernel_of_a_run_is_a_fact(tmp_path: Path) -> None:
    facts = [block.facts for block in found(tmp_path) if block.title.startswith("patched")]
    assert facts == [{"kernel": "Linux box 6.18.0-rc1-patched #1 SMP x86_64 GNU/Linux"}] * 2


def test_repetitions_of_one_iteration_are_of_one_boot(tmp_path: Path) -> None:
    (one,) = entries(found(tmp_path), variant="vanilla", benchmark="kernbench-24", metric="user_s")
    assert (one.count, one.boots) == (3, False)


def test_whether_iterations_are_boots_is_not_said(tmp_path: Path) -> None:
    more = FILES | {"vanilla/iter-1/kernbench/logs/time-24-1": build("1.00", "2.00", "0:03.00", "100")}
    blocks_ = found(tmp_path, more)
    (one,) = entries(blocks_, variant="vanilla", benchmark="kernbench-24", metric="elapsed_s")
    assert (samples(one)[-1], one.count, one.boots) == (3.0, 4, None)
    assert any("of one boot or of several" in remark.text for block in blocks_ for remark in block.remarks)


def test_a_build_that_failed_has_no_time(tmp_path: Path) -> None:
    failed = "Command exited with non-zero status 2\n" + build("1.00", "2.00", "0:03.00", "100")
    blocks_ = found(tmp_path, FILES | {"patched/iter-0/kernbench/logs/time-24-2": failed})
    (one,) = entries(blocks_, variant="patched", benchmark="kernbench-24", metric="elapsed_s")
    assert samples(one) == [600.19]
    assert any("non-zero status 2" in remark.text for block in blocks_ for remark in block.remarks)


def test_a_test_that_never_ended_failed(tmp_path: Path) -> None:
    blocks_ = found(tmp_path, {"base/iter-0/tests-timestamp": "test begin :: dbench4 1600000000\n"})
    (one,) = entries(blocks_)
    assert (one.benchmark, one.state, one.reason) == (
        "dbench4",
        CellState.FAILED,
        "it was begun, and its end was never written down",
    )


def test_lines_that_mmtests_makes_of_any_log_are_read(tmp_path: Path) -> None:
    lines = "send\t64\t_\t1\t251.49\t_\nsend\t64\t_\t2\t252.00\t_\nno line of it\n"
    (one,) = entries(found(tmp_path, {"base/iter-0/netperf-udp/logs/results": lines}))
    assert samples(one) == pytest.approx([251.49e6, 252.00e6])
    assert (one.benchmark, one.unit) == ("netperf-udp-send-64", "bit/s")


def test_runs_of_one_name_are_told_apart(tmp_path: Path) -> None:
    one = {f"{where}/base/iter-0/kernbench/logs/time-2-1": build("1.00", "2.00", "0:03.00", "100") for where in "ab"}
    assert list(dict.fromkeys(each.variant for each in entries(found(tmp_path, one)))) == ["base", "base (2)"]


def test_the_folder_of_one_run_is_known_too(tmp_path: Path) -> None:
    one = {f"{name}": content for name, content in FILES.items() if name.startswith("vanilla")}
    found(tmp_path, one)
    (document,) = documents(tmp_path / "vanilla", (), print)
    assert {each.variant for each in entries(document.blocks)} == {"vanilla"}


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("work/log/base/iter-0/tests-timestamp", True),
        ("iter-3/kernbench/logs/time-2-1", True),
        ("base/iter-0/dmesg.gz", False),
        ("base/iteration/kernbench/logs/time-2-1", False),
        ("results/0/stats.json", False),
    ],
)
def test_a_folder_is_known_by_its_iterations(name: str, known: bool) -> None:
    assert recognises([name]) is known


def module(run: str, values: list[list[object]], name: str = "ExtractHackbenchprocesspipes") -> dict[str, object]:
    data = {"time-48": [{"SampleNrs": list(range(1, len(one) + 1)), "Values": one} for one in values]}
    return {"_ModuleName": name, "_TestName": run, "_ResultData": data, "_PlotType": "lines"}


def test_the_json_of_a_comparison_has_all_values_of_each_run() -> None:
    both = [module("5.7.0-vanilla", [["3.5023", 3.6]]), module("5.7.0-patched", [[3.9], [4.0]])]
    (block,) = blocks(mmtests_json.READER, json.dumps({"_ModuleName": "Compare", "_ExtractModules": both}))
    assert [(one.variant, samples(one), one.boots) for one in block.entries] == [
        ("5.7.0-vanilla", [3.5023, 3.6], False),
        ("5.7.0-patched", [3.9, 4.0], None),
    ]
    assert block.entries[0].benchmark == "hackbenchprocesspipes-48"
    assert block.entries[0].samples[0].text == "3.5023"


def test_the_list_of_modules_alone_is_read_too() -> None:
    (block,) = blocks(mmtests_json.READER, json.dumps([module("base", [[3.5]])]))
    assert [samples(one) for one in block.entries] == [[3.5]]


def test_a_value_of_json_that_is_no_number_is_said_to_be_left_out() -> None:
    (block,) = blocks(mmtests_json.READER, json.dumps([module("base", [["NaN", None, 3.5, [1]]])]))
    assert samples(block.entries[0]) == [3.5]
    assert "left out" in block.remarks[0].text


@pytest.mark.parametrize("data", ["[]", "{}", "7", '{"a": {"time-1": 3}}', '{"a": null}'])
def test_other_json_is_passed_over(data: str) -> None:
    assert blocks(mmtests_json.READER, f'{{"_ResultData": {data}}}') == []


def test_json_is_read_as_it_is_packed(tmp_path: Path) -> None:
    (tmp_path / "hackbench.json.xz").write_bytes(lzma.compress(json.dumps([module("base", [[3.5]])]).encode()))
    (document,) = documents(tmp_path, (), print)
    assert [samples(one) for one in entries(document.blocks)] == [[3.5]]
