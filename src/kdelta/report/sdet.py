"""Martin J. Bligh's table of SDET (LKML, 2003 and 2004): throughput in percent of the first line's, for each number of scripts."""

from __future__ import annotations

from collections.abc import Iterator

from kdelta.model.plan import PUBLISHED, BoxSpec
from kdelta.model.sheet import Block, Line, Sheet
from kdelta.report.basis import notes, opening
from kdelta.report.text import WIDTH, absent, key, labelled

TRADEMARKS = """\
DISCLAIMER: SPEC and the benchmark name SDET are trademarks of the Standard
Performance Evaluation Corporation. """
RELATIVE = "\nResults are shown as percentages of the first set displayed\n"
OWN = """\
What ran here is a workload like SDET, not
SPEC's program: the results are non-compliant and not comparable with any
published ones.
"""
OF_OTHERS = """\
What ran was chosen by those who
published it: the results are non-compliant and not comparable with any
published by SPEC.
"""
WHAT = "Means, and standard deviations in percent of the line's own mean,"
NAME, TITLE, VALUE = 25, 12, 13
"""Widths: in the model a percent sign sticks out behind the first title."""


def render(sheet: Sheet, width: int = WIDTH) -> str:
    """A standard deviation is in percent of its own line's mean."""
    return "\n".join([opening(sheet, WHAT, width), disclaimer(sheet.box), body(sheet, width)])


def disclaimer(box: BoxSpec) -> str:
    """In the words of what is known: who ran it."""
    return TRADEMARKS + (OF_OTHERS if box.kind == PUBLISHED else OWN) + RELATIVE


def body(sheet: Sheet, width: int = WIDTH) -> str:
    """A table for each number of scripts."""
    blocks = ("\n".join(_rows(block, width)) + "\n" for block in sheet.blocks)
    return "\n".join(blocks)


def _rows(block: Block, width: int) -> Iterator[str]:
    room = width - 2 * VALUE
    labels = labelled((line.variant for line in block.lines), max(room, 1))
    names = [labels.get(line.variant, line.variant) for line in block.lines]
    most = max(min(NAME, room), *map(len, names))
    yield f"SDET {block.benchmark.parameters.get('scripts', '1')}  (see disclaimer)"
    yield " " * most + f"{'Throughput':>{TITLE}}{'Std. Dev':>{TITLE}}"
    metric = block.benchmark.metric.name
    for name, line in zip(names, block.lines, strict=True):
        yield f"{name:>{most}}" + "".join(f"{value:>{VALUE}}" for value in _values(line, metric))
    yield from (*key(labels, width), *notes(block, width))


def _values(line: Line, metric: str) -> tuple[str, str]:
    if metric not in line.figures:
        return absent(line.state), absent(line.state)
    return _percent(line.of_base), _percent(line.figures[metric].sd_percent)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}%"
