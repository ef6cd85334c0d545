"""Whether boxes agree, and what is different about those that do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from tests.unit.judged import boots, noisy, planned

from kdelta.judge.judgement import judge
from kdelta.model.plan import BoxSpec
from kdelta.model.verdict import Agreement, Answer, Dissent

BOXES = [BoxSpec(name=name, cpus=cpus) for name, cpus in (("numa", 16), ("xeon", 4), ("athlon", 2))]


def agreed(
    ratios: Sequence[float], facts: Mapping[str, Mapping[str, str]] | None = None, sd: float = 0.001
) -> tuple[Agreement, ...]:
    """Of boxes on which new is slower by these ratios; `facts` are by box."""
    boxes = BOXES[: len(ratios)]
    of = planned(rounds=4, boxes=boxes)
    records = []
    for place, (box, ratio) in enumerate(zip(boxes, ratios, strict=True)):
        values = {("old", "null"): noisy(4, sd=sd, seed=place), ("new", "null"): noisy(4, ratio=ratio, sd=sd, seed=10 + place)}
        own = dict((facts or {}).get(box.name, {}))
        records += boots(of, values, box=box.name, environment={"old": own, "new": own})
    return judge(of, records).agreements


def test_boxes_that_agree_are_named_together() -> None:
    (found,) = agreed([1.1, 1.1, 1.1])
    assert (found.answer, found.boxes, found.dissents) == (Answer.SLOWER, ("numa", "xeon", "athlon"), ())


def test_a_box_with_another_answer_dissents_and_says_what_it_is() -> None:
    (found,) = agreed([1.1, 1.1, 1.0], {"numa": {"SMT": "on"}, "xeon": {"SMT": "on"}, "athlon": {"SMT": "off"}})
    assert (found.answer, found.boxes) == (Answer.SLOWER, ("numa", "xeon"))
    assert found.dissents == (Dissent("athlon", Answer.EQUIVALENT, ("2 CPUs", "SMT off")),)


def test_undecided_boxes_do_not_outvote_a_decided_one() -> None:
    (found,) = agreed([1.3, 1.0, 1.0], sd=0.03)
    assert (found.answer, found.boxes) == (Answer.SLOWER, ("numa",))
    assert [one.answer for one in found.dissents] == [Answer.UNDECIDED, Answer.UNDECIDED]


def test_one_box_has_nobody_to_agree_with() -> None:
    assert agreed([1.1]) == ()


def test_nothing_decided_is_no_agreement() -> None:
    of = planned(rounds=2, boxes=BOXES[:2])
    assert judge(of, []).agreements == ()
    assert msgspec.structs.asdict(of)["seeds"] == 2
