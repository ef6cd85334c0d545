"""Differences of two profiles in a mail, as M. J. Bligh's diffprofile prints them (LKML, 2002 to 2005), and as ours does.

    diffprofile 2.5.6{7,8}-mm1/kernbench/0/profile
          6159     4.4% total
          3786     0.0% move_vma_start
    ...
          -776   -38.5% page_add_rmap

Until March 2003 there are no percentages: such rows are read below a title only that says it is a diffprofile. Ticks of the new
profile less those of the old one, and that in percent of the old. 0.0 % is printed for a function that the old one
lacks. The total stands among the rows, as one of them; what changed little is left out, at `...` or without a mark: the rows do not
add up to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kdelta.archive.listing_titles import Above, Title
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Claim, Function, Listing, Remark
from kdelta.profile.readers.diffprofile_text import CUT, ROW, row
from kdelta.profile.readers.readprofile import TOTAL

NAME = "diffprofile"

MISSING = "the old counts are not in the text"

_PASTED = re.compile(r"(?<=\s)\s{2}(?P<row>\s*[+-]?\d{1,15}\s+[+-]?\d{1,12}(?:\.\d{1,6})?%\s+[^\s\d%]\S*)\s*$")
_ANY = re.compile(r"^[ \t]*[+-]?\d{1,15}[ \t]+[+-]?\d[\d.]{0,20}%", re.MULTILINE)
_BARE = re.compile(r"\s*(?P<delta>[+-]?\d{1,15})\s+(?P<name>[A-Za-z_.$*][\w.$*@]*)\s*$")
_TOLD = re.compile(r"diff-?profile|\+ (?:gets |is )?worse", re.IGNORECASE)
TITLES = "iffprofile", "+ worse", "+ gets worse"
"""One of these stands above rows without percentages."""
FEWEST_BARE = 3
_SIGNS = ("%", "new", "gone", " - ")
"""One of these stands in each row."""
LONGEST_ROW = 300
MOST_ALIKE = 8
"""Listings that end in the same row, of which each is looked at for being pasted twice."""


@dataclass
class _Listing:
    """Rows that follow each other; `before` are the lines above them."""

    before: Sequence[Line]
    title: Title
    all: list[Function] = field(default_factory=list)
    total: Function | None = None
    cut: bool = False
    bare: bool = False
    """Without percentages."""
    pasted: list[Remark] = field(default_factory=list)
    place: int = 0
    """Among those that are kept."""

    @property
    def rows(self) -> tuple[Function, ...]:
        return tuple(one for one in self.all if one is not self.total)

    @cached_property
    def key(self) -> tuple[tuple[str, str], ...]:
        """Of a listing to which no more is added."""
        return tuple((one.name, one.count.text) for one in self.all)

    def span(self) -> tuple[int, int]:
        return self.all[0].count.line, self.all[-1].count.line

    @property
    def certain(self) -> bool:
        """Whether this is a profile: without percentages, only if it is sorted."""
        deltas = [one.count.value for one in self.all]
        return len(deltas) >= FEWEST_BARE and deltas == sorted(deltas, reverse=True) if self.bare else len(deltas) > 1

    def takes(self, name: str) -> bool:
        """A function has one row, so a second one begins another listing."""
        return name not in self._names

    def add(self, found: Function) -> None:
        self.all.append(found)
        self._names.add(found.name)
        if found.name == TOTAL:
            self.total = found

    def __post_init__(self) -> None:
        self._names: set[str] = set()


def read(text: Text) -> Iterator[Block]:
    """A block for each listing of at least two rows. One that was pasted into the mail twice is kept once, with a remark."""
    for listing in _kept([one for one in _listings(text) if one.certain]):
        yield _block(listing)


def _listings(text: Text) -> Iterator[_Listing]:
    lines, above, current = text.lines, Above(text.decoded.subject), None
    bare = any(map(text.holds, TITLES))
    if not bare and not _ANY.search(text.joined):  # most mails have no profile: looked at whole, that costs little
        return
    for place, line in enumerate(lines):
        found, cut = _function(lines, place), "..." in line.text and CUT.fullmatch(line.text) is not None
        is_bare = False
        if found is None and bare and (current.bare if current else True) and (found := _bare(lines, place, current)):
            is_bare = True
        if found is None and not (cut and current):
            if current:
                yield current
            current = None
            above.pass_by(line)
            continue
        if found is not None and (current is None or not current.takes(found.name)):
            if current:
                yield current
            before = _above(lines, place)
            current = _Listing(
                before,
                above.title(before, line),
                cut=bool(place) and CUT.fullmatch(lines[place - 1].text) is not None,
                bare=is_bare,
            )
        if current and found:
            current.add(found)
        elif current:
            current.cut = True
    if current:
        yield current


def _above(lines: Sequence[Line], place: int) -> list[Line]:
    """A few lines, up to the last row of another listing."""
    found: list[Line] = []
    for at in range(place - 1, max(-1, place - 6), -1):
        if row(lines[at].text) is not None:
            break
        found.insert(0, lines[at])
    return found


def _function(lines: Sequence[Line], place: int) -> Function | None:
    """The row that a line is; of the line above a row, also one that was pasted behind words."""
    line = lines[place]
    if len(line.text) > LONGEST_ROW or not any(sign in line.text for sign in _SIGNS):
        return None
    at, said = 0, line.text
    if row(said) is None:
        pasted = _PASTED.search(said) if "%" in said else None
        if pasted is None or place + 1 >= len(lines) or row(lines[place + 1].text) is None:
            return None
        at, said = pasted.start("row"), pasted["row"]
    match = ROW.fullmatch(said)
    if match is None or row(said) is None:
        return None
    percent = match["percent"]
    try:
        return Function(
            name=match["name"],
            count=number(match["delta"], line, at + match.start("delta")),
            percent=number(percent[:-1], line, at + match.start("percent")) if percent.endswith("%") else None,
        )
    except ValueError:
        return None


def told(lines: Sequence[Line], place: int) -> bool:
    """Whether the lines right above `place` say that a difference follows: rows without percentages are no profile then."""
    return any(_TOLD.search(one.text) for one in lines[max(0, place - 3) : place])


def _bare(lines: Sequence[Line], place: int, current: _Listing | None) -> Function | None:
    """The row without a percentage that a line is: below a title, or below another such row."""
    line = lines[place]
    match = _BARE.match(line.text) if len(line.text) < LONGEST_ROW else None
    if match is None or not (current or told(lines, place)):
        return None
    return Function(name=match["name"], count=number(match["delta"], line, match.start("delta")))


def _kept(listings: Iterable[_Listing]) -> list[_Listing]:
    """Without those whose rows stand in another one, as its end or as all of it."""
    kept: list[_Listing] = []
    alike: dict[tuple[str, str], list[_Listing]] = {}
    for listing in listings:
        others = alike.setdefault(listing.key[-1], [])
        twin = next((other for other in others[:MOST_ALIKE] if _inside(listing, other) or _inside(other, listing)), None)
        if twin is None:
            listing.place = len(kept)
            others.append(listing)
            kept.append(listing)
            continue
        keeps, drops = (listing, twin) if _better(listing, twin) else (twin, listing)
        keeps.pasted += [*drops.pasted, _twice(drops)]
        keeps.place = twin.place
        others[others.index(twin)] = kept[twin.place] = keeps
    return kept


def _inside(one: _Listing, other: _Listing) -> bool:
    return other.key[-len(one.key) :] == one.key


def _better(one: _Listing, other: _Listing) -> bool:
    """Whether `one` says more: more rows, or a title of its own."""
    return (len(one.key), bool(one.title.line)) > (len(other.key), bool(other.title.line))


def _twice(listing: _Listing) -> Remark:
    first, last = listing.span()
    return Remark(first, f"lines {first} to {last} are rows of this profile, pasted twice, and kept once")


def _block(listing: _Listing) -> Block:
    title, (first, last) = listing.title, listing.span()
    name = title.text or f"profile of {title.benchmark}".removesuffix(" of ")
    return Block(
        format=NAME,
        title=name,
        first=min(title.line or first, first),
        last=last,
        claims=tuple(_claims(listing)),
        listings=(
            Listing(
                benchmark=title.benchmark,
                old=title.old,
                new=title.new,
                difference=True,
                rows=listing.rows,
                total=listing.total,
                cut=listing.cut,
            ),
        ),
        remarks=(*title.remarks, *listing.pasted, *_new(listing)),
    )


def _claims(listing: _Listing) -> Iterator[Claim]:
    """Each percentage: it follows from a count that no difference shows."""
    for one in listing.all:
        if one.percent is not None:
            yield Claim(kind="change", what=f"ticks of {one.name}", printed=one.percent, missing=MISSING)
    if listing.total:
        yield Claim(kind="sum", what="ticks of all", printed=listing.total.count, missing="what changed little is not listed")


def _new(listing: _Listing) -> Iterator[Remark]:
    """The rows of which 0.0 % is no change of nothing. It may be one of a large count, where the old total allows for that."""
    total = listing.total
    old = 100.0 * total.count.value / total.percent.value if total and total.percent and total.percent.value else None
    for one in listing.rows:
        if one.percent is not None and one.percent.value == 0.0 and one.count.value > 0.0:
            least = one.count.value / (one.percent.step / 200.0) if one.percent.step else 0.0
            surely = old is not None and least > old
            also = "" if surely else ", or has so many ticks that this is 0 % of them"
            printed = f"{one.percent.text} % is printed of nothing"
            yield Remark(one.count.line, f"{one.name} is new: {printed}{also}")


READER = Reader(
    NAME,
    ("%", *TITLES),
    read,
    "at least two lines `ticks percent% function` below each other, both numbers with one sign, `...` where rows were left out; "
    "without percentages below a line that says diffprofile",
)
