"""From files and folders to documents."""

from __future__ import annotations

from io import BufferedReader, BytesIO
from pathlib import Path

import pytest
from tests.archive.test_kernbench_table import TABLE

from kdelta.archive.budget import MOST_NUMBERS
from kdelta.archive.documents import STANDARD_INPUT, documents, from_stream
from kdelta.model.errors import MisuseError
from kdelta.model.published import Document


def found(path: Path, *formats: str, said: list[str] | None = None) -> list[Document]:
    return list(documents(path, formats, (said if said is not None else list[str]()).append))


def written(path: Path, content: str) -> Path:
    path.write_text(content)
    return path


def test_a_file_is_one_document(tmp_path: Path) -> None:
    (one,) = found(written(tmp_path / "mail", TABLE))
    assert (one.source, len(one.blocks)) == (str(tmp_path / "mail"), 1)


def test_standard_input_is_read_as_a_file_is() -> None:
    (one,) = from_stream(BufferedReader(BytesIO(TABLE.encode())), (), list[str]().append)
    assert (one.source, len(one.blocks)) == (STANDARD_INPUT, 1)


def test_each_mail_of_an_mbox_is_one_document_also_without_results(tmp_path: Path) -> None:
    mails = [f"From a Mon Jan  1\nFrom: a\nSubject: {place}\n\n{body}\n\n" for place, body in enumerate([TABLE, "Hello"])]
    assert [len(one.blocks) for one in found(written(tmp_path / "mbox", "".join(mails)))] == [1, 0]


def test_a_mail_of_many_that_is_refused_is_told_and_passed_over(tmp_path: Path) -> None:
    said: list[str] = []
    lists = [TABLE, TABLE + "".join(f"k{number} 1 2 3 4\n" for number in range(MOST_NUMBERS // 4))]
    mails = [f"From a Mon Jan  1\nFrom: a\nSubject: {place}\n\n{body}\n\n" for place, body in enumerate(lists)]
    assert [len(one.blocks) for one in found(written(tmp_path / "mbox", "".join(mails)), "kernbench table", said=said)] == [1]
    assert ["passed over" in one for one in said] == [True]


def test_the_files_of_a_folder_are_one_document_each_and_what_is_none_is_told(tmp_path: Path) -> None:
    written(tmp_path / "a.txt", TABLE)
    (tmp_path / "b.bin").write_bytes(b"\0\1\2")
    said: list[str] = []
    assert [(one.source, len(one.blocks)) for one in found(tmp_path, said=said)] == [(f"{tmp_path}/a.txt", 1)]
    assert ["b.bin is no text" in one for one in said] == [True]


def test_of_what_is_not_known_is_told_how_much_it_is_and_how_it_begins(tmp_path: Path) -> None:
    with pytest.raises(MisuseError) as told:
        found(written(tmp_path / "odd", "\nmy own tool, run 5\nspeed: 7\n\n"))
    assert "no known format in 5 lines, 2 of them with numbers; the first is 'my own tool, run 5'" in str(told.value)


def test_of_what_is_nearly_known_is_told_what_it_looked_like(tmp_path: Path) -> None:
    with pytest.raises(MisuseError) as told:
        found(written(tmp_path / "cut", TABLE.splitlines()[1]), "kernbench table")
    assert "it has marks of kernbench table (line 1)" in told.value.advice


def test_a_format_that_is_named_is_the_only_one_that_is_tried(tmp_path: Path) -> None:
    assert [len(one.blocks) for one in found(written(tmp_path / "mail", TABLE), "kernbench table")] == [1]
    with pytest.raises(MisuseError, match="there is no format"):
        found(tmp_path / "mail", "kernbench tables")
