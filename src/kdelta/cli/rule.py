"""The verdict rule at work: after each round the store is judged, and the next round is what is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from kdelta.judge.rule import Standing, announcements, standing
from kdelta.model.plan import Slot
from kdelta.model.record import RunRecord
from kdelta.report.announcement import announcement
from kdelta.store.store import Store


class VerdictRule:
    """What run.source.Rounds asks before each round; `say` gets a line for what was decided."""

    def __init__(self, store: Store, run: RunRecord, say: Callable[[str], None]) -> None:
        self._store, self._run, self._say = store, run, say
        self._before: Standing | None = None

    def __call__(self, slots: Sequence[Slot]) -> Sequence[Slot]:
        """The boots of the next round that are still wanted, by what was stored of the rounds before it."""
        plan = self._run.plan
        records = [record for record in self._store.boots(self._run.id) if record.seed < slots[0].seed]
        if not records:
            return slots
        now = standing(plan, records)
        news = announcements(self._before, now)
        self._before = now
        for line in announcement(plan, slots[0].seed - plan.first_seed, news):
            self._say(line)
        narrowed = (_narrowed(slot, now) for slot in slots)
        return [slot for slot in narrowed if slot.benchmarks]


def _narrowed(slot: Slot, now: Standing) -> Slot:
    left = tuple(one for one in slot.benchmarks if (slot.box, slot.variant, one.name) in now.wanted)
    return msgspec.structs.replace(slot, benchmarks=left)
