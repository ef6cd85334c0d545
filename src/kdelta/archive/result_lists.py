"""Results that somebody wrote down as lists, below a heading for each variant.

    1. IO workload, results sorted, in read IOPS.          4. Geekbench 5 (multi-core)
    teo mainline:                                          teo mainline:
    /dev/nvme0n1                                           3113, 3068, 3079
    [3793, 3825, 3846, 3865, 3964]                         mean 3086.66
                                                           menu:
                                                           2947, 2941, 2952
                                                           mean 2946.66 (-4.54%)

A list in brackets stands on a line of its own. One without them is read only where its mean is printed below: else any line with
two numbers might be one. A list is of the heading above it, which ends in a colon, and of the line in between, if there is one. Of
two lines in between the first is the variant. Any other line ends what the heading is of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.runs import figure, repeated, shortened, variants
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "lists of results"

FEWEST = 3
LONGEST_LINE = 20_000
MOST = 1000
"""Numbers of a list."""
MOST_WORDS = 8
"""Of a heading: more are a sentence."""
MOST_LABELS = 2
"""Lines between a heading and its list."""

_TITLE = re.compile(r"\d{1,2}[.)] {1,3}(?P<title>[A-Za-z].{0,200}?)[.:]?$")
_HEADING = re.compile(r"(?P<words>[^\s\"'{}\[\]=;][^\"'{}\[\]=;]{0,79}):$")
_CODE = re.compile(r"(?:async |def|class|if|elif|else|for|while|try|except|finally|with|switch|case|default|return)\b")
_LABEL = re.compile(r"(?P<words>[\w/][\w/. +()-]{0,59})$")
_ITEM = re.compile(r"[-+]?\d{1,15}(?:\.\d{0,12})?")
_MEAN = re.compile(
    rf"\s*(?P<kind>mean|average|avg|median)(?: {{0,4}}[:=])? {{0,9}}(?P<value>{PLAIN})"
    rf"(?: {{0,9}}\( ?(?P<change>{PLAIN}) ?% ?\))?\s*$",
    re.IGNORECASE,
)
_SLUG = re.compile(r"[^a-z0-9]+")
_KINDS = {"mean": "mean", "average": "mean", "avg": "mean", "median": "median"}
_PARTS = re.compile(r"[^,]+")


@dataclass
class Listed:
    """One list. `figure` is what is printed below it, and `change` what stands in parentheses there."""

    line: Line
    heading: str
    label: str
    samples: tuple[Number, ...]
    box: str = ""
    kind: str = ""
    figure: Number | None = None
    change: Number | None = None


@dataclass
class Section:
    """Lists below one title."""

    title: str
    lists: list[Listed] = field(default_factory=list)


def read(text: Text) -> Iterator[Block]:
    """A block for each section that has lists."""
    return (_block(section) for section in _sections(text.lines) if section.lists)


def _sections(lines: Sequence[Line]) -> Iterator[Section]:
    section, heading, labels = Section(""), "", list[str]()
    for place, line in enumerate(lines):
        text = line.text[:LONGEST_LINE].strip()
        if not text:
            labels = []
        elif title := _TITLE.match(text):
            yield section
            section, heading, labels = Section(title["title"]), "", []
        elif (words := _HEADING.match(text)) and not _CODE.match(text):
            heading, labels = shortened(words["words"].strip()) if len(text.split()) <= MOST_WORDS else "", []
        elif (found := _listed(line, lines[place + 1 : place + 2])) and heading:
            section.lists.append(_of(heading, labels, line, found))
        elif mean := _MEAN.match(line.text):
            _summarised(section, lines[place - 1], line, mean)
        else:  # what is neither ends the lists of a heading: a list further down is of something else
            last = [] if section.lists and section.lists[-1].line is lines[place - 1] else labels
            labels = [*last, text] if _LABEL.match(text) else []
            heading = heading if 0 < len(labels) <= MOST_LABELS else ""
    yield section


def _of(heading: str, labels: Sequence[str], line: Line, found: tuple[Number, ...]) -> Listed:
    """Of two lines between the heading and the list the first names the variant, and the heading the machine."""
    if len(labels) == MOST_LABELS:
        return Listed(line, labels[0], labels[1], found, heading)
    return Listed(line, heading, labels[0] if labels else "", found)


def _listed(line: Line, below: Sequence[Line]) -> tuple[Number, ...]:
    """The numbers of a line that is a list; none of another."""
    text = line.text
    bracketed = text.lstrip().startswith("[") and text.rstrip().endswith("]")
    if not bracketed and not (below and "," in text and _MEAN.match(below[0].text)):
        return ()
    start, end = (text.index("[") + 1, text.rindex("]")) if bracketed else (0, len(text))
    items = list(_PARTS.finditer(text, start, end))
    if not FEWEST <= len(items) <= MOST or not all(_ITEM.fullmatch(item.group().strip()) for item in items):
        return ()
    return tuple(_item(item, line) for item in items)


def _item(item: re.Match[str], line: Line) -> Number:
    written = item.group()
    return number(written.strip(), line, item.start() + len(written) - len(written.lstrip()))


def _summarised(section: Section, above: Line, line: Line, match: re.Match[str]) -> None:
    """The mean right below a list is of it."""
    if not section.lists or section.lists[-1].line is not above:
        return
    last = section.lists[-1]
    last.figure, last.change = figure(match, "value", line), figure(match, "change", line)
    last.kind = _KINDS[match["kind"].lower()]


def _block(section: Section) -> Block:
    lists = section.lists
    names = variants([(one.heading, f"{one.box} {_benchmark(section.title, one.label)}") for one in lists])
    if not any(names):
        names = [lists[0].heading] * len(lists)
    return Block(
        format=NAME,
        title=section.title,
        first=lists[0].line.number,
        last=max((one.figure or one.samples[-1]).line for one in lists),
        entries=tuple(_entry(section.title, one, name) for one, name in zip(lists, names, strict=True)),
        claims=tuple(_claims(lists, names)),
        remarks=(*repeated((one.line.number, name) for one, name in zip(lists, names, strict=True)), *_remarks(section)),
    )


def _entry(title: str, one: Listed, variant: str) -> Entry:
    metric, unit, better = ("iops", "/s", Better.LARGER) if "iops" in title.lower() else ("result", "", None)
    figures = {one.kind: one.figure} if one.figure else {}
    return Entry(
        variant=variant,
        box=one.box,
        benchmark=_benchmark(title, one.label),
        metric=metric,
        unit=unit,
        printed_unit="IOPS" if unit else "",
        better=better,
        samples=one.samples,
        figures={**figures, **({"change": one.change} if one.change else {})},
    )


def _benchmark(title: str, label: str) -> str:
    """Of the title's first words and all of the label: "io-workload-dev-nvme0n1"."""
    parts = (_slug(re.split(r"[,:(]", title)[0])[:40].strip("-"), _slug(label))
    return "-".join(filter(None, parts)) or "results"


def _slug(words: str) -> str:
    return _SLUG.sub("-", words.lower()).strip("-")


def _claims(lists: Sequence[Listed], names: Sequence[str]) -> Iterator[Claim]:
    """A mean is of its list; a change is from the first mean of the section that is printed without one."""
    base = next((one.figure for one in lists if one.figure and one.change is None), None)
    for one, name in zip(lists, names, strict=True):
        if one.figure:
            yield Claim(kind=one.kind, what=f"{one.kind} of {name}", printed=one.figure, of=one.samples)
        if one.figure and one.change:
            of = (base, one.figure) if base else ()
            missing = "" if base else "no list stands without a change"
            yield Claim(kind="change", what=f"{name}, against the first", printed=one.change, of=of, missing=missing)


def _remarks(section: Section) -> Iterator[Remark]:
    if "sorted" in section.title.lower() or (len(section.lists) > 1 and all(map(_is_sorted, section.lists))):
        where = section.lists[0].line.number
        yield Remark(where, "the results are sorted: in which order they were taken is lost, and no trend can be seen")


def _is_sorted(one: Listed) -> bool:
    values = [each.value for each in one.samples]
    return values == sorted(values) and len(set(values)) > 1


def _marks() -> Iterable[str]:
    """A bracket before a digit, and the words below a list: the brackets of subjects of mails are none."""
    yield from (f"[{digit}" for digit in range(10))
    yield from ("[-", "[ ", "\nmean", "\nMean", "\navg", "\naverage", "\nAverage", "\nmedian", "> mean", "> Mean")


READER = Reader(
    NAME,
    tuple(_marks()),
    read,
    "lines `[4.8, 4.9, 5.1]`, or `4.8, 4.9, 5.1` with `mean 4.93` below, under a heading that ends in a colon",
)
