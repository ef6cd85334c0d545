"""The tables of five mails on LKML, read as published texts, stored, and shown again: to the character."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.unit.golden import GOLDENS
from tests.unit.published import stored

from kdelta.archive.readers import READERS
from kdelta.archive.reading import read
from kdelta.archive.sources import one_text
from kdelta.model.published import Document, Listing
from kdelta.publish.material import of_run
from kdelta.report import listing
from kdelta.report.mail import render
from kdelta.store.place import open_store


def golden(name: str) -> list[str]:
    return (GOLDENS / f"{name}.txt").read_text().removesuffix("\n").split("\n\n")


def seed(name: str) -> str:
    """A text with its tables, as far as their readers need what stands around them."""
    titles = {"seed_004": ["P4 Xeon\n", "G5\n"], "seed_002": [""] * 4 + ["diffprofile for sdet 64\n\n"]}.get(name, [])
    tables = golden(name)
    above = [*titles, *([""] * (len(tables) - len(titles)))]
    return "\n\n".join(title + table for title, table in zip(above, tables, strict=True)) + "\n"


@cache
def document(name: str) -> Document:
    return read(one_text(f"{name}.txt", seed(name).encode()), READERS)


# ---- shown again ----


@cache
def mails(name: str) -> str:
    """Of all runs that a seed's tables are."""
    with TemporaryDirectory() as folder, closing(open_store(str(Path(folder, "store.sqlite")))) as store:
        runs = stored(store, *(one for one in document(name).blocks if one.entries))
        return "\n".join(render(of_run(store, run).mail, (), SHAPES.get(name, ())) for run in runs)


def difference(name: str, place: int) -> Listing:
    """The listing that was read from that table."""
    text = golden(name)[place]
    found = [one for block in document(name).blocks for one in block.listings if one.difference]
    return next(one for one in found if all(row.name in text for row in one.rows) and len(one.rows) + 1 >= text.count("% "))


SHAPES = {"seed_003": ("log",), "seed_004": ("range",)}


def tables() -> Iterator[object]:
    for name, count in {"seed_000": 11, "seed_001": 3, "seed_002": 4, "seed_003": 2, "seed_004": 2}.items():
        for place in range(count):
            yield pytest.param(name, place, id=f"{name}, {place + 1}")


@pytest.mark.parametrize(("name", "place"), list(tables()))
def test_a_published_table_is_shown_as_it_was_printed(name: str, place: int) -> None:
    assert f"\n{golden(name)[place]}\n" in mails(name)


@pytest.mark.parametrize(("name", "place"), [("seed_000", 11), ("seed_000", 12), ("seed_002", 4)])
def test_a_published_difference_of_profiles_is_shown_as_it_was_printed(name: str, place: int) -> None:
    assert f"\n{golden(name)[place]}\n" in listing.render(difference(name, place), 99)


def test_what_follows_from_a_difference_is_told_and_what_is_cut_is_said() -> None:
    said = listing.render(difference("seed_002", 4), 3)
    rows = [line.split()[-1] for line in said.split("\n")[1:6]]
    assert rows == ["schedule", "total", "...", ".text.lock.transaction", ".text.lock.sched"]
    assert "(51 more rows are printed there)" in said
    assert "about 11,300,000 ticks before and 11,300,000 after" in said.replace("\n  ", " ")


def test_a_mail_about_others_claims_no_measurement() -> None:
    for name in ("seed_000", "seed_001", "seed_002", "seed_003", "seed_004"):
        said = " ".join(mails(name).split())
        assert "Nothing of it was measured by kdelta" in said
        assert not re.search(r"Test method|Measured with|was measured once|boots? of the|a real machine|\bvisits?\b", said)
