"""From a text to what all readers find in it: every block once, and no number in two."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.archive.reading import text
from tests.archive.test_kernbench_table import QUOTED, TABLE

from kdelta.archive import kernbench_table, readers
from kdelta.archive.budget import MOST_NUMBERS
from kdelta.archive.numbers import numbers
from kdelta.archive.reader import Reader
from kdelta.archive.reading import digest, read
from kdelta.archive.text import Text
from kdelta.model.errors import MisuseError
from kdelta.model.published import Block, Entry


def everything(of: Text) -> Iterator[Block]:
    """A reader that takes every number for a result."""
    for line in of.lines:
        found = tuple(numbers(line))
        if found:
            yield Block(
                format="greedy",
                first=line.number,
                last=line.number,
                entries=(Entry(benchmark="any", metric="any", samples=found),),
            )


GREEDY = Reader("greedy", ("",), everything, "every number")
BLIGH = (kernbench_table.READER,)


def test_a_table_that_is_pasted_twice_is_kept_once_and_told() -> None:
    found = read(text(f"{TABLE}\n{TABLE}"), BLIGH)
    assert len(found.blocks) == 1
    assert [(one.line, "same as that of line 2" in one.text) for one in found.remarks] == [(7, True)]


def test_a_table_that_a_reply_quotes_is_the_table_that_it_quotes() -> None:
    plain, quoted = (read(text(of), BLIGH).blocks[0] for of in (TABLE, QUOTED))
    assert digest(plain) == digest(quoted)


def test_tables_with_other_numbers_are_others() -> None:
    plain, other = (read(text(of), BLIGH).blocks[0] for of in (TABLE, TABLE.replace("45.37", "45.38")))
    assert digest(plain) != digest(other)


def test_numbers_that_two_readers_read_are_asked_about() -> None:
    with pytest.raises(MisuseError, match="line 3 may be of greedy or of kernbench table") as told:
        read(text(TABLE), (*BLIGH, GREEDY))
    assert "--format 'greedy'" in told.value.advice


def test_a_text_without_a_mark_of_a_reader_is_not_read_by_it() -> None:
    assert read(text("nothing of the kind 5\n"), BLIGH).blocks == ()


def test_a_text_with_too_many_numbers_is_refused() -> None:
    with pytest.raises(MisuseError, match="more than 131,072 numbers"):
        read(text("1 2 3 4 5 6 7 8\n" * (MOST_NUMBERS // 8 + 1)), (GREEDY,))


def test_a_format_is_found_by_its_name_and_another_is_told() -> None:
    assert readers.named([kernbench_table.NAME]) == BLIGH
    with pytest.raises(MisuseError, match="there is no format 'kernbensh table'"):
        readers.named(["kernbensh table"])


def test_the_names_of_formats_differ_and_each_says_what_it_recognises() -> None:
    every = [(one.name, one.about) for one in readers.READERS] + [(one.name, one.about) for one in readers.FOLDER_READERS]
    assert len(dict(every)) == len(every)
    assert all(name and about for name, about in every)
