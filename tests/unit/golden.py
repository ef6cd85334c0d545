"""Whole texts, compared with those kept in tests/goldens/."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

GOLDENS = Path(__file__).parents[1] / "goldens"


def check(name: str, text: str, folder: Path = GOLDENS) -> None:
    """Compare `text` with the golden NAME.txt; where they differ, show how and leave the new text beside it as NAME.new."""
    golden, new = folder / f"{name}.txt", folder / f"{name}.new"
    expected = golden.read_text() if golden.exists() else ""
    if text == expected:
        new.unlink(missing_ok=True)
        return
    new.write_text(text)
    diff = difflib.unified_diff(expected.splitlines(), text.splitlines(), golden.name, new.name, lineterm="")
    pytest.fail("\n".join(["the text is not that of the golden:", *diff]), pytrace=False)
