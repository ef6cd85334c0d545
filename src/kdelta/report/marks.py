"""Marks of pictures, as data of SVG paths: a shape for each column and each answer, so that no colour is needed to tell them."""

from __future__ import annotations

from kdelta.model.verdict import Answer
from kdelta.report.svg import number

CAP = 3.0
CIRCLE = "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"
UPWARDS = "m0-3.8l4 6.8h-8z"
DOWNWARDS = "m0 3.8l4-6.8h-8z"
CROSS = "m-2.7-2.7l5.4 5.4m0-5.4l-5.4 5.4"

SHAPES = (
    CIRCLE,
    "m-2.7-2.7h5.4v5.4h-5.4z",
    UPWARDS,
    "m0-4l4 4l-4 4l-4-4z",
    DOWNWARDS,
    "m-1.2-3.7h2.4v2.5h2.5v2.4h-2.5v2.5h-2.4v-2.5h-2.5v-2.4h2.5z",
    "m3.8 0l-6.8 4v-8z",
    "m0-1.6l2-2l1.6 1.6l-2 2l2 2l-1.6 1.6l-2-2l-2 2l-1.6-1.6l2-2l-2-2l1.6-1.6z",
)
"""Of columns: each about 7 wide, around the place to which its path was moved."""
DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "10 4", "4 2 1 2 1 2", "12 3 3 3")
"""Of their lines."""

ANSWERS = {
    Answer.SLOWER: ("g4 line", UPWARDS),
    Answer.FASTER: ("s3 line", DOWNWARDS),
    Answer.EQUIVALENT: ("hollow", CIRCLE),
    Answer.UNDECIDED: ("line", CROSS),
}
"""Answer -> the classes and the shape of its mark: up costs more, down costs less, whichever side of 1 that is."""


def mark(shape: str, x: float, y: float) -> str:
    return f"M{number(x)} {number(y)}{shape}"


def shape_of(place: int) -> str:
    """That of the column at `place`; behind the eighth, colours meet other shapes."""
    return SHAPES[(place + place // len(SHAPES)) % len(SHAPES)]


def dash_of(place: int) -> str:
    """The attribute for the lines of the column at `place`; empty where they are unbroken."""
    dash = DASHES[(place + place // len(DASHES)) % len(DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""


def answered(answer: Answer, x: float, y: float) -> str:
    """The mark of `answer`."""
    css, shape = ANSWERS[answer]
    return f'<path class="{css}" d="{mark(shape, x, y)}"/>'


def cap(x: float, y: float, inwards: float) -> str:
    """The end of a line along x: a stroke across, or an arrow where `inwards` is the direction away from its tip."""
    back = number(x + 1.5 * CAP * inwards)
    tip = f"L{number(x)} {number(y)}L{back} {number(y + CAP)}" if inwards else f"V{number(y + CAP)}"
    return f"M{back} {number(y - CAP)}{tip}"
