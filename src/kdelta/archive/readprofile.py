"""Profiles in a mail, as readprofile of util-linux prints them, or with its third column cut away.

    62551761 total                                      9.6980
    27173178 default_idle                             70763.4844
    27081955 ia64_pal_call_static                     141051.8490

The third column is ticks for each byte of the function's code: no percentage. Columns overflow. The rate of the ticks, and how long
they were counted, is not printed: of two profiles only the shares can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.diffprofile import told
from kdelta.archive.listing_titles import Above, Title
from kdelta.archive.numbers import number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Function, Listing, Remark
from kdelta.profile.readers.readprofile import TOTAL

NAME = "readprofile"

LONGEST_ROW = 300
MOST_BETWEEN = 10
"""Lines of a reply between the rows of a quoted listing."""
FEWEST = 5
"""Rows of a profile without a total and without loads: only its title says what it is."""

_ROW = re.compile(r"\s*(?P<ticks>\d{1,15})\s+(?P<name>[A-Za-z_.$*][\w.$*@]*)(?:\s+(?P<load>\d{1,15}[.,]\d{1,6}))?\s*$")
_VERBOSE = re.compile(
    r"\s*[0-9a-f]{8,16}\s+(?P<name>[A-Za-z_.$*][\w.$*@]*)\s+(?P<ticks>\d{1,15})\s+(?P<load>\d{1,15}[.,]\d{1,6})\s*$"
)
_LOAD = re.compile(r"\s*\d{1,15}[.,]\d{4}\s*$")
_ANY = re.compile(r"^[ \t]*(?:[0-9a-f]{8,16}|\d{1,15})[ \t]+[A-Za-z_.$*][\w.$*@]*[ \t]*(?:\d|$)", re.MULTILINE)
_HEXADECIMAL = frozenset("0123456789abcdef")
_CUT = re.compile(r"\s*(?:\.\.\.|\[\.\.\.\])\s*$")


@dataclass
class _Listing:
    """Rows that follow each other. `loads` is how many have the third column."""

    title: Title
    section: str
    depth: int
    """How often its rows are quoted."""
    is_difference: bool
    """By the lines above: so a diffprofile without percentages."""
    all: list[Function] = field(default_factory=list)
    total: Function | None = None
    loads: int = 0
    cut: bool = False
    joined: list[Remark] = field(default_factory=list)

    @property
    def certain(self) -> bool:
        """Whether this is a profile, and no other list of numbers and words: each has a load, or all are sorted by their ticks."""
        counts = [one.count.value for one in self.all]
        if len(counts) < 2:
            return False
        is_sorted = counts in (sorted(counts), sorted(counts, reverse=True))
        is_titled = "profile" in self.title.text.lower() and len(counts) >= FEWEST
        return self.loads == len(counts) or (not self.is_difference and is_sorted and (self.total is not None or is_titled))

    def goes_on(self, line: Line, match: re.Match[str]) -> bool:
        """Whether a row behind replies is of the same listing: quoted alike, and smaller than the last."""
        return line.depth == self.depth and match["name"] != TOTAL and int(match["ticks"]) <= self.all[-1].count.value


def read(text: Text) -> Iterator[Block]:
    """A block for each profile: rows below each other, with a total among them, or with a load in each."""
    return (_block(listing) for listing in _listings(text) if listing.certain)


def _listings(text: Text) -> Iterator[_Listing]:
    lines, above, current, place = text.lines, Above(text.decoded.subject), None, 0
    between = list[Line]()
    if not _ANY.search(text.joined):  # most mails have no profile: looked at whole, that costs little
        return
    while place < len(lines):
        line = lines[place]
        match = _match(line)
        place += 1
        if match is None and current and _CUT.match(line.text):
            current.cut = True
            continue
        if match is None and current and line.depth < current.depth and len(between) < MOST_BETWEEN:
            between.append(line)
            continue
        if current and (match is None or (between and not current.goes_on(line, match)) or _begins(current, match)):
            yield current
            current = None
        if match is None or current is None:
            for one in between:
                above.pass_by(one)
        elif between:
            current.joined.append(Remark(line.number, "replies stand between the rows: they are read as one listing"))
        between = []
        if match is None:
            above.pass_by(line)
            continue
        if current is None:
            before = list(lines[max(0, place - 4) : place - 1])
            current = _Listing(above.title(before, line), above.section, line.depth, told(lines, place - 1))
        wrapped = match["load"] is None and place < len(lines) and _LOAD.match(lines[place].text) is not None
        if wrapped:
            current.joined.append(Remark(line.number, "the row goes on in the next line: both are read as one"))
            place += 1
        _add(current, line, match, match["load"] is not None or wrapped)
    if current:
        yield current


def _begins(current: _Listing, match: re.Match[str]) -> bool:
    """Whether a second total begins another listing."""
    return match["name"] == TOTAL and current.total is not None


def _match(line: Line) -> re.Match[str] | None:
    if len(line.text) > LONGEST_ROW or line.text.lstrip()[:1] not in _HEXADECIMAL:
        return None
    return _ROW.match(line.text) or _VERBOSE.match(line.text)


def _add(listing: _Listing, line: Line, match: re.Match[str], load: bool) -> None:
    found = Function(name=match["name"], count=number(match["ticks"], line, match.start("ticks")))
    listing.loads += load
    listing.all.append(found)
    if found.name == TOTAL:
        listing.total = found


def _block(listing: _Listing) -> Block:
    title, total = listing.title, listing.total
    rows = tuple(one for one in listing.all if one is not total)
    lines = [one.count.line for one in listing.all]
    return Block(
        format=NAME,
        title=title.text or "profile",
        first=min(title.line or lines[0], *lines),
        last=max(lines),
        listings=(
            Listing(
                benchmark=title.benchmark,
                new=title.new or listing.section,
                difference=False,
                rows=rows,
                total=total,
                cut=listing.cut,
            ),
        ),
        remarks=(*title.remarks, *listing.joined, *_rest(rows, total)),
        facts={"third column": "ticks for each byte of the function's code"} if listing.loads else {},
    )


def _rest(rows: Sequence[Function], total: Function | None) -> Iterator[Remark]:
    """What the rows leave of the total."""
    if total is None:
        return
    listed = sum(one.count.value for one in rows)
    if listed < total.count.value:
        said = f"the functions listed have {listed:,.0f} of {total.count.value:,.0f} ticks: the rest is not in the text"
        yield Remark(total.count.line, said)
    elif listed > total.count.value:
        said = f"the functions listed have {listed:,.0f} ticks, more than the total of {total.count.value:,.0f}"
        yield Remark(total.count.line, said)


READER = Reader(
    NAME,
    (" total", "\ttotal", "_idle", "rofile"),
    read,
    "lines `ticks function load` below each other, or sorted lines `ticks function` with `ticks total`, or below a title "
    "of a profile",
)
