"""Entries in the units in which they were printed: 3.51 usec is not shown as 3.51e-06 s."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from kdelta.archive.numbers import parsed
from kdelta.model.published import Entry, Number

OF_THEIR_OWN = ("cv", "change")
"""Figures in percent, whatever the unit of the values."""
PERCENT = "%"
_NEAR = 1e-9

Key = tuple[str, str]
"""Names of benchmark and metric."""


def as_printed(entries: Sequence[Entry]) -> list[Entry]:
    """The same in the unit that is printed, where all of one benchmark and metric are printed in one; else as they are."""
    of: dict[Key, list[Entry]] = {}
    for entry in entries:
        of.setdefault((entry.benchmark, entry.metric), []).append(entry)
    factors = {key: _factor(each) for key, each in of.items()}
    return [_in_unit(entry, factors[entry.benchmark, entry.metric]) for entry in entries]


def _factor(entries: Sequence[Entry]) -> float | None:
    """What one printed unit is in the unit of the entries; None where that is not the same for all of them."""
    if len({(entry.unit, entry.printed_unit) for entry in entries}) > 1:
        return None
    found = [one for entry in entries for number in _values(entry) for one in _own(number)]
    factor = found[0] if found else 1.0
    return factor if all(math.isclose(one, factor, rel_tol=_NEAR) for one in found) else None


def _values(entry: Entry) -> Iterator[Number]:
    yield from entry.samples
    yield from (one.number for one in entry.discarded)
    yield from (one for name, one in entry.figures.items() if name not in OF_THEIR_OWN)


def _own(number: Number) -> Iterable[float]:
    """Empty for 0, which is the same in all units."""
    value = _printed(number)
    return () if not number.value or not value else (number.value / value,)


def _printed(number: Number) -> float | None:
    try:
        return parsed(number.text)[0]
    except ValueError:
        try:
            return parsed(number.text, comma=True)[0]
        except ValueError:
            return None


def _in_unit(entry: Entry, factor: float | None) -> Entry:
    unit = entry.printed_unit if factor is not None and entry.printed_unit else entry.unit
    if entry.relative:
        unit = unit or PERCENT
    if factor is None or factor == 1.0 or not entry.printed_unit:
        return entry if unit == entry.unit else msgspec.structs.replace(entry, unit=unit)
    return msgspec.structs.replace(
        entry,
        unit=unit,
        samples=tuple(_scaled(one, factor) for one in entry.samples),
        discarded=tuple(msgspec.structs.replace(one, number=_scaled(one.number, factor)) for one in entry.discarded),
        figures={name: one if name in OF_THEIR_OWN else _scaled(one, factor) for name, one in entry.figures.items()},
    )


def _scaled(number: Number, factor: float) -> Number:
    value = _printed(number)
    return msgspec.structs.replace(number, value=number.value / factor if value is None else value, step=number.step / factor)
