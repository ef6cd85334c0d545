"""The largest changes as bars; and what all pictures share."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.golden import check
from tests.unit.pictures import BLIND, NAMES, SVG, Group, change, contrast, difference, groups, lines, parsed, seen_by

from kdelta.profile.change import Change, Difference
from kdelta.report.bars import LEFT, RIGHT, render
from kdelta.report.colours import DARK, GROWN, LIGHT, SAME, SHRUNK, STYLE
from kdelta.report.svg import CELL, amount, believed, cells, escaped, fitted, percent, signed, wrapped

DIFFERENCE = difference(
    change("update_curr", 122.0, 313.0, low=180.0, high=202.0, q=0.0001),
    change("vruntime_eligible", None, 243.0, low=230.0, high=math.inf, q=0.0002),
    change("psi_group_change", 388.0, 238.0, low=-155.0, high=-145.0, q=0.0001),
    change("pick_next_entity", 37.0, None, low=-37.5, high=-36.5, q=0.001),
    change("schedule", 100.0, 110.0, low=-15.0, high=35.0, q=0.4, real=False),
    change("a_function_with_a_name_that_is_longer_than_its_column", 9.0, 12.0, real=False),
    change("small", 1.0, 1.5, real=False),
    change("smaller", 1.0, 1.25, real=False),
    doubts=(
        "2 old and 3 new profiles: 2 of each are needed, and 3 or more say much more, which is why this is long enough to break",
    ),
)


def row(name: str, of: Difference = DIFFERENCE) -> Group:
    (found,) = (one for one in groups(render(of)) if one.about.startswith(f"{name}: "))
    return found


def ends(path: str) -> tuple[float, float]:
    """Where a whisker begins and ends."""
    found = re.match(r"M([\d.]+) [\d.]+H([\d.]+)", path)
    assert found
    return float(found[1]), float(found[2])


def test_bars_are_drawn_as_kept() -> None:
    check("bars", render(DIFFERENCE, most=6))


def test_the_largest_changes_come_first_and_the_others_are_summed() -> None:
    picture = render(DIFFERENCE, most=2)
    assert [one.about.partition(":")[0] for one in groups(picture)] == ["vruntime_eligible", "update_curr"]
    assert "And 6 more functions, together -173.2." in lines(picture)


def test_a_bar_says_all_that_is_known_of_its_change() -> None:
    assert row("update_curr").about == "update_curr: 122 -> 313, +191 (+156.6%), [+180, +202], q <.001, beyond noise"
    assert row("small").about == "small: 1 -> 1.5, +0.5 (+50.0%), within noise"


def test_bars_beyond_noise_are_filled_and_those_within_are_hollow() -> None:
    assert [row(name).css for name in ("update_curr", "psi_group_change", "schedule")] == [GROWN[3], SHRUNK[3], "hollow"]


def test_growth_lies_right_of_the_line_of_0_and_shrinking_left() -> None:
    line = row("update_curr").x
    assert row("psi_group_change").x + row("psi_group_change").width == pytest.approx(line, abs=0.02)


def test_bars_are_as_long_as_their_changes() -> None:
    assert row("update_curr").width / row("psi_group_change").width == pytest.approx(191.0 / 150.0, rel=1e-3)


def test_a_whisker_lies_where_the_ends_of_the_interval_do() -> None:
    bar, (low, high) = row("update_curr"), ends(row("update_curr").paths[0])
    assert (low - bar.x) / bar.width == pytest.approx(180.0 / 191.0, rel=1e-3)
    assert (high - bar.x) / bar.width == pytest.approx(202.0 / 191.0, rel=1e-3)


def test_an_interval_that_is_not_known_has_no_whisker() -> None:
    assert row("small").paths == ()


FAR = {"without an end": math.inf, "far beyond all changes": 1e9}


@pytest.mark.parametrize("high", FAR.values(), ids=FAR)
def test_a_whisker_that_does_not_fit_ends_in_an_arrow_at_the_edge(high: float) -> None:
    of = difference(change("f", 10.0, 20.0, low=8.0, high=high), change("g", 10.0, 18.0, low=7.0, high=9.0))
    path = row("f", of).paths[0]
    assert ends(path)[1] == pytest.approx(RIGHT, abs=0.01)
    assert ("L" in path, "L" in row("g", of).paths[0]) == (True, False)


def test_one_wide_interval_does_not_make_all_bars_short() -> None:
    of = difference(change("f", 10.0, 20.0, low=-1e6, high=1e6), change("g", 10.0, 18.0))
    assert row("f", of).width > 0.3 * (RIGHT - LEFT)


def test_the_axis_has_the_unit_and_values_with_room_between_them() -> None:
    root = parsed(render(difference(change("f", 1e6, 0.9e6), change("g", 1e6, 1.12e6))))
    ticks = [one for one in root.iter(f"{SVG}text") if one.get("class") == "faint middle"]
    places = [(float(one.get("x", "")), CELL * cells(one.text or "") / 2.0) for one in ticks]
    assert [one.text for one in ticks] == ["-100,000", "0", "+100,000"]
    assert all(x + half < following - other for (x, half), (following, other) in pairwise(places))
    assert "instructions per operation" in lines(render(DIFFERENCE))


def test_doubts_are_under_the_bars() -> None:
    assert [*lines(render(DIFFERENCE))][-2:][0].startswith("2 old and 3 new profiles")


EMPTY = {"no functions": (), "no change": (change("f", 1.0, 1.0, low=0.0, high=0.0, real=False),)}


@pytest.mark.parametrize("changes", EMPTY.values(), ids=EMPTY)
def test_a_difference_without_changes_is_a_picture_too(changes: tuple[Change, ...]) -> None:
    assert [one.width for one in groups(render(difference(*changes)))] == [0.0] * len(changes)


@pytest.mark.parametrize(("name", "shown"), NAMES.items())
def test_a_name_is_shown_and_does_nothing_else(name: str, shown: str) -> None:
    (found,) = groups(render(difference(change(name, 9.0, 9.5))))
    assert (found.about.partition(": 9 ->")[0], found.words[0]) == (shown, fitted(shown, 32))


ANY = st.floats(0.0, 1e12) | st.none()
CHANGES = st.builds(
    lambda name, old, new, low, high, q, real: Change(name=name, old=old, new=new, low=low, high=high, q=q, real=real),
    st.text(max_size=5),
    ANY,
    ANY,
    st.floats(max_value=1e13),
    st.floats(min_value=-1e13),
    st.floats(0.0, 1.0) | st.just(math.nan),
    st.booleans(),
)


@given(st.lists(CHANGES, max_size=12), st.integers(1, 5))
def test_any_difference_is_drawn_between_the_edges(changes: list[Change], most: int) -> None:
    found = groups(render(difference(*changes), most=most))
    assert len(found) == min(most, len(changes))
    for one in found:
        assert LEFT - 0.02 <= one.x <= one.x + one.width <= RIGHT + 0.02


# ---- words and figures of pictures ----


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab\u2026"),
        ("ab", 1, ""),
        ("", 0, ""),
        ("\u95a2\u6570x", 4, "\u95a2\u2026"),
        ("a\tbc", 3, "a\ufffd\u2026"),
    ],
)
def test_text_is_cut_to_columns(text: str, columns: int, expected: str) -> None:
    assert fitted(text, columns) == expected


@given(st.text(max_size=20), st.integers(0, 12))
def test_cut_text_is_never_wider_than_asked(text: str, columns: int) -> None:
    assert cells(fitted(text, columns)) <= columns


def test_items_are_wrapped_and_not_broken() -> None:
    assert wrapped(["Gone:", "f -1,", "g_with_a_long_name -2,", "h -3"], 12) == [
        "Gone: f -1,",
        "  g_with_a_long_name -2,",
        "  h -3",
    ]


@given(st.text(), st.text())
def test_escaped_text_comes_back_as_it_is_shown(text: str, other: str) -> None:
    read = ElementTree.fromstring(f'<a b="{escaped(other)}">{escaped(text)}</a>'.encode())
    assert (read.text or "") == "\n".join(fitted(line, 1 << 20) for line in text.split("\n"))


@pytest.mark.parametrize(
    ("value", "expected"), [(0.0, "0"), (1234567.8, "1,234,568"), (999.96, "1000"), (12.345678, "12.35"), (0.00012345, "0.0001234")]
)
def test_amounts_have_four_digits_or_all_before_the_point(value: float, expected: str) -> None:
    assert amount(value) == expected


@pytest.mark.parametrize(("value", "expected"), [(0.0, "0"), (2.5, "+2.5"), (-2.5, "-2.5"), (math.inf, "unbounded")])
def test_changes_have_a_sign(value: float, expected: str) -> None:
    assert signed(value) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (10.0, 12.5, "+25.0%"),
        (None, 5.0, "new"),
        (0.0, 5.0, "new"),
        (5.0, None, "gone"),
        (1.0, 101.0, "+10,000%"),
        (None, None, "-"),
    ],
)
def test_percentages_are_of_the_old_count(old: float | None, new: float | None, expected: str) -> None:
    assert percent(change("f", old, new)) == expected


def test_a_probability_at_the_limit_is_not_rounded_across_it() -> None:
    assert believed(change("f", 1.0, 2.0, q=0.0501, real=False)) == "q .0501, within noise"


# ---- colours ----

MODES = {"light": LIGHT, "dark": DARK}
BACKGROUNDS = (SAME, *GROWN, *SHRUNK, "kernel", "module", "user", "paper")


@pytest.mark.parametrize("colours", MODES.values(), ids=MODES)
def test_writing_can_be_read_on_all_colours(colours: dict[str, str]) -> None:
    for background in BACKGROUNDS:
        assert contrast(colours["ink"], colours[background]) >= 4.5, background


@pytest.mark.parametrize("colours", MODES.values(), ids=MODES)
@pytest.mark.parametrize("matrix", BLIND.values(), ids=BLIND)
def test_who_does_not_tell_red_from_green_tells_what_grew_from_what_shrank(
    matrix: tuple[tuple[float, ...], ...], colours: dict[str, str]
) -> None:
    for grown, shrunk in zip(GROWN, SHRUNK, strict=True):
        seen = [seen_by(matrix, colours[one]) for one in (grown, shrunk)]
        yellow = [(one[0] - one[2]) / sum(one) for one in seen]
        assert yellow[0] > 0.03 > -0.03 > yellow[1]


def test_what_is_drawn_in_light_has_its_colour_in_dark_and_on_paper_it_is_light() -> None:
    light, _, dark = STYLE.partition("@media screen and (prefers-color-scheme:dark)")
    assert LIGHT.keys() == DARK.keys()
    assert all(f".{name}{{fill:" in part for part in (light, dark) for name in LIGHT if name not in SHRUNK)
