"""Functions that moved, as lines below a difference in which they are folded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec

from kdelta.profile.change import Change, Difference
from kdelta.profile.moves import Kind, Move
from kdelta.report.diffprofile import counted_in, multiple
from kdelta.report.text import WIDTH, folded, wrapped

HEADS = ("old", "new", "change", "name", "calls", "kept", "")
MEANING = (
    "name: how alike the names are. calls: how far callers and callees agree, or how much of what was called moved along."
    " kept: the lesser of what was lost and what was gained, as a share of the greater."
)


def render(moves: Sequence[Move], difference: Difference, width: int = WIDTH) -> str:
    """One line for each of `moves`, in their order, with the counts of `difference` and why it is believed; empty for none.

    Below a line stand the parts, where the line does not say them all.
    """
    if not moves:
        return ""
    units = multiple(difference)
    shown = [msgspec.structs.replace(move, parts=tuple(_times(units, part) for part in move.parts)) for move in moves]
    rows = [HEADS, *map(_cells, shown)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    lines = [folded(f"Functions that moved, each line folded into one, {counted_in(difference)}:", width=width)]
    for row, move in zip(rows, (None, *shown), strict=True):
        cells = [f"{text:>{width}}" for text, width in zip(row, widths, strict=False)]
        indent = " " * (sum(widths) + 2 * len(HEADS) + 2)
        lines.append(wrapped("  ".join(("", *cells, row[-1])), indent, width=width).rstrip())
        lines += [wrapped(f"{indent[2:]}= {parts}", indent, width=width) for parts in _parts(move)]
    return "\n".join([*lines, wrapped(MEANING, width=width)]) + "\n"


def _times(units: int, part: Change) -> Change:
    """Per so many units of work."""
    old, new = (None if count is None else units * count for count in (part.old, part.new))
    return msgspec.structs.replace(part, old=old, new=new)


def _cells(move: Move) -> tuple[str, ...]:
    """As HEADS."""
    whole, evidence = move.whole, move.evidence
    percent = "new" if whole.percent is None else f"{whole.percent:+.1f}%"
    shares = map(_share, (evidence.name, evidence.neighbours, evidence.conserved))
    return (_count(whole.old), _count(whole.new), percent, *shares, f"{move.kind.value}: {_ascii(move.name)}")


def _parts(move: Move | None) -> Iterator[str]:
    if move is not None and (move.kind is not Kind.RENAMED or any(part.old and part.new for part in move.parts)):
        yield ", ".join(map(_part, move.parts))


def _part(part: Change) -> str:
    if part.old is None or part.new is None:
        return f"{_ascii(part.name)} {_count(part.new)} new" if part.old is None else f"{_ascii(part.name)} {_count(part.old)} gone"
    return f"{_ascii(part.name)} {_count(part.old)} -> {_count(part.new)}"


def _count(count: float | None) -> str:
    return "-" if count is None else f"{count:.{1 if abs(count) < 100.0 else 0}f}"


def _share(share: float) -> str:
    return "-" if math.isnan(share) else f"{100.0 * share:.0f}%"


def _ascii(name: str) -> str:
    return name.encode("unicode_escape").decode("ascii")
