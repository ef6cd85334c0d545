"""Rates of reaim from the Scalable Test Platform, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.stp_reaim import READER

MAIL = """\
kernel: pagevec-4
plmid: 3304
Host: stp1-002
Reaim test
kernel: 3304
Filesystem: ext3
Peak load Test: Maximum Jobs per Minute 992.40 (average of 3 runs)
Quick Convergence Test: Maximum Jobs per Minute 987.72 (average of 3 runs)

kernel: 2.6.9-rc1-mm4
Peak load Test: Maximum Jobs per Minute 989.85
"""
TWO = """\
reaim default (database IO intensive load), increases performance:
------------------------------------------
kernel: patch-2.6.10-rc2
Peak load Test: Maximum Jobs per Minute 8491.96 (average of 3 runs)

reaim -w compute (compute intensive load), decreases performance:
-----------------------------------------
kernel: patch-2.6.10-rc2
Peak load Test: Maximum Jobs per Minute 9591.82 (average of 3 runs)
"""


def test_rates_are_of_the_kernel_above_that_has_a_name() -> None:
    found = entries(blocks(READER, MAIL))
    assert [(one.variant, one.benchmark, one.count) for one in found] == [
        ("pagevec-4", "reaim-peak", 3),
        ("pagevec-4", "reaim-quick", 3),
        ("2.6.9-rc1-mm4", "reaim-peak", None),
    ]
    assert figures(found[:2]) == [992.4, 987.72]
    assert found[0].parameters == {"host": "stp1-002"}
    assert (found[2].figures["value"].value, found[2].parameters) == (989.85, {})


def test_the_jobs_are_part_of_the_benchmark() -> None:
    assert [(one.variant, one.benchmark) for one in entries(blocks(READER, TWO))] == [
        ("patch-2.6.10-rc2", "reaim-default-peak"),
        ("patch-2.6.10-rc2", "reaim-compute-peak"),
    ]


def test_another_rate_of_one_kernel_is_of_another_variant() -> None:
    found = blocks(READER, MAIL.replace("2.6.9-rc1-mm4", "pagevec-4"))
    assert entries(found)[2].variant == "pagevec-4 (2)"
    assert found[0].remarks


@pytest.mark.parametrize(
    "line", ["Maximum Jobs per Minute: 20", "The Maximum Jobs per Minute 992.40 of it", "* Maximum Jobs per Minute 5"]
)
def test_another_line_with_the_words_is_no_rate(line: str) -> None:
    assert blocks(READER, f"kernel: a\n{line}\n") == []


def test_a_number_that_no_float_can_hold_is_no_rate() -> None:
    assert [one.benchmark for one in entries(blocks(READER, MAIL.replace("992.40", "9" * 400)))] == ["reaim-quick", "reaim-peak"]
