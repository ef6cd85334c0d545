"""To whom counts of leaf functions were charged, below a profile or a difference in which they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kdelta.profile.charge import Account
from kdelta.report.text import WIDTH, counted, folded, wrapped

MOST_CALLERS = 10
MOST_LEAVES = 3
INDENT = 24 * " "
NAMES = ("old", "new")


class Charged(msgspec.Struct, frozen=True):
    """What was charged of one profile, or of one side of a difference, and how much work that stands for."""

    account: Account
    work: float

    def by_caller(self) -> dict[str, float]:
        """Per unit of work."""
        return {one.name: one.added / self.work for one in self.account.callers}

    @property
    def percent(self) -> float:
        """Of the profile."""
        return 100.0 * sum(one.added for one in self.account.callers) / self.account.before if self.account.before else 0.0


def render(sides: Sequence[Charged], what: str, width: int = WIDTH) -> str:
    """How much of one profile, or of two, was charged to whom, the largest first; counts are per unit of work.

    `what` names the leaf functions as they were asked for.
    """
    names = NAMES if len(sides) > 1 else ("",)
    charged = [side.by_caller() for side in sides]
    most = {name: max(side.get(name, 0.0) for side in charged) for name in set().union(*charged)}
    order = sorted(most, key=lambda name: (-most[name], name))
    shares = " and ".join(_share(side, name) for side, name in zip(sides, names, strict=True))
    lines = [wrapped(f"Charged to {counted(len(order), 'caller')}: {what}, {shares}:", width=width)]
    rows = (_row(sides, [side.get(name, 0.0) for side in charged], name) for name in order[:MOST_CALLERS])
    lines += [folded(row, INDENT, width=width) for row in rows]
    if order[MOST_CALLERS:]:
        lines.append(f"  and {counted(len(order) - MOST_CALLERS, 'more caller')}")
    return "\n".join([*lines, *_left(sides, names, width)]) + "\n"


def _share(side: Charged, name: str) -> str:
    return f"{side.percent:.1f}% of the {f'{name} ' if name else ''}profile"


def _row(sides: Sequence[Charged], amounts: Sequence[float], caller: str) -> str:
    """With the leaf functions of the last side that has any, the new one where it can be."""
    figures = " -> ".join(f"{amount:.1f}" for amount in amounts)
    found = next(one for side in reversed(sides) for one in side.account.callers if one.name == caller)
    leaves = list(found.charged)
    more = f", {len(leaves) - MOST_LEAVES} more" if len(leaves) > MOST_LEAVES else ""
    return f"{figures:>20}  {caller} ({', '.join(leaves[:MOST_LEAVES])}{more})"


def _left(sides: Sequence[Charged], names: Sequence[str], width: int) -> Iterator[str]:
    for side, name in zip(sides, names, strict=True):
        if side.account.left:
            of = f" of the {name} profile" if name else ""
            amount = sum(side.account.left.values()) / side.work
            yield wrapped(f"  not charged{of}, for want of a caller: {amount:.1f}", "    ", width=width)
