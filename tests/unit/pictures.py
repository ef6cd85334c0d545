"""What a reader finds in an SVG picture, and values to draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

from hypothesis import strategies as st

from kdelta.profile.change import Change, Difference

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
