"""Tables written by hand, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, figures

from kdelta.archive.before_after import READER
from kdelta.judge.claims import check
from kdelta.model.checked import Standing

TABLE = """\
Results of the socket test:
                     before      after     change
    throughput       1234.5     1300.1      +5.3%
    latency (us)       12.3       11.9      -3.3%
"""
PATCHED = """\
clients\t\tbase\t\tpatched
------------------------------------
1\t\t100.5\t\t101.5
16\t\t200.5\t\t220.5
"""


def test_two_values_and_what_they_differ_by_are_read() -> None:
    found = blocks(READER, TABLE)
    (throughput,) = entries(found, variant="after", benchmark="results-of-the-socket-test-throughput")
    assert {name: one.text for name, one in throughput.figures.items()} == {"value": "1300.1", "change": "+5.3"}
    assert {one.standing for one in check(found[0]).claims} == {Standing.HOLDS}


def test_a_unit_behind_the_label_is_that_of_its_values() -> None:
    (before, _) = entries(blocks(READER, TABLE), printed_unit="us")
    assert before.figures["value"].value == pytest.approx(12.3e-6)
    assert before.unit == "s"


def test_a_number_in_place_of_a_label_is_a_load() -> None:
    found = entries(blocks(READER, PATCHED), variant="patched")
    assert [(one.benchmark, one.parameters) for one in found] == [
        ("clients-1", {"clients": "1"}),
        ("clients-16", {"clients": "16"}),
    ]
    assert figures(found, "value") == [101.5, 220.5]


@pytest.mark.parametrize(
    "other",
    [
        "it was slow before  and fast after\nfirst   1.5   2.5\nsecond  3.5   4.5\n",
        "     first       after\na    1.5   2.5\nb    3.5   4.5\n",
        "     before      after\na    1.5   2.5\n",
        "     before      after\n\n\na    1.5   2.5\nb    3.5   4.5\n",
        "     base        patched\nDuration User       1.5    2.5\nDuration System     3.5    4.5\n",
        "     base        patched\nAmean     1        0.26 (   0.00%)      0.21 (  19.07%)\n",
        "MIN  base        patched\nnull:   1.5   2.5\nread:   3.5   4.5\n",
    ],
)
def test_prose_and_tables_of_other_kinds_are_passed_over(other: str) -> None:
    assert blocks(READER, other) == []
