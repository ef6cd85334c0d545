"""Claims of published texts, computed again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.archive.numbers import number
from kdelta.archive.text import Line
from kdelta.judge.claims import RULES, check
from kdelta.model.benchmark import Better
from kdelta.model.checked import Checked, Standing
from kdelta.model.published import Block, Claim, Number

SMALLER, LARGER = Better.SMALLER, Better.LARGER
HOLDS, OFF, UNCHECKED = Standing.HOLDS, Standing.OFF, Standing.UNCHECKED


def printed(text: str) -> Number:
    return number(text, Line(1, text), 0)


def claim(kind: str, said: str, *of: str, **more: object) -> Claim:
    return Claim(kind=kind, what="it", printed=printed(said), of=tuple(map(printed, of)), **more)  # type: ignore[arg-type]


def checked(*claims: Claim) -> Sequence[Checked]:
    return check(Block(format="any", first=1, last=9, claims=claims)).claims


def standing(kind: str, said: str, *of: str, **more: object) -> Standing:
    return checked(claim(kind, said, *of, **more))[0].standing


PERCENTAGES = [
    # As printed: rounded, cut, of figures that were rounded themselves, and wrong.
    ("2.56", ("45.38", "46.54"), HOLDS, ""),
    ("-3.31", ("4.05", "3.9158"), HOLDS, ""),
    ("23.07", ("26", "32"), HOLDS, "truncated"),
    ("0.46", ("14.62", "14.69"), HOLDS, "from figures before they were rounded"),
    ("17", ("3.51", "4.13"), HOLDS, "truncated"),
    ("0.84", ("200.0", "200.25"), OFF, ""),
]


@pytest.mark.parametrize(("said", "of", "expected", "how"), PERCENTAGES)
def test_a_percentage_holds_where_the_printed_numbers_can_give_it(
    said: str, of: tuple[str, str], expected: Standing, how: str
) -> None:
    (found,) = checked(claim("change", said, *of))
    assert (found.standing, found.how) == (expected, how)


def test_what_the_numbers_give_stands_beside_what_is_off() -> None:
    (found,) = checked(claim("change", "0.84", "200.0", "200.25"))
    assert found.again == pytest.approx(0.125)


def test_the_percentages_of_a_block_are_meant_in_the_way_in_which_most_of_them_hold() -> None:
    gains = [
        claim("change", "0.47", "56.52", "56.256", better=SMALLER),
        claim("change", "-0.50", "980.018", "984.958", better=SMALLER),
        claim("change", "13.80", "100.0", "113.8", better=LARGER),
    ]
    block = check(Block(format="any", first=1, last=9, claims=tuple(gains)))
    assert [one.standing for one in block.claims] == [HOLDS] * 3
    assert block.reading == "plus is better, in percent of the base"


def test_a_percentage_with_the_sign_of_no_other_is_off() -> None:
    of = {"10.0": "110.0", "20.0": "120.0", "-5.0": "105.0"}
    found = checked(*(claim("change", said, "100.0", new) for said, new in of.items()))
    assert [one.standing for one in found] == [HOLDS, HOLDS, OFF]


def test_a_percentage_of_the_new_value_is_known_as_such() -> None:
    block = check(Block(format="any", first=1, last=9, claims=(claim("change", "50.0", "100.0", "200.0"),)))
    assert block.reading == "plus is more, in percent of the new value"


def test_a_percentage_of_nothing_cannot_be_checked() -> None:
    (found,) = checked(claim("change", "0.0", "0", "37"))
    assert (found.standing, found.how) == (UNCHECKED, "what it is a percentage of is 0")


def test_a_change_of_a_negative_base_has_the_sign_of_the_difference() -> None:
    others = [claim("change", "92.5", "37.99", "73.13")] * 2
    found = checked(*others, claim("change", "38.8", "-93.66", "-130.00"))[-1]
    assert found.standing is OFF
    assert found.again == pytest.approx(-38.8, abs=0.01)


OTHERS = [
    ("mean", "0.0112", (".0054", ".0168", ".0465", ".0051", ".0055", ".0074", ".0061", ".0045", ".0088", ".0055"), HOLDS),
    ("mean", "81.96", ("99.62", "99.85", "99.75"), OFF),
    ("median", "7117", ("7080", "7117", "6990"), OFF),
    ("median", "7080", ("7080", "7117", "6990"), HOLDS),
    ("cv", "3.47", ("8.1604", "7.8160", "7.6098", "7.2970", "7.5914"), OFF),
    ("cpu", "1497.75", ("565.81", "114.91", "45.38"), HOLDS),
    ("cpu", "1397.75", ("565.81", "114.91", "45.38"), OFF),
    ("points", "0.2", ("0.52", "0.68"), HOLDS),
    ("sum", "10", ("1", "2", "3"), OFF),
    ("share", "43.44", ("27173178", "62551761"), HOLDS),
    ("quotient", "724.9003", ("434940.20", "600"), HOLDS),
    ("min", "9.541", ("10.018", "9.541"), HOLDS),
    ("max", "9.541", ("10.018", "9.541"), OFF),
    ("gmean", "10.0", ("5.0", "20.0"), HOLDS),
    ("hmean", "8.0", ("5.0", "20.0"), HOLDS),
]


@pytest.mark.parametrize(("kind", "said", "of", "expected"), OTHERS)
def test_a_claim_is_computed_again_from_its_rows(kind: str, said: str, of: tuple[str, ...], expected: Standing) -> None:
    assert standing(kind, said, *of) is expected


def test_every_kind_of_list_is_tried_above() -> None:
    assert {kind for kind, *_ in OTHERS} | {"sd"} == set(RULES)


def test_an_index_is_a_quotient_times_ten() -> None:
    assert standing("quotient", "53865.8", "628613745.4", "116700.0", factor=10.0) is HOLDS
    assert standing("quotient", "53865.8", "628613745.4", "116700.0") is OFF


def test_what_is_computed_again_has_the_factor_of_its_claim() -> None:
    (found,) = checked(claim("quotient", "53000.0", "628613745.4", "116700.0", factor=10.0))
    assert found.again == pytest.approx(53865.8, abs=0.05)


def test_a_spread_of_rounded_rows_may_be_that_of_the_rows_before() -> None:
    assert standing("sd", "1.7", "1", "2", "3", "4") is HOLDS
    assert standing("sd", "2.4", "1", "2", "3", "4") is OFF


@pytest.mark.parametrize(("said", "how"), [("1.5275", ""), ("1.2472", "with n in its denominator")])
def test_a_standard_deviation_may_have_either_denominator(said: str, how: str) -> None:
    (found,) = checked(claim("sd", said, "10.0000", "13.0000", "12.0000"))
    assert (found.standing, found.how) == (HOLDS, how)


def test_a_star_of_one_sample_is_off_and_one_of_unknown_samples_cannot_be_checked() -> None:
    assert standing("significant", "1", count=1) is OFF
    assert standing("significant", "1") is UNCHECKED


def test_a_claim_whose_numbers_are_not_in_the_text_says_so() -> None:
    (found,) = checked(claim("change", "5", missing="the base is cut off"))
    assert (found.standing, found.how) == (UNCHECKED, "the base is cut off")


@pytest.mark.parametrize("kind", [*RULES, "change", "significant", "unheard of"])
@pytest.mark.parametrize("of", [(), ("0",), ("0", "0"), ("0", "0", "0"), ("-1", "-1", "-1", "-1"), ("1e300", "1e300")])
def test_no_numbers_make_the_checker_stumble(kind: str, of: tuple[str, ...]) -> None:
    assert standing(kind, "1e300", *of) in Standing


@given(
    st.floats(0.01, 1e6),
    st.floats(0.5, 2.0),
    st.integers(0, 4),
    st.integers(0, 2),
    st.booleans(),
)
def test_a_percentage_of_figures_before_they_were_rounded_is_never_called_off(
    base: float, ratio: float, digits: int, percent_digits: int, cut: bool
) -> None:
    new = base * ratio
    shown = [f"{value:.{digits}f}" for value in (base, new)]
    percent = 100.0 * (new - base) / base
    scale = 10.0**percent_digits
    said = f"{int(percent * scale) / scale:.{percent_digits}f}" if cut else f"{percent:.{percent_digits}f}"
    assert standing("change", said, *shown) is not OFF
