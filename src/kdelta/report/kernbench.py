"""Martin J. Bligh's table of kernbench (LKML, 2003 and 2004): one for each load, one line per variant."""

from __future__ import annotations

from collections.abc import Iterator

from kdelta.model.sheet import Block, Line, Sheet
from kdelta.report import loads
from kdelta.report.basis import notes, opening
from kdelta.report.text import absent

COLUMNS = {"Elapsed": "elapsed_s", "System": "system_s", "User": "user_s", "CPU": "percent_cpu"}
NAME, VALUE = 25, 12


def render(sheet: Sheet) -> str:
    """Means, in seconds and percent of one CPU. Two benchmarks of one load, say of two trees, are told by their names."""
    words = [loads.words(block.benchmark) for block in sheet.blocks]
    titles = [
        f"Kernbench: ({own})" + (f", {block.benchmark.name}" if words.count(own) > 1 else "")
        for own, block in zip(words, sheet.blocks, strict=True)
    ]
    blocks = ("\n".join([title, *_rows(block)]) + "\n" for title, block in zip(titles, sheet.blocks, strict=True))
    return "\n".join([opening(sheet, "Means"), *blocks])


def _rows(block: Block) -> Iterator[str]:
    width = max(NAME, *(len(line.variant) for line in block.lines))
    yield " " * width + "".join(f"{title:>{VALUE}}" for title in COLUMNS)
    for line in block.lines:
        yield f"{line.variant:>{width}}" + "".join(f"{_value(line, metric):>{VALUE}}" for metric in COLUMNS.values())
    yield from notes(block)


def _value(line: Line, metric: str) -> str:
    return f"{line.figures[metric].mean:.2f}" if metric in line.figures else absent(line.state)
