"""Mails: decoded, with the line of the source at which each line stands."""

from __future__ import annotations

from base64 import encodebytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.archive.mail import is_mail, mail_of
from kdelta.archive.text import Text

HEAD = b"""\
From: someone <a@example.org>
Subject: =?utf-8?q?2=2E5=2E66?=
 -mm2
Date: Mon, 1 Jan 2001 00:00:00 +0000
Message-ID: <1@example.org>
"""
TABLE = "kernel   45.37\nother    44.09\n"


def mail(headers: bytes, body: bytes) -> Text:
    return mail_of("mail", HEAD + headers + b"\n" + body)


def lines(found: Text) -> list[tuple[int, str]]:
    return [(one.number, one.text) for one in found.lines if one.text]


def test_a_mail_is_known_by_its_headers() -> None:
    assert is_mail(HEAD + b"\nHello\n")
    assert is_mail(b"From someone Mon Jan  1\n" + HEAD + b"\nHello\n")


@pytest.mark.parametrize("text", [b"Elapsed Time: 5\nUser Time: 6\n\n", b"", b"Subject: alone\n\n", b"{}", b"time:\n"])
def test_a_log_is_no_mail(text: bytes) -> None:
    assert not is_mail(text)


def test_what_a_mail_says_of_itself_is_kept() -> None:
    found = mail(b"", b"Hello\n")
    assert (found.decoded.subject, found.decoded.sender, found.decoded.message_id) == (
        "2.5.66 -mm2",
        "someone <a@example.org>",
        "<1@example.org>",
    )


def test_a_plain_mail_has_its_lines_where_they_stand() -> None:
    assert lines(mail(b"", TABLE.encode())) == [(7, "kernel   45.37"), (8, "other    44.09")]


def test_quoted_printable_is_decoded_and_a_soft_break_joins_lines() -> None:
    body = b"kernel =\n  45=2E37=20\nother   44.09\n"
    found = mail(b"Content-Transfer-Encoding: quoted-printable\n", body)
    assert lines(found) == [(8, "kernel   45.37 "), (10, "other   44.09")]


def test_base64_is_decoded_and_counted_from_its_first_line() -> None:
    found = mail(b"Content-Transfer-Encoding: base64\n", encodebytes(TABLE.encode()))
    assert lines(found) == [(8, "kernel   45.37"), (9, "other    44.09")]


def test_of_several_parts_those_that_are_text_are_read() -> None:
    parts = (
        b"preamble\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\nkernel 5\xb5s\n"
        b"--b\nContent-Type: text/html\n\n<p>kernel 5</p>\n--b\nContent-Type: image/png\n\nkernel 6\n--b--\n"
    )
    assert lines(mail(b'Content-Type: multipart/mixed; boundary="b"\n', parts)) == [(12, "kernel 5\u00b5s")]


@pytest.mark.parametrize("charset", ["nonsense", "utf-8"])
def test_an_unknown_character_set_is_read_as_utf_8(charset: str) -> None:
    found = mail(f"Content-Type: text/plain; charset={charset}\n".encode(), "5\u00b5s\n".encode())
    assert lines(found) == [(8, "5\u00b5s")]


@given(st.binary(max_size=200), st.sampled_from([b"base64", b"quoted-printable", b"8bit", b"x"]))
def test_no_body_makes_the_reader_of_mails_stumble(body: bytes, encoding: bytes) -> None:
    assert mail(b"Content-Transfer-Encoding: " + encoding + b"\n", body).lines is not None


@given(st.binary(max_size=300))
def test_no_headers_make_the_reader_of_mails_stumble(raw: bytes) -> None:
    assert mail_of("mail", raw).lines is not None
    assert mail_of("mail", b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + raw).lines is not None
