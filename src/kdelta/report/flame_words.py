"""What a flame graph says in words: of a frame, of what has no frame, of the whole."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kdelta.model.profile import UNKNOWN
from kdelta.profile.change import Change, Difference, total
from kdelta.profile.clones import base_name
from kdelta.profile.moves import AND, ARROW
from kdelta.report.call_tree import CallTree
from kdelta.report.colours import STEPS
from kdelta.report.flame_layout import MOST_DEPTH, Frame, Layout
from kdelta.report.frames import shown
from kdelta.report.svg import amount, believed, fitted, signed, step

MOST_NAME = 200
"""Characters of a name: templates of C++ and Rust have thousands."""
MOST_LISTED, MOST_COLUMNS = 12, 60
"""Functions of each kind that have no frame, and columns of the name of one."""
MOST_NAMED = 5
"""Functions in the description."""

# A function that moved is called by both of its names.
NAMES = re.compile(f"{re.escape(ARROW)}|{re.escape(AND)}")

Changes = Mapping[str, Change]


def by_name(changes: Iterable[Change]) -> Changes:
    """Changes by the name of their function, those of functions that moved by each of its names."""
    found: dict[str, Change] = {}
    moved = [change for change in changes if found.setdefault(change.name, change) and " -> " in change.name]
    for change in moved:
        for name in NAMES.split(change.name):
            found.setdefault(name, change)
    return found


def of_function(changes: Changes, name: str) -> Change | None:
    """The change of the function called `name`, or of that of which it is a clone."""
    return changes.get(name) or changes.get(base_name(name))


def name(frame: Frame) -> str:
    """What is written on a frame."""
    if frame.merged:
        frames = "frame" if frame.merged == 1 else "frames"
        return f"{frame.merged:,} {'deeper' if frame.depth > MOST_DEPTH else 'narrower'} {frames}"
    return frame.name or (UNKNOWN if frame.depth else "all")


def about(frame: Frame, changes: Changes) -> str:
    """What is said of the frame of a difference: its counts on both sides, and the change of its function."""
    function = of_function(changes, frame.name) if frame.depth and not frame.merged else None
    return "\n".join([_cut(name(frame)), *_counts(frame, function)])


def _counts(frame: Frame, function: Change | None) -> Iterator[str]:
    yield f"with what it calls: {step(*frame.counts)}, {_share(frame)}"
    if frame.own and frame.own != frame.counts and any(frame.own):
        yield f"itself: {step(*frame.own)}"
    if function:
        moved = f" ({_cut(function.name)})" if " -> " in function.name else ""
        yield f"itself, whoever calls it{moved}: {step(function.old or 0.0, function.new or 0.0)}, {believed(function)}"


def about_one(frame: Frame) -> str:
    """What is said of the frame of one profile."""
    itself = f"\nitself: {amount(frame.own[0])}" if any(frame.own) else ""
    return f"{_cut(name(frame))}\nwith what it calls: {amount(frame.counts[0])}, {_share(frame)}{itself}"


def _share(frame: Frame) -> str:
    return f"{100.0 * frame.width:.3g}% of all"


def _cut(text: str) -> str:
    """In one line."""
    return shown(text) if len(text) <= MOST_NAME else f"{shown(text[:MOST_NAME])}..."


# ---- the whole ----


def totals(sides: tuple[str, str], counts: tuple[float, ...], measure: str) -> str:
    return f"{_cut(sides[0])} -> {_cut(sides[1])}: {step(counts[0], counts[1])} {measure}"


def how(difference: Difference | None, side: str) -> str:
    """How to read the picture."""
    colours = "In colour: functions of which the own count changed beyond noise."
    unknown = "No colours: which changes are beyond noise is not known."
    return f"As wide as in {_cut(side)}. {colours if difference else unknown}"


def steps() -> str:
    """From which changes on colours are darker."""
    return f"darker: {', '.join(f'{100.0 * share:g}%' for share in STEPS)} of the old total and more"


def largest(difference: Difference | None) -> str:
    """The functions with the largest changes beyond noise, for who does not see the picture."""
    real = sorted((c for c in difference.changes if c.real), key=_by_size) if difference else []
    named = ", ".join(f"{_cut(change.name)} {signed(change.delta)}" for change in real[:MOST_NAMED])
    return f"The largest changes beyond noise: {named}." if named else "No change is known to be beyond noise."


def hottest(tree: CallTree) -> str:
    """The functions with most counts of their own, for who does not see the picture."""
    own: dict[str, float] = {}
    for name, count in zip(tree.names, tree.own[0], strict=True):
        own[name] = own.get(name, 0.0) + count
    found = sorted(own.items(), key=lambda item: (-item[1], item[0]))[:MOST_NAMED]
    return f"The functions with most of their own: {', '.join(f'{_cut(name)} {amount(count)}' for name, count in found)}."


# ---- what has no frame ----


def undrawn(layout: Layout, changes: Changes, absent: str) -> list[list[str]]:
    """Words on the own counts of functions in chains that are not drawn: what changed most first, the rest summed.

    With the own counts of all frames these are all counts. `absent` is what functions are that can have no frame.
    """
    note = " (*: beyond noise)" if changes else ""
    found = [Change(name=name, old=own[0], new=own[1]) for name, own in layout.undrawn.items()]
    gone = [change for change in found if change.name in layout.absent]
    rest = [change for change in found if change.name not in layout.absent]
    headings = (f"{absent}{note}:", gone), (f"In chains that are {absent.lower()} or too narrow{note}:", rest)
    return [[heading, *_listed(of, changes)] for heading, of in headings if of]


def _listed(found: Sequence[Change], changes: Changes) -> list[str]:
    """Each an item that no line breaks."""
    ordered = sorted(found, key=_by_size)
    items = [f"{fitted(one.name, MOST_COLUMNS)} {signed(one.delta)}{_mark(one, changes)}" for one in ordered[:MOST_LISTED]]
    rest = ordered[MOST_LISTED:]
    return _joined([*items, f"and {len(rest):,} more {signed(total('', rest).delta)}"] if rest else items)


def _mark(change: Change, changes: Changes) -> str:
    function = of_function(changes, change.name)
    return "*" if function and function.real else ""


def undrawn_one(layout: Layout) -> list[list[str]]:
    """The same of one profile."""
    ordered = sorted(layout.undrawn.items(), key=lambda item: (-item[1][0], item[0]))
    items = [f"{fitted(name, MOST_COLUMNS)} {amount(own[0])}" for name, own in ordered[:MOST_LISTED]]
    rest = ordered[MOST_LISTED:]
    more = [f"and {len(rest):,} more {amount(math.fsum(own[0] for _, own in rest))}"] if rest else []
    return [["In chains that are too narrow:", *_joined(items + more)]] if items else []


def _joined(items: list[str]) -> list[str]:
    return [*(f"{item}," for item in items[:-1]), *items[-1:]]


def _by_size(change: Change) -> tuple[float, str]:
    return -abs(change.delta), change.name
