"""Where the run loop takes its boots from: all of them in order, or round by round with a rule that says what is still wanted."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Protocol

from kdelta.model.boot import Boot, Outcome
from kdelta.model.plan import Slot

REPEATED = frozenset({Outcome.LOST, Outcome.HANG})
"""What a machine may have done to a boot, and not the kernel: it is tried once more at the end of its round."""

Wanted = Callable[[Sequence[Slot]], Sequence[Slot]]
"""The rule: of a round that is to come, the boots that are still worth making, each with the benchmarks that are."""


class Source(Protocol):
    """What the run loop asks."""

    def take(self) -> Slot | None:
        """The next boot; None where none can begin before one that is under way has ended, and at the end."""

    def ended(self, slot: Slot, boot: Boot) -> None: ...


class Straight:
    """All boots in their order."""

    def __init__(self, slots: Iterable[Slot]) -> None:
        self._todo = iter(slots)

    def take(self) -> Slot | None:
        return next(self._todo, None)

    def ended(self, slot: Slot, boot: Boot) -> None: ...


class After:
    """One source to its end, then the other."""

    def __init__(self, first: Source, then: Source) -> None:
        self._first, self._then = first, then
        self._under_way: set[int] = set()

    def take(self) -> Slot | None:
        slot = self._first.take()
        if slot is not None:
            self._under_way.add(slot.position)
        # What is under way may bring more.
        return slot if slot or self._under_way else self._then.take()

    def ended(self, slot: Slot, boot: Boot) -> None:
        if slot.position in self._under_way:
            self._under_way.discard(slot.position)
            self._first.ended(slot, boot)
        else:
            self._then.ended(slot, boot)


class Rounds:
    """Round by round: the next one is begun when all boots of the one before have ended, with what `wanted` leaves of it.

    No round is begun once `budget_seconds`, counted from the first, are used up.
    """

    def __init__(self, slots: Iterable[Slot], wanted: Wanted, budget_seconds: float | None = None) -> None:
        self._rounds = iter([list(group) for _, group in groupby(slots, key=lambda slot: slot.seed)])
        self._wanted, self._budget = wanted, budget_seconds
        self._queue: deque[Slot] = deque()
        self._again: list[Slot] = []
        self._under_way: set[int] = set()
        self._repeated: set[int] = set()
        self._started: float | None = None

    def take(self) -> Slot | None:
        if not self._queue and not self._under_way:
            self._queue.extend(self._again or self._next())
            self._again = []
        if not self._queue:
            return None
        slot = self._queue.popleft()
        self._under_way.add(slot.position)
        return slot

    def ended(self, slot: Slot, boot: Boot) -> None:
        self._under_way.discard(slot.position)
        if boot.outcome in REPEATED and slot.position not in self._repeated:
            self._repeated.add(slot.position)
            self._again.append(slot)

    def _next(self) -> Sequence[Slot]:
        """The next round in which something is wanted."""
        self._started = time.monotonic() if self._started is None else self._started
        for slots in self._rounds:
            if self._budget is not None and time.monotonic() - self._started >= self._budget:
                break
            if wanted := self._wanted(slots):
                return wanted
        return ()
