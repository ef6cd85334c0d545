"""Flame graphs as SVG: of one profile, and of the difference of two (Gregg, Differential Flame Graphs, 2014).

A caller lies below what it calls. Nothing is drawn by a script, and nothing is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from kdelta.profile.change import Difference
from kdelta.report import flame_words as words
from kdelta.report.call_tree import ROOT, call_tree
from kdelta.report.colours import GROWN, SAME, SHRUNK, shade
from kdelta.report.flame_layout import Frame, lay_out
from kdelta.report.frames import Origin, origin
from kdelta.report.svg import CELL, LINE, amount, cells, document, escaped, fitted, number, text, wrapped

WIDTH, MARGIN = 1000.0, 10.0
ROW = 18.0
COLUMNS = int((WIDTH - 2.0 * MARGIN) / CELL)
PADDING = 4.0
"""Left of the writing on a frame."""
LEAST_COLUMNS = 4
"""Of a name that is cut: fewer say nothing."""
SIGNS = {**dict.fromkeys(GROWN, "+ "), **dict.fromkeys(SHRUNK, "- ")}

Swatches = Sequence[tuple[Sequence[str], str]]
"""Classes of colours and what they mean."""


class By(IntEnum):
    """Whose counts the widths are."""

    OLD = 0
    NEW = 1


@dataclass(frozen=True)
class _Drawn:
    """A frame with the class of its colour and all that is said of it."""

    frame: Frame
    css: str
    about: str


def render(
    old: Mapping[str, float],
    new: Mapping[str, float],
    difference: Difference | None,
    *,
    title: str,
    unit: str,
    per: str,
    by: By = By.NEW,
) -> str:
    """The difference of two profiles: folded chains -> counts per unit of work, means over boots.

    A frame is coloured where the function itself has counts and where, whoever calls it, these changed beyond noise. What has no
    frame is listed below.
    """
    tree = call_tree([old, new])
    layout = lay_out(tree, by)
    counts = tuple(tree.inclusive(side)[ROOT] for side in By)
    sides = (difference.old, difference.new) if difference else ("old", "new")
    changes = words.by_name(difference.changes) if difference else {}
    told = {**words.by_name(difference.idle), **changes} if difference else {}
    drawn = [_Drawn(frame, _shade(frame, changes, counts[By.OLD]), words.about(frame, told)) for frame in layout.frames]
    head = (title, words.totals(sides, counts, f"{unit} per {per}"), words.how(difference, sides[by]))
    swatches = ((GROWN, "grown"), (SHRUNK, "shrunk"), ((SAME,), "within noise"), ((), words.steps())) if difference else ()
    absent = "Gone" if by is By.NEW else "New"
    doubts = [doubt.split() for doubt in difference.doubts] if difference else []
    return _picture(head, words.largest(difference), swatches, drawn, words.undrawn(layout, changes, absent) + doubts)


def render_one(counts: Mapping[str, float], *, title: str, unit: str, per: str) -> str:
    """One profile: folded chains -> counts per unit of work. Colours tell where the code of a frame lies."""
    tree = call_tree([counts])
    layout = lay_out(tree, 0)
    whole = tree.inclusive(0)[ROOT]
    drawn = [_Drawn(frame, _origin(frame), words.about_one(frame)) for frame in layout.frames]
    head = (title, f"{amount(whole)} {unit} per {per}", "As wide as the count with what is called.")
    return _picture(head, words.hottest(tree), [((one.value,), one.value) for one in Origin], drawn, words.undrawn_one(layout))


def _shade(frame: Frame, changes: words.Changes, whole: float) -> str:
    change = words.of_function(changes, frame.name) if frame.depth and any(frame.own) else None
    return shade(change.delta, whole) if change and change.real else SAME


def _origin(frame: Frame) -> str:
    return origin(frame.name)[0].value if frame.depth and not frame.merged else SAME


# ---- the picture ----


def _picture(
    head: tuple[str, str, str], summary: str, swatches: Swatches, drawn: Sequence[_Drawn], below: Sequence[Sequence[str]]
) -> str:
    """From the top: the words of `head`, the legend, the frames, and the words `below`."""
    lines = [line for items in below for line in wrapped(items, COLUMNS)]
    top = 5.5 * LINE
    bottom = top + ROW * (1 + max((one.frame.depth for one in drawn), default=0))
    parts = [
        *_head(head),
        *_legend(swatches, 4.5 * LINE),
        *(_rectangle(one, bottom) for one in drawn),
        *(text(MARGIN, bottom + LINE * (row + 1.2), line) for row, line in enumerate(lines)),
    ]
    return document(WIDTH, bottom + LINE * (len(lines) + 1.0), (head[0], head[1], f"{head[2]} {summary}"), parts)


def _head(head: tuple[str, str, str]) -> Iterator[str]:
    yield text(MARGIN, 1.4 * LINE, fitted(head[0], int(0.8 * COLUMNS)), "title")
    yield text(MARGIN, 2.5 * LINE, fitted(head[1], COLUMNS))
    yield text(MARGIN, 3.5 * LINE, fitted(head[2], COLUMNS))


def _legend(swatches: Swatches, y: float) -> Iterator[str]:
    x = MARGIN
    for colours, meaning in swatches:
        for css in colours:
            yield f'<rect class="{css}" x="{number(x)}" y="{number(y - 11.0)}" width="18" height="14"/>'
            x += 20.0
        yield text(x + PADDING, y, meaning)
        x += CELL * (cells(meaning) + 3)


def _rectangle(one: _Drawn, bottom: float) -> str:
    left, width = MARGIN + one.frame.start * (WIDTH - 2.0 * MARGIN), one.frame.width * (WIDTH - 2.0 * MARGIN)
    y = bottom - ROW * (one.frame.depth + 1)
    # A gap, as far as there is room for one.
    place = f'x="{number(left)}" y="{number(y)}" width="{number(max(width - 0.5, 0.7 * width))}" height="{number(ROW - 1.0)}"'
    written = text(left + PADDING, y + 13.0, label) if (label := _label(one, int((width - PADDING) / CELL))) else ""
    return f'<g><title>{escaped(one.about)}</title><rect class="{one.css}" {place}/>{written}</g>'


def _label(one: _Drawn, columns: int) -> str:
    """Empty where there is too little room for it."""
    name, sign = words.name(one.frame), SIGNS.get(one.css, "")
    cut = fitted(name, columns - len(sign))
    return sign + cut if cut == name or len(cut) >= LEAST_COLUMNS else ""
