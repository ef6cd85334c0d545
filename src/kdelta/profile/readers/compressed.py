"""Files as they are read: through what compressed them, told by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader
from typing import BinaryIO, Protocol

import zstandard

from kdelta.profile.readers.lines import CHUNK

MOST_MEMORY = 1 << 27
"""Bytes of a decompressor's window: `xz -9` and `zstd --long` take as much."""

Pieces = Iterator[bytes]


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _pieces(file: _Readable) -> Pieces:
    while piece := file.read(CHUNK):
        yield piece


def _gzip(file: BinaryIO) -> Pieces:
    return _pieces(gzip.GzipFile(fileobj=file))


def _bzip2(file: BinaryIO) -> Pieces:
    return _pieces(bz2.BZ2File(file))


def _zstd(file: BinaryIO) -> Pieces:
    unpack = zstandard.ZstdDecompressor(max_window_size=MOST_MEMORY)
    return _pieces(unpack.stream_reader(file, read_across_frames=True))


def _xz(file: BinaryIO) -> Pieces:
    """Any number of streams; lzma.LZMAFile would do, but has no bound for memory."""
    unpack, packed, fed = lzma.LZMADecompressor(memlimit=MOST_MEMORY), b"", False
    while packed or not unpack.needs_input or (packed := file.read(CHUNK)):
        fed = True
        if piece := unpack.decompress(packed, CHUNK):
            yield piece
        packed = b""
        if unpack.eof:
            packed = unpack.unused_data.lstrip(b"\0")
            unpack, fed = lzma.LZMADecompressor(memlimit=MOST_MEMORY), False
    if fed:
        raise EOFError("the file ends within what was packed")


_UNPACK: dict[bytes, Callable[[BinaryIO], Pieces]] = {
    b"\x1f\x8b": _gzip,
    b"BZh": _bzip2,
    b"\x28\xb5\x2f\xfd": _zstd,
    b"\xfd7zXZ\0": _xz,
}

_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstandard.ZstdError)


class Unpacked:
    """The bytes of a file, some at a time. `damage` is why they end before their end, if they do."""

    def __init__(self, file: BufferedReader) -> None:
        start = file.peek(8)
        unpack = next((unpack for magic, unpack in _UNPACK.items() if start.startswith(magic)), _pieces)
        self._pieces = unpack(file)
        self.damage = ""

    def __iter__(self) -> Pieces:
        try:
            yield from self._pieces
        except _DAMAGED as error:
            self.damage = str(error)
