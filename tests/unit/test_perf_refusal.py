"""Why perf refuses, and what would allow it."""

from __future__ import annotations

import pytest
from tests.unit.perf_words import PARANOID, SECCOMP, TOLD

from kdelta.box.perf_refusal import refusal


@pytest.mark.parametrize("case", TOLD)
def test_what_perf_refuses_comes_with_what_would_allow_it(case: str) -> None:
    text, advice = TOLD[case]
    assert advice in refusal(text).advice


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (SECCOMP, "No permission to enable cpu-clock event."),
        (PARANOID.format(2), "Access to performance monitoring and observability operations is limited."),
        ("", "it ended without a word"),
        ("x" * 1000, "x" * 160),
    ],
)
def test_perf_is_quoted_with_the_line_that_says_it(text: str, quoted: str) -> None:
    assert str(refusal(text)).partition("perf: ")[2].rstrip(")") == quoted
