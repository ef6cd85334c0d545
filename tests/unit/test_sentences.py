"""Sentences, compared as whole texts with those kept in goldens/; each claims no more than its verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from tests.unit import verdicts as made
from tests.unit.golden import check
from tests.unit.verdicts import EQUIVALENT, FASTER, SLOWER, UNDECIDED, Percents, failed, judgement, mean, verdict

from kdelta.judge.findings import findings
from kdelta.model.benchmark import SCRIPTS_PER_HOUR
from kdelta.model.verdict import Agreement, Answer, Axis, Dissent, Judgement, Verdict
from kdelta.report.sentences import sentences
from kdelta.report.text import WIDTH


def said(of: Judgement, pairs: Judgement | None = None) -> list[str]:
    """Each sentence on one line, without the name of the box."""
    text = re.sub(r"\n {4}", " ", sentences(findings(of, pairs)))
    return [line.strip() for line in text.splitlines() if line.startswith("  ")]


def gone() -> tuple[Judgement, Judgement]:
    """As the mail on smpnice would have it: on a box of four CPUs, and on one of one."""

    def of(new: str, base: str = "v2.6.15", **answers: tuple[Answer, Percents]) -> list[Verdict]:
        return [verdict(*of, name=name, base=base, new=new) for name, of in answers.items()]

    nothing, little = (EQUIVALENT, (0.1, -0.6, 0.8)), (UNDECIDED, (2.1, -0.5, 4.8))
    found = [
        *of("-rc2", ctx=(SLOWER, (17.7, 13.6, 21.9)), volano=(SLOWER, (8.3, 6.4, 10.2))),
        *of("-rc2-nosmpnice", ctx=little, volano=nothing),
        *of("-rc2-smpnice2", ctx=nothing, volano=nothing),
    ]
    columns = ("-rc2", "-rc2-nosmpnice", "-rc2-smpnice2")
    found += [verdict(*nothing, name="ctx", base="v2.6.15", new=new, box=made.UP) for new in columns]
    pairs = [
        *of("-rc2-nosmpnice", "-rc2", ctx=(FASTER, (-13.0, -16.0, -10.0)), volano=(FASTER, (-7.4, -9.1, -5.7))),
        *of("-rc2-smpnice2", "-rc2-nosmpnice", ctx=nothing, volano=nothing),
    ]
    return judgement(*found), judgement(*pairs, axis=Axis.PAIRS)


GOLDENS: dict[str, tuple[Judgement, Judgement | None]] = {
    "smpnice": made.smpnice(),
    "gone": gone(),
    "sorted_buddy": (made.sorted_buddy(), None),
    "lock_page": (made.lock_page(), None),
    "numaq": (made.numaq(), None),
    "loads": (made.loads(), None),
    "undecided": (made.undecided(), None),
    "too_few": (made.too_few(), None),
    "failure": (made.with_a_failure(), None),
    "one_cpu": (made.one_cpu(), None),
    "pairs": (made.wide(), None),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_the_sentences_read_as_kept(name: str) -> None:
    check(f"sentences_{name}", sentences(findings(*GOLDENS[name])))


@pytest.mark.parametrize("name", GOLDENS)
def test_sentences_fit_a_mail(name: str) -> None:
    assert max(map(len, sentences(findings(*GOLDENS[name])).splitlines())) <= WIDTH


@given(made.ANY_JUDGEMENT, made.ANY_JUDGEMENT)
@settings(max_examples=60, deadline=None)
def test_a_column_without_a_verdict_is_never_mentioned(of: Judgement, pairs: Judgement) -> None:
    known = {side.variant for each in (of, pairs) for one in each.verdicts for side in (one.base, one.new)}
    text = sentences(findings(of, pairs))
    assert [name for name in made.NAMED if name in text and name not in known] == []


@given(made.ANY_JUDGEMENT)
@settings(max_examples=60, deadline=None)
def test_what_is_equivalent_is_said_with_its_margin(of: Judgement) -> None:
    text = " ".join(sentences(findings(of)).split())
    assert re.search(r"equivalent(?! within| to \S+( on \S+)? within)", text) is None
    assert re.search(r"\b(nan|inf|None)\b", text) is None


# ---- what is said when ----

SLOW, FAST, SAME = (SLOWER, (9.0, 8.0, 10.0)), (FASTER, (-9.0, -10.0, -8.0)), (EQUIVALENT, (0.1, -0.4, 0.6))
OPEN, WIDE, MORE = (UNDECIDED, (2.0, -1.0, 5.0)), (UNDECIDED, (2.0, -20.0, 25.0)), (SLOWER, (20.0, 19.0, 21.0))


def both(first: tuple[Answer, Percents], second: tuple[Answer, Percents], **fields: Any) -> list[Verdict]:
    return [verdict(*answer, name=name, **fields) for name, answer in (("ctx-2", first), ("mmap", second))]


def fixed(*now: Verdict, instead: Sequence[Verdict] = (), had: Sequence[Verdict] = ()) -> tuple[Judgement, Judgement]:
    return judgement(*(had or both(SLOW, FAST, new="-rc2")), *now), judgement(*instead, axis=Axis.PAIRS)


def load(column: str, answer: tuple[Answer, Percents]) -> Verdict:
    """Of all jobs at once against 256, in `column`."""
    one = verdict(*answer, name="kernbench-maximal", base=column, new=column)
    return msgspec.structs.replace(one, base=made.side("kernbench-256", column))


FOUR = [verdict(*SLOW, name=f"b{place}") for place in range(4)]
CASES: dict[str, tuple[Judgement, Judgement | None, str]] = {
    "no verdicts": (judgement(), None, "Nothing was compared."),
    "no values": (
        judgement(failed("a"), failed("b")),
        None,
        "new against old: nothing was measured; too few visits: 5 and 0, 3 of each in common rounds are needed.",
    ),
    "one alone": (judgement(verdict(*SLOW)), None, "new against old: slower on ctx-2 (+9.0% [+8.0, +10.0])."),
    "all of two": (
        judgement(*both(SLOW, SLOW)),
        None,
        "new against old: slower on both (ctx-2 +9.0% [+8.0, +10.0], mmap +9.0% [+8.0, +10.0]).",
    ),
    "more than are named": (
        judgement(*FOUR),
        None,
        "new against old: slower on all 4 (b0 +9.0% [+8.0, +10.0], b1 +9.0% [+8.0, +10.0], 2 more).",
    ),
    "the largest change first": (
        judgement(verdict(SLOWER, (5.0, 4.0, 6.0), name="null"), verdict(*SLOW), verdict(*SAME, name="mmap")),
        None,
        "new against old: slower on 2 of 3 (ctx-2 +9.0% [+8.0, +10.0], null +5.0% [+4.0, +6.0]); equivalent within 1% on mmap.",
    ),
    "contradictions together": (
        judgement(*both(SLOW, FAST)),
        None,
        "new against old: slower on 1 of 2 (ctx-2 +9.0% [+8.0, +10.0]); faster on mmap (-9.0% [-10.0, -8.0]).",
    ),
    "equivalent": (judgement(*both(SAME, SAME)), None, "new is equivalent to old within 1% on both benchmarks."),
    "real, though equivalent": (
        judgement(verdict(EQUIVALENT, (0.3, 0.1, 0.5), tiny=True)),
        None,
        "new is equivalent to old within 1% on ctx-2; real, though so small: 1 of 1 change.",
    ),
    "equivalent on the whole": (
        judgement(*both(SLOW, FAST), means=[mean(EQUIVALENT, (0.1, -0.2, 0.4), both(SLOW, FAST), left_out=["null: no value"])]),
        None,
        "new against old: slower on 1 of 2 (ctx-2 +9.0% [+8.0, +10.0]); faster on mmap (-9.0% [-10.0, -8.0]); on the whole"
        " equivalent within 1%: +0.1% [-0.2, +0.4], the geometric mean of 2 of 3.",
    ),
    "a mean of one is none": (
        judgement(verdict(*SLOW), means=[mean(SLOWER, (9.0, 8.0, 10.0), [verdict(*SLOW)])]),
        None,
        "new against old: slower on ctx-2 (+9.0% [+8.0, +10.0]).",
    ),
    "an undecided mean is none": (
        judgement(*both(SAME, SAME), means=[mean(UNDECIDED, (0.1, -0.2, 0.4), both(SAME, SAME))]),
        None,
        "new is equivalent to old within 1% on both benchmarks.",
    ),
    "undecided, and a side without a value": (
        judgement(verdict(*OPEN, visible=0.04, needed=20), failed()),
        None,
        "new against old: cannot tell on ctx-2; without a value on volano (too few visits: 5 and 0, 3 of each in common rounds are"
        " needed). No slowdown is shown, and one of more than 5.0% is excluded. The smallest change that could have been seen is"
        " 4%; about 20 rounds would be needed.",
    ),
    "an undecided rate": (
        judgement(*(verdict(*WIDE, name=name, visible=None, metric=SCRIPTS_PER_HOUR) for name in ("a", "b"))),
        None,
        "new against old: cannot tell on any of 2 benchmarks. No slowdown is shown, and one of more than 25.0% as cost is excluded"
        " on each.",
    ),
    "never slower": (
        judgement(verdict(UNDECIDED, (-2.0, -4.0, -0.1), visible=None)),
        None,
        "new against old: cannot tell on ctx-2. No slowdown is shown, and one of more than 0% is excluded.",
    ),
    "loads": (
        judgement(load("2.6.7", SAME), load("mm2", SAME), axis=Axis.LOADS),
        None,
        "kernbench-maximal is as fast as kernbench-256: equivalent within 1% in both columns.",
    ),
    "gone, and faster": (
        *fixed(*both(FAST, SAME, new="fix")),
        "The -rc2 slowdown is gone in fix: faster than old on ctx-2.",
    ),
    "gone on several": (
        *fixed(*both(SAME, FAST, new="fix"), had=both(SLOW, SLOW, new="-rc2")),
        "The -rc2 slowdown is gone in fix: equivalent to old within 1% or faster on both benchmarks on which -rc2 is slower.",
    ),
    "gone, but elsewhere": (
        *fixed(*both(SAME, SLOW, new="fix")),
        "The -rc2 slowdown is gone in fix: equivalent to old within 1% on ctx-2; but slower on mmap (+9.0% [+8.0, +10.0]).",
    ),
    "less of it": (
        *fixed(*both((SLOWER, (5.0, 4.0, 6.0)), FAST, new="fix"), instead=[verdict(*FAST, base="-rc2", new="fix")]),
        "Part of the -rc2 slowdown is gone in fix: it is faster than -rc2 on ctx-2 (+5.0% instead of +9.0%).",
    ),
    "more of it on one": (
        *fixed(
            *(verdict(*answer, name=f"b{place}", new="fix") for place, answer in enumerate((SAME, FAST, SAME, MORE, OPEN))),
            had=[verdict(*SLOW, name=f"b{place}", new="-rc2") for place in range(5)],
            instead=[verdict(*SLOW, name="b3", base="-rc2", new="fix")],
        ),
        "Part of the -rc2 slowdown is gone in fix: of the 5 benchmarks on which -rc2 is slower it is equivalent to old within 1% or"
        " faster on 3 (b1, b0, b2), slower still than -rc2 on b3 (+20.0% instead of +9.0%), still undecided on b4 (+2.0%).",
    ),
}


@pytest.mark.parametrize(("of", "pairs", "sentence"), CASES.values(), ids=CASES)
def test_the_first_thing_that_is_said(of: Judgement, pairs: Judgement | None, sentence: str) -> None:
    assert said(of, pairs)[0] == sentence


@pytest.mark.parametrize(
    ("whole", "sentence"),
    [
        (FAST, "b is a net win over a: -9.0% [-10.0, -8.0], the geometric mean of 2; but slower on ctx-2 (+9.0% [+8.0, +10.0])."),
        (
            SLOW,
            "b is a net loss against a: +9.0% [+8.0, +10.0], the geometric mean of 2; but faster on mmap (-9.0% [-10.0, -8.0]).",
        ),
    ],
)
def test_a_net_win_is_said_with_what_contradicts_it(whole: tuple[Answer, Percents], sentence: str) -> None:
    pair = both(SLOW, FAST, base="a", new="b")
    pairs = judgement(*pair, axis=Axis.PAIRS, means=[mean(*whole, pair)])
    columns = judgement(*(one for new in ("a", "b") for one in both(OPEN, OPEN, new=new)))
    assert said(columns, pairs)[0] == sentence


def test_two_columns_are_equivalent_with_their_margin() -> None:
    columns = judgement(*(one for new in ("a", "b") for one in both(OPEN, OPEN, new=new)))
    assert said(columns, judgement(*both(SAME, SAME, base="a", new="b"), axis=Axis.PAIRS))[0] == (
        "a and b are equivalent within 1% on both benchmarks."
    )


def test_boxes_agree_and_dissent_with_what_they_differ_in() -> None:
    dissents = (Dissent("athlon", FASTER, ("2 CPUs", "no SMT")), Dissent("G5", UNDECIDED, ("2 CPUs",)), Dissent("P4", EQUIVALENT))
    agreed = [
        Agreement(base="old", new="new", benchmark="ctx-2", answer=SLOWER, boxes=("a", "b", "c"), dissents=dissents),
        Agreement(base="old", new="new", benchmark="mmap", answer=EQUIVALENT, boxes=("a", "b"), dissents=()),
        Agreement(base="old", new="new", benchmark="null", answer=EQUIVALENT, boxes=("a", "b"), dissents=()),
    ]
    found = [verdict(*SLOW, name=name) for name in ("ctx-2", "mmap", "null")]
    assert said(judgement(*found, agreements=agreed))[-1] == (
        "new against old: ctx-2 slower on 3 of 6 (athlon dissents: faster, 2 CPUs, no SMT; G5 undecided; P4 dissents: equivalent"
        " within 1%); mmap, null equivalent within 1% on both."
    )


def test_doubts_stand_below_what_is_said_each_kind_once() -> None:
    found = [
        verdict(*SLOW, name="ctx-2", doubts=["round 3 is far", "drift"]),
        verdict(*SLOW, name="mmap", doubts=["round 4 is far"]),
    ]
    assert said(judgement(*found))[1:] == ["Doubts, of 2 contrasts: round 3 is far and the like (2); drift (1)."]


def test_each_box_has_its_name_above_what_is_said_of_it() -> None:
    text = sentences(findings(judgement(verdict(*SLOW), verdict(*SAME, box=made.UP))))
    assert [line for line in text.splitlines() if not line.startswith("  ")] == ["4-way xeon box:", "", "1-way P4 box:"]


def test_what_cannot_be_seen_is_a_range_over_the_benchmarks() -> None:
    found = [
        verdict(*OPEN, name=name, visible=visible, needed=needed) for name, visible, needed in (("a", 0.09, 70), ("b", 0.01, 7))
    ]
    assert "from 1% (b) to 9% (a); about 70 rounds would be needed." in said(judgement(*found))[0].replace("is 1%", "from 1%")
    assert "needed for 1 of them" in said(judgement(found[0], verdict(*OPEN, name="c")))[0]
