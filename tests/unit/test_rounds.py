"""Boots round by round: none before the round before it has ended, and only those that the rule leaves."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.unit.builders import boot, failed_boot, slot

from kdelta.model.boot import Outcome
from kdelta.model.plan import Slot
from kdelta.run.source import After, Rounds, Straight

GOOD, LOST = boot({"null": [1.0]}), failed_boot([], Outcome.LOST)


def two_rounds() -> list[Slot]:
    return [slot(place, name, seed=seed) for place, (seed, name) in enumerate(((1, "old"), (1, "new"), (2, "new"), (2, "old")))]


def everything(slots: Sequence[Slot]) -> Sequence[Slot]:
    return slots


def taken(rounds: Rounds) -> list[int]:
    """All that can be taken at once."""
    return [slot.position for slot in iter(rounds.take, None)]


def test_straight_gives_all_at_once() -> None:
    straight = Straight(two_rounds())
    assert [one.position for one in iter(straight.take, None)] == [0, 1, 2, 3]


def test_a_round_begins_when_the_one_before_has_ended() -> None:
    slots = two_rounds()
    rounds = Rounds(slots, everything)
    assert taken(rounds) == [0, 1]
    rounds.ended(slots[0], GOOD)
    assert taken(rounds) == []
    rounds.ended(slots[1], GOOD)
    assert taken(rounds) == [2, 3]


def test_one_source_begins_when_all_of_the_other_has_ended() -> None:
    slots = two_rounds()
    both = After(Rounds(slots[:2], everything), Straight(slots[2:]))
    first = [both.take(), both.take(), both.take()]
    both.ended(slots[0], GOOD)
    assert (first, both.take()) == ([slots[0], slots[1], None], None)
    both.ended(slots[1], GOOD)
    assert [both.take(), both.take(), both.take()] == [slots[2], slots[3], None]


def test_what_the_first_source_repeats_comes_before_the_other() -> None:
    slots = two_rounds()
    both = After(Rounds(slots[:1], everything), Straight(slots[1:2]))
    assert both.take() == slots[0]
    both.ended(slots[0], LOST)
    assert both.take() == slots[0]
    both.ended(slots[0], GOOD)
    both.ended(slots[1], GOOD)
    assert both.take() == slots[1]


def test_only_what_the_rule_leaves_is_booted() -> None:
    rounds = Rounds(two_rounds(), lambda slots: [one for one in slots if one.variant == "new"])
    assert taken(rounds) == [1]


def test_a_round_of_which_nothing_is_left_is_passed_over() -> None:
    rounds = Rounds(two_rounds(), lambda slots: slots if slots[0].seed == 2 else ())
    assert taken(rounds) == [2, 3]


def test_the_rule_is_asked_only_once_the_round_before_has_ended() -> None:
    asked: list[int] = []

    def rule(slots: Sequence[Slot]) -> Sequence[Slot]:
        asked.append(slots[0].seed)
        return slots

    slots = two_rounds()
    rounds = Rounds(slots, rule)
    taken(rounds)
    assert asked == [1]
    for one in slots[:2]:
        rounds.ended(one, GOOD)
    taken(rounds)
    assert asked == [1, 2]


def test_a_lost_boot_is_repeated_once_at_the_end_of_its_round() -> None:
    slots = two_rounds()
    rounds = Rounds(slots, everything)
    taken(rounds)
    rounds.ended(slots[0], LOST)
    rounds.ended(slots[1], GOOD)
    assert taken(rounds) == [0]
    rounds.ended(slots[0], LOST)
    assert taken(rounds) == [2, 3]


def test_a_kernel_that_panics_is_not_repeated() -> None:
    slots = two_rounds()
    rounds = Rounds(slots, everything)
    taken(rounds)
    rounds.ended(slots[0], failed_boot([], Outcome.PANIC))
    rounds.ended(slots[1], GOOD)
    assert taken(rounds) == [2, 3]


def test_no_round_is_begun_after_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 100.0])
    monkeypatch.setattr("kdelta.run.source.time.monotonic", lambda: next(clock))
    slots = two_rounds()
    rounds = Rounds(slots, everything, budget_seconds=60.0)
    assert taken(rounds) == [0, 1]
    for one in slots[:2]:
        rounds.ended(one, GOOD)
    assert taken(rounds) == []
