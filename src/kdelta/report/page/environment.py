"""Facts of the boots' machines that are not the same everywhere: what each column was measured with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kdelta.model.dossier import Dossier
from kdelta.model.plan import BoxSpec
from kdelta.model.record import BootRecord

MOMENT = re.compile(r".* (before|after|during)")
"""Facts of the state of a machine at a moment, which hardly any two boots share."""
MOST_VALUES = 3
NOT_RECORDED = "-"


@dataclass(frozen=True)
class Fact:
    """`cells` are by variant: its values, each with the boots that have it where those are not all."""

    name: str
    cells: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Environment:
    """Of one box: what differs unasked, in sentences, and the facts that differ, those of a moment apart."""

    box: BoxSpec
    hidden: tuple[str, ...]
    facts: tuple[Fact, ...]
    moments: tuple[Fact, ...]


def environments(dossier: Dossier) -> tuple[Environment, ...]:
    """One for each box of the plan."""
    variants = [one.name for one in dossier.run.plan.variants]
    found = []
    for box, hidden in zip(dossier.run.plan.boxes, dossier.hidden, strict=True):
        boots = [one for one in dossier.boots if one.box == box.name and one.boot.environment]
        columns = [[one for one in boots if one.variant == name] for name in variants]
        facts = [_fact(name, columns) for name in _differing(boots)]
        moments = tuple(one for one in facts if MOMENT.fullmatch(one.name))
        found.append(Environment(box, hidden, tuple(one for one in facts if one not in moments), moments))
    return tuple(found)


def _differing(boots: Sequence[BootRecord]) -> list[str]:
    """Names of facts, in the order in which they are first met."""
    values: dict[str, set[str]] = {}
    for one in boots:
        for name, value in one.boot.environment.items():
            values.setdefault(name, set()).add(value)
    everywhere = {name for name in values if all(name in one.boot.environment for one in boots)}
    return [name for name, found in values.items() if len(found) > 1 or name not in everywhere]


def _fact(name: str, columns: Iterable[Sequence[BootRecord]]) -> Fact:
    return Fact(name, tuple(_values(name, column) for column in columns))


def _values(name: str, column: Sequence[BootRecord]) -> tuple[str, ...]:
    """The most frequent first."""
    counts = Counter(one.boot.environment.get(name, NOT_RECORDED) for one in column)
    common = counts.most_common(MOST_VALUES)
    shown = [value if len(counts) == 1 else f"{value} ({count} of {len(column)})" for value, count in common]
    left = len(counts) - len(common)
    return tuple(shown + ([f"and {left} more"] if left else []))
