"""The difference of two profiles as plain data for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable

from kdelta.profile.change import Change, Difference

Data = dict[str, object]


def to_json(difference: Difference) -> Data:
    """All of a difference: counts per unit of work, shares of the total without idle time. null is what is not known.

    Functions are in the order of the difference, what grew most first.
    """
    whole = difference.total
    return {
        "old": difference.old,
        "new": difference.new,
        "unit": difference.unit,
        "per": difference.per,
        "old_profiles": difference.profiles[0],
        "new_profiles": difference.profiles[1],
        "total": _row(whole, whole),
        "functions": _rows(difference.changes, whole),
        "idle": _rows(difference.idle, whole),
        "doubts": list(difference.doubts),
    }


def _rows(changes: Iterable[Change], whole: Change) -> list[Data]:
    return [_row(change, whole) for change in changes]


def _row(change: Change, whole: Change) -> Data:
    return {
        "name": change.name,
        "old": _number(change.old),
        "new": _number(change.new),
        "delta": _number(change.delta),
        "percent": _number(change.percent),
        "low": _number(change.low),
        "high": _number(change.high),
        "q": _number(change.q),
        "real": change.real,
        "old_share": _share(change.old, whole.old),
        "new_share": _share(change.new, whole.new),
    }


def _share(part: float | None, whole: float | None) -> float | None:
    return _number(part / whole) if part is not None and whole else None


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
