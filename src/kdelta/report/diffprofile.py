"""Profiles as text, in the shape of Martin J. Bligh's diffprofile."""

from __future__ import annotations

from collections.abc import Sequence

from kdelta.profile.change import Change

MOST_ROWS = 40
SMALLEST_SHOWN = 0.5
"""Instructions per operation: what would be printed as 0 is cut."""


def render_difference(changes: Sequence[Change], most_rows: int = MOST_ROWS) -> str:
    """What grew on top, what shrank below, the middle cut; the total in its place by size.

    A function that only the new side has says `new`, one that only the old side has `gone`.
    """
    total = Change(name="total", old=sum(c.old or 0.0 for c in changes), new=sum(c.new or 0.0 for c in changes))
    by_size = sorted(changes, key=lambda change: -abs(change.delta))
    kept = [change for change in by_size[:most_rows] if abs(change.delta) > SMALLEST_SHOWN]
    cut = [change for change in changes if change not in kept]
    rows = sorted([*kept, total], key=lambda change: (-change.delta, change.name))
    grew = [_row(change) for change in rows if change.delta >= 0]
    shrank = [_row(change) for change in rows if change.delta < 0]
    lines = [*grew, *(["..."] if cut else []), *shrank]
    if cut:
        lines.append(f"(... are {len(cut)} functions, together {sum(change.delta for change in cut):+.1f})")
    return "\n".join(lines) + "\n"


def _row(change: Change) -> str:
    return f"{round(change.delta):10d} {_percent(change):>8} {change.name}"


def _percent(change: Change) -> str:
    if change.old is None:
        return "new"
    if change.new is None:
        return "gone"
    return "-" if change.percent is None else f"{change.percent:.1f}%"


def render_profile(counts: dict[str, float], most_rows: int | None = MOST_ROWS) -> str:
    """Instructions per operation, share of the total and function, largest first; what is cut is summed in one line."""
    total = sum(counts.values())
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown, cut = rows[:most_rows], rows[len(rows[:most_rows]) :]
    lines = [_profile_row(total, total, "total"), *(_profile_row(count, total, name) for name, count in shown)]
    if cut:
        lines.append(_profile_row(sum(count for _, count in cut), total, f"({len(cut)} more functions)"))
    return "\n".join(lines) + "\n"


def _profile_row(count: float, total: float, name: str) -> str:
    share = 100.0 * count / total if total else 0.0
    return f"{count:12.1f} {share:6.2f}% {name}"
