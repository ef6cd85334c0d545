"""The worked example of the manual is what kdelta does."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from kdelta.stats.sequential import Looks

PAGE = Path(__file__).parents[2] / "docs" / "deciding.md"


def test_the_worked_example_gives_what_it_says() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert (found.failed, found.attempted >= 12) == (0, True)


def test_the_levels_in_the_manual_are_those_that_are_used() -> None:
    rounds, levels = (
        re.findall(r"\.?\d+", row) for row in re.findall(r"^\| (?:rounds at most|level) .*$", PAGE.read_text(), re.MULTILINE)
    )
    assert [f"{Looks(3, int(last)).level(0.05):.4f}".lstrip("0") for last in rounds] == levels[1:]
