"""Martin J. Bligh's table of kernbench (LKML, 2003 and 2004): one for each load, one line per variant."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kdelta.model.sheet import Block, Line, Sheet
from kdelta.report import loads
from kdelta.report.basis import notes, opening
from kdelta.report.text import WIDTH, absent, folded, key, labelled

COLUMNS = {"Elapsed": "elapsed_s", "System": "system_s", "User": "user_s", "CPU": "percent_cpu"}
NAME, VALUE = 25, 12
WHAT = "Means"


def render(sheet: Sheet, width: int = WIDTH) -> str:
    """Means, in seconds and percent of one CPU, below what they are of."""
    return f"{opening(sheet, WHAT, width)}\n{body(sheet, width)}"


def body(sheet: Sheet, width: int = WIDTH) -> str:
    """A table for each load. Two benchmarks of one load, say of two trees, are told by their names."""
    words = [loads.words(block.benchmark) for block in sheet.blocks]
    titles = [
        f"Kernbench: ({own})" + (f", {block.benchmark.name}" if words.count(own) > 1 else "")
        for own, block in zip(words, sheet.blocks, strict=True)
    ]
    blocks = (
        "\n".join([folded(title, width=width), *_rows(block, width)]) + "\n"
        for title, block in zip(titles, sheet.blocks, strict=True)
    )
    return "\n".join(blocks)


def _rows(block: Block, width: int) -> Iterator[str]:
    labels = labelled((line.variant for line in block.lines), max(width - VALUE * len(COLUMNS), 1))
    names = [labels.get(line.variant, line.variant) for line in block.lines]
    most = max(min(NAME, width - VALUE * len(COLUMNS)), *map(len, names))
    yield " " * most + "".join(f"{title:>{VALUE}}" for title in COLUMNS)
    for name, line in zip(names, block.lines, strict=True):
        yield f"{name:>{most}}" + "".join(f"{_value(line, metric):>{VALUE}}" for metric in COLUMNS.values())
    yield from (*key(labels, width), *notes(block, width))


def _value(line: Line, metric: str) -> str:
    if metric not in line.figures or math.isnan(line.figures[metric].mean):
        return absent(line.state)
    return f"{line.figures[metric].mean:.2f}"
