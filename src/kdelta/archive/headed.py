"""Two variants under a heading with a percentage, as people write them in mails.

    perf futex/requeue (+4.2%):
      queued_spinlock Requeued 64 of 64 threads in 0.0785 ms (+-0.55%)
      ticket_spinlock Requeued 64 of 64 threads in 0.0818 ms (+-4.12%)

Plus is better, whatever the numbers are: so it is the worse of the two that the other is compared with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from kdelta.archive.numbers import number
from kdelta.archive.text import Line
from kdelta.model.benchmark import Better
from kdelta.model.published import Number

_HEADING = re.compile(r"(?P<indent>\s*)(?P<name>[A-Za-z].{2,100}?) \((?P<change>[-+]\d{1,6}(?:\.\d{1,6})?)%\):?\s*$")
_ABOVE = 3
"""Lines above a table, in which its heading may stand."""

Compared = TypeVar("Compared")


class Heading(NamedTuple):
    name: str
    change: Number
    indent: int


def heading(line: Line) -> Heading | None:
    """None where the line is no heading."""
    match = _HEADING.match(line.text)
    if match is None:
        return None
    return Heading(match["name"].strip(), number(match["change"], line, match.start("change")), len(match["indent"]))


def heading_above(lines: Sequence[Line], place: int) -> Heading | None:
    """The nearest of the lines above `place`."""
    found = (heading(line) for line in reversed(lines[max(0, place - _ABOVE) : place]))
    return next((one for one in found if one), None)


def base_first(
    said: Heading, pair: tuple[Compared, Compared], values: Sequence[Number], better: Better
) -> tuple[Compared, Compared]:
    """The base and what is compared with it, of a pair with these two values."""
    first, second = (one.value if better is Better.LARGER else -one.value for one in values)
    is_first_better = first > second
    return (pair[1], pair[0]) if is_first_better == (said.change.value > 0) else pair
