"""The compile units of DWARF 2 to 5: where their source lies, and which addresses their code has.

Of each unit only the top entry is read, and of its abbreviations only the one needed for that: all the rest is a thousand times as
much. Source: DWARF Debugging Information Format 5 (2017), sections 3.1, 7.5 and 7.25, and 4 (2010), section 2.17.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from kdelta.kernel.cursor import CONSTANT, Cursor, Value, numbers
from kdelta.kernel.elf import Content, Elf, ElfError, text_at

MOST_UNITS, MOST_RANGES, MOST_ABBREVIATIONS = 1 << 16, 1 << 20, 1 << 12
"""Of a file, of a file, and before the one that a unit begins with. A distribution's kernel has 2400, 4000 and 280."""

NAME, LOW, HIGH, FOLDER, RANGES = 0x03, 0x11, 0x12, 0x1B, 0x55
STRINGS_BASE, ADDRESSES_BASE, RANGES_BASE, SPLIT_NAME = 0x72, 0x73, 0x74, 0x76
GNU_NAMES = {0x2130: SPLIT_NAME, 0x2133: ADDRESSES_BASE}
"""What version 5 took over from GNU's extension of version 4."""

ADDRESS_FORM, RANGES_INDEX = 0x01, 0x23
STRING_TABLES = {0x0E: "str", 0x1F: "line_str"}
STRING_INDICES = frozenset((0x1A, 0x25, 0x26, 0x27, 0x28, 0x1F02))
ADDRESS_INDICES = frozenset((0x1B, 0x29, 0x2A, 0x2B, 0x2C, 0x1F01))
OTHER_STRINGS = frozenset((0x1D, 0x1F21))
"""In another file, which dwz made of several."""
TYPE_UNITS, WITH_ID = (2, 6), (4, 5)

SECTIONS = ("info", "abbrev", "str", "line_str", "str_offsets", "addr", "ranges", "rnglists")
Sections = dict[str, Content | memoryview]
Range = tuple[int, int]


@dataclass(frozen=True)
class Unit:
    """`name` is the source as the compiler was given it, and `folder` where that ran: empty where it is not said.

    A range is its first address and the one behind its last.
    """

    name: str
    folder: str
    ranges: tuple[Range, ...]


def units(elf: Elf) -> Iterator[Unit]:
    """All units that name their source. Raises ElfError where the file has no debug information, or a damaged one."""
    sections = {name: elf.section(f".debug_{name}") or b"" for name in SECTIONS}
    ranges = 0
    for count, start in enumerate(_starts(sections, elf.order)):
        found = _Top(sections, start).unit() if start is not None else None
        ranges += len(found.ranges) if found else 0
        if count >= MOST_UNITS or ranges > MOST_RANGES:
            raise ElfError(f"its debug information has more than {MOST_UNITS:,} units or {MOST_RANGES:,} ranges")
        if found and found.name:
            yield found


@dataclass(frozen=True)
class _Start:
    """A cursor at the top entry of a unit, and where that unit's abbreviations are."""

    cursor: Cursor
    version: int
    abbreviations: int


def _starts(sections: Sections, order: str) -> Iterator[_Start | None]:
    """One for each unit, None for one that can have no code, or is of a version that is not known."""
    data, at = sections["info"], 0
    while at < len(data):
        cursor = Cursor(data, at, order)
        length = cursor.uint(4)
        if length == 0xFFFFFFFF:
            cursor.offset, length = 8, cursor.uint(8)
        at = cursor.at + length
        yield _start(cursor)


def _start(cursor: Cursor) -> _Start | None:
    version = cursor.uint(2)
    kind = cursor.uint(1) if version == 5 else 0
    if not 2 <= version <= 5 or kind in TYPE_UNITS:
        return None
    if version == 5:
        cursor.address, abbreviations = cursor.uint(1), cursor.uint(cursor.offset)
        cursor.skip(8 if kind in WITH_ID else 0)
    else:
        abbreviations, cursor.address = cursor.uint(cursor.offset), cursor.uint(1)
    return _Start(cursor, version, abbreviations)


class _Top:
    """The attributes of a unit's top entry, and what they stand for."""

    def __init__(self, sections: Sections, start: _Start) -> None:
        self._sections, self._cursor, self._version = sections, start.cursor, start.version
        specs = _abbreviation(numbers(sections["abbrev"], start.abbreviations), self._cursor.leb())
        found = {GNU_NAMES.get(name, name): (form, self._value(form, constant)) for name, form, constant in specs}
        self._attributes: dict[int, tuple[int, Value]] = found

    def unit(self) -> Unit:
        name = self._text(NAME) or _source(self._text(SPLIT_NAME))
        return Unit(name, self._text(FOLDER), tuple(islice(self._ranges(), MOST_RANGES + 1)))

    def _value(self, form: int, constant: int) -> Value:
        return constant if form == CONSTANT else self._cursor.value(form)

    def _other(self, name: str, at: int) -> Cursor:
        """In another section, with the sizes of this unit."""
        return Cursor(self._sections[name], at, self._cursor.order, self._cursor.offset, self._cursor.address)

    def _number(self, name: int) -> int:
        value = self._attributes.get(name, (0, 0))[1]
        return value if isinstance(value, int) else 0

    def _text(self, name: int) -> str:
        form, value = self._attributes.get(name, (0, ""))
        if isinstance(value, str) or form in OTHER_STRINGS:
            return str(value) if isinstance(value, str) else ""
        if form in STRING_INDICES:
            base = self._number(STRINGS_BASE) + value * self._cursor.offset
            form, value = 0x0E, self._other("str_offsets", base).uint(self._cursor.offset)
        return text_at(self._sections[STRING_TABLES.get(form, "str")], value)

    def _address(self, index: int) -> int:
        size = self._cursor.address
        return self._other("addr", self._number(ADDRESSES_BASE) + index * size).uint(size)

    def _low(self) -> int:
        form, value = self._attributes.get(LOW, (0, 0))[0], self._number(LOW)
        return self._address(value) if form in ADDRESS_INDICES else value

    def _ranges(self) -> Iterator[Range]:
        low, (form, _) = self._low(), self._attributes.get(HIGH, (0, 0))
        if RANGES in self._attributes:
            yield from self._lists() if self._version == 5 else self._pairs(self._number(RANGES), low)
        elif HIGH in self._attributes:
            high = self._number(HIGH)
            yield low, self._address(high) if form in ADDRESS_INDICES else high if form == ADDRESS_FORM else low + high

    def _pairs(self, at: int, base: int) -> Iterator[Range]:
        """Those of version 4 and before: a first end of all ones says a new base."""
        cursor = self._other("ranges", at)
        last = (1 << 8 * cursor.address) - 1
        while (ends := (cursor.uint(cursor.address), cursor.uint(cursor.address))) != (0, 0):
            if ends[0] == last:
                base = ends[1]
            else:
                yield base + ends[0], base + ends[1]

    def _lists(self) -> Iterator[Range]:
        """Those of version 5: entries of eight kinds."""
        at = self._number(RANGES)
        if self._attributes[RANGES][0] == RANGES_INDEX:
            base = self._number(RANGES_BASE)
            at = base + self._other("rnglists", base + at * self._cursor.offset).uint(self._cursor.offset)
        cursor, base = self._other("rnglists", at), self._low()
        while kind := cursor.uint(1):
            if kind not in KINDS:
                raise ElfError(f"its debug information has a range of an unknown kind ({kind})")
            start, end, is_base = self._entry(cursor, kind, base)
            if is_base:
                base = start
            else:
                yield start, end

    def _entry(self, cursor: Cursor, kind: int, base: int) -> tuple[int, int, bool]:
        """The first address, the one behind the last, and whether it is a base instead."""
        first, second = KINDS[kind]
        start = self._end(cursor, first, base)
        if not second:
            return start, start, True
        end = self._end(cursor, second, start if second == "length" else base)
        return start, end, False

    def _end(self, cursor: Cursor, said: str, base: int) -> int:
        if said == "address":
            return cursor.uint(cursor.address)
        number = cursor.leb()
        return self._address(number) if said == "index" else base + number


KINDS = {
    1: ("index", ""),
    2: ("index", "index"),
    3: ("index", "length"),
    4: ("offset", "offset"),
    5: ("address", ""),
    6: ("address", "address"),
    7: ("address", "length"),
}
"""Of entries in a list of ranges, by what their two numbers are: DW_RLE_base_addressx to DW_RLE_start_length."""


def _abbreviation(numbers: Iterator[int], code: int) -> list[tuple[int, int, int]]:
    """Name, form and constant value of the attributes that entries with that code have; none where no such code is declared."""
    for found in islice(numbers, MOST_ABBREVIATIONS):
        if not found:
            break
        _tag, _has_children = next(numbers), next(numbers)
        specs = list(_specs(numbers))
        if found == code:
            return specs
    return []


def _specs(numbers: Iterator[int]) -> Iterator[tuple[int, int, int]]:
    while (spec := (next(numbers), next(numbers))) != (0, 0):
        yield *spec, next(numbers) if spec[1] == CONSTANT else 0


def _source(split: str) -> str:
    """The source of a unit whose information is in a .dwo file of its own."""
    return f"{split.removesuffix('.dwo')}.c" if split else ""
