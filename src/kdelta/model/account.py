"""What became of the results of a run."""

from __future__ import annotations

import msgspec


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A result is one iteration of one benchmark, however many metrics it has. `reasons` are why results are not judged,
    each with how many: with `judged` they make up `taken`.
    """

    taken: int
    judged: int
    reasons: dict[str, int]
