"""Where the frames of a flame graph lie: a tree of calls -> rectangles, as few as can be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kdelta.report.call_tree import ROOT, CallTree

NARROWEST = 1e-4
"""Share of the whole width below which a frame is not drawn alone: a tenth of a pixel of a thousand."""
MOST_FRAMES = 1000
"""Drawn alone; where more are wide enough, the narrowest of them are not."""
MOST_DEPTH = 150


@dataclass(frozen=True)
class Frame:
    """A rectangle, or several in one: `merged` is how many frames that are not drawn it stands for, 0 for a frame itself.

    `start` and `width` are shares of the whole width; `counts` are those of each profile with what is called, `own` without.
    """

    name: str
    depth: int
    start: float
    width: float
    counts: tuple[float, ...]
    own: tuple[float, ...] = ()
    merged: int = 0


@dataclass(frozen=True)
class Layout:
    """`undrawn` are the own counts of all nodes that have no frame of their own, by function, and `absent` those functions among
    them that are not in the profile at all which the widths are of."""

    frames: tuple[Frame, ...]
    undrawn: dict[str, tuple[float, ...]]
    absent: frozenset[str]


@dataclass(frozen=True)
class _Nodes:
    """Of each node of a tree its width, its depth, and which is the innermost around it that is drawn: itself, if it is."""

    widths: list[float]
    depths: list[int]
    drawn: list[int]


def lay_out(tree: CallTree, profile: int) -> Layout:
    """The frames of `tree`, as wide as their counts in the profile number `profile`; none where it has no counts."""
    counts = tuple(tree.inclusive(number) for number in range(len(tree.own)))
    whole = counts[profile][ROOT]
    if not whole:
        undrawn = _undrawn(tree, [-1] * len(tree.names))
        return Layout((), undrawn, frozenset(undrawn))
    nodes = _nodes(tree, [count / whole for count in counts[profile]])
    frames = tuple(_frames(tree, nodes, counts))
    undrawn = _undrawn(tree, nodes.drawn)
    present = {name for name, width in zip(tree.names, nodes.widths, strict=True) if width}
    return Layout(frames, undrawn, frozenset(undrawn.keys() - present))


def _nodes(tree: CallTree, widths: list[float]) -> _Nodes:
    """The parent of what is drawn is drawn, since it is as wide at least."""
    least, depths, drawn = _least(widths), [0], [ROOT]
    for node in range(ROOT + 1, len(widths)):
        parent = tree.parents[node]
        depths.append(depths[parent] + 1)
        drawn.append(node if widths[node] >= least and depths[node] <= MOST_DEPTH else drawn[parent])
    return _Nodes(widths, depths, drawn)


def _least(widths: Sequence[float]) -> float:
    """The least width of a frame that is drawn alone: where there are too many, more than that of the first without a place."""
    wide = sorted((width for width in widths if width >= NARROWEST), reverse=True)
    if len(wide) <= MOST_FRAMES:
        return NARROWEST
    return min((width for width in wide if width > wide[MOST_FRAMES]), default=1.0)


def _frames(tree: CallTree, nodes: _Nodes, counts: Sequence[Sequence[float]]) -> Iterator[Frame]:
    """What is drawn alone; then what is merged, at the right of what the same function calls."""
    right = {ROOT: 0.0}
    for node, around in enumerate(nodes.drawn):
        if around == node:
            start, width = right[tree.parents[node]], nodes.widths[node]
            right[tree.parents[node]] = start + width
            right[node] = start
            yield Frame(tree.names[node], nodes.depths[node], start, width, _of(counts, [node]), _of(tree.own, [node]))
    for around, tops, size in _merged(tree, nodes):
        width = sum(nodes.widths[node] for node in tops)
        if width >= NARROWEST:
            yield Frame("", nodes.depths[around] + 1, right[around], width, _of(counts, tops), merged=size)


def _merged(tree: CallTree, nodes: _Nodes) -> Iterator[tuple[int, list[int], int]]:
    """Each node that calls some which are not drawn, these, and how many have a width among them and all that they call."""
    tops: dict[int, list[int]] = {}
    sizes: dict[int, int] = {}
    for node, around in enumerate(nodes.drawn):
        if around != node and nodes.widths[node]:
            sizes[around] = sizes.get(around, 0) + 1
        if around != node and around == tree.parents[node]:
            tops.setdefault(around, []).append(node)
    return ((around, tops[around], size) for around, size in sizes.items())


def _of(counts: Sequence[Sequence[float]], nodes: Sequence[int]) -> tuple[float, ...]:
    """The sum over `nodes` in each profile."""
    return tuple(sum(count[node] for node in nodes) for count in counts)


def _undrawn(tree: CallTree, drawn: Sequence[int]) -> dict[str, tuple[float, ...]]:
    """The own counts of what is not drawn alone, by function."""
    found: dict[str, list[float]] = {}
    for profile, own in enumerate(tree.own):
        for node, count in enumerate(own):
            if count and drawn[node] != node:
                found.setdefault(tree.names[node], [0.0] * len(tree.own))[profile] += count
    return {name: tuple(counts) for name, counts in found.items()}
