"""What the SVG pictures share: names that are safe in them, text cut to a width, figures, and the frame around a picture."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from xml.sax.saxutils import escape

from kdelta.profile.change import Change
from kdelta.report.colours import PATTERNS, SCOPE, STYLE
from kdelta.report.figures import probability
from kdelta.report.frames import shown

LINE = 17.0
"""From a line of writing to the next."""
CELL = 7.26
"""Width of a character: 0.605 of the font's size, what the widest of the usual monospaced fonts have."""

ELLIPSIS = "\u2026"
LEVEL = 0.05
"""Of q, in how many digits it is written."""


def escaped(text: str) -> str:
    """`text`, its lines kept, as the content of an element or an attribute."""
    return "\n".join(escape(shown(line), {'"': "&quot;"}) for line in text.split("\n"))


def listed(lines: Iterable[str]) -> str:
    """What is said of a part of a picture, line by line: no name breaks one."""
    return "\n".join(map(shown, lines))


def cells(text: str) -> int:
    """Columns of a terminal that `text` takes: ideographs and the like take two."""
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def fitted(text: str, columns: int) -> str:
    """`text`, cut with an ellipsis to `columns`; empty where that leaves nothing of it."""
    text = shown(text)
    if cells(text) <= columns:
        return text
    if columns < 2:
        return ""
    left = columns - 1
    kept = 0
    while kept < len(text) and (left := left - cells(text[kept])) >= 0:
        kept += 1
    return text[:kept] + ELLIPSIS


def wrapped(items: Iterable[str], columns: int, indent: str = "  ") -> list[str]:
    """`items`, joined by blanks, in lines of at most `columns`; those after the first are indented. None is broken."""
    lines = [""]
    for item in items:
        joined = f"{lines[-1]} {item}" if lines[-1].strip() else lines[-1] + item
        if cells(joined) > columns and lines[-1].strip():
            lines.append(indent + item)
        else:
            lines[-1] = joined
    return lines


# ---- figures ----


def amount(value: float) -> str:
    """Four digits or more that say something: 1,234,567, 12.34, 0.001234."""
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.4g}"


def signed(value: float) -> str:
    return f"{'+' if value > 0.0 else ''}{amount(value)}" if math.isfinite(value) else "unbounded"


def percent(change: Change) -> str:
    """Of the old count; `new` and `gone` where a side has no count."""
    if not change.old:
        return "new" if change.new else "-"
    share = change.percent or 0.0
    return "gone" if not change.new else f"{share:+,.{1 if abs(share) < 1000.0 else 0}f}%"


def step(old: float, new: float) -> str:
    """From what to what, and by how much."""
    return f"{amount(old)} -> {amount(new)}, {grown(Change(name='', old=old, new=new))}"


def grown(change: Change) -> str:
    return f"{signed(change.delta)} ({percent(change)})"


def believed(change: Change) -> str:
    """Its interval and q, as far as they are known, and on which side of noise it lies."""
    interval = "" if math.isnan(change.low + change.high) else f"[{signed(change.low)}, {signed(change.high)}], "
    q = "" if math.isnan(change.q) else f"q {probability(change.q, LEVEL)}, "
    return f"{interval}{q}{'beyond' if change.real else 'within'} noise"


# ---- the picture ----


def number(value: float) -> str:
    """A coordinate, in hundredths."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text(x: float, y: float, words: str, css: str = "") -> str:
    """One line of `words`."""
    style = f' class="{css}"' if css else ""
    return f'<text x="{number(x)}" y="{number(y)}"{style}>{escaped(words)}</text>'


def document(width: float, height: float, said: tuple[str, str, str], parts: Iterable[str], style: str = "") -> str:
    """A whole SVG, as wide as its container; `said` are its title, its summary in a line and its description. `style` is what
    the picture needs beside STYLE.
    """
    title, summary, description = map(escaped, said)
    size, least = f"{number(width)} {number(height)}", f"w{number(width)}"
    # In a narrower window it is scrolled, and its writing can still be read.
    screen = f"@media screen{{.{SCOPE}.{least}{{min-width:{number(0.8 * width)}px}}}}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{SCOPE} {least}" viewBox="0 0 {size}" width="100%"'
            f' preserveAspectRatio="xMidYMin" role="img" aria-label="{title}: {summary}">',
            f"<title>{title}</title>",
            f"<desc>{description}</desc>",
            f"<style>{STYLE}{style}{screen}</style>{PATTERNS}",
            '<rect class="paper" width="100%" height="100%"/>',
            *parts,
            "</svg>\n",
        ]
    )
