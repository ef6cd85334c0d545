"""What the unit of replication is called on a kind of box."""

from __future__ import annotations

import re

import msgspec

from kdelta.model.plan import EXACT, LOCAL, PUBLISHED, BoxSpec


class Words(msgspec.Struct, frozen=True):
    """`unit` is what is repeated, `number` what tells one repetition from the next."""

    unit: str
    number: str

    def units(self, count: int) -> str:
        return f"{count} {self.unit}{'' if count == 1 else 's'}"


WORDS = {EXACT: Words("boot", "seed"), LOCAL: Words("visit", "round"), PUBLISHED: Words("result", "text")}

FIGURES = re.compile(r"\d+(?:\.\d+)?")


def called(box: BoxSpec) -> str:
    """`4-way xeon box`. Of a published one what it is called there, since how many CPUs it has is not known."""
    if box.kind != PUBLISHED:
        return f"{box.cpus}-way {box.name} box"
    return box.name if box.name.startswith(PUBLISHED) else f"{box.name} box"


def alike(text: str) -> str:
    """`text` without its figures: what several boots say in other numbers is the same."""
    return FIGURES.sub("#", text)
