"""Means that pyperformance prints, below the name of each benchmark, each value with its own unit.

    ### gc_collect ### (baseline)
    Mean +- std dev: 1.09 ms +- 0.01 ms
    ### gc_collect ### (target)
    Mean +- std dev: 944 us +- 8 us

What stands in brackets behind the name is the variant. `pyperformance compare` prints two means on one line, with an arrow between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import structs

from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.units import TIMES
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "pyperformance means"

_NAME = re.compile(r"\s*### (?P<name>[^#\s][^#]{0,100}?) ###(?: *\((?P<variant>[^()]{1,100})\))?\s*$")
_MEAN = rf"(?P<mean>{PLAIN}) (?P<unit>[^\W\d]{{1,12}}) (?:\+-|±) (?P<sd>{PLAIN}) (?P<sd_unit>[^\W\d]{{1,12}})"
_ONE = re.compile(rf"\s*Mean (?:\+-|±) std dev: {_MEAN}")
_OTHER = re.compile(rf" -> {_MEAN}(?:: (?P<times>{PLAIN})x (?P<word>faster|slower))?")
FIRST, SECOND = "first", "second"


def read(text: Text) -> Iterator[Block]:
    """One block of all of them."""
    head: re.Match[str] | None = None
    found, claims, remarks, places = list[Entry](), list[Claim](), list[Remark](), list[int]()
    taken = dict[tuple[str, str], int]()
    for line in text.lines:
        if match := _NAME.match(line.text[:400]):
            head = match
            continue
        one = _ONE.match(line.text[:400]) if head is not None else None
        if one is None or head is None:
            continue
        other = _OTHER.match(line.text[:600], one.end())
        variants = [head["variant"] or (FIRST if other else "")] + ([SECOND] if other else [])
        try:
            both = filter(None, (one, other))
            means = [_entry(head["name"], variant, each, line) for variant, each in zip(variants, both, strict=True)]
        except (ValueError, KeyError) as error:
            remarks.append(Remark(line.number, f"{head['name']}: no time: {error}"))
            continue
        head = None
        places.append(line.number)
        found += [_apart(each, taken, remarks, line) for each in means]
        if other and other["times"]:
            claims.append(_claim(means, other, line))
    if found:
        yield Block(
            format=NAME,
            first=places[0] - 1,
            last=places[-1],
            entries=tuple(found),
            claims=tuple(claims),
            remarks=tuple(remarks),
        )


def _entry(name: str, variant: str, match: re.Match[str], line: Line) -> Entry:
    """Raises KeyError for a unit that is none of time."""
    return Entry(
        variant=variant,
        program="pyperformance",
        benchmark=name,
        metric="time",
        unit="s",
        printed_unit=match["unit"],
        better=Better.SMALLER,
        figures={
            "mean": number(match["mean"], line, match.start("mean"), TIMES[match["unit"]]),
            "sd": number(match["sd"], line, match.start("sd"), TIMES[match["sd_unit"]]),
        },
    )


def _apart(entry: Entry, taken: dict[tuple[str, str], int], remarks: list[Remark], line: Line) -> Entry:
    """Of one name and variant the second is another variant: two files may have been printed one after the other."""
    times = taken[entry.variant, entry.benchmark] = taken.get((entry.variant, entry.benchmark), 0) + 1
    if times == 1:
        return entry
    name = f"{entry.variant} ({times})".strip()
    remarks.append(Remark(line.number, f"{entry.benchmark} again, of no other variant by name: it is {name} here"))
    return structs.replace(entry, variant=name)


def _claim(means: list[Entry], match: re.Match[str], line: Line) -> Claim:
    """How many times faster, or slower, the second is."""
    base, new = (one.figures["mean"] for one in means)
    of: tuple[Number, Number] = (base, new) if match["word"] == "faster" else (new, base)
    printed = number(match["times"], line, match.start("times"))
    return Claim(kind="quotient", what=f"{means[0].benchmark}, times {match['word']}", printed=printed, of=of)


READER = Reader(
    NAME,
    ("Mean +- std dev", "Mean ± std dev"),
    read,
    "lines `### NAME ###`, and below each `Mean +- std dev: VALUE UNIT +- VALUE UNIT`",
)
