"""Which patterns are seen in verdicts, and on which verdicts each rests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec
import pytest
from hypothesis import given, settings
from tests.unit import verdicts as made
from tests.unit.verdicts import BOX, EQUIVALENT, FASTER, SLOWER, UNDECIDED, failed, judgement, mean, verdict

from kdelta.judge.findings import findings
from kdelta.model.benchmark import SCRIPTS_PER_HOUR, TIME_PER_OPERATION, Better, Metric
from kdelta.model.finding import Finding, Names, Pattern, cost, missing, names
from kdelta.model.plan import BoxSpec
from kdelta.model.verdict import Agreement, Answer, Axis, Dissent, Judgement, Ratio, Verdict

PERCENTS = {SLOWER: (9.0, 8.0, 10.0), FASTER: (-9.0, -10.0, -8.0), EQUIVALENT: (0.1, -0.4, 0.6), UNDECIDED: (2.0, -1.0, 5.0)}
Answers = dict[str, Answer]


def contrasts(base: str, new: str, answers: Answers, *, box: BoxSpec = BOX) -> list[Verdict]:
    return [verdict(answer, PERCENTS[answer], name=name, base=base, new=new, box=box) for name, answer in answers.items()]


def patterns(of: Iterable[Finding]) -> list[Pattern]:
    return [one.pattern for one in of]


# ---- each side against its base ----

SUMMARIES = {
    "all equivalent": ([EQUIVALENT, EQUIVALENT], Pattern.EQUIVALENT),
    "all undecided": ([UNDECIDED, UNDECIDED], Pattern.UNDECIDED),
    "some of each": ([EQUIVALENT, UNDECIDED], Pattern.MIXED),
    "all slower": ([SLOWER, SLOWER], Pattern.MIXED),
}


@pytest.mark.parametrize(("answers", "pattern"), SUMMARIES.values(), ids=SUMMARIES)
def test_a_column_is_summed_up_by_its_answers(answers: Sequence[Answer], pattern: Pattern) -> None:
    found = contrasts("old", "new", {f"b{place}": answer for place, answer in enumerate(answers)})
    assert findings(judgement(*found)) == (
        Finding(pattern=pattern, axis=Axis.COLUMNS, margin=0.01, box=BOX, base="old", news=("new",), verdicts=tuple(found)),
    )


def test_where_no_side_has_values_nothing_was_measured() -> None:
    assert patterns(findings(judgement(failed("a"), failed("b")))) == [Pattern.UNMEASURED]
    assert patterns(findings(judgement(failed("a"), verdict(name="b")))) == [Pattern.UNDECIDED]


def test_without_verdicts_there_is_one_thing_to_say() -> None:
    assert findings(judgement()) == (Finding(pattern=Pattern.UNMEASURED, axis=Axis.COLUMNS, margin=0.01),)


def test_columns_that_are_all_equivalent_on_the_same_benchmarks_are_said_together() -> None:
    same = {"ctx-2": EQUIVALENT, "mmap": EQUIVALENT}
    fewer = {"ctx-2": EQUIVALENT}
    found = [one for new, answers in {"a": same, "b": same, "c": fewer}.items() for one in contrasts("old", new, answers)]
    assert [one.news for one in findings(judgement(*found))] == [("a", "b"), ("c",)]


def test_columns_that_are_undecided_are_said_apart() -> None:
    found = [one for new in ("a", "b") for one in contrasts("old", new, {"ctx-2": UNDECIDED})]
    assert [one.news for one in findings(judgement(*found))] == [("a",), ("b",)]


def test_a_mean_goes_with_the_column_that_it_is_of() -> None:
    found = [*contrasts("old", "a", {"ctx-2": SLOWER}), *contrasts("old", "b", {"ctx-2": UNDECIDED})]
    whole = mean(SLOWER, (9.0, 8.0, 10.0), found[:1])
    elsewhere = msgspec.structs.replace(whole, box=made.UP, new="b")
    assert [one.mean for one in findings(judgement(*found, means=[whole, elsewhere]))] == [whole, None]


def test_boxes_are_told_apart_in_the_order_of_their_verdicts() -> None:
    found = [*contrasts("old", "new", {"ctx-2": SLOWER}, box=made.UP), *contrasts("old", "new", {"ctx-2": EQUIVALENT})]
    assert [one.box for one in findings(judgement(*found))] == [made.UP, BOX]


# ---- what became of a slowdown ----

HAD = {"ctx-2": SLOWER, "volano": SLOWER, "mmap": FASTER}
STORIES: dict[str, tuple[Answers, Answers, Pattern | None]] = {
    "equivalent everywhere": ({"ctx-2": EQUIVALENT, "volano": EQUIVALENT, "mmap": UNDECIDED}, {}, Pattern.GONE),
    "equivalent or faster": ({"ctx-2": EQUIVALENT, "volano": FASTER, "mmap": SLOWER}, {}, Pattern.GONE),
    "undecided on one": ({"ctx-2": EQUIVALENT, "volano": UNDECIDED, "mmap": FASTER}, {}, None),
    "undecided on one, but faster than it was": (
        {"ctx-2": EQUIVALENT, "volano": UNDECIDED, "mmap": FASTER},
        {"volano": FASTER},
        Pattern.PARTLY_GONE,
    ),
    "still slower, and undecided whether less": (
        {"ctx-2": SLOWER, "volano": SLOWER, "mmap": FASTER},
        {"ctx-2": UNDECIDED, "volano": EQUIVALENT},
        None,
    ),
    "one less, one more": ({"ctx-2": SLOWER, "volano": SLOWER, "mmap": FASTER}, {"ctx-2": FASTER, "volano": SLOWER}, None),
    "not measured on one": ({"ctx-2": EQUIVALENT, "mmap": FASTER}, {}, None),
}


def told(now: Answers, instead: Answers) -> list[Finding]:
    """Stories of a slowdown of -rc2 in fix, with `instead` of the pairs."""
    found = [*contrasts("old", "-rc2", HAD), *contrasts("old", "fix", now)]
    pairs = judgement(*contrasts("-rc2", "fix", instead), axis=Axis.PAIRS)
    return [one for one in findings(judgement(*found), pairs) if one.recovery]


@pytest.mark.parametrize(("now", "instead", "pattern"), STORIES.values(), ids=STORIES)
def test_a_slowdown_is_gone_as_far_as_verdicts_say(now: Answers, instead: Answers, pattern: Pattern | None) -> None:
    assert patterns(told(now, instead)) == ([pattern] if pattern else [])


def test_a_story_rests_on_the_verdicts_of_what_was_slower_and_names_what_is_slower_now() -> None:
    now: Answers = {"ctx-2": EQUIVALENT, "volano": UNDECIDED, "mmap": SLOWER}
    (story,) = told(now, {"volano": FASTER})
    ctx, volano, mmap = contrasts("old", "fix", now)
    assert story.recovery is not None
    assert story.recovery.of == "-rc2"
    assert story.recovery.gone == (ctx,)
    assert story.recovery.less == ((contrasts("old", "-rc2", HAD)[1], volano),)
    assert (story.recovery.left, story.recovery.worse) == ((), ())
    assert story.recovery.elsewhere == (mmap,)


def test_what_became_worse_is_told_with_what_is_gone() -> None:
    had, now = ({f"b{place}": answer for place in range(3)} for answer in (SLOWER, EQUIVALENT))
    found = [*contrasts("old", "-rc2", had), *contrasts("old", "fix", now | {"b2": SLOWER})]
    pairs = judgement(*contrasts("-rc2", "fix", {"b2": SLOWER}), axis=Axis.PAIRS)
    (story,) = (one.recovery for one in findings(judgement(*found), pairs) if one.recovery)
    assert story.worse == ((found[2], found[5]),)


def test_a_pair_counts_whichever_way_round_it_was_compared() -> None:
    now: Answers = {"ctx-2": EQUIVALENT, "volano": UNDECIDED, "mmap": FASTER}
    found = [*contrasts("old", "-rc2", HAD), *contrasts("old", "fix", now)]
    turned = judgement(*contrasts("fix", "-rc2", {"volano": SLOWER}), axis=Axis.PAIRS)
    assert Pattern.PARTLY_GONE in patterns(findings(judgement(*found), turned))


def test_only_later_columns_with_the_same_base_can_have_got_rid_of_a_slowdown() -> None:
    good: Answers = {"ctx-2": EQUIVALENT}
    before = [*contrasts("old", "fix", good), *contrasts("old", "-rc2", {"ctx-2": SLOWER})]
    apart = [*contrasts("old", "-rc2", {"ctx-2": SLOWER}), *contrasts("older", "fix", good)]
    assert [one for found in (before, apart) for one in findings(judgement(*found)) if one.recovery] == []


HALVES: dict[str, tuple[made.Percents, made.Percents, Metric, Pattern]] = {
    # Half of 21 % is 10 %, since 1.1 * 1.1 is 1.21.
    "at most half by both bounds": ((23.0, 21.0, 25.0), (6.0, 2.0, 9.9), TIME_PER_OPERATION, Pattern.MOSTLY_GONE),
    "perhaps more than half": ((23.0, 21.0, 25.0), (6.0, 2.0, 10.1), TIME_PER_OPERATION, Pattern.PARTLY_GONE),
    "without an end": ((23.0, 21.0, 25.0), (6.0, 2.0, math.inf), TIME_PER_OPERATION, Pattern.PARTLY_GONE),
    "of a rate": ((-19.0, -20.0, -17.5), (-6.0, -9.0, -2.0), SCRIPTS_PER_HOUR, Pattern.MOSTLY_GONE),
    "of a rate, perhaps more": ((-19.0, -20.0, -17.5), (-6.0, -9.2, -2.0), SCRIPTS_PER_HOUR, Pattern.PARTLY_GONE),
}


@pytest.mark.parametrize(("before", "now", "metric", "pattern"), HALVES.values(), ids=HALVES)
def test_most_of_a_slowdown_is_gone_where_at_most_half_is_left(
    before: made.Percents, now: made.Percents, metric: Metric, pattern: Pattern
) -> None:
    found = [verdict(SLOWER, before, new="-rc2", metric=metric), verdict(SLOWER, now, new="fix", metric=metric)]
    pairs = judgement(*contrasts("-rc2", "fix", {"ctx-2": FASTER}), axis=Axis.PAIRS)
    assert [one.pattern for one in findings(judgement(*found), pairs) if one.recovery] == [pattern]


def test_without_an_interval_nothing_says_that_most_is_gone() -> None:
    had, now = verdict(SLOWER, (23.0, 21.0, 25.0), new="-rc2"), verdict(UNDECIDED, new="fix")
    pairs = judgement(*contrasts("-rc2", "fix", {"ctx-2": FASTER}), axis=Axis.PAIRS)
    assert [one.pattern for one in findings(judgement(had, now), pairs) if one.recovery] == [Pattern.PARTLY_GONE]


# ---- columns among themselves ----


def among(answers: Answers, *, new: str = "b", whole: Answer | None = None, base_too: Answers | None = None) -> list[Finding]:
    """What is said of the pair of a and `new`, where both columns are undecided against the base, or as `base_too` has it."""
    found = [one for column in ("a", new) for one in contrasts("old", column, base_too or dict.fromkeys(answers, UNDECIDED))]
    pair = contrasts("a", new, answers)
    means = [mean(whole, PERCENTS[whole], pair)] if whole else []
    others = contrasts("old", "a", dict.fromkeys(answers, EQUIVALENT))
    return [one for one in findings(judgement(*found), judgement(*others, *pair, axis=Axis.PAIRS, means=means)) if one.base == "a"]


def test_two_columns_are_equivalent_where_all_their_pairs_are() -> None:
    assert patterns(among({"ctx-2": EQUIVALENT, "mmap": EQUIVALENT})) == [Pattern.EQUIVALENT]
    assert patterns(among({"ctx-2": EQUIVALENT, "mmap": UNDECIDED})) == []


@pytest.mark.parametrize(("whole", "found"), [(FASTER, [Pattern.NET]), (SLOWER, [Pattern.NET]), (UNDECIDED, []), (None, [])])
def test_two_columns_differ_on_the_whole_by_their_mean(whole: Answer | None, found: list[Pattern]) -> None:
    assert patterns(among({"ctx-2": FASTER, "mmap": UNDECIDED}, whole=whole)) == found


def test_what_is_equivalent_to_the_base_alike_needs_no_sentence_more() -> None:
    same = {"ctx-2": EQUIVALENT}
    assert among(same, base_too=same) == []


def test_a_pair_whose_slowdown_was_told_is_not_told_again() -> None:
    found = [*contrasts("old", "-rc2", {"ctx-2": SLOWER}), *contrasts("old", "fix", {"ctx-2": EQUIVALENT})]
    pair = contrasts("-rc2", "fix", {"ctx-2": FASTER})
    pairs = judgement(*pair, axis=Axis.PAIRS, means=[mean(FASTER, PERCENTS[FASTER], pair)])
    assert patterns(findings(judgement(*found), pairs)) == [Pattern.GONE, Pattern.MIXED, Pattern.EQUIVALENT]


# ---- along other axes ----


def test_loads_are_grouped_by_load_and_not_by_column() -> None:
    assert [(one.base, one.news) for one in findings(made.loads())] == [
        ("kernbench-16x", ("kernbench-2x",)),
        ("kernbench-16x", ("kernbench-maximal",)),
    ]


def test_one_column_on_two_boxes_is_named_with_both() -> None:
    slow = verdict(SLOWER, PERCENTS[SLOWER])
    apart = msgspec.structs.replace(slow, new=msgspec.structs.replace(slow.base, box=made.UP))
    assert names(Axis.BOXES, apart) == Names("old on xeon", "old on P4", "ctx-2")


def test_stories_are_of_columns_alone() -> None:
    found = [*contrasts("old", "-rc2", {"ctx-2": SLOWER}), *contrasts("old", "fix", {"ctx-2": EQUIVALENT})]
    assert patterns(findings(judgement(*found, axis=Axis.SETTINGS))) == [Pattern.MIXED, Pattern.EQUIVALENT]


# ---- over boxes ----


def agreement(answer: Answer, boxes: int, *dissents: Answer, name: str = "ctx-2", new: str = "new") -> Agreement:
    return Agreement(
        base="old",
        new=new,
        benchmark=name,
        answer=answer,
        boxes=tuple(f"box{place}" for place in range(boxes)),
        dissents=tuple(Dissent("athlon", one) for one in dissents),
    )


NOTABLE = {
    "all boxes": (agreement(SLOWER, 3), True),
    "two boxes of three": (agreement(EQUIVALENT, 2, UNDECIDED), True),
    "one box alone": (agreement(SLOWER, 1), False),
    "one box, and the other undecided": (agreement(SLOWER, 1, UNDECIDED), False),
    "a contradiction": (agreement(SLOWER, 1, FASTER), True),
    "a contradiction among dissents": (agreement(UNDECIDED, 2, FASTER, SLOWER), True),
    "undecided on most": (agreement(UNDECIDED, 2, SLOWER), False),
    "another benchmark": (agreement(SLOWER, 3, name="mmap"), False),
    "another column": (agreement(SLOWER, 3, new="newer"), False),
}


@pytest.mark.parametrize(("one", "told"), NOTABLE.values(), ids=NOTABLE)
def test_boxes_that_agree_or_contradict_each_other_are_told(one: Agreement, told: bool) -> None:
    found = findings(judgement(verdict(SLOWER, PERCENTS[SLOWER]), agreements=[one]))
    assert [each.agreements for each in found if each.pattern is Pattern.ACROSS] == ([(one,)] if told else [])


def test_what_boxes_agree_on_is_one_finding_for_each_column() -> None:
    found = [verdict(SLOWER, PERCENTS[SLOWER], name=name, new=new) for name in ("ctx-2", "mmap") for new in ("a", "b")]
    agreed = [agreement(SLOWER, 2, name=name, new=new) for name in ("ctx-2", "mmap") for new in ("a", "b")]
    across = [one for one in findings(judgement(*found, agreements=agreed)) if one.box is None]
    assert [(one.base, one.news, [each.benchmark for each in one.agreements]) for one in across] == [
        ("old", ("a",), ["ctx-2", "mmap"]),
        ("old", ("b",), ["ctx-2", "mmap"]),
    ]


# ---- of any judgement ----


@given(made.ANY_JUDGEMENT, made.ANY_JUDGEMENT)
@settings(max_examples=100, deadline=None)
def test_what_is_said_rests_on_verdicts_alone(of: Judgement, pairs: Judgement) -> None:
    known = [*of.verdicts, *pairs.verdicts]
    for one in findings(of, pairs):
        assert all(any(each is other for other in known) for each in one.verdicts)
        assert one.verdicts or one.agreements or not of.verdicts


@given(made.ANY_JUDGEMENT)
@settings(max_examples=100, deadline=None)
def test_every_contrast_is_part_of_a_summary(of: Judgement) -> None:
    keys = {(one.new.box.name, names(of.axis, one)) for one in of.verdicts}
    said = [(each.new.box.name, names(of.axis, each)) for one in findings(of) if not one.recovery for each in one.verdicts]
    assert sorted(map(str, said)) == sorted(map(str, keys))


# ---- what all of them use ----


@pytest.mark.parametrize(
    ("found", "better", "expected"),
    [
        (Ratio(1.25, 1.0, 2.0), Better.SMALLER, Ratio(1.25, 1.0, 2.0)),
        (Ratio(0.8, 0.5, 1.0), Better.LARGER, Ratio(1.25, 1.0, 2.0)),
        (Ratio(0.8, 0.0, math.inf), Better.LARGER, Ratio(1.25, 0.0, math.inf)),
    ],
)
def test_a_cost_grows_with_what_is_worse(found: Ratio, better: Better, expected: Ratio) -> None:
    assert cost(found, better) == expected


def test_a_side_without_boots_is_missing_and_one_with_too_few_is_not() -> None:
    assert missing(failed())
    assert not missing(verdict(rounds=1, boots=(2, 1)))
    assert not missing(verdict(SLOWER, PERCENTS[SLOWER], boots=(0, 0)))
