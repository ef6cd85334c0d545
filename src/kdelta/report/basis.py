"""What the numbers of a sheet are made of, and what they therefore cannot say."""

from __future__ import annotations

from collections.abc import Iterator

from kdelta.model.plan import PUBLISHED
from kdelta.model.sheet import Block, Sheet
from kdelta.model.words import WORDS, called
from kdelta.report.text import WIDTH, counted, folded, wrapped


def basis(sheet: Sheet, what: str) -> str:
    """One sentence. Spread within a visit is never presented as that of visits: it says nothing about the next one."""
    if sheet.box.kind == PUBLISHED:
        return _published(sheet, what)
    words = WORDS[sheet.box.kind]
    if sheet.within:
        agreed = ", of results that were kept because they agree" if sheet.agreed else ""
        return f"{what} within one {words.unit}{agreed}: says nothing about the next."
    counts = sorted({line.visits for block in sheet.blocks for line in block.lines if line.visits})
    least = f"{counts[0]} to " if len(counts) > 1 else ""
    return f"{what} over {least}{words.units(counts[-1])}, each taken as the mean of its results."


def _published(sheet: Sheet, what: str) -> str:
    """Of how many results, as far as that is stated."""
    counts = sorted({line.results for block in sheet.blocks for line in block.lines if line.figures})
    known = [count for count in counts if count]
    least = f"{known[0]} to " if len(known) > 1 else ""
    of = f"of {least}{counted(known[-1], 'result')}" if known else "of how many results is not stated"
    return f"{what} as they were published, {of}{', or not stated' if known and counts[0] == 0 else ''}."


def opening(sheet: Sheet, what: str, width: int = WIDTH) -> str:
    """The box with its basis: the line above a report that has no title."""
    return wrapped(f"{called(sheet.box)}. {basis(sheet, what)}", width=width) + "\n"


def notes(block: Block, width: int = WIDTH) -> Iterator[str]:
    """How cells ended that are not whole."""
    for line in block.lines:
        for note in line.notes:
            yield folded(f"  {block.benchmark.name}, {line.variant}: {note}", width=width)
