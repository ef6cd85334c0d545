"""VolanoMark's results: as the program prints them, and as words of a mail.

    VolanoMark version = 2.9.0
    Messages sent      = 101000
    Messages received  = 1919000
    Total messages     = 2020000
    Elapsed time       = 3.095 seconds
    Average throughput = 652666 messages per second

    Before: 5863 messages per second

Of the words, those are read that are a name, a colon and a rate, in a text that tells of VolanoMark. It is not our own `volano`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number

NAME = "VolanoMark"

LONGEST_ROW = 300
_LABELS = {
    "Messages sent": "sent",
    "Messages received": "received",
    "Total messages": "total",
    "Elapsed time": "elapsed",
    "Average throughput": "rate",
}
_LINE = re.compile(rf"\s*(?P<label>{'|'.join(_LABELS)})\s*=\s*(?P<number>{PLAIN})\b")
_WORDS = re.compile(
    rf"\s*(?P<name>[A-Za-z0-9][^:=]{{0,60}}):\s*(?P<number>{PLAIN})\s*(?:messages|msgs?)\s*(?:per\s+|/)\s*s(?:ec(?:ond)?)?\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"\s*(?P<name>[^\s:=][^:=]{0,60}):\s*$")


@dataclass
class _Found:
    """Results by variant, in the order in which they stand."""

    rates: dict[str, list[Number]] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def add(self, variant: str, rate: Number) -> None:
        self.rates.setdefault(variant, []).append(rate)
        self.lines.append(rate.line)


def read(text: Text) -> Iterator[Block]:
    """One block for all runs of the program, and one for what is told in words."""
    yield from _block("runs", _printed(text.lines))
    yield from _block("in words", _told(text.lines))


def _printed(lines: Sequence[Line]) -> _Found:
    """A run ends with its rate. The last line with a colon above it names it."""
    found, variant, run = _Found(), "", dict[str, Number]()
    for line in lines:
        match = _LINE.match(line.text) if len(line.text) < LONGEST_ROW else None
        if match is None:
            title = _TITLE.match(line.text) if len(line.text) < LONGEST_ROW else None
            variant = title["name"].strip() if title else variant
            continue
        try:
            run[_LABELS[match["label"]]] = number(match["number"], line, match.start("number"))
        except ValueError:
            continue
        if "rate" in run:
            found.add(variant, run["rate"])
            found.claims += _claims(variant, run)
            run = {}
    return found


def _claims(variant: str, run: dict[str, Number]) -> Iterator[Claim]:
    name = variant or "a run"
    if all(one in run for one in ("sent", "received", "total")):
        yield Claim(kind="sum", what=f"messages of {name}", printed=run["total"], of=(run["sent"], run["received"]))
    if all(one in run for one in ("total", "elapsed")):
        yield Claim(kind="quotient", what=f"throughput of {name}", printed=run["rate"], of=(run["total"], run["elapsed"]))


def _told(lines: Sequence[Line]) -> _Found:
    found = _Found()
    for line in lines:
        match = _WORDS.match(line.text) if len(line.text) < LONGEST_ROW else None
        if match is not None:
            try:
                found.add(match["name"].strip(), number(match["number"], line, match.start("number")))
            except ValueError:
                continue
    return found


def _block(title: str, found: _Found) -> Iterator[Block]:
    if found.rates:
        yield Block(
            format=NAME,
            title=f"VolanoMark, {title}",
            first=min(found.lines),
            last=max(found.lines),
            entries=tuple(_entry(variant, rates) for variant, rates in found.rates.items()),
            claims=tuple(found.claims),
        )


def _entry(variant: str, rates: Sequence[Number]) -> Entry:
    """One rate may be of any number of runs; several are its results."""
    several = len(rates) > 1
    return Entry(
        variant=variant,
        program="volanomark",
        benchmark="volanomark",
        metric="throughput",
        unit="messages/s",
        printed_unit="messages per second",
        better=Better.LARGER,
        samples=tuple(rates) if several else (),
        figures={} if several else {"value": rates[0]},
        count=len(rates) if several else None,
    )


READER = Reader(
    NAME,
    ("olano", "OLANO"),
    read,
    "lines `Average throughput = n messages per second`, or words `Before: n messages per second` in a text about VolanoMark",
)
