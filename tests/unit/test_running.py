"""The kernel that this machine runs."""

from __future__ import annotations

import gzip
import hashlib
import platform
import struct
from pathlib import Path

import msgspec
import pytest

from kdelta.kernel.running import identify_running, running

RELEASE = platform.release()
BUILD_ID = bytes(range(20))
NOTE = struct.pack("<III", 4, len(BUILD_ID), 3) + b"GNU\0" + BUILD_ID
OTHER = struct.pack("<III", 4, 4, 18) + b"Xen\0" + b"1234"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("proc", "sys/kernel", "boot"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_who_runs_is_what_uname_says() -> None:
    name = platform.uname()
    now = running()
    assert (now.release, now.version, now.machine) == (name.release, name.version, name.machine)


@pytest.mark.parametrize("notes", [NOTE, OTHER + NOTE])
def test_the_build_id_is_the_gnu_note_of_the_running_kernel(notes: bytes, root: Path) -> None:
    (root / "sys/kernel/notes").write_bytes(notes)
    assert running(root).build_id == BUILD_ID.hex()


@pytest.mark.parametrize("notes", [b"", OTHER, NOTE[:10], b"\xff" * 64])
def test_a_build_id_that_cannot_be_read_is_missing(notes: bytes, root: Path) -> None:
    (root / "sys/kernel/notes").write_bytes(notes)
    assert running(root).build_id is None


def test_the_configuration_is_that_of_the_kernel_itself(root: Path) -> None:
    (root / "proc/config.gz").write_bytes(gzip.compress(b"CONFIG_X=y\n"))
    (root / f"boot/config-{RELEASE}").write_bytes(b"CONFIG_X=n\n")
    assert identify_running(root).config_sha256 == sha256(b"CONFIG_X=y\n")


@pytest.mark.parametrize("packed", [b"", b"no gzip", gzip.compress(b"CONFIG_X=y\n", mtime=0)[:-9]])
def test_a_damaged_configuration_gives_way_to_the_file_beside_the_image(packed: bytes, root: Path) -> None:
    (root / "proc/config.gz").write_bytes(packed)
    (root / f"boot/config-{RELEASE}").write_bytes(b"CONFIG_X=n\n")
    assert identify_running(root).config_sha256 == sha256(b"CONFIG_X=n\n")


def test_a_kernel_of_which_nothing_can_be_read_still_has_a_key_of_its_own(root: Path) -> None:
    found = identify_running(root)
    assert (found.build_id, found.config_sha256, found.image, found.image_sha256) == (None, None, "", "")
    assert len(found.key) == 64
    assert msgspec.structs.replace(found, version="#2 SMP").key != found.key


def test_the_key_of_an_image_is_its_checksum() -> None:
    assert msgspec.structs.replace(identify_running(), image_sha256="ab" * 32).key == "ab" * 32
