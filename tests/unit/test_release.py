"""Releases of kernels in the order in which they came."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.kernel.release import order

IN_ORDER = (
    ("2.4.9", "2.4.10-pre3", "2.4.10"),
    ("2.6.0-test9", "2.6.0", "2.6.8-rc2", "2.6.8-rc2-mm2", "2.6.8", "2.6.8.1", "2.6.16.60", "3.0"),
    ("6.1", "6.12-rc2", "6.12-rc10", "6.12", "6.12.1", "6.13-rc1"),
    ("6.1.0-9-amd64", "6.1.0-49-amd64", "6.1.0-49-cloud-amd64", "6.12~rc6-amd64", "6.12.0-1-amd64"),
    ("6.11.0-rc7", "6.11.0-rc7-next-20240910", "6.11.0-rc7-next-20240911", "6.11.0"),
    ("5.14.0-427.13.1.el9_4.x86_64", "5.14.0-427.18.1.el9_4.x86_64", "5.14.0-503.11.1.el9_5.x86_64"),
    ("6.5.0-rc1", "6.5.0-rc1+", "6.5.0-rc1-00012-gabc"),
    ("", "mainline", "1.0"),
)


@pytest.mark.parametrize("releases", IN_ORDER, ids=lambda releases: releases[-1])
def test_releases_come_in_their_order(releases: tuple[str, ...]) -> None:
    assert sorted(reversed(releases), key=order) == list(releases)


@pytest.mark.parametrize(("one", "other"), [("6.12", "6.12.0"), ("v6.12", "6.12"), ("6.12-rc2", "6.12.0-rc2")])
def test_what_is_the_same_release_differs_in_how_it_is_written_alone(one: str, other: str) -> None:
    assert order(one)[:3] == order(other)[:3]


RELEASES = st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,3}){0,4}([-~.](rc|pre)?[0-9a-z]{0,9}){0,3}", fullmatch=True) | st.text()


@given(st.lists(RELEASES))
def test_any_texts_have_an_order(releases: list[str]) -> None:
    assert sorted(sorted(releases, key=order, reverse=True), key=order) == sorted(releases, key=order)
