"""What becomes of a claim when it is computed again from the numbers that are printed beside it."""

from __future__ import annotations

from enum import Enum

import msgspec

from kdelta.model.published import Claim


class Standing(Enum):
    """`HOLDS`: the printed numbers can give it."""

    HOLDS = "holds"
    OFF = "off"
    UNCHECKED = "cannot be checked"


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """`again` is what the printed numbers give, in the claim's own sign and base unit, None where they give nothing. `how` says how
    it holds ("truncated"), or why it cannot be checked.
    """

    claim: Claim
    standing: Standing
    again: float | None = None
    how: str = ""


class CheckedBlock(msgspec.Struct, frozen=True, kw_only=True):
    """The claims of one block. `reading` says how its percentages are meant, where it has any that hold."""

    title: str
    format: str
    first: int
    last: int
    claims: tuple[Checked, ...]
    reading: str = ""

    def count(self, standing: Standing) -> int:
        return sum(one.standing is standing for one in self.claims)
