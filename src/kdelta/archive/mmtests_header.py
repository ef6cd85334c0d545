"""What stands above a table of MMTests: the names of its runs, cut at their first `-` over two lines, and a title.

    dbench4 Throughput (misleading but traditional)
                                6.18-rc1               6.18-rc1
                                 vanilla   sched-preemptnext-v5

A name without a `-` is printed without its last letter in the first line, and whole in the second: `baselin`, `baseline`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kdelta.archive.mmtests_rows import CELL, Row
from kdelta.archive.text import Line

_MOST_LINES = 3
_INDENT = 8
"""Blanks before the first name, at least: titles and prose have fewer."""
_LONGEST_TITLE = 60
_MOST_WORDS = 8
_APART = re.compile(r" {2,}")
_RULE = re.compile(r"[-=~_*#+]{3,}")
_BEHIND_LABEL = 16
"""Where the first name begins behind a word that stands above the labels."""
_GAIN = re.compile(r"\s+(?:%\s?[A-Za-z]{3,12}|[A-Za-z]{3,12}\s?%)$")
_CONFIG = re.compile(r"\bconfig-(?:[a-z]{1,16}-)?([A-Za-z0-9][\w-]{0,60})")
_MORE = re.compile(r"\s*\([^)]*\)\s*$")
_NUMBERED = re.compile(r"\s*(?:\d{1,3}[.)]|[-*o])\s+")
_ENDS = (".", ",", ";", "?", "!", "%)")


@dataclass(frozen=True)
class Header:
    """`names` is one line of names for each line of the header, from above. `first` is its line, that of the rows without one."""

    names: tuple[tuple[str, ...], ...]
    title: str
    first: int


def header(lines: Sequence[Line], at: int, row: Row, columns: int, known: Sequence[tuple[str, ...]]) -> Header:
    """Of the table whose first row is at place `at` of `lines`. `known` are the names of the table above."""
    place = at - 1
    if place >= 0 and not lines[place].text.strip():
        place -= 1
    found = list[tuple[str, ...]]()
    bottom = place
    while place >= 0 and len(found) < _MOST_LINES and (names := _names(lines[place].text, row, columns, known)):
        found.insert(0, names)
        place -= 1
    gap = bottom != at - 1
    first = lines[place + 1].number if found else row.line.number
    return Header(tuple(found), title(lines, place, gap=gap and not found), first)


def _names(text: str, row: Row, columns: int, known: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """One line of the header; empty where the line is none."""
    wide = text.expandtabs(8)
    bare = wide.strip()
    if len(wide) - len(wide.lstrip()) < _INDENT:
        label, _, rest = wide.rstrip().partition("  ")
        bare = rest.strip()
        named = label.rstrip().endswith(":")
        if " " in label.strip() or (not named and len(wide.rstrip()) - len(bare) < _BEHIND_LABEL):
            return ()
    bare = _GAIN.sub("", bare)
    if not bare or "%)" in bare:
        return ()
    for parts in (_APART.split(bare), bare.split()):
        if len(parts) == columns and not any(map(_RULE.fullmatch, parts)):
            return tuple(parts)
    return _glued(wide, bare, row, columns, known)


def _glued(wide: str, bare: str, row: Row, columns: int, known: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Names that are as wide as their columns, or wider: they stand without a blank between them."""
    for names in known:
        if len(names) == columns and "".join(names) == "".join(bare.split()):
            return names
    cells = row.cells
    if len(cells) != columns or len(wide) != len(cells[-1].line.text.rstrip().expandtabs(8)):
        return ()
    ends = [cell.end for cell in cells]
    parts = [wide[start:end].strip() for start, end in zip([0, *ends], ends, strict=False)]
    return tuple(parts) if all(parts) and not any("  " in part for part in parts) else ()


def title(lines: Sequence[Line], place: int, *, gap: bool) -> str:
    """The line above the header, where it reads like one; what it names as the configuration of MMTests, wherever that stands."""
    if place >= 0 and _RULE.fullmatch(lines[place].text.strip()):
        place -= 1
    if place >= 0 and not lines[place].text.strip():
        place, gap = place - 1, True
    text = lines[place].text.strip() if place >= 0 else ""
    if match := _CONFIG.search(text):
        return match[1]
    if not text or text.endswith(_ENDS) or not any(map(str.isalpha, text)) or CELL.search(text) or "|" in text:
        return ""
    name = _NUMBERED.sub("", text.rstrip(":").strip())
    plain = _MORE.sub("", name)
    if len(name) > _LONGEST_TITLE or len(plain.split()) > _MOST_WORDS or "  " in name:
        return ""
    short = text.endswith(":") or len(plain.split()) <= 2
    return name if (short or not gap) and _begins(lines[:place]) else ""


def _begins(before: Sequence[Line]) -> bool:
    """Whether the line behind these is no end of a sentence."""
    above = before[-1].text.strip() if before else ""
    return not any(map(str.isalpha, above)) or bool(CELL.search(above)) or above.endswith(":")


def variants(names: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], str]:
    """A name for each run, and what is the same of all of them: the kernel, where they are patches of one."""
    lines = list(names)
    if len(lines) > 1 and all(_is_whole(short, whole) for short, whole in zip(lines[0], lines[1], strict=True)):
        lines.pop(0)
    same = [line for line in lines if len(set(line)) == 1 and len(line) > 1]
    other = [line for line in lines if line not in same] or lines[-1:]
    common = " ".join(line[0] for line in same if line not in other)
    return _apart([" ".join(parts) for parts in zip(*other, strict=True)]), common


def _apart(names: Sequence[str]) -> tuple[str, ...]:
    """The second run of a name is `NAME (2)`."""
    counts = [names[: at + 1].count(name) for at, name in enumerate(names)]
    return tuple(name if count == 1 else f"{name} ({count})" for name, count in zip(names, counts, strict=True))


def _is_whole(short: str, whole: str) -> bool:
    """Whether the name has no `-`: then its first line is all of it but the last letter."""
    return whole[:-1] == short
