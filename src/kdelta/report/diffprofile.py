"""Profiles as text, in the shape of Martin J. Bligh's diffprofile."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kdelta.model.profile import INSTRUCTIONS
from kdelta.profile.change import Change, Difference, total
from kdelta.profile.noise import Noise, noise
from kdelta.report.text import WIDTH, counted

MOST_ROWS = 40
SMALLEST_SHOWN = 0.5
"""In the last digit that is printed: what would be printed as 0 is cut."""

PLAIN_WIDTH = 78
"""Columns: what a mail shows unbroken when it is quoted."""
LEAST_NAME = 24

PROFILE = "profile"
"""Ends the unit of a work that is not known, of which no thousand means anything."""

FOUR_DIGITS = 1000.0
"""A smaller total has a decimal."""

# Of each column its head, and the blanks before it.
HEADS = ("delta", "%", "old%", "new%", "interval", "q", "function")
GAPS = (0, 1, 2, 1, 2, 2, 2)


@dataclass(frozen=True)
class _Scale:
    """Counts are shown per `multiple` units of work, with so many `decimals`."""

    multiple: int
    decimals: int

    def figure(self, value: float, sign: str = "") -> str:
        return f"{round(self.multiple * value, self.decimals) + 0.0:{sign}.{self.decimals}f}"


def multiple(difference: Difference) -> int:
    """Per how many units of work counts are shown."""
    return _scale(difference).multiple


def counted_in(difference: Difference) -> str:
    """What is counted, and per how much work."""
    units = multiple(difference)
    word, of, what = difference.per.partition(" of ")
    return f"{difference.unit} per {f'{units} {word}s{of}{what}' if units > 1 else difference.per}"


def heading(benchmark: str, difference: Difference) -> str:
    """The line above a difference: what is counted, and which sign is good."""
    return f"Diffprofile for {benchmark}, {counted_in(difference)} (-ve numbers better with {difference.new})"


def render_difference(difference: Difference, most_rows: int = MOST_ROWS, *, plain: bool = False, width: int = WIDTH) -> str:
    """What grew on top, what shrank below, the middle summed; the total in its place by size; what noise is and doubts below.

    A function that only the new side has says `new`, one that only the old side has `gone`. Where noise is known, only changes
    beyond it are shown, at most `most_rows`, with their share of each total, their interval and q; where it is not, the largest.
    `plain` leaves the columns of the old tool, in 78 columns.
    """
    width = min(width, PLAIN_WIDTH) if plain else width
    told = _told(difference)
    listed = (_judged if told else _listed)(difference, most_rows, _scale(difference), plain, width)
    notes = [*_idle(difference), _noise(difference, told), *(f"WARNING: {doubt}" for doubt in difference.doubts)]
    return "\n".join([*listed, *(_wrapped(note, width) for note in notes)]) + "\n"


def _told(difference: Difference) -> bool:
    """Whether anything is known of chance."""
    return not all(math.isnan(change.low) for change in difference.changes)


def _scale(difference: Difference) -> _Scale:
    """Of counts that are no instructions, the least power of 1000 of the work for which the greater total has four digits."""
    most, multiple = max(difference.total.old or 0.0, difference.total.new or 0.0), 1
    fixed = difference.unit == INSTRUCTIONS or difference.per.endswith(PROFILE)
    while not fixed and 0.0 < most * multiple < FOUR_DIGITS and multiple < 10**9:
        multiple *= 1000
    return _Scale(multiple, int(0.0 < most * multiple < FOUR_DIGITS))


# ---- which functions ----


def _listed(difference: Difference, most_rows: int, scale: _Scale, plain: bool, width: int) -> Iterator[str]:
    """The largest changes, whatever they mean."""
    least = SMALLEST_SHOWN / scale.multiple / 10**scale.decimals
    kept = [change for change in _by_size(difference.changes)[:most_rows] if abs(change.delta) > least]
    cut = _without(difference.changes, kept)
    yield from _rows(difference, kept, ["..."] if cut else [], scale, plain, width)
    if cut:
        yield f"(... are {counted(len(cut), 'function')}, together {_sum(cut, scale)})"


def _judged(difference: Difference, most_rows: int, scale: _Scale, plain: bool, width: int) -> Iterator[str]:
    """Changes beyond noise. The old tool's readers know no other line in the middle than its dots."""
    real = _by_size(change for change in difference.changes if change.real)
    rest = [change for change in difference.changes if not change.real]
    cut = ((real[most_rows:], "more function", "beyond"), (rest, "function", "within"))
    middle = [_summed(some, f"{counted(len(some), what)} {where} noise", scale, width) for some, what, where in cut if some]
    yield from _rows(difference, real[:most_rows], ["..."] if plain and middle else middle, scale, plain, width)
    yield from (f"({line})" for line in middle if plain)


def _by_size(changes: Iterable[Change]) -> list[Change]:
    return sorted(changes, key=lambda change: -abs(change.delta))


def _without(changes: Sequence[Change], kept: Sequence[Change]) -> list[Change]:
    names = {change.name for change in kept}
    return [change for change in changes if change.name not in names]


def _summed(changes: Sequence[Change], what: str, scale: _Scale, width: int) -> str:
    largest = _by_size(changes)[0]
    line = f"... {what}, together {_sum(changes, scale)}"
    which = f", the largest {shortened(largest.name, LEAST_NAME)} {scale.figure(largest.delta, '+')}"
    return line + which if len(line + which) <= width - len("()") else line


def _sum(changes: Sequence[Change], scale: _Scale) -> str:
    return f"{scale.multiple * total('', list(changes)).delta + 0.0:+.1f}"


# ---- their rows ----


def _rows(
    difference: Difference, kept: Sequence[Change], middle: Sequence[str], scale: _Scale, plain: bool, width: int
) -> Iterator[str]:
    whole = difference.total
    rows = sorted([*kept, whole], key=lambda change: (-change.delta, change.name))
    lines = [_plain(row, scale, width) for row in rows] if plain else _full(rows, whole, scale, width)
    grew = sum(row.delta >= 0.0 for row in rows) + (not plain)
    return iter([*lines[:grew], *middle, *lines[grew:]])


def _plain(change: Change, scale: _Scale, width: int) -> str:
    row = f"{scale.figure(change.delta):>10} {_percent(change):>8} "
    return row + shortened(change.name, max(width - len(row), LEAST_NAME))


def _full(rows: Sequence[Change], whole: Change, scale: _Scale, width: int) -> list[str]:
    """A head and the rows, without the columns in which nothing stands."""
    columns = list(zip(HEADS, *(_cells(row, whole, scale) for row in rows), strict=True))
    filled = [(gap, column) for gap, column in zip(GAPS, columns, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for _, column in filled]
    room = max(width - sum(widths[:-1]) - sum(gap for gap, _ in filled), LEAST_NAME)
    lines = zip(*(column for _, column in filled), strict=True)
    return [_line(line, [gap for gap, _ in filled], widths, room) for line in lines]


def _line(cells: Sequence[str], gaps: Sequence[int], widths: Sequence[int], room: int) -> str:
    *figures, name = zip(cells, gaps, widths, strict=True)
    return "".join(f"{'':{gap}}{cell:>{width}}" for cell, gap, width in figures) + " " * name[1] + shortened(name[0], room)


def _cells(change: Change, whole: Change, scale: _Scale) -> tuple[str, ...]:
    """As HEADS."""
    ends = "" if math.isnan(change.low) else f"[{scale.figure(change.low, '+')}, {scale.figure(change.high, '+')}]"
    shares = (_share(change.old, whole.old), _share(change.new, whole.new))
    return (f"{scale.figure(change.delta):>10}", f"{_percent(change):>8}", *shares, ends, _probability(change.q), change.name)


def _percent(change: Change) -> str:
    if change.old is None:
        return "new"
    if change.new is None:
        return "gone"
    return "-" if change.percent is None else f"{change.percent:.1f}%"


def _share(part: float | None, whole: float | None) -> str:
    return "-" if part is None or not whole else f"{100.0 * part / whole:.2f}"


def _probability(q: float) -> str:
    return "" if math.isnan(q) else "<.001" if q < 0.0005 else f"{q:.3f}".lstrip("0")


def shortened(name: str, room: int) -> str:
    """In ASCII that a terminal can be trusted with, its middle cut where it is longer than `room`."""
    shown = "".join(one if " " <= one <= "~" else "?" for one in name)
    return shown if len(shown) <= room else f"{shown[: room // 2]}..{shown[len(shown) - (room - room // 2 - 2) :]}"


# ---- what is said below them ----


def _idle(difference: Difference) -> Iterator[str]:
    if difference.idle:
        whole, scale = total("idle", difference.idle), _scale(difference)
        names = ", ".join(shortened(change.name, LEAST_NAME) for change in _by_size(difference.idle))
        old, new = (scale.figure(count or 0.0) for count in (whole.old, whole.new))
        yield f"Idle, not in the total: {old} -> {new}, {scale.figure(whole.delta, '+')} ({_percent(whole)}): {names}"


def _noise(difference: Difference, told: bool) -> str:
    old, new = difference.profiles
    profiles = f"{old} old and {counted(new, 'new profile')}"
    if not told:
        return f"Noise: nothing is known of it from {profiles}; the largest differences are shown."
    kind = noise(difference.unit, difference.profiles)
    material = ", and .05 % of the total or more" if kind is Noise.SPREAD else ""
    beyond = f"q at most {difference.level:g}{material}; {100.0 * (1.0 - difference.level):.4g} % intervals"
    return f"Noise: {kind.value}; {profiles}. Beyond it: {beyond}."


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, width, subsequent_indent="  ", break_on_hyphens=False)


# ---- one profile ----


def render_profile(counts: dict[str, float], most_rows: int | None = MOST_ROWS) -> str:
    """Instructions per operation, share of the total and function, largest first; what is cut is summed in one line."""
    whole = sum(counts.values())
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown, cut = rows[:most_rows], rows[len(rows[:most_rows]) :]
    lines = [_profile_row(whole, whole, "total"), *(_profile_row(count, whole, name) for name, count in shown)]
    if cut:
        lines.append(_profile_row(sum(count for _, count in cut), whole, f"({len(cut)} more functions)"))
    return "\n".join(lines) + "\n"


def _profile_row(count: float, whole: float, name: str) -> str:
    share = 100.0 * count / whole if whole else 0.0
    return f"{count:12.1f} {share:6.2f}% {name}"


def render_counts(counts: Mapping[str, float], most_rows: int = MOST_ROWS) -> str:
    """Whole counts and functions as readprofile lists them, largest first: `5392317 total`."""
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most_rows]
    return "".join(f"{count:.0f} {shortened(name, WIDTH)}\n" for name, count in [("total", sum(counts.values())), *rows])
