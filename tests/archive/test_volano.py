"""VolanoMark, read from the program and from words."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples, text

from kdelta.archive.volano import READER
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.checked import Standing

RUN = """\
VolanoMark version = 2.9.0
Messages sent      = 101000
Messages received  = 1919000
Total messages     = 2020000
Elapsed time       = 3.095 seconds
Average throughput = 652666 messages per second
"""
PART = """\
--next
Content-Type: text/plain; charset="iso-8859-1"
Content-Transfer-Encoding: quoted-printable

> I tested this with Volanomark, and=20
> the results were very bad:
>
> Before: 5863 messages per sec=
ond

> After: 5569 messages per second
--next--
"""
MAIL = f'From: a@example.org\nSubject: balancing\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="next"\n\n{PART}'


def test_rates_in_words_carry_the_names_that_they_are_told_under() -> None:
    found = entries(blocks(READER, text(MAIL)))
    assert [(one.variant, one.figures["value"].value) for one in found] == [("Before", 5863.0), ("After", 5569.0)]
    assert {(one.better, one.unit, one.count, one.program) for one in found} == {(Better.LARGER, "messages/s", None, "volanomark")}


def test_the_place_is_that_in_the_mail_before_it_was_decoded() -> None:
    assert [(one.figures["value"].line, one.figures["value"].column) for one in entries(blocks(READER, text(MAIL)))] == [
        (13, 11),
        (16, 10),
    ]


def test_a_part_of_a_mail_without_its_headers_is_read_too() -> None:
    found = entries(blocks(READER, PART.replace("=\n", "")))
    assert [one.figures["value"].value for one in found] == [5863.0, 5569.0]


def test_a_run_of_the_program_holds() -> None:
    (block,) = blocks(READER, RUN)
    assert [(one.claim.kind, one.standing) for one in check(block).claims] == [
        ("sum", Standing.HOLDS),
        ("quotient", Standing.HOLDS),
    ]
    assert block.entries[0].figures["value"].value == 652666.0


def test_several_runs_are_results_of_what_is_named_above_them() -> None:
    found = entries(blocks(READER, f"2.6.12:\n{RUN}{RUN.replace('652666', '652000')}2.6.13:\n{RUN}"))
    assert [(one.variant, samples(one), one.count) for one in found] == [("2.6.12", [652666.0, 652000.0], 2), ("2.6.13", [], None)]


@pytest.mark.parametrize(
    "written", ["Before: 5863 messages per second\n", "volano: 18.53 19.09\n", "Volano sends 5 messages per second\n"]
)
def test_other_rates_and_sentences_are_none(written: str) -> None:
    assert blocks(READER, written) == []
