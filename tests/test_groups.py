"""Which tests run beside which: see tests/conftest.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import GROUPS, group

ROOT = Path(__file__).parents[1]
FILES = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("tests/**/test_*.py"))]


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_is_of_several_files(name: str) -> None:
    assert [group(f"{file}::test_it[x]") for file in FILES].count(name) > 1


def test_a_file_that_is_in_no_group_is_one() -> None:
    assert group("tests/unit/test_gate.py::test_it[tests/local/]") == "tests/unit/test_gate.py"


def test_no_file_is_in_two_groups() -> None:
    assert [file for file in FILES if sum(bool(files.match(file)) for files in GROUPS.values()) > 1] == []
