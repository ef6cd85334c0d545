"""What a reader finds in an SVG picture, and values to draw."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from hypothesis import strategies as st

from kdelta.profile.change import Change, Difference
from kdelta.report.svg import CELL, cells

SVG = "{http://www.w3.org/2000/svg}"

# Names that readers of XML, HTML and terminals have gone wrong on, and as they are shown.
NAMES = {
    "<script>alert(1)</script>": "<script>alert(1)</script>",
    "a & b": "a & b",
    "\"quoted\" 'name' ]]>": "\"quoted\" 'name' ]]>",
    "nul\x00 escape\x1b[31m delete\x7f": "nul\ufffd escape\ufffd[31m delete\ufffd",
    "to the left \u202egnp.exe": "to the left \ufffdgnp.exe",
    "lone \ud800": "lone \ufffd",
    "no character \uffff": "no character \ufffd",
    "line\nanother": "line\ufffdanother",
    "map<int, string>::operator[](int&&) (libstdc++.so.6)": "map<int, string>::operator[](int&&) (libstdc++.so.6)",
}

FUNCTION = st.sampled_from("abcdefg")
CHAIN = st.lists(FUNCTION, min_size=1, max_size=6).map(";".join)
COUNTS = st.dictionaries(CHAIN, st.integers(0, 1000).map(float), max_size=30)


@dataclass(frozen=True)
class Group:
    """What belongs together in a picture: what is said of it, its rectangle, and the words on it."""

    about: str
    css: str
    x: float
    y: float
    width: float
    words: tuple[str, ...]
    paths: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.about.split("\n")[0]


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture.encode())


def groups(picture: str) -> list[Group]:
    """The frames of a flame graph, the rows of bars."""
    return [_group(one) for one in parsed(picture).iter(f"{SVG}g")]


def _group(one: ElementTree.Element) -> Group:
    (box,) = one.iter(f"{SVG}rect")
    x, y, width = (float(box.get(key, "nan")) for key in ("x", "y", "width"))
    words = tuple(text.text or "" for text in one.iter(f"{SVG}text"))
    paths = tuple(path.get("d", "") for path in one.iter(f"{SVG}path"))
    return Group(one.findtext(f"{SVG}title") or "", box.get("class", ""), x, y, width, words, paths)


def lines(picture: str) -> Iterator[str]:
    """The words that belong to no group."""
    return (text.text or "" for text in parsed(picture).findall(f"{SVG}text"))


def change(name: str, old: float | None, new: float | None, *, real: bool = True, **fields: float) -> Change:
    return Change(name=name, old=old, new=new, real=real, **fields)


def difference(*changes: Change, idle: tuple[Change, ...] = (), doubts: tuple[str, ...] = ()) -> Difference:
    return Difference(old="6.1", new="6.12", changes=changes, idle=idle, doubts=doubts)


def flat(counts: Mapping[str, float]) -> dict[str, float]:
    """Counts by the function that was executing."""
    found: dict[str, float] = {}
    for chain, count in counts.items():
        name = chain.rpartition(";")[2]
        found[name] = found.get(name, 0.0) + count
    return found


# ---- where things lie ----

Point = tuple[float, float]
NUMBER = re.compile(r"[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)")
ARGUMENTS = {"m": 2, "l": 2, "h": 1, "v": 1, "a": 7, "z": 0}
BOLD = 15.0 / 12.0
"""Width of a character of a title, in those of the others."""


def points(path: str) -> list[Point]:
    """Where the pen comes by. Raises KeyError or ValueError for what is no path: a NaN, an infinity."""
    found, x, y = list[Point](), 0.0, 0.0
    start, words, at, command = (x, y), NUMBER.findall(path), 0, ""
    assert "".join(words) == path.replace(" ", ""), path
    while at < len(words):
        if words[at].isalpha():
            command, at = words[at], at + 1
        count = ARGUMENTS[command.lower()]
        values, at = [float(word) for word in words[at : at + count]], at + count
        base = (x, y) if command.islower() else (0.0, 0.0)
        if command in "zZ":
            x, y = start
        elif command in "hH":
            x = base[0] + values[0]
        elif command in "vV":
            y = base[1] + values[0]
        else:
            x, y = base[0] + values[-2], base[1] + values[-1]
        start = (x, y) if command in "mM" else start
        found.append((x, y))
    return found


def corners(picture: str) -> list[Point]:
    """All that is drawn reaches from one of these to another."""
    root = parsed(picture)
    defined = {one for group in root.iter(f"{SVG}defs") for one in group.iter()}
    found: list[Point] = []
    for one in root.iter():
        if one not in defined and one.get("width") != "100%":
            found += CORNERS.get(one.tag.removeprefix(SVG), lambda _: [])(one)
    return found


def _of_path(one: ElementTree.Element) -> list[Point]:
    size = float((one.get("transform") or "scale(1)").removeprefix("scale(").removesuffix(")"))
    return [(size * x, size * y) for x, y in points(one.get("d", ""))]


def _of_rect(one: ElementTree.Element) -> list[Point]:
    x, y, width, height = (float(one.get(key, "nan")) for key in ("x", "y", "width", "height"))
    assert width >= 0.0
    assert height >= 0.0
    return [(x, y), (x + width, y + height)]


def _of_text(one: ElementTree.Element) -> list[Point]:
    x, y, css = float(one.get("x", "nan")), float(one.get("y", "nan")), (one.get("class") or "").split()
    width = CELL * cells(one.text or "") * (BOLD if "title" in css else 1.0)
    left = x - (width if "end" in css else width / 2.0 if "middle" in css else 0.0)
    return [(left, y - 11.0), (left + width, y + 3.0)]


CORNERS = {"path": _of_path, "rect": _of_rect, "text": _of_text}


def outside(picture: str) -> list[Point]:
    """Of the corners, those that are not in the picture; NaN is nowhere in it."""
    _, _, width, height = map(float, parsed(picture).get("viewBox", "").split())
    return [(x, y) for x, y in corners(picture) if not (-0.01 <= x <= width + 0.01 and -0.01 <= y <= height + 0.01)]


def keyed(picture: str, **keys: str) -> list[ElementTree.Element]:
    """The groups that have these data-* attributes."""
    found = parsed(picture).iter(f"{SVG}g")
    return [one for one in found if all(one.get(f"data-{key}") == value for key, value in keys.items())]


def about(group: ElementTree.Element) -> str:
    return group.findtext(f"{SVG}title") or ""


def drawn(group: ElementTree.Element) -> list[tuple[str, list[Point]]]:
    """The classes and points of the paths in a group."""
    return [(one.get("class") or "", points(one.get("d", ""))) for one in group.iter(f"{SVG}path")]


def words(picture: str) -> list[str]:
    return [one.text or "" for one in parsed(picture).iter(f"{SVG}text")]


# ---- colours ----

# What is left of red, green and blue: Vienot, Brettel and Mollon, Color Research & Application 24 (1999).
BLIND = {
    "protanopia": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "deuteranopia": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
}
Matrix = Sequence[Sequence[float]]


def linear(colour: str) -> list[float]:
    """Red, green and blue as light (IEC 61966-2-1)."""
    parts = [int(colour[place : place + 2], 16) / 255.0 for place in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour: str) -> float:
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(one: str, other: str) -> float:
    """Of WCAG 2.2."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def seen_by(matrix: Matrix, colour: str) -> list[float]:
    """The light of `colour` that is left."""
    return [sum(a * b for a, b in zip(line, linear(colour), strict=True)) for line in matrix]
