"""Releases of kernels in the order in which they came."""

from __future__ import annotations

import re

Key = tuple[tuple[int, ...], tuple[int, int], tuple[tuple[int, int, str], ...], str]

NUMBERS = re.compile(r"v?(\d{1,9}(?:\.\d{1,9})*)")
# 2.6.0-test9, 2.4.0-pre3, 6.12-rc2, Debian's 6.12~rc6: each before what it leads to.
BEFORE = re.compile(r"[-~.](?:test|pre|rc)(\d{1,9})")
PARTS = re.compile(r"(\d{1,18})|([a-z]+)")
DEPTH = 4
"""Numbers: 2.6.16.60 had the most. 6.12 and 6.12.0 are one."""


def order(release: str) -> Key:
    """A key that sorts what `uname -r` says: 6.1.0-9 < 6.1.0-49 < 6.12-rc2 < 6.12 < 6.12.1.

    What a distribution or a developer put behind the numbers counts by its own numbers and words. What has no number comes first.
    """
    found = NUMBERS.match(release)
    if not found:
        return ((), (0, 0), (), release)
    numbers = tuple(map(int, found[1].split(".")))
    rest = release[found.end() :]
    before = BEFORE.match(rest)
    stage = (0, int(before[1])) if before else (1, 0)
    parts = PARTS.findall(rest[before.end() if before else 0 :].lower())
    behind = tuple((0, int(number), "") if number else (1, 0, word) for number, word in parts)
    return ((*numbers, *(0,) * (DEPTH - len(numbers))), stage, behind, release)
