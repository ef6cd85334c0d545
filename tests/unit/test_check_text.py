"""What `kdelta check` prints of one text."""

from __future__ import annotations

import pytest
from tests.archive.reading import text
from tests.archive.test_kernbench_table import TABLE
from tests.unit.test_claims import claim

from kdelta.archive.kernbench_table import READER
from kdelta.archive.reading import read
from kdelta.judge.claims import check
from kdelta.model.published import Block, Claim, Number
from kdelta.report.check_text import render


def printed(*claims: Claim, width: int = 100) -> str:
    return render([check(Block(format="any", title="a table", first=3, last=9, claims=claims))], width)


def test_each_claim_stands_in_a_line_with_what_its_numbers_give() -> None:
    said = printed(
        claim("change", "10.00", "100", "110"), claim("change", "0.84", "200.0", "200.25"), claim("change", "5", missing="cut")
    )
    assert said.splitlines() == [
        "lines 3 to 9, any: a table. In its percentages plus is more, in percent of the base.",
        "   line  claim                printed       again",
        "      1  it                     10.00      10.000  holds",
        "      1  it                      0.84       0.125  off",
        "      1  it                         5           -  cannot be checked: cut",
        "",
        "3 claims: holds 1, off 1, cannot be checked 1.",
    ]


@pytest.mark.parametrize(
    ("said", "factor", "again", "shown"),
    [
        ("28.97", 1e-3, 0.0289622, 28.9622),
        ("13.K", 1e-6, 0.0125, 12500.0),
        ("+ 0.84", 1.0, 0.12, 0.12),
        ("0m3,742s", 1.0, 3.7, 3.7),
    ],
)
def test_what_is_computed_again_is_in_the_unit_that_is_printed(said: str, factor: float, again: float, shown: float) -> None:
    value = {"28.97": 28.97, "13.K": 13000.0, "+ 0.84": 0.84, "0m3,742s": 3.742}[said] * factor
    assert Number(said, value, 0.0, 1, 1).in_print(again) == pytest.approx(shown)


def test_a_text_that_claims_nothing_says_so() -> None:
    assert printed() == "No number is printed that follows from others.\n"


def test_the_claims_of_a_posted_table_are_its_percentages_of_cpu() -> None:
    (block,) = read(text(TABLE), (READER,)).blocks
    said = render([check(block)])
    assert "kernbench-2x CPU, 2.6.7" in said
    assert said.endswith("2 claims: holds 2.\n")


@pytest.mark.parametrize("width", [50, 60, 78, 200])
def test_no_line_is_wider_than_asked_for(width: int) -> None:
    named = [claim("mean", "5", "5", "6", "7"), claim("mean", "123456789012", "5")]
    said = printed(*named, width=width)
    assert max(map(len, said.splitlines())) <= width


def test_what_a_text_calls_its_rows_cannot_act_on_a_terminal() -> None:
    hostile = Claim(kind="change", what="\x1b[2Jrow\a", printed=claim("mean", "5").printed)
    assert "\x1b" not in printed(hostile)
    assert "\a" not in printed(hostile)
