"""What an x86 kernel image says of itself, and what other files are told to be."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.kernel.image import Header, read_header
from kdelta.model.errors import MisuseError

RELEASE = "6.1.0-57-cloud-amd64"
VERSION = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.1-1 (2024-01-01)"
TEXT = f"{RELEASE} (builder@example.org) (gcc-12 (Debian 12.2.0) 12.2.0, GNU ld) {VERSION}"


def bzimage(
    text: str = TEXT, *, protocol: int = 0x20F, flags: int = 1, sectors: int = 3, offset: int = 0x80, length: int = 0x40
) -> bytes:
    """Boot sector and set-up code, as Documentation/arch/x86/boot.rst lays them out, then a payload of nothing."""
    data = bytearray((max(sectors, 1) + 1) * 512 + offset + length)
    data[0:2] = b"MZ"
    data[0x1F1] = sectors
    data[0x1FE:0x200] = b"\x55\xaa"
    data[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", data, 0x206, protocol)
    struct.pack_into("<H", data, 0x20E, 0x100)
    struct.pack_into("<H", data, 0x236, flags)
    struct.pack_into("<II", data, 0x248, offset, length)
    data[0x300 : 0x300 + len(text)] = text.encode("latin-1")
    return bytes(data)


def at(offset: int, signature: bytes) -> bytes:
    return bytes(offset) + signature + bytes(0x400)


def refusal(data: bytes) -> MisuseError:
    with pytest.raises(MisuseError) as caught:
        read_header(data, "/boot/file")
    return caught.value


def test_release_and_version_are_read_from_the_header() -> None:
    header = read_header(bzimage(), "/boot/file")
    assert (header.release, header.version) == (RELEASE, VERSION)


@pytest.mark.parametrize(
    ("text", "release", "version"),
    [
        pytest.param("6.9.0-rc1+ (me@host) #7 SMP Mon", "6.9.0-rc1+", "#7 SMP Mon", id="without the compiler"),
        pytest.param("6.1.0 (a@b) (gcc (x) 1) #1 (2024)", "6.1.0", "#1 (2024)", id="brackets in brackets"),
        pytest.param("6.1.0 () #1", "6.1.0", "#1", id="no builder"),
    ],
)
def test_the_version_begins_at_the_build_number(text: str, release: str, version: str) -> None:
    header = read_header(bzimage(text), "/boot/file")
    assert (header.release, header.version) == (release, version)


@pytest.mark.parametrize(
    ("sectors", "first"),
    [
        pytest.param(3, 4 * 512 + 0x80, id="counted"),
        pytest.param(39, 40 * 512 + 0x80, id="many"),
        pytest.param(0, 5 * 512 + 0x80, id="0 stands for 4"),
    ],
)
def test_the_payload_lies_behind_the_setup_sectors(sectors: int, first: int) -> None:
    assert read_header(bzimage(sectors=sectors), "/boot/file").payload == (first, first + 0x40)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(b"", "an empty file", id="empty"),
        pytest.param(b"\x7fELF\x02\x01\x01" + bytes(600), "an ELF file (an unpacked vmlinux?)", id="vmlinux"),
        pytest.param(at(56, b"ARM\x64"), "a kernel for arm64", id="arm64"),
        pytest.param(at(48, b"RISCV\0\0\0"), "a kernel for riscv", id="riscv"),
        pytest.param(at(36, struct.pack("<I", 0x016F2818)), "a kernel for 32-bit arm", id="arm"),
        pytest.param(struct.pack(">I", 0x27051956) + bytes(600), "a U-Boot image", id="u-boot"),
        pytest.param(b"MZ\0\0zimg" + bytes(600), "a compressed EFI image (arm64, riscv or loongarch)", id="zboot"),
        pytest.param(b"!<arch>\ndebian-binary   ", "a Debian package", id="deb"),
        pytest.param(b"\x1f\x8b\x08" + bytes(600), "a gzip file", id="gzip"),
        pytest.param(bzimage(protocol=0x20B), "a kernel for 32-bit x86, or older than Linux 3.8", id="old protocol"),
        pytest.param(bzimage(flags=0), "a kernel for 32-bit x86, or older than Linux 3.8", id="i386"),
        pytest.param(bzimage("Memtest86+ v7"), "a boot image without a Linux version string (found 'Memtest86+ v7')", id="memtest"),
        pytest.param(bzimage(""), "a boot image without a Linux version string (found '')", id="no text"),
        pytest.param(b"[plan]\n", "no kernel image at all (it begins with 5b 70 6c 61 6e 5d 0a)", id="text"),
        pytest.param(b"MZ" + bytes(600), "no kernel image at all (it begins with 4d 5a 00 00 00 00 00 00)", id="other EFI program"),
    ],
)
def test_another_file_is_told_for_what_it_is(data: bytes, name: str) -> None:
    assert str(refusal(data)) == f"/boot/file is {name}"


def test_the_advice_says_what_is_needed() -> None:
    assert "/boot/vmlinuz-*" in refusal(b"").advice


@pytest.mark.parametrize(
    ("at_byte", "byte"),
    [pytest.param(0x1FE, 0, id="boot flag"), pytest.param(0x202, 0, id="header signature")],
)
def test_without_its_signatures_it_is_no_kernel(at_byte: int, byte: int) -> None:
    data = bytearray(bzimage())
    data[at_byte] = byte
    assert "no kernel image at all" in str(refusal(bytes(data)))


def test_a_text_that_points_behind_the_end_is_no_version() -> None:
    data = bytearray(bzimage())
    struct.pack_into("<H", data, 0x20E, 0xFFFF)
    assert "without a Linux version string" in str(refusal(bytes(data)))


def test_a_text_of_more_than_one_line_is_no_version() -> None:
    assert "without a Linux version string" in str(refusal(bzimage(f"{RELEASE} (a\nb) {VERSION}")))


@given(st.integers(0, len(bzimage()) - 1))
def test_an_image_that_is_cut_off_is_read_or_refused(length: int) -> None:
    with contextlib.suppress(MisuseError):
        assert read_header(bzimage()[:length], "/boot/file") == read_header(bzimage(), "/boot/file")


@pytest.mark.parametrize("length", [0x100, 0x205, 0x267, 0x300, 0x300 + len(TEXT)])
def test_an_image_that_ends_before_its_text_does_is_refused(length: int) -> None:
    with pytest.raises(MisuseError):
        read_header(bzimage()[:length], "/boot/file")


@given(st.integers(0x1F1, 0x268), st.binary(min_size=1, max_size=8))
def test_a_damaged_header_is_read_or_refused(place: int, damage: bytes) -> None:
    data = bytearray(bzimage())
    data[place : place + len(damage)] = damage
    with contextlib.suppress(MisuseError):
        assert isinstance(read_header(bytes(data), "/boot/file"), Header)


@given(st.binary(max_size=2048))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(MisuseError):
        read_header(data, "/boot/file")
