"""Profiles with call chains, of which a text is nothing else: what `perf script` prints, and folded chains.

    dd 29776 666709.771979:   10101010 cpu-clock:
              3d6b4c vfs_read (/lib/modules/4.1.0/build/vmlinux)
               e5f70 read (/lib/x86_64-linux-gnu/libc-2.15.so)

    read;sys_read;vfs_read 12

The readers of profiles read them; here each chain counts for the function that was executing. Its place is that of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_letters

from kdelta.archive.numbers import exact
from kdelta.archive.reader import Reader
from kdelta.archive.text import Text
from kdelta.model.errors import MisuseError
from kdelta.model.profile import by_function
from kdelta.model.published import Block, Function, Listing, Number, Remark
from kdelta.profile.readers import folded, perf_script
from kdelta.profile.readers.readout import Reading

NAME = "profile with call chains"

HEAD, LONGEST_ROW = 2000, 1000
"""Lines by which the format is told, and characters of one that are looked at."""
LEAST_ROWS = 2

_FRAME = re.compile(r"\s*[0-9a-f]{4,16} \S.{0,800} \([\[/][^()]{0,800}\)$")
_CHAIN = re.compile(r"[^\s;#][^;]{0,200};.{0,600}\s\d{1,15}$")


def read(text: Text) -> Iterator[Block]:
    """One block for all samples of the event that comes first."""
    head = [line.text.rstrip()[:LONGEST_ROW] for line in text.lines[:HEAD]]
    try:
        if _is_script(head):
            yield from _block(text, perf_script.FORMAT, perf_script.read([line.text for line in text.lines]))
        elif _is_folded(head):
            yield from _block(text, folded.FORMAT, folded.read([line.text for line in text.lines]))
    except MisuseError:
        return


def _is_script(head: Sequence[str]) -> bool:
    return sum(_FRAME.match(line) is not None for line in head) >= LEAST_ROWS and perf_script.recognises(head)


def _is_folded(head: Sequence[str]) -> bool:
    """Most lines are chains of several functions: other lists end in numbers, too."""
    chains = sum(_CHAIN.match(line) is not None for line in head)
    return chains >= LEAST_ROWS and 2 * chains > len(head) and folded.recognises(head)


def _block(text: Text, title: str, found: Reading) -> Iterator[Block]:
    first = text.lines[0].number
    sides = [("old", found.before), ("new" if found.before else "", found.stacks)]
    listings = tuple(_listing(name, counts, found.unit, first) for name, counts in sides if counts)
    if listings:
        yield Block(
            format=NAME,
            title=title,
            first=first,
            last=text.last,
            listings=listings,
            remarks=tuple(Remark(0, doubt) for doubt in found.doubts),
            facts={"event": found.event} if found.event else {},
        )


def _listing(name: str, chains: Mapping[str, int], unit: str, line: int) -> Listing:
    """By the function that was executing, the most frequent first."""
    counts = sorted(by_function(chains).items(), key=lambda one: (-one[1], one[0]))
    rows = tuple(Function(function, _count(count, line)) for function, count in counts)
    return Listing(
        benchmark="", new=name, difference=False, unit=unit, rows=rows, total=Function("total", _count(sum(chains.values()), line))
    )


def _count(count: int, line: int) -> Number:
    return Number(str(count), exact(float(count)).value, 1.0, line, 0)


READER = Reader(
    NAME,
    (" ([", " (/", *(f";{letter}" for letter in f"[_{ascii_letters}")),
    read,
    "a text of `perf script` with frames `address function (file)`, or of folded chains `outer;inner 12`",
)
