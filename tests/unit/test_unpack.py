"""The ELF kernel inside a bzImage, and the notes in it."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import struct

import lz4.block
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kdelta.kernel.unpack import Notes, read_notes, unpack

BUILD_ID = bytes(range(20))
Note = tuple[bytes, int, bytes]


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def segment(*notes: Note) -> bytes:
    return b"".join(
        struct.pack("<III", len(name) + 1, len(text), kind) + padded(name + b"\0") + padded(text) for name, kind, text in notes
    )


def elf(*segments: tuple[int, bytes]) -> bytes:
    """A 64-bit ELF file with these program headers' types and contents, by the ELF specification."""
    start = 64 + 56 * len(segments)
    headers, contents = b"", b""
    for kind, content in segments:
        headers += struct.pack("<IIQQQQQQ", kind, 4, start + len(contents), 0, 0, len(content), len(content), 4)
        contents += content
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    return ident + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0) + headers + contents


GNU: Note = (b"GNU", 3, BUILD_ID)
PVH: Note = (b"Xen", 18, bytes(8))
NOTES = elf((4, segment(GNU, PVH)))
KERNEL = NOTES + b"the same text again and again, " * 60 + random.Random(1).randbytes(200)
SIZE = struct.pack("<I", len(KERNEL))
"""What the kernel's build puts behind all forms but gzip: the size when unpacked."""


def lz4_legacy(data: bytes, block: int) -> bytes:
    packed = [lz4.block.compress(data[i : i + block], store_size=False) for i in range(0, len(data), block)]
    return b"\x02\x21\x4c\x18" + b"".join(struct.pack("<I", len(one)) + one for one in packed)


def lzma_alone(data: bytes) -> bytes:
    return lzma.compress(data, format=lzma.FORMAT_ALONE)


PACKED = {
    "gzip": gzip.compress(KERNEL, mtime=0),
    "xz": lzma.compress(KERNEL, check=lzma.CHECK_CRC32) + SIZE,
    "bzip2": bz2.compress(KERNEL) + SIZE,
    "lzma": lzma_alone(KERNEL) + SIZE,
    "lz4": lz4_legacy(KERNEL, len(KERNEL)) + SIZE,
    "lz4 in blocks": lz4_legacy(KERNEL, 1000) + SIZE,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress(KERNEL) + SIZE,
}
# The stream without the size behind it; LZ4's has no end of its own.
STREAM = {form: len(payload) - (0 if form.startswith(("gzip", "lz4")) else len(SIZE)) for form, payload in PACKED.items()}


def damaged(payload: bytes, place: int, other: int) -> bytes:
    return payload[:place] + bytes([payload[place] ^ other]) + payload[place + 1 :]


@pytest.mark.parametrize("form", PACKED)
def test_every_form_that_a_kernel_is_built_with_is_unpacked(form: str) -> None:
    assert unpack(PACKED[form]) == KERNEL


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\x89LZO\0\r\n\x1a\n", id="lzo"),
        pytest.param(KERNEL, id="not packed"),
        pytest.param(b"\x1f\x8b", id="signature only"),
        pytest.param(gzip.compress(b"no kernel"), id="something else inside"),
        pytest.param(gzip.compress(b""), id="nothing inside"),
    ],
)
def test_what_holds_no_kernel_is_not_unpacked(payload: bytes) -> None:
    assert unpack(payload) is None


@pytest.mark.parametrize("form", PACKED)
def test_a_payload_that_is_cut_off_is_not_unpacked(form: str) -> None:
    assert [length for length in range(STREAM[form]) if unpack(PACKED[form][:length]) is not None] == []


@pytest.mark.parametrize("form", PACKED)
@given(data=st.data())
def test_a_payload_that_is_cut_off_does_not_raise(form: str, data: st.DataObject) -> None:
    length = data.draw(st.integers(0, len(PACKED[form])))
    image = unpack(PACKED[form][:length])
    assert image is None or KERNEL.startswith(image)


@pytest.mark.parametrize("form", ["gzip", "xz", "bzip2", "zstd"])
def test_damage_is_noticed_where_the_form_has_a_checksum(form: str) -> None:
    places = range(STREAM[form])
    assert [place for place in places if unpack(damaged(PACKED[form], place, 0x10)) not in (None, KERNEL)] == []


@pytest.mark.parametrize("form", list(PACKED))
@pytest.mark.parametrize("other", [0x01, 0x80, 0xFF])
def test_a_damaged_payload_does_not_raise(form: str, other: int) -> None:
    images = [unpack(damaged(PACKED[form], place, other)) for place in range(len(PACKED[form]))]
    assert [image for image in images if image is not None and not image.startswith(b"\x7fELF")] == []


@pytest.mark.parametrize("form", [form for form in PACKED if not form.startswith("lz4")])
@given(rest=st.binary(max_size=200))
def test_rubbish_behind_a_signature_does_not_raise(form: str, rest: bytes) -> None:
    assert unpack(PACKED[form][:6] + rest) is None


@pytest.mark.parametrize(
    ("image", "notes"),
    [
        pytest.param(NOTES, Notes(BUILD_ID.hex(), True), id="both"),
        pytest.param(elf((4, segment(GNU))), Notes(BUILD_ID.hex(), False), id="build id only"),
        pytest.param(elf((4, segment(PVH))), Notes(None, True), id="entry only"),
        pytest.param(elf((4, segment(PVH)), (1, b"text"), (4, segment(GNU))), Notes(BUILD_ID.hex(), True), id="two segments"),
        pytest.param(elf((1, segment(GNU, PVH))), Notes(None, False), id="not a segment of notes"),
        pytest.param(elf((4, segment((b"GNU", 1, b"abi"), (b"Xen", 6, b"linux")))), Notes(None, False), id="other notes"),
        pytest.param(elf((4, segment((b"Linux", 3, BUILD_ID)))), Notes(None, False), id="another owner's number"),
        pytest.param(elf((4, segment((b"owner", 9, b"5byte"), GNU))), Notes(BUILD_ID.hex(), False), id="behind a padded note"),
        pytest.param(elf((4, segment((b"GNU", 3, b"")))), Notes(None, False), id="empty build id"),
        pytest.param(elf((4, b"")), Notes(None, False), id="empty segment"),
        pytest.param(elf(), Notes(None, False), id="no segments"),
    ],
)
def test_the_notes_that_matter_are_found(image: bytes, notes: Notes) -> None:
    assert read_notes(image) == notes


@given(st.binary(max_size=200))
def test_arbitrary_notes_do_not_raise(content: bytes) -> None:
    assert isinstance(read_notes(elf((4, content))), Notes)


@pytest.mark.parametrize("length", [4, 40, 64, 100])
def test_an_elf_file_that_is_cut_off_has_no_notes(length: int) -> None:
    assert read_notes(NOTES[:length]) == Notes(None, False)


@pytest.mark.parametrize("other", [0x01, 0x80, 0xFF])
def test_a_damaged_elf_file_does_not_raise(other: int) -> None:
    found = [read_notes(damaged(NOTES, place, other)) for place in range(16, len(NOTES))]
    assert {type(notes) for notes in found} == {Notes}
