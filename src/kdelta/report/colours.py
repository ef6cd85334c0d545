"""Colours of the pictures, for light and dark and for paper: orange has grown and hatched blue has shrunk.

These two are told apart by all kinds of colour blindness, and by their hatching where there are no colours (Okabe and Ito, Color
Universal Design, 2008). Writing has a contrast of 4.5 or more on all of them (WCAG 2.2, 1.4.3).
"""

from __future__ import annotations

from bisect import bisect_right

SCOPE = "kdelta"
SAME = "n"
"""The class of what has not changed beyond noise."""

STEPS = (0.001, 0.01, 0.05)
"""Changes as shares of the old total, from which on the next colour is darker."""

LIGHT = {
    "paper": "#ffffff",
    "ink": "#16181c",
    "faint": "#63676d",
    SAME: "#e3e3e1",
    "g1": "#fbd3bd",
    "g2": "#f7ad85",
    "g3": "#ee8650",
    "g4": "#e0672a",
    "s1": "#c9e1f5",
    "s2": "#98c8ee",
    "s3": "#64abe2",
    "s4": "#3a8fd4",
    "kernel": "#f0d9a2",
    "module": "#cdb9e8",
    "user": "#d3d9dd",
}
DARK = {
    "paper": "#16181c",
    "ink": "#f1f1ee",
    "faint": "#a7abb1",
    SAME: "#3b3e43",
    "g1": "#5e3d2d",
    "g2": "#7c4323",
    "g3": "#98480f",
    "g4": "#ad4a06",
    "s1": "#2a4660",
    "s2": "#25577f",
    "s3": "#1d659c",
    "s4": "#156fb3",
    "kernel": "#5d5029",
    "module": "#52407a",
    "user": "#434a52",
}
SERIES_LIGHT = ("#16181c", "#c44900", "#0072b2", "#00a37a", "#cc79a7", "#4a9bd0", "#bd8a00", "#4f4900")
SERIES_DARK = ("#f1f1ee", "#e8702a", "#3d9be0", "#1db98b", "#da8db8", "#7cc7f0", "#e69f00", "#f0e442")
"""Of columns, in their order: the eight of Okabe and Ito, as dark or as light as a line needs for a contrast of 3 to its paper
(WCAG 2.2, 1.4.11). Marks and dashes tell them apart too (`report.marks`).
"""
GROWN = ("g1", "g2", "g3", "g4")
SHRUNK = ("s1", "s2", "s3", "s4")
"""Hatched."""


def shade(delta: float, total: float) -> str:
    """The class of a change beyond noise, of which `total` is the old count of all; SAME where there is no change."""
    if not delta:
        return SAME
    return (GROWN if delta > 0.0 else SHRUNK)[bisect_right(STEPS, abs(delta) / total if total else 1.0)]


def _rules(colours: dict[str, str]) -> str:
    rules = [
        *((f".{name}", f"fill:{colour}") for name, colour in colours.items() if name not in SHRUNK),
        *((f".{name}", f"fill:url(#{SCOPE}-{name}) {colours[name]}") for name in SHRUNK),
        *((f".solid-{name}", f"fill:{colours[name]}") for name in SHRUNK),
        ("text", f"fill:{colours['ink']}"),
        (".line", f"stroke:{colours['ink']}"),
        (".hollow", f"fill:{colours['paper']};stroke:{colours['ink']}"),
    ]
    return "".join(f".{SCOPE} {part}{{{rule}}}" for part, rule in rules)


def _pattern(name: str) -> str:
    lines = '<path class="line" d="M0 5L5 0" stroke-opacity=".3"/>'
    box = 'width="5" height="5"'
    return f'<pattern id="{SCOPE}-{name}" {box} patternUnits="userSpaceOnUse"><rect class="solid-{name}" {box}/>{lines}</pattern>'


FONT = 'ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace'
STYLE = "".join(
    [
        f".{SCOPE}{{color-scheme:light dark;font:12px {FONT};print-color-adjust:exact}}",
        # Names of any script keep their places: no letter turns the direction of a line.
        f".{SCOPE} text{{white-space:pre;direction:ltr;unicode-bidi:bidi-override}}",
        f".{SCOPE} .title{{font-size:15px;font-weight:bold}}.{SCOPE} .end{{text-anchor:end}}.{SCOPE} .middle{{text-anchor:middle}}",
        _rules(LIGHT),
        f"@media screen and (prefers-color-scheme:dark){{{_rules(DARK)}}}",
    ]
)
"""Of the pictures, whose outermost element has the class SCOPE."""
PATTERNS = f"<defs>{''.join(map(_pattern, SHRUNK))}</defs>"


def _series(colours: tuple[str, ...], paper: str) -> str:
    rules = [
        *((f".v{place}", f"fill:{colour};stroke:{colour}") for place, colour in enumerate(colours)),
        (".open", f"fill:{paper}"),
        (".thread", "fill:none"),
        (".bare", "fill:none;pointer-events:all"),
    ]
    return "".join(f".{SCOPE} {part}{{{rule}}}" for part, rule in rules)


SERIES_STYLE = "".join(
    [
        _series(SERIES_LIGHT, LIGHT["paper"]),
        f"@media screen and (prefers-color-scheme:dark){{{_series(SERIES_DARK, DARK['paper'])}}}",
    ]
)
"""Of pictures that show columns as `v0` to `v7`: filled, `open` or as a `thread`. What is `bare` is only felt."""


def series(place: int) -> str:
    """The class of the column at `place`."""
    return f"v{place % len(SERIES_LIGHT)}"
