"""What a reader must know about the numbers that they do not say themselves."""

from __future__ import annotations

from collections.abc import Iterable

from kdelta.model.boot import Outcome
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.record import BootRecord
from kdelta.model.words import WORDS, alike
from kdelta.report.text import WIDTH, folded


def failures(plan: Plan, records: Iterable[BootRecord], width: int = WIDTH) -> str:
    """Boots that did not run to their end, and why; empty where all did."""
    bad = [record for record in records if record.boot.outcome is not Outcome.DONE]
    return "".join(f"{folded(': '.join(_parts(plan, record)), width=width)}\n" for record in bad)


def _parts(plan: Plan, record: BootRecord) -> list[str]:
    words = WORDS[plan.box(record.box).kind]
    place = f"{words.unit.capitalize()} of {record.variant} on {record.box}, {words.number} {record.seed}"
    return [part for part in (place, record.boot.outcome.value, record.boot.reason) if part]


def warnings(plan: Plan, records: Iterable[BootRecord], width: int = WIDTH) -> str:
    """What boots warned of, each kind of warning once: with its first figures, and the boots that said so."""
    said: dict[str, tuple[str, dict[str, list[str]]]] = {}
    for record in records:
        place = f"{record.variant} on {record.box}, {WORDS[plan.box(record.box).kind].number}"
        for warning in record.boot.warnings:
            seeds = said.setdefault(alike(warning), (warning, {}))[1].setdefault(place, [])
            seeds.append(str(record.seed))
    return "".join(folded(f"Warning ({_places(places)}): {first}", width=width) + "\n" for first, places in said.values())


def _places(places: dict[str, list[str]]) -> str:
    return "; ".join(f"{place} {', '.join(seeds)}" for place, seeds in places.items())


def hidden(box: BoxSpec, differences: Iterable[str], width: int = WIDTH) -> str:
    """What differs on `box` although nobody asked for it: its table compares that too."""
    return "".join(folded(f"WARNING ({box.name}): {difference}", width=width) + "\n" for difference in differences)
