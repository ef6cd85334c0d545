"""Forest plots: the contrasts of a box with their intervals."""

from __future__ import annotations

import math
import re

import msgspec
import pytest
from hypothesis import given, settings
from tests.unit import verdicts as made
from tests.unit.golden import check
from tests.unit.pictures import NAMES, about, drawn, keyed, outside, parsed, words
from tests.unit.posted import P4_XEON
from tests.unit.verdicts import BOX, EQUIVALENT, FASTER, SLOWER, UNDECIDED, failed, judgement, mean, verdict

from kdelta.model.benchmark import SCRIPTS_PER_HOUR, Metric
from kdelta.model.boot import CellState
from kdelta.model.plan import BoxSpec
from kdelta.model.table import Entry, Row, Table
from kdelta.model.verdict import Answer, Judgement, Ratio, Verdict
from kdelta.report.forest import LEFT, RIGHT, render
from kdelta.report.marks import ANSWERS
from kdelta.report.svg import fitted

SLOW = verdict(SLOWER, (17.7, 15.2, 20.1), name="ctx-2", beyond=True)
SAME = verdict(EQUIVALENT, (0.3, 0.1, 0.5), name="select", tiny=True)
FAST = verdict(FASTER, (-8.1, -9.0, -7.2), name="mmap")
OPEN = verdict(UNDECIDED, (0.5, -1.9, 3.0), name="fork", needed=31)
FOUR = judgement(SLOW, SAME, FAST, OPEN)


def whisker(row: int, of: Judgement = FOUR) -> tuple[float, float]:
    (group,) = keyed(render(of, BOX), row=str(row))
    _, found = drawn(group)[0]
    return found[0][0], found[1][0]


def middle(of: Judgement, row: int) -> float:
    """The place of the mark of a contrast, which is drawn behind its whisker."""
    (group,) = keyed(render(of, BOX), row=str(row))
    return drawn(group)[1][1][0][0]


def axis(of: Judgement = FOUR) -> float:
    """Where a ratio of 1 lies: in the middle of the margin, since the axis is logarithmic."""
    left, right = margin(of)
    return (left + right) / 2.0


def margin(of: Judgement = FOUR) -> tuple[float, float]:
    (band,) = (one for one in parsed(render(of, BOX)) if one.get("class") == "n")
    start, width = (float(band.get(key, "nan")) for key in ("x", "width"))
    return start, start + width


def test_a_forest_is_drawn_as_kept() -> None:
    check("forest", render(made.with_a_failure(), BOX))


def test_marks_and_whiskers_lie_where_their_ratios_do_on_a_logarithmic_axis() -> None:
    one = axis()
    scale = (middle(FOUR, 0) - one) / math.log(1.177)
    assert scale > 0.0
    assert middle(FOUR, 2) - one == pytest.approx(scale * math.log(0.919), abs=0.05)
    assert whisker(0) == pytest.approx((one + scale * math.log(1.152), one + scale * math.log(1.201)), abs=0.05)


def test_the_margin_is_shaded_from_its_inverse_to_itself() -> None:
    (left, right), scale = margin(), (middle(FOUR, 0) - axis()) / math.log(1.177)
    assert right - left == pytest.approx(2.0 * scale * math.log(1.01), abs=0.05)


@pytest.mark.parametrize(("row", "answer"), [*enumerate([SLOWER, EQUIVALENT, FASTER, UNDECIDED])])
def test_each_answer_has_its_own_colour_and_shape_beside_its_interval_and_its_word(row: int, answer: Answer) -> None:
    (group,) = keyed(render(FOUR, BOX), row=str(row), answer=answer.value)
    css, shape = ANSWERS[answer]
    found = [(one.get("class"), (one.get("d") or "").partition("m")[2]) for one in group.iter() if one.tag.endswith("path")]
    assert found[1:] == [(css, shape[1:])] * 2
    assert len({each for each, _ in ANSWERS.values()}) == len({each for _, each in ANSWERS.values()}) == 4


def test_a_slower_rate_lies_left_and_is_marked_slower() -> None:
    rate = verdict(SLOWER, (-4.1, -7.4, -0.6), name="sdet-8", metric=SCRIPTS_PER_HOUR)
    of = judgement(rate, SLOW)
    (group,) = keyed(render(of, BOX), row="0", answer="slower")
    assert middle(of, 0) < axis(of) < middle(of, 1)
    assert "sdet-8 ^" in [one.text for one in group.iter() if one.text]
    assert any("left of it where ^: larger is better" in line for line in words(render(of, BOX)))


def test_a_row_has_its_figures_in_text_and_the_rest_in_its_title() -> None:
    (group,) = keyed(render(FOUR, BOX), row="0")
    assert [one.text for one in group.iter() if one.tag.endswith("text")] == ["ctx-2", "+17.7% [+15.2, +20.1]", "slower"]
    assert about(group) == (
        "ctx-2, new against old: +17.7% [+15.2, +20.1] slower, by at least 1%\np .002, rounds 5, sd 0.6%, visible 1.1%"
    )
    doubted = judgement(verdict(UNDECIDED, (0.5, -1.9, 3.0), needed=31, doubts=("round 3 far from the others",)))
    (group,) = keyed(render(doubted, BOX), row="0")
    assert about(group).splitlines()[1:] == ["p .300, rounds 5/~31, sd 0.6%, visible 1.1%", "round 3 far from the others"]


FAR = {"without an end": math.inf, "far beyond all others": 1e7}


@pytest.mark.parametrize("high", FAR.values(), ids=FAR)
def test_an_end_that_is_not_on_the_axis_is_an_arrow_and_others_are_caps(high: float) -> None:
    of = judgement(SAME, verdict(UNDECIDED, (0.5, -1.9, high), name="fork"))
    (group,) = keyed(render(of, BOX), row="1")
    path = next(one.get("d", "") for one in group.iter() if one.tag.endswith("path"))
    assert whisker(1, of)[1] == pytest.approx(RIGHT, abs=0.01)
    assert (path.count("L"), path.count("V")) == (2, 1)
    assert whisker(1, of)[0] > LEFT


def test_one_wild_contrast_does_not_make_the_others_short_and_is_an_arrow_itself() -> None:
    of = judgement(*FOUR.verdicts, verdict(SLOWER, (1e6, 5e5, 2e6), name="wild"))
    start, end = whisker(0, of)
    (group,) = keyed(render(of, BOX), row="4")
    assert end - start > 3.0
    assert "x10001 [x5001, x20001]" in [one.text for one in group.iter()]
    assert max(x for _, path in drawn(group)[:2] for x, _ in path) == pytest.approx(RIGHT, abs=0.01)
    assert drawn(group)[1][0] == ANSWERS[SLOWER][0]


def test_rows_are_grouped_by_their_sides_and_keys_count_names_as_they_are_met() -> None:
    picture = render(made.smpnice()[1], P4_XEON)
    titles = [line.removesuffix(":") for line in words(picture) if " against " in line]
    assert titles[:4] == [
        "-rc2 against v2.6.15",
        "-rc2-nosmpnice against v2.6.15",
        "-rc2-smpnice2 against v2.6.15",
        "-rc2-nosmpnice against -rc2",
    ]
    (group,) = keyed(picture, row="2", base="1", new="2")
    assert about(group).startswith("ctx-200, -rc2-smpnice2 against -rc2: ")
    assert len(keyed(picture, row="0")) == 6


def entry(variant: str, value: float | None, state: CellState | None) -> Entry:
    return Entry(variant=variant, boots=(), value=value, percent=None, sd_percent=None, state=state)


ENDED = {
    "failed": (CellState.KILLED, "new failed"),
    "not measured": (None, "new not measured"),
    "not possible": (CellState.NOT_HERE, "new not measured"),
}


@pytest.mark.parametrize(("state", "said"), ENDED.values(), ids=ENDED)
def test_a_side_without_a_value_is_told_with_how_it_ended(state: CellState | None, said: str) -> None:
    one = failed()
    row = Row(one.new.benchmark, (entry("old", 3.0, CellState.OK), entry("new", None, state)), "median")
    table = Table(box=BOX, statistic="median", variants=("old", "new"), boots=5, rows=(row,))
    assert said in words(render(judgement(one), BOX, table))


def test_a_contrast_without_a_ratio_has_its_reason_and_no_mark() -> None:
    picture = render(made.too_few(), BOX)
    (group,) = keyed(picture, row="0")
    assert [css for css, _ in drawn(group)] == [ANSWERS[UNDECIDED][0]]
    assert any(line.startswith("too few visits: 2 and 2") for line in words(picture))
    (group,) = keyed(render(judgement(failed()), BOX), answer="no value")
    assert drawn(group) == []


def test_a_geometric_mean_is_a_diamond_from_end_to_end_of_its_interval() -> None:
    of = judgement(SLOW, SAME, means=[mean(SLOWER, (9.0, 7.0, 11.0), [SLOW, SAME], left_out=["volano: 0 of 3 rounds"])])
    (group,) = keyed(render(of, BOX), mean="")
    css, path = drawn(group)[1]
    low, high = drawn(group)[0][1][:2]
    assert (css, {x for x, _ in path} >= {low[0], high[0]}) == (ANSWERS[SLOWER][0], True)
    assert about(group).splitlines() == [
        "geometric mean of 2 as cost, new against old: +9.0% [+7.0, +11.0] slower",
        "5 rounds",
        "left out: volano: 0 of 3 rounds",
    ]


def test_other_boxes_are_in_their_own_pictures() -> None:
    judged = made.lock_page()
    assert len(keyed(render(judged, made.G5), base="0")) == 4
    assert "Nothing was compared on this box." in words(render(judged, BOX))


def test_the_verdicts_are_counted_in_one_line() -> None:
    assert "1 slower, 1 faster, 1 equivalent, 1 undecided, 1 no value" in words(render(made.with_a_failure(), BOX))


@pytest.mark.parametrize(("name", "shown"), NAMES.items())
def test_a_name_is_shown_and_does_nothing_else(name: str, shown: str) -> None:
    box = BoxSpec(name=name)
    one = verdict(SLOWER, (5.0, 4.0, 6.0), name=name, base=name, new=name, box=box, doubts=(name,))
    picture = render(judgement(one, means=[mean(SLOWER, (5.0, 4.0, 6.0), [one])]), box)
    (group,) = keyed(picture, row="0")
    assert about(group).startswith(f"{shown}, {shown} against {shown}: ")
    assert fitted(shown, 21) in words(picture)
    assert {one.tag.partition("}")[2] for one in parsed(picture).iter()} == {
        *("svg", "title", "desc", "style", "defs", "pattern", "rect", "path", "text", "g"),
    }


@given(made.ANY_JUDGEMENT, made.BOXES)
@settings(max_examples=60)
def test_any_judgement_is_drawn_inside_the_picture_with_a_row_for_each_contrast(of: Judgement, box: BoxSpec) -> None:
    picture = render(of, box)
    assert outside(picture) == []
    contrasts = [one for one in of.verdicts if one.new.box.name == box.name]
    assert sum(one.get("data-row") is not None for one in keyed(picture)) == len(contrasts)
    assert sum(one.get("data-mean") is not None for one in keyed(picture)) == sum(one.box.name == box.name for one in of.means)
    assert not any(re.search(r"\b(nan|inf|None)\b", line) for line in words(picture))


@pytest.mark.parametrize("name", ["smpnice", "numaq", "wide", "undecided", "one_cpu", "loads", "sorted_buddy"])
def test_well_known_verdicts_are_drawn_inside_the_picture(name: str) -> None:
    found = getattr(made, name)()
    of: Judgement = found[0] if isinstance(found, tuple) else found
    assert outside(render(of, of.verdicts[0].new.box)) == []


def test_a_ratio_that_is_none_has_no_mark() -> None:
    odd = msgspec.structs.replace(SLOW, ratio=Ratio(math.nan, 0.0, math.inf))
    (group,) = keyed(render(judgement(odd), BOX), row="0")
    assert len(drawn(group)) == 1


def test_twelve_benchmarks_of_eight_columns_are_a_small_picture() -> None:
    several = [
        verdict(SLOWER, (5.0, 4.0, 6.0), name=f"benchmark-{row}", new=f"column {new}", metric=Metric("elapsed_s", "s"))
        for new in range(7)
        for row in range(12)
    ]
    assert len(render(judgement(*several), BOX)) < 70_000


def test_the_same_verdicts_are_the_same_picture() -> None:
    one: Verdict = msgspec.json.decode(msgspec.json.encode(SLOW), type=Verdict)
    assert render(judgement(one), BOX) == render(judgement(SLOW), BOX)
