"""Folded stacks as text, a line for each chain, as Brendan Gregg's flamegraph.pl and difffolded.pl have them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from kdelta.model.profile import SEPARATOR
from kdelta.report.frames import frames


def render(counts: Mapping[str, float]) -> str:
    """`a;b;c 123`, in the order of the chains; counts per unit of work have all their decimals."""
    return "".join(f"{_chain(chain)} {_number(counts[chain])}\n" for chain in sorted(counts))


def render_pair(old: Mapping[str, float], new: Mapping[str, float]) -> str:
    """`a;b;c 123 456`, the old count first; 0 for a chain that a side does not have."""
    chains = sorted(old.keys() | new.keys())
    return "".join(f"{_chain(chain)} {_number(old.get(chain, 0))} {_number(new.get(chain, 0))}\n" for chain in chains)


def _chain(chain: str) -> str:
    return SEPARATOR.join(frames(chain))


def _number(count: float) -> str:
    """All digits and no exponent, which readers of the format do not know."""
    whole = isinstance(count, int) or count.is_integer()
    return str(int(count)) if whole else f"{Decimal(repr(count)):f}"
