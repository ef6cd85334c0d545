"""Times of a program in so many processes, read."""

from __future__ import annotations

from tests.archive.reading import blocks, entries

from kdelta.archive.proc_times import READER
from kdelta.judge.claims import check
from kdelta.model.checked import Standing

LOG = """\
[best of 5 runs]

plain 2.6.12-git4:
  1 proc    0.65u   1.43s 2.09e 99%CPU
64 proc    0.75u 291.30s 4.92e 5927%CPU

64 proc prof:
3242763 total                                      0.5366

2.6.12-git4-lockless:
64 proc    0.68u   1.42s 0.12e 1686%CPU
"""


def test_each_suffix_is_another_time_of_the_kernel_named_above() -> None:
    found = {
        (one.variant, one.metric): next(iter(one.figures.values())).value
        for one in entries(blocks(READER, LOG), benchmark="64 proc")
    }
    assert found["plain 2.6.12-git4", "elapsed_s"] == 4.92
    assert found["2.6.12-git4-lockless", "elapsed_s"] == 0.12
    assert found["plain 2.6.12-git4", "system_s"] == 291.30
    assert found["2.6.12-git4-lockless", "percent_cpu"] == 1686.0


def test_the_best_run_is_a_minimum_of_its_elapsed_time_alone() -> None:
    found = entries(blocks(READER, LOG), benchmark="1 proc")
    assert [(one.metric, *one.figures, one.count, one.boots) for one in found] == [
        ("elapsed_s", "min", 5, None),
        ("user_s", "value", 5, None),
        ("system_s", "value", 5, None),
        ("percent_cpu", "value", 5, None),
    ]
    assert {(*one.figures, one.count) for one in entries(blocks(READER, LOG.partition("\n")[2]))} == {("value", None)}


def test_cpu_holds_within_what_runs_differ_and_is_off_beyond() -> None:
    assert {one.standing for block in blocks(READER, LOG) for one in check(block).claims} == {Standing.HOLDS}
    (wrong, *_) = blocks(READER, LOG.replace("5927%", "2927%"))
    assert check(wrong).claims[1].standing is Standing.OFF


def test_other_results_of_the_same_kernel_are_told_apart() -> None:
    again = LOG.replace("2.6.12-git4-lockless:", "plain 2.6.12-git4:")
    assert [one.variant for one in entries(blocks(READER, again), metric="elapsed_s", benchmark="64 proc")] == [
        "plain 2.6.12-git4",
        "plain 2.6.12-git4 (2)",
    ]


def test_words_above_are_no_kernel() -> None:
    found = entries(blocks(READER, LOG.replace("2.6.12-git4-lockless:\n", "see above.\n")), metric="elapsed_s")
    assert [one.variant for one in found] == ["plain 2.6.12-git4", "plain 2.6.12-git4", ""]
