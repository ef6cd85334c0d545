"""Where changes are: the pictures and the text of profiles, as far as there is room for them on a page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from kdelta.profile.explained import Where
from kdelta.report import bars, flame
from kdelta.report.diffprofile import heading, render_difference
from kdelta.report.presentable import escaped

MOST_BYTES = 1_200_000
"""Of all of it: a flame graph of a thousand frames takes a fifth."""


@dataclass(frozen=True)
class Part:
    """One change. `flame` and `bars` are SVG, `text` the table of functions."""

    title: str
    bars: str
    flame: str
    text: str

    @property
    def size(self) -> int:
        return sum(len(one.encode()) for one in (self.bars, self.flame, self.text))


@dataclass(frozen=True)
class Explanation:
    """`left_out` are those there was no room for, each with the command that shows it."""

    parts: tuple[Part, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()


def explanation(run: int, wheres: Sequence[Where], most: int = MOST_BYTES) -> Explanation:
    """The first of `wheres` that take no more than `most` bytes together; a smaller one may stand behind one that is left out."""
    parts, left_out, room = [], [], most
    for where in wheres:
        part = _part(where)
        if part.size <= room:
            parts.append(part)
            room -= part.size
        else:
            left_out.append((part.title, escaped(command(run, where))))
    return Explanation(tuple(parts), tuple(left_out))


def command(run: int, where: Where) -> str:
    """What shows the same in a terminal, and writes the picture."""
    found = where.explained.difference
    words = [found.old, found.new, "-b", where.benchmark, "--box", where.box, "--run", str(run), "--flame", "flame.svg"]
    return f"kdelta diffprofile {shlex.join(words)}"


def _part(where: Where) -> Part:
    found = where.explained
    change = found.difference
    benchmark, box = escaped(where.benchmark), escaped(where.box)
    title = f"{benchmark} on {box}: {escaped(change.new)} against {escaped(change.old)}"
    return Part(
        title=title,
        bars=bars.render(change),
        flame=flame.render(found.old.per_work(), found.new.per_work(), change, title=title, unit=change.unit, per=change.per),
        text=escaped(f"{heading(benchmark, change)}\n{render_difference(change)}"),
    )
