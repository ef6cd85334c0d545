"""ministat's tables, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.ministat import READER
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.checked import Standing

MAIL = """\
context_switch2 on CPU0 and CPU1 (one big core). There is a 0.14% regression
of context switches (higher is better).
x without_patch
* with_patch
    N           Min           Max        Median           Avg        Stddev
x 500        348872        362236        354712     354745.69      2711.827
* 500        349422        361452        353942      354215.4     2576.9258

context_switch2 on CPU0 and CPU8 (two big cores). We see a 0.37%
improvement of context switches (higher is better).
x without_patch
* with_patch
    N           Min           Max        Median           Avg        Stddev
x 500        287956        294940        288896     288977.23     646.59295
* 500        288300        294646        289582     290064.76     1161.9992
"""
PRINTED = """\
$ ministat base.txt new.txt third.txt
x base.txt
+ new.txt
* third.txt
+--------------------------------------------------------------------------+
|x          x +      +             *                                       |
|   |____A____|                                                            |
+--------------------------------------------------------------------------+
    N           Min           Max        Median           Avg        Stddev
x   5           100           104           102           102     1.5811388
+   5           110           114           112           112     1.5811388
Difference at 95.0% confidence
\t10 +/- 2.30598
\t9.80392% +/- 2.26076%
\t(Student's t, pooled s = 1.58114)
*   5           100           105           102         102.2     1.9235384
No difference proven at 95.0% confidence
"""


def test_each_row_is_a_summary_of_so_many_results() -> None:
    found = entries(blocks(READER, MAIL))
    assert figures(found) == [354745.69, 354215.4, 288977.23, 290064.76]
    assert figures(found, "sd") == [2711.827, 2576.9258, 646.59295, 1161.9992]
    assert [figures(found[:1], name)[0] for name in ("min", "max", "median")] == [348872, 362236, 354712]
    assert {(one.count, one.boots, one.samples) for one in found} == {(500, None, ())}


def test_a_mark_has_its_name_in_the_legend_above() -> None:
    assert [one.variant for one in entries(blocks(READER, MAIL))] == ["without_patch", "with_patch"] * 2
    assert [one.variant for one in entries(blocks(READER, PRINTED))] == ["base.txt", "new.txt", "third.txt"]


def test_words_above_a_table_name_its_benchmark_and_its_direction() -> None:
    found = entries(blocks(READER, MAIL))
    assert [one.benchmark for one in found[::2]] == ["context-switch2-on-cpu0-and-cpu1", "context-switch2-on-cpu0-and-cpu8"]
    assert {one.better for one in found} == {Better.LARGER}
    assert {one.better for one in entries(blocks(READER, MAIL.replace("higher", "lower")))} == {Better.SMALLER}
    assert {one.better for one in entries(blocks(READER, PRINTED))} == {None}


def test_a_percentage_in_words_is_claimed_of_the_means_with_the_sign_of_its_word() -> None:
    checked = [one for block in blocks(READER, MAIL) for one in check(block).claims]
    assert [(one.claim.printed.text, one.standing, one.how) for one in checked] == [
        ("0.14", Standing.HOLDS, "truncated"),
        ("0.37", Standing.HOLDS, "truncated"),
    ]
    assert [round(one.again or 0.0, 3) for one in checked] == [0.149, 0.376]


def test_a_regression_in_words_and_the_fall_below_the_table_are_one_change() -> None:
    printed = "Difference at 95.0% confidence\n\t-530.29 +/- 327.4\n\t-0.149484% +/- 0.0922914%\n"
    (block,) = blocks(READER, MAIL.partition("\n\n")[0] + "\n" + printed)
    changes = [one for one in check(block).claims if one.claim.kind == "change"]
    assert [(one.claim.printed.text, one.standing) for one in changes] == [("-0.149484", Standing.HOLDS), ("0.14", Standing.HOLDS)]


def test_a_difference_is_claimed_of_the_first_row_and_of_the_one_above_it() -> None:
    (block,) = blocks(READER, PRINTED)
    assert [(one.kind, one.printed.text, [each.text for each in one.of], one.count) for one in block.claims] == [
        ("points", "10", ["102", "112"], None),
        ("change", "9.80392", ["102", "112"], None),
        ("significant", "*", [], 5),
    ]
    assert [one.standing for one in check(block).claims] == [Standing.HOLDS, Standing.HOLDS, Standing.UNCHECKED]
    assert block.entries[1].figures["change"].value == 9.80392


def test_a_difference_that_is_not_called_one_is_not_claimed_to_be_significant() -> None:
    (block,) = blocks(READER, PRINTED.replace("Difference at 95.0% confidence\n", ""))
    assert [one.kind for one in block.claims] == ["points", "change"]


def test_what_is_not_proven_is_no_claim_and_is_said() -> None:
    (block,) = blocks(READER, PRINTED)
    assert block.facts["third.txt, against base.txt"] == "No difference proven at 95.0% confidence"
    assert "pooled s = 1.58114" in block.facts["new.txt, against base.txt"]


@pytest.mark.parametrize(
    ("text", "names", "remark"),
    [
        (MAIL.replace("x without_patch\n* with_patch\n", "", 1), ["x", "*"], "no line above says what x is"),
        (PRINTED.replace("+ new.txt", "+ base.txt"), ["base.txt", "base.txt (2)", "third.txt"], "in which unit"),
    ],
    ids=["without-a-legend", "twice-one-name"],
)
def test_rows_are_told_apart_also_without_names(text: str, names: list[str], remark: str) -> None:
    block = blocks(READER, text)[0]
    assert [one.variant for one in block.entries] == names
    assert any(remark in one.text for one in block.remarks)


def test_a_single_result_has_no_deviation() -> None:
    (block,) = blocks(READER, PRINTED.partition("+   5")[0].replace("x   5", "x   1"))
    assert "sd" not in block.entries[0].figures
    assert any("no deviation" in one.text for one in block.remarks)


def test_two_tables_below_no_words_are_two_benchmarks() -> None:
    other = PRINTED.replace("1.5811388", "1.6811388")
    assert [one.benchmark for one in entries(blocks(READER, PRINTED + other + PRINTED))][::3] == [
        "ministat",
        "ministat-2",
        "ministat",
    ]


def test_other_tables_are_not_read() -> None:
    assert blocks(READER, "Stddev\n    N    Min    Max    Avg\nx 5 1 2 3\n") == []
