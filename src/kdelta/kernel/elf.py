"""Sections and function symbols of an ELF file, read in place: a kernel with its debug information has hundreds of megabytes.

Sources: the ELF specification (gABI 4.1, compressed sections included), and the GNU ABI for .zdebug sections.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import zstandard

Content = bytes | mmap.mmap

MOST_BYTES = 1 << 30
"""Of one section once it is decompressed. The .debug_info of a distribution's kernel has about 0.2 GiB."""
MOST_SYMBOLS, LONGEST_NAME, LONGEST_PATH = 1 << 21, 512, 4096
"""Of a file; of a symbol or section, as the kernel's own KSYM_NAME_LEN since 6.1; and of all other text, as its PATH_MAX."""

NO_CONTENT, SYMBOLS = 8, 2
EXECUTABLE, COMPRESSED = 0x4, 0x800
UNTYPED, FUNCTION, INDIRECT = 0, 2, 10
RELOCATABLE = 1


class ElfError(ValueError):
    """The file is none, or parts of it point outside of it."""


@dataclass(frozen=True)
class Section:
    """A row of the section table; `offset` and `size` are bytes of the file, `link` is another row's index."""

    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True)
class Layout:
    """How structures lie in a file of one class. `fields` are the places in `section` of a Section's but its name."""

    header: str
    section: str
    symbol: str
    value: tuple[int, int, int]
    compression: str


# Formats of struct, by e_ident[EI_CLASS]; of a header e_type, e_shoff, e_shentsize, e_shnum and e_shstrndx are kept.
LAYOUTS = {
    1: Layout("16xH14xI10xHHH", "IIIIIII", "IIIBBH", (1, 3, 5), "III"),
    2: Layout("16xH22xQ10xHHH", "IIQQQQI", "IBBHQQ", (4, 1, 3), "I4xQQ"),
}
ORDERS = {1: "<", 2: ">"}


class Elf:
    """The file whose bytes are `content`. Raises ElfError or struct.error where it is none, or cut off before its tables."""

    def __init__(self, content: Content) -> None:
        if content[:4] != b"\x7fELF" or len(content) < 52 or content[4] not in LAYOUTS or content[5] not in ORDERS:
            raise ElfError("it is no ELF file")
        self._content = content
        self._layout = LAYOUTS[content[4]]
        self.order = ORDERS[content[5]]
        self.kind, table, size, count, names = struct.unpack_from(self.order + self._layout.header, content)
        self._sections = self._table(table, size, count, names) if count else []

    def section(self, name: str) -> Content | memoryview | None:
        """What the section holds, decompressed; None where there is none, or where its bytes are in another file."""
        found = next((one for one in self._sections if one.name == name and one.kind != NO_CONTENT), None)
        if found is None:
            packed = self.section(f".z{name[1:]}") if name.startswith(".debug_") else None
            return None if packed is None else _gnu_decompressed(packed)
        data = self._bytes(found)
        return self._decompressed(data) if found.flags & COMPRESSED else data

    def functions(self) -> Iterator[tuple[int, str]]:
        """Address and name of each symbol that lies in code: those without a type are functions written in assembly."""
        for table in self._sections:
            if table.kind == SYMBOLS and table.link < len(self._sections):
                yield from self._symbols(self._bytes(table), self._bytes(self._sections[table.link]))

    def _symbols(self, table: memoryview, names: memoryview) -> Iterator[tuple[int, str]]:
        form = struct.Struct(self.order + self._layout.symbol)
        code = {index for index, section in enumerate(self._sections) if section.flags & EXECUTABLE}
        address, info, place = self._layout.value
        if len(table) > MOST_SYMBOLS * form.size:
            raise ElfError(f"it has more than {MOST_SYMBOLS:,} symbols")
        for symbol in form.iter_unpack(table[: len(table) // form.size * form.size]):
            if symbol[place] in code and symbol[info] & 15 in (UNTYPED, FUNCTION, INDIRECT):
                yield symbol[address], text_at(names, symbol[0], LONGEST_NAME)

    def _table(self, at: int, size: int, count: int, names: int) -> list[Section]:
        form = struct.Struct(self.order + self._layout.section)
        if at + size * count > len(self._content):
            raise ElfError("its section table is behind the file's end: it is cut off")
        rows = [form.unpack_from(self._content, at + size * index) for index in range(count)]
        plain = [Section("", kind, flags, offset, length, link) for _, kind, flags, _, offset, length, link in rows]
        texts = self._bytes(plain[names]) if names < count else memoryview(b"")
        named = zip(rows, plain, strict=True)
        return [replace(one, name=text_at(texts, row[0], LONGEST_NAME)) for row, one in named]

    def _bytes(self, section: Section) -> memoryview:
        if section.offset + section.size > len(self._content):
            raise ElfError(f"its section {section.name or 'of names'} ends behind the file: it is cut off")
        return memoryview(self._content)[section.offset : section.offset + section.size]

    def _decompressed(self, data: memoryview) -> bytes:
        head = struct.Struct(self.order + self._layout.compression)
        kind, size, _ = head.unpack_from(data)
        if kind not in DECOMPRESSORS:
            raise ElfError(f"a section is compressed in a way that is not known ({kind})")
        return _checked(DECOMPRESSORS[kind], data[head.size :], size)


def text_at(data: bytes | memoryview | mmap.mmap, at: int, longest: int = LONGEST_PATH) -> str:
    """The string that begins there and ends with a zero byte, or after so many."""
    return bytes(data[at : at + longest]).partition(b"\0")[0].decode("utf-8", "replace")


def _gnu_decompressed(data: bytes | memoryview | mmap.mmap) -> bytes:
    if data[:4] != b"ZLIB":
        raise ElfError("a .zdebug section is not compressed by zlib")
    return _checked(_zlib, memoryview(data)[12:], struct.unpack_from(">Q", data, 4)[0])


def _checked(decompress: Callable[[memoryview, int], bytes], data: memoryview, size: int) -> bytes:
    if size > MOST_BYTES:
        raise ElfError(f"a section has {size:,} bytes when decompressed, and {MOST_BYTES:,} are the most that is read")
    found = decompress(data, size)
    if len(found) != size:
        raise ElfError("a compressed section is damaged, or cut off")
    return found


def _zlib(data: memoryview, size: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, size + 1)
    except zlib.error as error:
        raise ElfError(f"a compressed section is damaged: {error}") from error


def _zstd(data: memoryview, size: int) -> bytes:
    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as stream:
            return stream.read(size + 1)
    except zstandard.ZstdError as error:
        raise ElfError(f"a compressed section is damaged: {error}") from error


DECOMPRESSORS: dict[int, Callable[[memoryview, int], bytes]] = {1: _zlib, 2: _zstd}
