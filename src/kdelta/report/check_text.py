"""What `kdelta check` prints of one text: each claim with what its numbers give, and how many hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdelta.model.checked import Checked, CheckedBlock, Standing
from kdelta.model.published import Number
from kdelta.report.presentable import escaped
from kdelta.report.text import WIDTH, counted, folded, wrapped

LINE, NUMBER = 7, 12
"""Widths: of a line's number, and of what is printed and computed."""
LEAST = 16
"""Of the column that says what is claimed."""
DIGITS = 15


def render(blocks: Sequence[CheckedBlock], width: int = WIDTH) -> str:
    """A table for each block that claims anything, and one sentence for all."""
    parts = ["\n".join(_block(block, width)) + "\n" for block in blocks if block.claims]
    return "\n".join([*parts, wrapped(_sum(blocks), width=width) + "\n"])


def _block(block: CheckedBlock, width: int) -> Iterator[str]:
    where = f"line {block.first}" if block.first == block.last else f"lines {block.first} to {block.last}"
    name = escaped(block.title).strip().rstrip(":")
    title = f": {name}" if name else ""
    meant = f" In its percentages {block.reading}." if block.reading else ""
    yield folded(f"{where}, {block.format}{title}.{meant}", width=width)
    room = max(LEAST, min(max(len(one.claim.what) for one in block.claims), width - LINE - 2 * NUMBER - 12))
    yield f"{'line':>{LINE}}  {'claim':<{room}}{'printed':>{NUMBER}}{'again':>{NUMBER}}"
    for one in block.claims:
        yield from _row(one, room, width)


def _row(one: Checked, room: int, width: int) -> Iterator[str]:
    """What does not fit into its column stands alone, and the figures below it."""
    what = escaped(one.claim.what)
    start = f"{one.claim.printed.line:>{LINE}}  "
    if len(what) > room:
        yield from (folded(start + what, " " * (LINE + 2), width=width),)
        start, what = " " * (LINE + 2), ""
    printed = escaped(one.claim.printed.text)
    answer = one.standing.value + (f": {one.how}" if one.how else "")
    figures = f"{start}{what:<{room}}{printed:>{NUMBER}}{_again(one):>{NUMBER}}  {answer}"
    yield folded(figures, " " * (LINE + 4), width=width)


def _again(one: Checked) -> str:
    """With one digit more than is printed: it shows in what it was rounded."""
    if one.again is None:
        return "-"
    again = one.claim.printed.in_print(one.again)
    return f"{again:.{_decimals(one.claim.printed)}f}" if abs(again) < 10.0**DIGITS else f"{again:.6g}"


def _decimals(printed: Number) -> int:
    fraction = printed.text.lower().partition("e")[0].partition(".")[2]
    return min(6, len(fraction.rstrip("kKMG%")) + 1)


def _sum(blocks: Sequence[CheckedBlock]) -> str:
    total = sum(len(block.claims) for block in blocks)
    if not total:
        return "No number is printed that follows from others."
    counts = {standing: sum(block.count(standing) for block in blocks) for standing in Standing}
    words = (f"{standing.value} {count}" for standing, count in counts.items() if count)
    return f"{counted(total, 'claim')}: {', '.join(words)}."
