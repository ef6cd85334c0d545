"""What the numbers of a sheet are made of, and what they therefore cannot say."""

from __future__ import annotations

from collections.abc import Iterator

from kdelta.model.sheet import Block, Sheet
from kdelta.model.words import WORDS
from kdelta.report.text import WIDTH, folded, wrapped


def basis(sheet: Sheet, what: str) -> str:
    """One sentence. Spread within a visit is never presented as that of visits: it says nothing about the next one."""
    words = WORDS[sheet.box.kind]
    if sheet.within:
        agreed = ", of results that were kept because they agree" if sheet.agreed else ""
        return f"{what} within one {words.unit}{agreed}: says nothing about the next."
    counts = sorted({line.visits for block in sheet.blocks for line in block.lines if line.visits})
    least = f"{counts[0]} to " if len(counts) > 1 else ""
    return f"{what} over {least}{words.units(counts[-1])}, each taken as the mean of its results."


def opening(sheet: Sheet, what: str, width: int = WIDTH) -> str:
    """The box with its basis: the line above a report that has no title."""
    return wrapped(f"{sheet.box.cpus}-way {sheet.box.name} box. {basis(sheet, what)}", width=width) + "\n"


def notes(block: Block, width: int = WIDTH) -> Iterator[str]:
    """How cells ended that are not whole."""
    for line in block.lines:
        for note in line.notes:
            yield folded(f"  {block.benchmark.name}, {line.variant}: {note}", width=width)
