"""Texts as readers see them: without what quotes and colours them, each character still at its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.archive.text import LONGEST, line, text_of

SEEN = [
    ("> > kernel  45.97", "kernel  45.97", 4, 2),
    (">>> kernel", "kernel", 4, 3),
    (" > kernel", "kernel", 3, 1),
    ("kernel > 5", "kernel > 5", 0, 0),
    (">", "", 1, 1),
    ("\x1b[1;32m15510170\x1b[0m", "15510170", 0, 0),
    ("building 10%\rbuilding 99%\rdone", "done", 26, 0),
    ("value\r", "value", 0, 0),
    ("149\xa0375\u2007832", "149 375 832", 0, 0),
    ("\u22122.5", "-2.5", 0, 0),
]


@pytest.mark.parametrize(("source", "seen", "offset", "depth"), SEEN)
def test_a_line_is_seen_without_what_quotes_and_colours_it(source: str, seen: str, offset: int, depth: int) -> None:
    found = line(7, source)
    assert (found.number, found.text, found.offset, found.depth) == (7, seen, offset, depth)


def test_a_column_counts_in_the_line_of_the_source() -> None:
    found = line(1, "> > a 5")
    assert found.column(found.text.index("5")) == 1 + "> > a 5".index("5")


COLOURED = ["\x1b[1;32m15510170\x1b[0m", "> \x1b[1ma\x1b[0m  15510170", "10%\r\x1b[31m99% 15510170", "a \x1b[1mb\x1b[0m c 15510170"]


@pytest.mark.parametrize("source", COLOURED)
def test_a_column_counts_colours_and_what_was_written_over(source: str) -> None:
    found = line(1, source)
    assert found.column(found.text.index("15510170")) == 1 + source.index("15510170")


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
def test_a_mark_of_the_byte_order_is_no_part_of_the_text(mark: bytes) -> None:
    assert text_of("file", mark + b"a\nb").joined == "a\nb"


def test_a_text_of_utf_16_is_known_by_its_mark() -> None:
    assert text_of("file", b"\xff\xfe" + "5\u00b5s".encode("utf-16-le")).joined == "5\u00b5s"


def test_what_is_no_utf_8_is_replaced_and_the_rest_is_read() -> None:
    assert text_of("file", b"a \xff 5").joined == "a \ufffd 5"


def test_of_a_line_that_is_too_long_the_beginning_is_read_and_its_number_told() -> None:
    found = text_of("file", b"a\n" + b"x" * (LONGEST + 5) + b"\nb")
    assert [len(one.text) for one in found.lines] == [1, LONGEST, 1]
    assert found.cut == [2]


@given(st.binary(max_size=300))
def test_a_text_has_a_line_for_each_line_of_any_bytes(raw: bytes) -> None:
    found = text_of("file", raw)
    assert [one.number for one in found.lines] == list(range(1, len(found.lines) + 1))
    if not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert len(found.lines) == raw.count(b"\n") + 1
