"""Tables of verdicts, compared as whole texts with those kept in goldens/; and figures, one by one."""

from __future__ import annotations

import math
import re

import msgspec
import pytest
from hypothesis import example, given, settings
from tests.unit import verdicts as made
from tests.unit.golden import check
from tests.unit.verdicts import BOX, EQUIVALENT, FASTER, SLOWER, UNDECIDED, judgement, mean, ratio, verdict

from kdelta.model.benchmark import SCRIPTS_PER_HOUR, TIME_PER_OPERATION, Metric
from kdelta.model.plan import EXACT, BoxSpec
from kdelta.model.verdict import Answer, Axis, Judgement, Ratio, Verdict
from kdelta.report.figures import amount, bound, change, excluded, figures, kinds, probability, value
from kdelta.report.text import WIDTH
from kdelta.report.verdict_table import legend, render, table


def whole(of: Judgement) -> str:
    """The table of each box, and what holds for all of them below the last."""
    boxes = {one.new.box.name: one.new.box for one in of.verdicts}
    return "\n".join([*(table(of, box) for box in boxes.values()), legend(of)])


def rows(of: Judgement, box: BoxSpec = BOX) -> list[str]:
    """The lines below the head."""
    return table(of, box).splitlines()[4:]


GOLDENS = {
    "smpnice": made.smpnice()[0],
    "sorted_buddy": made.sorted_buddy(),
    "lock_page": made.lock_page(),
    "numaq": made.numaq(),
    "loads": made.loads(),
    "undecided": made.undecided(),
    "too_few": made.too_few(),
    "failure": made.with_a_failure(),
    "one_cpu": made.one_cpu(),
    "wide": made.wide(),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_a_table_of_verdicts_reads_as_kept(name: str) -> None:
    check(f"verdict_{name}", whole(GOLDENS[name]))


@pytest.mark.parametrize("name", sorted(GOLDENS.keys() - {"numaq", "wide"}))
def test_a_mail_shows_a_table_unbroken_where_names_are_no_longer_than_usual(name: str) -> None:
    assert max(map(len, whole(GOLDENS[name]).splitlines())) <= WIDTH


def test_what_holds_for_all_stands_below_the_table_of_one_box() -> None:
    of = made.sorted_buddy()
    assert render(of, of.verdicts[0].new.box) == whole(of)


@given(made.ANY_JUDGEMENT, made.BOXES)
@settings(max_examples=150, deadline=None)
def test_no_judgement_is_too_odd_to_be_shown(of: Judgement, box: BoxSpec) -> None:
    assert re.search(r"\b(nan|inf|None)\b|Answer\.", render(of, box)) is None


SAME = [verdict(name=name, rounds=0, boots=(2, 2), sd=None, visible=None, why="too few boots") for name in ("ctx-2", "mmap")]


@given(made.ANY_JUDGEMENT, made.BOXES)
@example(judgement(*SAME), made.BOX)
@settings(max_examples=60, deadline=None)
def test_each_contrast_of_a_box_has_a_row_or_is_counted_among_those_of_which_there_is_nothing(of: Judgement, box: BoxSpec) -> None:
    answers, text = "|".join([*(answer.value for answer in Answer), "no value"]), table(of, box)
    lines = [line for line in text.splitlines() if re.match(rf" *\S+: .*  ({answers})( |$)", line)]
    silent = [int(count) for count in re.findall(r"\(all (\d+) of them\)", " ".join(text.split()))]
    assert len(lines) + sum(silent) == sum(one.new.box.name == box.name for one in of.verdicts)


# ---- what stands where ----

SLOW = verdict(SLOWER, (5.0, 4.0, 6.0))


def test_a_box_on_which_nothing_was_compared_says_so() -> None:
    assert table(judgement(SLOW), made.UP).splitlines()[2:] == ["Nothing was compared on this box."]


def test_the_exact_lab_compares_instructions() -> None:
    box = BoxSpec(name="exact", kind=EXACT)
    assert table(judgement(verdict(SLOWER, (5.0, 4.0, 6.0), box=box)), box).startswith("1-way exact box, change in instructions: ")


def test_columns_that_come_in_turns_are_grouped_by_the_new_side() -> None:
    turns = [verdict(SLOWER, (5.0, 4.0, 6.0), name=name, new=new) for name in ("ctx-2", "mmap") for new in ("a", "b")]
    assert [line.split()[0] for line in rows(judgement(*turns))] == ["a", "ctx-2:", "mmap:", "b", "ctx-2:", "mmap:"]


def test_where_all_are_rates_the_title_says_it_and_no_row_is_marked() -> None:
    of = judgement(verdict(FASTER, (5.0, 4.0, 6.0), metric=SCRIPTS_PER_HOUR))
    assert table(of, BOX).splitlines()[0].endswith("(larger is better)")
    assert "^" not in whole(of)


def test_one_column_on_two_boxes_is_named_with_both_and_has_no_common_rounds() -> None:
    new = msgspec.structs.replace(SLOW.base, box=made.ATHLON)
    lines = rows(judgement(msgspec.structs.replace(SLOW, new=new, boots=(5, 4), rounds=4), axis=Axis.BOXES), made.ATHLON)
    assert lines[0] == "old on Athlon64 against old on xeon:"
    assert lines[1].split()[5:7] == [".002", "5+4"]
    assert len(lines) == 2


def test_a_note_names_the_columns_whose_rows_it_is_about() -> None:
    found = [
        verdict(SLOWER, (5.0, 4.0, 6.0), name=name, new=new, doubts=["odd"]) for name in ("ctx-2", "mmap") for new in ("a", "b")
    ]
    assert rows(judgement(*found))[-1] == "  a) all: odd"
    assert rows(judgement(*found, verdict(name="ctx-2", new="c")))[-1] == "  a) a: all; b: all: odd"
    assert rows(judgement(*found[1:]))[-1] == "  a) b: all; a: mmap: odd"


def test_more_kinds_of_notes_than_letters_have_two() -> None:
    found = [verdict(SLOWER, (5.0, 4.0, 6.0), doubts=["x" * length for length in range(1, 29)])]
    assert [line.split(")")[0].strip() for line in rows(judgement(*found))[2:]][24:] == ["y", "z", "aa", "ab"]


def test_an_open_interval_of_an_unpaired_boot_is_noted_with_its_number() -> None:
    found = judgement(verdict(SLOWER, (5.0, 4.0, 6.0), rounds=1, boots=(2, 1)))
    assert rows(found)[-1] == "  a) ctx-2: 2 boots of the base and 1 of the new side, with 1 round in common"


# ---- geometric means ----


def test_a_mean_says_what_it_leaves_out_and_that_rates_are_inverted() -> None:
    found = [verdict(FASTER, (5.0, 4.0, 6.0), metric=SCRIPTS_PER_HOUR)]
    assert rows(judgement(*found, means=[mean(FASTER, (-4.8, -5.7, -3.8), found, left_out=["mmap: no value"])]))[-2:] == [
        "Geometric mean of 1 of 2, each as cost, new against old: -4.8% [-5.7, -3.8] faster, 5 rounds.",
        "  WARNING: left out: mmap: no value",
    ]


def test_means_of_unlike_sets_are_not_to_be_compared() -> None:
    found = [verdict(SLOWER, (5.0, 4.0, 6.0), name=name, new=new) for new in ("a", "b") for name in ("ctx-2", "mmap")]
    alike, unlike = (
        judgement(*found, means=[mean(SLOWER, None, each) for each in sets])
        for sets in ((found[:2], found[2:]), (found[:2], found[2:3]))
    )
    assert "unlike sets" not in whole(alike)
    assert rows(unlike)[-1].startswith("WARNING: these means are of unlike sets of benchmarks")


def test_means_of_other_boxes_stay_there() -> None:
    elsewhere = mean(SLOWER, (5.0, 4.0, 6.0), [verdict(SLOWER, (5.0, 4.0, 6.0), box=made.UP)])
    assert "Geometric mean" not in table(judgement(SLOW, means=[elsewhere]), BOX)


# ---- what holds for all ----


def said(of: Judgement) -> str:
    return " ".join(legend(of).split())


@pytest.mark.parametrize(
    ("adjustment", "promise"),
    [
        (
            "Benjamini-Hochberg",
            "At most 5% of what is called slower or faster is expected to be false, and 5% of what is equivalent.",
        ),
        ("Holm", "The chance that anything is falsely called slower or faster is at most 5%, and so is that for equivalent."),
        ("none", "p is adjusted for all of them (none)."),
    ],
)
def test_the_line_on_chance_counts_flags_and_says_what_the_adjustment_keeps(adjustment: str, promise: str) -> None:
    of = judgement(*[SLOW] * 30, *[verdict(UNDECIDED, (5.0, -4.0, 6.0))] * 10, verdict(), adjustment=adjustment)
    assert "Chance: 40 contrasts tested, 30 called slower or faster; unadjusted, chance alone would give about 2." in said(of)
    assert f"{promise} " in said(of)


@pytest.mark.parametrize(
    ("of", "line"),
    [
        (judgement(), "Chance: nothing could be tested, at 5%; p needs no adjustment."),
        (judgement(SLOW), "Chance: one contrast was tested, at 5%; p needs no adjustment."),
    ],
)
def test_without_several_tests_there_is_nothing_to_adjust(of: Judgement, line: str) -> None:
    assert line in said(of)


def test_two_contrasts_are_adjusted_for_each_other() -> None:
    assert "Chance: 2 contrasts tested, 2 called slower or faster; unadjusted, chance alone would give about 0.1. p is" in said(
        judgement(SLOW, SLOW)
    )


@pytest.mark.parametrize(
    ("looks", "line"),
    [
        ((3, 10), "Interval and p hold whenever one looks, after each of the rounds 3 to 10."),
        (None, "The number of rounds was fixed before: interval and p hold for one look, at the end."),
    ],
)
def test_the_legend_says_when_one_may_look(looks: tuple[int, int] | None, line: str) -> None:
    assert line in said(judgement(SLOW, looks=looks))


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (SLOW, "Intervals of slower and faster are widened"),
        (verdict(EQUIVALENT, (0.1, -0.1, 0.2)), "Equivalent: its 90% interval lies within 1%, and p is that of a larger change."),
        (verdict(UNDECIDED, (5.0, -4.0, 6.0), needed=20), "5/~30 rounds"),
        (verdict(UNDECIDED, (5.0, -4.0, 6.0), rounds=0, boots=(5, 4)), "5+4 rounds"),
        (verdict(UNDECIDED, (5.0, -4.0, 6.0), metric=SCRIPTS_PER_HOUR), "^: larger is better, a plus is faster."),
        (verdict(UNDECIDED, (5.0, -4.0, 6.0), box=BoxSpec(name="exact", kind=EXACT)), "one visit or boot."),
    ],
)
def test_the_legend_explains_what_stands_there_and_nothing_else(one: Verdict, words: str) -> None:
    plain = verdict(UNDECIDED, (5.0, -4.0, 6.0))
    assert words in said(judgement(plain, one))
    assert words not in said(judgement(plain))


# ---- figures ----

FIGURES = {
    "of usual size": ((2.1, 1.3, 2.9), ("+2.1%", "+1.3", "+2.9")),
    "small": ((0.02, 0.01, 0.03), ("+0.02%", "+0.01", "+0.03")),
    "smaller than three decimals show": ((0.0002, 0.0001, 0.0003), ("+0.000%", "+0.000", "+0.000")),
    "near 0 at one end": ((2.9, 0.04, 5.84), ("+2.90%", "+0.04", "+5.84")),
    "very near 0 at one end": ((-0.703, -1.406, 0.001), ("-0.70%", "-1.41", "+0.00")),
    "nothing at all": ((0.0, 0.0, 0.0), ("0%", "0", "0")),
    "no change in noise": ((0.0, -1.0, 1.0), ("0%", "-1.0", "+1.0")),
    "without noise": ((-0.01, -0.01, -0.01), ("-0.01%", "-0.01", "-0.01")),
    "large": ((158.8, 61.0, 316.0), ("+159%", "+61.0", "+316")),
    "beyond percentages": ((1130.0, 700.0, 1800.0), ("x12.3", "x8", "x19")),
    "thousandfold": ((1e6, 5e5, 2e9), ("x10001", "x5001", "x2e+07")),
    "a loss that a percentage still shows": ((-95.3, -97.0, -93.0), ("-95.3%", "-97.0", "-93.0")),
    "a loss that none shows": ((-99.96, -99.99, -99.9), ("x0.0004", "x0.0001", "x0.001")),
    "with no end": ((50.0, -100.0, math.inf), ("+50.0%", "-", "-")),
    "all gone": ((-100.0, -100.0, -50.0), ("-100.0%", "-", "-50.0")),
}


@pytest.mark.parametrize(("percents", "texts"), FIGURES.values(), ids=FIGURES)
def test_a_change_has_the_digits_that_its_interval_gives_it(percents: made.Percents, texts: tuple[str, str, str]) -> None:
    assert figures(ratio(percents)) == texts


def test_what_is_not_known_is_a_dash() -> None:
    assert figures(None) == ("-", "-", "-")
    assert figures(Ratio(math.nan, math.nan, math.nan)) == ("-", "-", "-")
    assert (amount(None), amount(math.nan), probability(None, 0.05), probability(math.nan, 0.05)) == ("-",) * 4
    assert probability(math.inf, 0.05) == "-"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0%"),
        (1e-7, "<0.001%"),
        (2e-5, "0.002%"),
        (0.0004, "0.04%"),
        (0.006, "0.6%"),
        (0.0104, "1%"),
        (0.0512, "5.1%"),
        (0.126, "13%"),
        (3.1, "310%"),
        (1e9, "1e+11%"),
    ],
)
def test_a_share_has_two_digits(share: float, text: str) -> None:
    assert amount(share) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0%"), (3.14, "314%"), (0.0512, "5.1%"), (0.126, "12.6%"), (0.0004, "0.04%"), (1e9, "1e+11%")]
)
def test_a_bound_is_written_as_an_end_of_an_interval(share: float, text: str) -> None:
    assert bound(share) == text


@pytest.mark.parametrize(
    ("p", "alpha", "text"),
    [
        (0.0, 0.05, "<.001"),
        (0.004, 0.05, ".004"),
        (0.05, 0.05, ".050"),
        (0.04996, 0.05, ".050"),
        (0.0501, 0.05, ".0501"),
        (0.21, 0.05, ".210"),
        (1.0, 0.05, "1.000"),
        (0.0003, 0.0001, ".0003"),
        (0.00005, 0.0001, "<.0001"),
    ],
)
def test_p_is_never_shown_on_the_wrong_side_of_the_level(p: float, alpha: float, text: str) -> None:
    assert probability(p, alpha) == text


EXCLUDED = {
    "how much slower": ((0.5, -1.9, 3.0), TIME_PER_OPERATION, "not slower than 3.0%"),
    "that it is slower": ((-2.0, -4.0, -0.1), TIME_PER_OPERATION, "not slower"),
    "how much faster": ((0.5, -1.9, math.inf), TIME_PER_OPERATION, "not faster than 1.9%"),
    "that it is faster": ((2.0, 0.5, math.inf), TIME_PER_OPERATION, "not faster"),
    "nothing": ((0.5, -100.0, math.inf), TIME_PER_OPERATION, ""),
    "how far a rate fell": ((0.5, -1.9, 3.0), SCRIPTS_PER_HOUR, "not below -1.9%"),
    "that a rate fell": ((2.0, 0.5, 4.0), SCRIPTS_PER_HOUR, "not slower"),
    "how far a rate rose": ((0.5, -100.0, 3.0), SCRIPTS_PER_HOUR, "not above +3.0%"),
    "by how many times": ((200.0, -50.0, 1130.0), TIME_PER_OPERATION, "not above x12.3"),
}


@pytest.mark.parametrize(("percents", "metric", "text"), EXCLUDED.values(), ids=EXCLUDED)
def test_an_interval_excludes(percents: made.Percents, metric: Metric, text: str) -> None:
    assert excluded(verdict(UNDECIDED, percents, metric=metric)) == text


def test_a_change_of_a_rate_says_what_changed() -> None:
    rate = verdict(SLOWER, (-4.1, -7.4, -0.6), metric=SCRIPTS_PER_HOUR)
    assert change(rate).split() == ["-4.1%", "throughput", "[-7.4,", "-0.6]"]
    assert value(rate).split() == ["-4.1%", "throughput"]
    assert value(verdict()) == ""


def test_texts_that_differ_in_figures_alone_are_one_kind() -> None:
    assert kinds(["round 3 is far", "", "noisy", "round 4 is far"]) == ["round 3 is far", "noisy"]
