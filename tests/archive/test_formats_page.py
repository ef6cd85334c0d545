"""The manual's table of formats is that of the readers."""

from __future__ import annotations

from pathlib import Path

from kdelta.archive.readers import FOLDER_READERS, READERS

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"


def row(name: str, about: str) -> str:
    return f"| {name} | {about.replace('|', chr(92) + '|')} |"


def test_each_format_stands_in_the_manual_with_what_it_is_recognised_by() -> None:
    texts = sorted(row(one.name, one.about) for one in READERS)
    folders = sorted(row(one.name, one.about) for one in FOLDER_READERS)
    assert [line for line in PAGE.read_text().splitlines() if line.startswith("| ")] == [
        "| format | recognised by |",
        *texts,
        "| folder | recognised by |",
        *folders,
    ]
