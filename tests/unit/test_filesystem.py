"""A variant's file system for the guest: the same bytes for the same words, its blocks, and what mount's words mean."""

from __future__ import annotations

import os
import shutil
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.box import filesystem
from kdelta.box.filesystem import Options, blocks_of, options
from kdelta.model.errors import MisuseError
from kdelta.model.variant import Mount

PATH = f"{os.environ['PATH']}:{filesystem.SYSTEM_PATH}"
EACH_TYPE = pytest.mark.parametrize(
    "kind",
    [
        pytest.param(
            kind, marks=pytest.mark.skipif(shutil.which(f"mkfs.{kind}", path=PATH) is None, reason=f"mkfs.{kind} is not installed")
        )
        for kind in filesystem.DRIVERS
    ],
)


def read(blocks: bytes) -> Iterator[tuple[int, bytes]]:
    """A reader of the form that the guest's init reads, written apart from the writer."""
    at = 0
    while at < len(blocks):
        offset, size = struct.unpack_from("<QQ", blocks, at)
        yield offset, blocks[at + 16 : at + 16 + size]
        at += 16 + size


@EACH_TYPE
def test_the_same_words_make_the_same_bytes_at_another_time(kind: str) -> None:
    size = filesystem.size_mib(Mount(type=kind))
    first = filesystem.run_mkfs(kind, (), size)
    time.sleep(1.1)
    assert filesystem.run_mkfs(kind, (), size) == first


@EACH_TYPE
def test_only_what_is_not_zero_is_carried(kind: str) -> None:
    made = filesystem.make(Mount(type=kind))
    assert len(made.blocks) < 1 << 20
    assert all(content.strip(b"\0") and not len(content) % filesystem.BLOCK for _, content in read(made.blocks))


def superblock(kind: str, words: str = "") -> bytes:
    """Of an ext file system: 1 KiB at 1 KiB."""
    blocks = dict(read(filesystem.make(Mount(type=kind, mkfs=words)).blocks))
    return blocks[0][1024:2048]


@pytest.mark.parametrize(("kind", "journal"), [("ext2", 0), ("ext3", 4), ("ext4", 4)])
def test_only_ext2_has_no_journal(kind: str, journal: int) -> None:
    assert struct.unpack_from("<I", superblock(kind), 0x5C)[0] & 4 == journal


@pytest.mark.parametrize(("words", "log"), [("", 2), ("-b 1024", 0)], ids=["4 KiB on so small a device too", "as the words say"])
def test_blocks_are_those_of_a_disk_unless_the_plan_says_otherwise(words: str, log: int) -> None:
    assert struct.unpack_from("<I", superblock("ext4", words), 0x18)[0] == log


@pytest.mark.parametrize(("asked", "kind", "size"), [(0, "ext4", 256), (64, "ext4", 64), (64, "xfs", 300), (500, "xfs", 500)])
def test_a_device_is_as_large_as_its_mkfs_demands(asked: int, kind: str, size: int) -> None:
    assert filesystem.size_mib(Mount(type=kind, size_mib=asked)) == size


@given(st.dictionaries(st.integers(0, 40), st.binary(min_size=1, max_size=9), max_size=10))
def test_the_blocks_are_the_image_but_for_its_zeros(tmp_path_factory: pytest.TempPathFactory, content: dict[int, bytes]) -> None:
    image = tmp_path_factory.mktemp("image") / "image"
    expected = bytearray(42 * filesystem.BLOCK)
    with image.open("wb") as file:
        file.truncate(len(expected))
        for block, text in content.items():
            file.seek(block * filesystem.BLOCK)
            file.write(text)
            expected[block * filesystem.BLOCK : block * filesystem.BLOCK + len(text)] = text
    found = bytearray(len(expected))
    for offset, run in read(b"".join(blocks_of(image))):
        found[offset : offset + len(run)] = run
    assert found == expected


def test_a_mkfs_that_fails_is_told_in_its_own_words() -> None:
    with pytest.raises(MisuseError, match=r"mkfs.ext4 -q -F -O nope fails on 256 MiB: Invalid filesystem option set: nope"):
        filesystem.make(Mount(type="ext4", mkfs="-O nope"))


def test_words_for_mkfs_with_an_open_quotation_are_refused() -> None:
    with pytest.raises(MisuseError, match="cannot be split"):
        filesystem.make(Mount(type="ext4", mkfs="-L 'a"))


def test_a_missing_mkfs_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(filesystem, "SYSTEM_PATH", str(tmp_path))
    with pytest.raises(MisuseError, match=r"there is no mkfs\.xfs") as caught:
        filesystem.run_mkfs("xfs", (), 300)
    assert "xfsprogs" in caught.value.advice


RELATIME, NOATIME, STRICTATIME = 1 << 21, 1 << 10, 1 << 24


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Options(0, "", ("relatime",))),
        ("defaults", Options(0, "", ("relatime",))),
        ("relatime", Options(RELATIME, "", ("relatime",))),
        ("norelatime", Options(0, "", ("relatime",))),
        ("noatime", Options(NOATIME, "", ("noatime",))),
        ("noatime,nodiratime", Options(NOATIME | 1 << 11, "", ("noatime", "nodiratime"))),
        ("noatime,atime", Options(0, "", ("relatime",))),
        ("strictatime", Options(STRICTATIME, "", ())),
        ("noatime,strictatime", Options(NOATIME | STRICTATIME, "", ())),
        ("ro,nosuid,nodev,noexec,sync", Options(0b11111, "", ("ro", "nosuid", "nodev", "noexec", "sync", "relatime"))),
        ("ro,rw", Options(0, "", ("relatime",))),
        ("data=journal,noatime,errors=panic", Options(NOATIME, "data=journal,errors=panic", ("noatime",))),
        ("silent", Options(1 << 15, "", ("relatime",))),
    ],
)
def test_words_of_mount_are_flags_of_the_kernel_or_for_the_file_system(text: str, expected: Options) -> None:
    assert options(text) == expected


def test_every_word_that_undoes_another_has_one_to_undo() -> None:
    assert set(filesystem.CLEAR.values()) <= set(filesystem.SET)
    assert not set(filesystem.CLEAR) & set(filesystem.SET)


def test_init_looks_at_every_flag_that_the_kernel_shows() -> None:
    source = (Path(__file__).parents[2] / "csrc/guest/device.h").read_text()
    assert [word for word in filesystem.SHOWN if f'"{word}"' not in source] == []
