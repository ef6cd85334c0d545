"""What tells columns apart in pictures, and their axes."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.pictures import BLIND, contrast, linear, points, seen_by

from kdelta.report.axes import Axis, around, rungs, ticks
from kdelta.report.colours import DARK, LIGHT, SERIES_DARK, SERIES_LIGHT, SERIES_STYLE, series
from kdelta.report.marks import SHAPES, dash_of, mark, shape_of

PALETTES = {"light": (SERIES_LIGHT, LIGHT["paper"]), "dark": (SERIES_DARK, DARK["paper"])}
EACH_PALETTE = pytest.mark.parametrize(("colours", "paper"), PALETTES.values(), ids=PALETTES)


@EACH_PALETTE
def test_the_colours_of_columns_stand_out_from_their_paper(colours: tuple[str, ...], paper: str) -> None:
    assert min(contrast(colour, paper) for colour in colours) >= 3.0


def lab(light: list[float]) -> list[float]:
    """CIE L*a*b* of linear sRGB, D65."""
    matrix = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [sum(a * b for a, b in zip(line, light, strict=True)) / sum(line) for line in matrix]
    x, y, z = (part ** (1.0 / 3.0) if part > 0.008856 else 7.787 * max(part, 0.0) + 16.0 / 116.0 for part in xyz)
    return [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]


@EACH_PALETTE
@pytest.mark.parametrize("matrix", [*BLIND.values(), None], ids=[*BLIND, "all colours"])
def test_no_two_columns_look_the_same_to_anyone(
    matrix: tuple[tuple[float, ...], ...] | None, colours: tuple[str, ...], paper: str
) -> None:
    seen = [lab(seen_by(matrix, colour) if matrix else linear(colour)) for colour in colours]
    # One is what can just be told when two colours lie side by side.
    assert min(math.dist(one, other) for one, other in combinations(seen, 2)) > 10.0


def test_columns_differ_in_shape_and_dash_too_and_behind_the_eighth_in_pairs_of_them() -> None:
    assert len({shape_of(place) for place in range(8)}) == len({dash_of(place) for place in range(8)}) == 8
    assert len({(series(place), shape_of(place)) for place in range(64)}) == 64


def test_both_modes_have_a_colour_for_each_column() -> None:
    light, _, dark = SERIES_STYLE.partition("@media screen and (prefers-color-scheme:dark)")
    assert all(
        f".v{place}{{fill:{of[place]};" in part for part, of in ((light, SERIES_LIGHT), (dark, SERIES_DARK)) for place in range(8)
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_a_mark_lies_around_its_place(shape: str) -> None:
    found = points(mark(shape, 50.0, 20.0))[1:]
    xs, ys = zip(*found, strict=True)
    assert 46.0 <= min(xs) < 50.0 <= max(xs) <= 54.0
    assert 16.0 <= min(ys) <= 20.0 <= max(ys) <= 24.0


# ---- axes ----

ENDS = st.floats(-1e12, 1e12)


@given(ENDS, st.floats(1e-9, 1e12), st.integers(2, 12))
def test_ticks_are_on_the_axis_evenly_spaced_and_no_more_than_asked(low: float, span: float, most: int) -> None:
    axis = around([low, low + span], 0.0, 1.0)
    found = [value for value, _ in ticks(axis, most)]
    assert len(found) <= most
    assert all(axis.low - 1e-6 * span <= value <= axis.high + 1e-6 * span for value in found)
    gaps = [after - before for before, after in pairwise(found)]
    assert gaps == pytest.approx([gaps[0]] * len(gaps), rel=1e-3, abs=1e-3) if gaps else True


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 10.0, ["0", "2", "4", "6", "8", "10"]),
        (-0.012, 0.03, ["-0.01", "0.00", "0.01", "0.02", "0.03"]),
        (1000.0, 3100.0, ["1,000", "1,500", "2,000", "2,500", "3,000"]),
    ],
)
def test_ticks_are_written_with_the_digits_that_tell_them_apart(low: float, high: float, expected: list[str]) -> None:
    assert [words for _, words in ticks(Axis(low, high, 0.0, 1.0), 6)] == expected


@given(st.lists(st.floats(), max_size=5))
def test_an_axis_has_two_ends_and_all_values_on_it(values: list[float]) -> None:
    axis = around(values, 10.0, 20.0)
    assert axis.low < axis.high
    assert all(10.0 <= axis.at(value) <= 20.0 for value in values if not math.isnan(value))


def test_what_lies_beyond_an_axis_is_at_its_end() -> None:
    axis = Axis(0.0, 2.0, 100.0, 0.0)
    assert [axis.at(value) for value in (-5.0, 0.5, math.inf)] == [100.0, 75.0, 0.0]
    assert [axis.beyond(value) for value in (-5.0, 2.0, math.inf)] == [-1, 0, 1]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.9, 11.0, [1.0, 2.0, 5.0, 10.0]),
        (0.001, 1e3, [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]),
        (1.0, 1e9, [1.0, 100.0, 1e4, 1e6, 1e8]),
    ],
)
def test_rungs_are_1_2_and_5_and_powers_of_10_where_those_are_too_many(low: float, high: float, expected: list[float]) -> None:
    assert rungs(low, high, 7) == pytest.approx(expected)
