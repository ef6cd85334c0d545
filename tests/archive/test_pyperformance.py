"""Means that pyperformance prints."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures, text

from kdelta.archive.pyperformance import READER
from kdelta.judge.claims import check
from kdelta.model.checked import Standing

TWO = """\
### gc_collect ### (baseline)
Mean +- std dev: 1.09 ms +- 0.01 ms
### gc_collect ### (target)
Mean +- std dev: 944 us +- 8 us
### async_tree_io ### (baseline)
Mean +- std dev: 1.67 sec +- 0.01 sec
### async_tree_io ### (target)
Mean +- std dev: 951 ms +- 9 ms
"""


def test_each_value_has_its_own_unit() -> None:
    found = blocks(READER, TWO)
    assert figures(entries(found, benchmark="gc_collect")) == pytest.approx([1.09e-3, 944e-6])
    assert figures(entries(found, benchmark="async_tree_io")) == pytest.approx([1.67, 0.951])
    assert figures(entries(found, benchmark="gc_collect"), "sd") == pytest.approx([1e-5, 8e-6])


def test_the_unit_as_printed_stands_beside_the_base_unit() -> None:
    assert [(one.unit, one.printed_unit) for one in entries(blocks(READER, TWO), benchmark="gc_collect")] == [
        ("s", "ms"),
        ("s", "us"),
    ]


def test_the_words_in_brackets_are_the_variant() -> None:
    assert [one.variant for one in entries(blocks(READER, TWO), benchmark="gc_collect")] == ["baseline", "target"]


def test_a_name_that_comes_again_without_another_variant_is_told_apart() -> None:
    (block,) = blocks(READER, TWO.replace(" (baseline)", "").replace(" (target)", ""))
    assert [one.variant for one in entries([block], benchmark="gc_collect")] == ["", "(2)"]
    assert len(block.remarks) == 2


def test_of_two_means_on_one_line_the_ratio_is_a_claim() -> None:
    compared = "### 2to3 ###\nMean +- std dev: 262 ms +- 3 ms -> 250 ms +- 2 ms: 1.05x faster\nSignificant (t=9.2)\n"
    (block,) = blocks(READER, compared)
    assert [(one.variant, one.figures["mean"].text) for one in block.entries] == [("first", "262"), ("second", "250")]
    assert [one.standing for one in check(block).claims] == [Standing.HOLDS]


@pytest.mark.parametrize(
    "other",
    [
        "Mean +- std dev: 1.09 ms +- 0.01 ms\n",
        "### x ###\nMean +- std dev: 1.09 furlongs +- 0.01 ms\n",
        "### x ###\nMean +- std dev: 1e999 ms +- 0.01 ms\n",
        "### x\nMean +- std dev: 1 ms\n",
    ],
)
def test_what_is_no_mean_of_a_benchmark_is_passed_over(other: str) -> None:
    assert list(READER.read(text(other))) == []
