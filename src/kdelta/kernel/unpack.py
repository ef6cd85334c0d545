"""The ELF kernel inside a bzImage, and the notes in it.

Sources: arch/x86/boot/compressed/Makefile of the kernel (the compressors), the ELF specification, include/xen/interface/elfnote.h.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

MOST_BYTES = 1 << 30
LZ4_BLOCK = 8 << 20
PT_NOTE = 4
GNU_BUILD_ID = (b"GNU", 3)
XEN_PHYS32_ENTRY = (b"Xen", 18)
"""The entry point that QEMU's -kernel takes for an unpacked image (since QEMU 4.0; the kernel's CONFIG_PVH)."""


@dataclass(frozen=True)
class Notes:
    """`bootable`: QEMU can start the unpacked image directly, without the decompressor in the bzImage."""

    build_id: str | None
    bootable: bool


def unpack(payload: bytes) -> bytes | None:
    """The ELF image in the compressed `payload` of a bzImage; None where its form is not known or it is damaged."""
    for signature, decompress in DECOMPRESSORS.items():
        if payload.startswith(signature):
            try:
                image = decompress(payload)
            except (OSError, EOFError, ValueError, MemoryError, zlib.error, lzma.LZMAError, struct.error):
                return None
            return image if image.startswith(b"\x7fELF") else None
    return None


def read_notes(image: bytes) -> Notes:
    """The notes of the 64-bit ELF `image` that matter here; none where its headers point outside of it."""
    try:
        found = dict(_notes(image))
    except (struct.error, OverflowError):
        return Notes(None, False)
    build_id = found.get(GNU_BUILD_ID)
    return Notes(build_id.hex() if build_id else None, XEN_PHYS32_ENTRY in found)


def build_id_in(notes: bytes) -> str | None:
    """The GNU build id among raw `notes`, such as /sys/kernel/notes holds; None where there is none."""
    try:
        found = dict(_notes_in(notes)).get(GNU_BUILD_ID)
    except struct.error:
        return None
    return found.hex() if found else None


def _notes(image: bytes) -> Iterator[tuple[tuple[bytes, int], bytes]]:
    table, size, count = struct.unpack_from("<Q14xHH", image, 32)
    for i in range(count):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", image, table + i * size)
        if kind == PT_NOTE:
            yield from _notes_in(image[offset : offset + length])


def _notes_in(segment: bytes) -> Iterator[tuple[tuple[bytes, int], bytes]]:
    at = 0
    while at + 12 <= len(segment):
        name_size, size, kind = struct.unpack_from("<III", segment, at)
        name_at = at + 12
        text_at = name_at + -(-name_size // 4) * 4
        at = text_at + -(-size // 4) * 4
        yield (segment[name_at : name_at + name_size].rstrip(b"\0"), kind), segment[text_at : text_at + size]


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def _whole(decompressor: _Decompressor, payload: bytes) -> bytes:
    """These decompressors give out what they have of a stream that was cut off, without a word."""
    image = decompressor.decompress(payload, MOST_BYTES)
    if not decompressor.eof:
        raise ValueError("the stream has no end")
    return image


def _zstd(payload: bytes) -> bytes:
    import zstandard

    stream = zstandard.ZstdDecompressor().decompressobj()
    try:
        image = stream.decompress(payload)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
    if not stream.eof:
        raise ValueError("the stream has no end")
    return image


def _lz4(payload: bytes) -> bytes:
    """The legacy frame, which the kernel's build makes with `lz4 -l`: sizes and blocks, ended by the uncompressed size."""
    import lz4.block

    blocks, at = [], 4
    while at + 4 < len(payload):
        size = struct.unpack_from("<I", payload, at)[0]
        at += 4
        try:
            blocks.append(lz4.block.decompress(payload[at : at + size], uncompressed_size=LZ4_BLOCK))
        except lz4.block.LZ4BlockError as error:
            raise ValueError(str(error)) from error
        at += size
    image = b"".join(blocks)
    if payload[at:] != struct.pack("<I", len(image)):
        raise ValueError("the blocks do not add up to the size at the end")
    return image


DECOMPRESSORS: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": lambda payload: _whole(zlib.decompressobj(31), payload),
    b"\xfd7zXZ": lambda payload: _whole(lzma.LZMADecompressor(lzma.FORMAT_XZ), payload),
    b"BZh": lambda payload: _whole(bz2.BZ2Decompressor(), payload),
    b"\x5d\0\0": lambda payload: _whole(lzma.LZMADecompressor(lzma.FORMAT_ALONE), payload),
    b"\x02\x21\x4c\x18": _lz4,
    b"\x28\xb5\x2f\xfd": _zstd,
}
