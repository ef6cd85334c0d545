"""Numbers and attribute values of DWARF, read one behind the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kdelta.kernel.elf import Content, ElfError, text_at

LONGEST_LEB = 10
"""Bytes of a number of 64 bits, seven in each."""
CONSTANT, INDIRECT = 0x21, 0x16

CUT_OFF = "its debug information is damaged, or cut off"
Value = int | str


class Cursor:
    """A place in `data`; `order` is that of ELF, `offset` and `address` are the bytes of a reference and of an address.

    What lies behind the end raises ElfError.
    """

    def __init__(self, data: Content | memoryview, at: int, order: str, offset: int = 4, address: int = 8) -> None:
        self.data, self.at, self.order = data, at, order
        self.offset, self.address = offset, address

    def uint(self, size: int) -> int:
        found = self.data[self.at : self.at + size]
        if len(found) != size:
            raise ElfError(CUT_OFF)
        self.at += size
        return int.from_bytes(found, "little" if self.order == "<" else "big")

    def leb(self) -> int:
        """A number of seven bits a byte (LEB128). A sign is left in it: no number that is used has one."""
        number = 0
        for place in range(LONGEST_LEB):
            byte = self.uint(1)
            number |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return number
        raise ElfError(CUT_OFF)

    def text(self) -> str:
        found = text_at(self.data, self.at)
        self.at += len(found.encode()) + 1
        return found

    def skip(self, size: int) -> int:
        self.at += size
        return size

    def value(self, form: int) -> Value:
        """The value of an attribute of that form: the text itself, a number, an index, an offset, or the length of a block."""
        form = self.leb() if form == INDIRECT else form
        if form not in FORMS:
            raise ElfError(f"its debug information has an attribute of an unknown form (0x{form:x})")
        return FORMS[form](self)


def numbers(data: Content | memoryview, at: int) -> Iterator[int]:
    """All that follow in a section of nothing but LEB128 numbers: what Cursor.leb reads, ten times as fast."""
    number = place = 0
    for byte in memoryview(data)[at:]:
        number |= (byte & 0x7F) << place
        place += 7
        if byte < 0x80:
            yield number
            number = place = 0
        elif place >= 7 * LONGEST_LEB:
            break
    raise ElfError(CUT_OFF)


def _fixed(size: int) -> Callable[[Cursor], Value]:
    return lambda cursor: cursor.uint(size)


def _block(length: Callable[[Cursor], int]) -> Callable[[Cursor], Value]:
    return lambda cursor: cursor.skip(length(cursor))


def _offset(cursor: Cursor) -> Value:
    return cursor.uint(cursor.offset)


# Forms by the bytes that they take: table 7.6 of the standard, and those of GNU's extensions of version 4.
SIZES = {
    1: (0x0B, 0x0C, 0x11, 0x25, 0x29),
    2: (0x05, 0x12, 0x26, 0x2A),
    3: (0x27, 0x2B),
    4: (0x06, 0x13, 0x1C, 0x28, 0x2C),
    8: (0x07, 0x14, 0x20, 0x24),
    16: (0x1E,),
}
OFFSETS = (0x0E, 0x10, 0x17, 0x1D, 0x1F, 0x1F20, 0x1F21)
LEBS = (0x0D, 0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23, 0x1F01, 0x1F02)

FORMS: dict[int, Callable[[Cursor], Value]] = {
    0x01: lambda cursor: cursor.uint(cursor.address),
    0x08: Cursor.text,
    0x19: lambda cursor: 1,
    0x09: _block(Cursor.leb),
    0x18: _block(Cursor.leb),
    0x0A: _block(lambda cursor: cursor.uint(1)),
    0x03: _block(lambda cursor: cursor.uint(2)),
    0x04: _block(lambda cursor: cursor.uint(4)),
    **{form: _fixed(size) for size, forms in SIZES.items() for form in forms},
    **dict.fromkeys(OFFSETS, _offset),
    **dict.fromkeys(LEBS, Cursor.leb),
}
