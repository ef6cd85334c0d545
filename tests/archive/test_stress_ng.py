"""stress-ng's metrics, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import TEXTS, blocks, entries, samples

from kdelta.archive.stress_ng import READER
from kdelta.judge.claims import check
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing

RUN = (TEXTS / "stress-ng.txt").read_text()
OLD = """\
stress-ng: info:  [1566] dispatching hogs: 2 cpu
stress-ng: info:  [1566] stressor      bogo ops real time  usr time  sys time   bogo ops/s   bogo ops/s
stress-ng: info:  [1566]                          (secs)    (secs)    (secs)   (real time) (usr+sys time)
stress-ng: info:  [1566] cpu              33245     10.00     19.90      0.00      3324.50      1670.60
"""
FAILED = """\
2021-11-01 20:03:36 stress-ng --timeout 60 --times --verify --metrics-brief --vm-rw 9
stress-ng: fail:  [5778] stress-ng: sigaction signal 6 'SIGABRT': errno=22 (Invalid argument)
"""


def test_the_header_says_which_columns_there_are() -> None:
    found = {one.metric: one for one in entries(blocks(READER, RUN), benchmark="stress-ng-vm-4")}
    wanted = {
        "bogo_ops_per_s": 347825.55,
        "bogo_ops": 21033377,
        "elapsed_s": 60.47,
        "user_s": 158.04,
        "system_s": 3.66,
        "bogo_ops_per_cpu_s": 130076.67,
        "percent_cpu_per_instance": 66.85,
        "peak_rss": 834836 * 1024,
    }
    assert {metric: samples(one)[0] for metric, one in found.items()} == pytest.approx(wanted)
    assert next(iter(found)) == "bogo_ops_per_s"
    assert found["peak_rss"].parameters == {"instances": "4"}


def test_the_older_table_has_fewer_columns() -> None:
    found = entries(blocks(READER, OLD))
    assert [(one.metric, samples(one)) for one in found] == [
        ("bogo_ops_per_s", [3324.5]),
        ("bogo_ops", [33245]),
        ("elapsed_s", [10.0]),
        ("user_s", [19.9]),
        ("system_s", [0.0]),
        ("bogo_ops_per_cpu_s", [1670.6]),
    ]


def test_what_stands_before_and_behind_a_line_changes_nothing() -> None:
    dressed = "".join(f"Jul 28 16:19:31 host {line}  <--- (1)\n" for line in OLD.splitlines())
    stamped = OLD.replace("stress-ng: ", "stress-ng: 23:25:48.41 ")
    assert [[samples(one) for one in entries(blocks(READER, text))] for text in (dressed, stamped)] == [
        [samples(one) for one in entries(blocks(READER, OLD))]
    ] * 2


def test_a_rate_and_a_share_of_cpu_are_claims() -> None:
    (block,) = blocks(READER, RUN)
    assert [(one.claim.printed.text, one.standing) for one in check(block).claims] == [
        ("347825.55", Standing.HOLDS),
        ("130076.67", Standing.UNCHECKED),
        ("66.85", Standing.HOLDS),
        ("3324.39", Standing.HOLDS),
        ("1670.57", Standing.UNCHECKED),
        ("99.50", Standing.HOLDS),
    ]


def test_miscellaneous_metrics_are_means_of_the_instances() -> None:
    (one,) = entries(blocks(READER, RUN), metric="md5_encrypts_per_sec")
    assert (one.benchmark, one.figures["hmean"].value) == ("stress-ng-cpu-2", 20138.58)


def test_a_run_that_says_fail_and_no_metrics_has_failed() -> None:
    (block,) = blocks(READER, FAILED)
    (one,) = block.entries
    assert (one.benchmark, one.samples, one.figures, one.state) == ("stress-ng-vm-rw-9", (), {}, CellState.FAILED)
    assert one.reason == "stress-ng: sigaction signal 6 'SIGABRT': errno=22 (Invalid argument)"
    assert block.remarks[0].line == 2


@pytest.mark.parametrize(
    "text",
    [
        RUN.replace("failed: 0", "failed: 4: vm (4)"),
        RUN.replace("stress-ng: info:  [1076] skipped: 0", "stress-ng: fail:  [1079] vm: memory differs"),
    ],
    ids=["counted", "named"],
)
def test_a_row_of_a_stressor_that_failed_is_no_result(text: str) -> None:
    found = blocks(READER, text)
    (failed,) = entries(found, benchmark="stress-ng-vm-4", metric="bogo_ops_per_s")
    (good,) = entries(found, benchmark="stress-ng-cpu-2", metric="bogo_ops_per_s")
    assert (failed.state, failed.samples, [one.number.value for one in failed.discarded]) == (CellState.FAILED, (), [347825.55])
    assert (good.state, samples(good)) == (CellState.OK, [3324.39])


def test_a_stressor_that_was_skipped_is_not_possible_here() -> None:
    text = OLD + "stress-ng: info:  [1566] skipped: 4: dev (4)\n"
    (one,) = entries(blocks(READER, text), benchmark="stress-ng-dev")
    assert (one.state, one.samples) == (CellState.NOT_HERE, ())


def test_several_runs_are_results_of_one_benchmark() -> None:
    (one,) = entries(blocks(READER, OLD + OLD.replace("3324.50", "3300.10")), metric="bogo_ops_per_s")
    assert samples(one) == [3324.5, 3300.1]


def test_runs_below_headings_are_of_variants() -> None:
    found = entries(blocks(READER, f"base:\n\n{RUN}\npatched:\n\n{RUN.replace('347825', '357825')}"), metric="bogo_ops_per_s")
    assert [(one.variant, samples(one)[0]) for one in found] == [
        ("base", 347825.55),
        ("base", 3324.39),
        ("patched", 357825.55),
        ("patched", 3324.39),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(line for line in OLD.splitlines() if "bogo" not in line),
        "stressor bogo ops real time\ncpu 33245 10.00\n",
        "We use stress-ng --cpu 4 for load.\n",
    ],
)
def test_rows_without_a_header_are_not_read(text: str) -> None:
    assert blocks(READER, text) == []
