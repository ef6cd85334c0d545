"""The guest's first file system: the same bytes for the same content, and readable by others than the kernel."""

from __future__ import annotations

import shutil
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.box import initramfs

FILES = {"/init": b"\x7fELF init", "/job": b"settle\t60\n", "/bin/null": b"", "/bin/deep/er/ctx": b"12345"}
FIELDS = ("inode", "mode", "uid", "gid", "links", "mtime", "size", "major", "minor", "rmajor", "rminor", "name_size", "check")


@dataclass(frozen=True)
class Entry:
    """One entry as it was read; `at` is where its header begins, `content_at` where its content does."""

    name: str
    content: bytes
    fields: dict[str, int]
    at: int
    content_at: int


def read(archive: bytes) -> Iterator[Entry]:
    """A reader of `newc` after the kernel's buffer-format.rst, written apart from the writer."""
    at = 0
    while archive[at:].strip(b"\0"):
        assert archive[at : at + 6] == b"070701"
        fields = {name: int(archive[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i, name in enumerate(FIELDS)}
        name = archive[at + 110 : at + 110 + fields["name_size"]]
        assert name.endswith(b"\0")
        content_at = (at + 110 + fields["name_size"] + 3) // 4 * 4
        content = archive[content_at : content_at + fields["size"]]
        yield Entry(name[:-1].decode(), content, fields, at, content_at)
        at = (content_at + fields["size"] + 3) // 4 * 4


def entries(files: dict[str, bytes]) -> dict[str, Entry]:
    return {entry.name: entry for entry in read(initramfs.build(files)) if entry.name != "TRAILER!!!"}


def test_the_same_content_gives_the_same_bytes() -> None:
    assert initramfs.build(dict(FILES)) == initramfs.build(dict(FILES))


def test_the_order_in_which_files_are_named_does_not_matter() -> None:
    assert initramfs.build(dict(reversed(FILES.items()))) == initramfs.build(FILES)


def test_a_changed_byte_of_a_file_changes_the_archive() -> None:
    assert initramfs.build({**FILES, "/job": b"settle\t61\n"}) != initramfs.build(FILES)


def test_files_are_there_with_their_content() -> None:
    found = {f"/{name}": entry.content for name, entry in entries(FILES).items() if stat.S_ISREG(entry.fields["mode"])}
    assert found == FILES


def test_every_folder_comes_before_what_lies_in_it() -> None:
    assert list(entries(FILES)) == ["bin", "bin/deep", "bin/deep/er", "bin/deep/er/ctx", "bin/null", "init", "job"]


@pytest.mark.parametrize(
    ("name", "mode", "links"),
    [("bin/deep", stat.S_IFDIR | 0o755, 2), ("bin/null", stat.S_IFREG | 0o755, 1), ("init", stat.S_IFREG | 0o755, 1)],
)
def test_folders_and_programs_have_their_modes(name: str, mode: int, links: int) -> None:
    fields = entries(FILES)[name].fields
    assert (fields["mode"], fields["links"]) == (mode, links)


def test_a_file_may_have_a_mode_of_its_own_and_be_a_link_or_an_empty_folder() -> None:
    modes = {"/data": stat.S_IFREG | 0o640, "/link": stat.S_IFLNK | 0o777, "/empty": stat.S_IFDIR | 0o700}
    archive = initramfs.build({"/data": b"1", "/link": b"data", "/empty": b"", "/program": b"2"}, modes)
    found = {entry.name: (oct(entry.fields["mode"]), entry.content) for entry in read(archive)}
    del found["TRAILER!!!"]
    assert found == {
        "data": ("0o100640", b"1"),
        "empty": ("0o40700", b""),
        "link": ("0o120777", b"data"),
        "program": ("0o100755", b"2"),
    }


@pytest.mark.parametrize("field", ["uid", "gid", "mtime", "major", "minor", "rmajor", "rminor", "check"])
def test_nothing_of_the_host_gets_into_the_archive(field: str) -> None:
    assert {entry.fields[field] for entry in read(initramfs.build(FILES))} == {0}


def test_inode_numbers_differ_lest_the_kernel_take_files_for_links() -> None:
    numbers = [entry.fields["inode"] for entry in entries(FILES).values()]
    assert len(set(numbers)) == len(numbers)


def test_the_archive_ends_with_the_trailer() -> None:
    last = list(read(initramfs.build(FILES)))[-1]
    assert (last.name, last.content) == ("TRAILER!!!", b"")


def test_the_archive_fills_whole_blocks_of_512_bytes() -> None:
    assert len(initramfs.build(FILES)) % 512 == 0


@given(
    st.dictionaries(
        st.text("abcdefghij", min_size=1, max_size=6).map(lambda name: f"/bin/{name}"), st.binary(max_size=9), max_size=5
    )
)
def test_headers_and_contents_are_aligned_to_4_bytes_and_padded_with_zeros(files: dict[str, bytes]) -> None:
    archive = initramfs.build(files)
    for entry in read(archive):
        assert entry.at % 4 == entry.content_at % 4 == 0
        name_end = entry.at + 110 + entry.fields["name_size"]
        assert archive[name_end : entry.content_at].strip(b"\0") == b""


@given(st.dictionaries(st.sampled_from(["/init", "/a/b", "/a/c", "/d/e/f"]), st.binary(max_size=2000)))
def test_what_was_packed_is_read_back(files: dict[str, bytes]) -> None:
    found = {f"/{name}": entry.content for name, entry in entries(files).items() if stat.S_ISREG(entry.fields["mode"])}
    assert found == files


@pytest.mark.skipif(shutil.which("cpio") is None, reason="cpio is not installed: apt-get install cpio")
def test_cpio_reads_the_archive_as_the_reader_above_does() -> None:
    listed = subprocess.run(["cpio", "-t", "--quiet"], input=initramfs.build(FILES), capture_output=True, check=True)
    assert listed.stdout.decode().split() == list(entries(FILES))
