"""From files to texts: through what packs them, and out of an mbox, a folder, a tar and a zip."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kdelta.archive.sources import MOST_MAIL, of_path
from kdelta.archive.text import Text
from kdelta.archive.tree import MOST_BYTES, Tree
from kdelta.model.errors import MisuseError

MAIL = "From a@example.org Mon Jan  1 00:00:00 2001\nFrom: a@example.org\nSubject: {}\n\n{}\n\n"


def found(path: Path) -> list[Text | Tree]:
    return list(of_path(path, lambda said: None))


def one(path: Path) -> Text:
    (text,) = found(path)
    assert isinstance(text, Text)
    return text


def tree(path: Path) -> Tree:
    (result,) = found(path)
    assert isinstance(result, Tree)
    return result


def written(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gzip", "xz"])
def test_a_file_is_read_through_what_packed_it(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    assert one(written(tmp_path / "log", pack(b"Time: 5\n"))).joined == "Time: 5\n"


def test_the_mails_of_an_mbox_come_one_by_one_with_their_lines_in_it(tmp_path: Path) -> None:
    texts = found(written(tmp_path / "mbox", MAIL.format("one", "first") + MAIL.format("two", "second")))
    assert [
        (text.decoded.subject, [line.number for line in text.lines if line.text]) for text in texts if isinstance(text, Text)
    ] == [
        ("one", [5]),
        ("two", [11]),
    ]


def test_a_mail_that_an_mbox_has_twice_is_read_once(tmp_path: Path) -> None:
    texts = found(written(tmp_path / "mbox", MAIL.format("one", "first") * 3 + MAIL.format("Re: one", "> first")))
    assert [text.decoded.subject for text in texts if isinstance(text, Text)] == ["one", "Re: one"]


def test_a_line_of_a_mail_that_begins_with_from_does_not_end_it(tmp_path: Path) -> None:
    texts = found(written(tmp_path / "mbox", MAIL.format("one", "first\n>From here on\nlast")))
    assert [text.joined.split()[-1] for text in texts if isinstance(text, Text)] == ["last"]


def test_a_mail_that_is_too_long_is_told_and_those_around_it_are_read(tmp_path: Path) -> None:
    said: list[str] = []
    mbox = MAIL.format("one", "first") + MAIL.format("two", "x\n" * MOST_MAIL) + MAIL.format("three", "third")
    texts = list(of_path(written(tmp_path / "mbox", mbox), said.append))
    assert [(text.decoded.subject, text.first) for text in texts if isinstance(text, Text)] == [
        ("one", 2),
        ("three", MOST_MAIL + 14),
    ]
    assert ["the mail at line 7 is longer" in one for one in said] == [True]


def test_a_mail_alone_is_one_text(tmp_path: Path) -> None:
    assert one(written(tmp_path / "mail", "From: a@example.org\nSubject: one\n\nfirst\n")).decoded.subject == "one"


def test_a_folder_has_its_files_by_name_and_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    written(tmp_path / "outside" / "secret", "Time: 6\n")
    inside = tmp_path / "in"
    (inside / "logs").mkdir(parents=True)
    written(inside / "logs" / "b", gzip.compress(b"Time: 5\n"))
    written(inside / "a", "x")
    (inside / "link").symlink_to(tmp_path / "outside")
    assert tree(inside).names() == ["a", "logs/b"]
    assert tree(inside).below("logs").read("b") == b"Time: 5\n"


def packed_tar(names: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in names.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return buffer.getvalue()


def packed_zip(names: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in names.items():
            packed.writestr(name, content)
    return buffer.getvalue()


ESCAPES = {"../../etc/cron.d/x": b"Time: 5\n", "/root/y": b"Time: 6\n", "logs/z": b"Time: 7\n"}


def packed_tar_gz(names: dict[str, bytes]) -> bytes:
    return gzip.compress(packed_tar(names))


@pytest.mark.parametrize("pack", [packed_tar, packed_tar_gz, packed_zip])
def test_a_packed_folder_is_read_in_memory_and_its_names_lead_nowhere(
    tmp_path: Path, pack: Callable[[dict[str, bytes]], bytes]
) -> None:
    result = tree(written(tmp_path / "results", pack(ESCAPES)))
    assert {name: result.read(name) for name in result.names()} == {
        "etc/cron.d/x": b"Time: 5\n",
        "logs/z": b"Time: 7\n",
        "root/y": b"Time: 6\n",
    }
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


BOMB = b"\0" * (MOST_BYTES + 1)


def test_what_unpacks_to_more_than_a_text_may_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="more than 16 MiB"):
        found(written(tmp_path / "bomb.gz", gzip.compress(b"x\n" * (MOST_BYTES // 2 + 1))))
    with pytest.raises(MisuseError, match="more than 131,072 lines"):
        found(written(tmp_path / "lines", b"\n" * (1 << 18)))
    packed = tree(written(tmp_path / "bomb.zip", packed_zip({"bomb": BOMB})))
    with pytest.raises(MisuseError, match="more than 16 MiB"):
        packed.read("bomb")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x7fELF\0\0\0", "is no text"),
        (gzip.compress(b"Time: 5\n" * 999)[:-9], "is damaged"),
        (b"PK\x03\x04 nonsense", "damaged zip"),
        (packed_tar({"a": b"x"})[:257] + b"ustar" + b"\xff" * 250 + b"\1" * 512, "damaged tar"),
    ],
    ids=["binary", "gzip", "zip", "tar"],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(MisuseError, match=said):
        found(written(tmp_path / "file", content))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="cannot be read: No such file"):
        found(tmp_path / "nothing")
