"""Numbers as people and programs print them, and the units behind them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.archive.numbers import exact, number, numbers, parsed
from kdelta.archive.text import Line
from kdelta.archive.units import base

PRINTED = [
    ("45.37", 45.37, 0.01),
    ("115.", 115.0, 1.0),
    (".90", 0.9, 0.01),
    ("13.K", 13000.0, 1000.0),
    ("20.2K", 20200.0, 100.0),
    ("2.42k", 2420.0, 10.0),
    ("-2.5", -2.5, 0.1),
    ("+12.9", 12.9, 0.1),
    ("1.30478e+06", 1304780.0, 10.0),
    ("2.984e+08", 298400000.0, 1e5),
    ("34,551,564,954", 34551564954.0, 1.0),
    ("8,093.54", 8093.54, 0.01),
    ("0", 0.0, 1.0),
]


@pytest.mark.parametrize(("text", "value", "step"), PRINTED)
def test_a_printed_number_has_a_value_and_the_worth_of_its_last_digit(text: str, value: float, step: float) -> None:
    found, worth = parsed(text)
    assert found == pytest.approx(value, rel=1e-15)
    assert worth == pytest.approx(step)


@pytest.mark.parametrize("text", ["", "-", ".", "1.2.3", "1,23", "12,3456", "nan", "inf", "1e999", "0x10", "5 6", "K", "1e", "--5"])
def test_what_is_no_number_is_told(text: str) -> None:
    with pytest.raises(ValueError, match=r"no number|too large"):
        parsed(text)


def test_a_decimal_comma_is_one_only_where_that_is_asked_for() -> None:
    assert parsed("3,742", comma=True)[0] == 3.742
    assert parsed("3,742")[0] == 3742.0


def test_a_number_is_in_the_unit_of_its_entry_and_keeps_its_text_and_place() -> None:
    found = number("16.5", Line(3, "  16.5 us", 2), 2, 1e-6)
    assert (found.text, found.line, found.column) == ("16.5", 3, 5)
    assert found.value == pytest.approx(16.5e-6)
    assert found.step == pytest.approx(1e-7)


def test_numbers_that_stand_for_themselves_are_told_from_parts_of_words() -> None:
    said = "2.6.8-rc2 ext3 45.37 (10.8%) v4 12:30:45 -3 1.67-1.69 5, 6,000"
    assert [one.value for one in numbers(Line(1, said))] == [45.37, 10.8, -3.0, 5.0, 6000.0]


def test_a_number_of_data_has_all_its_digits() -> None:
    found = exact(0.10753446442370372, factor=1e3)
    assert (found.text, found.step) == ("0.10753446442370372", 0.0)
    with pytest.raises(ValueError, match="no number"):
        exact(float("nan"))


@given(st.floats(-1e12, 1e12), st.integers(0, 9))
def test_what_a_program_prints_is_read_to_its_last_digit(value: float, digits: int) -> None:
    found, step = parsed(f"{value:.{digits}f}")
    assert found == float(f"{value:.{digits}f}")
    assert step == pytest.approx(10.0**-digits)


@given(st.text(max_size=30))
def test_no_text_makes_the_numbers_stumble(text: str) -> None:
    assert all(one.text in text for one in numbers(Line(1, text)))


UNITS = [
    ("us", "s", 1e-6),
    ("usec", "s", 1e-6),
    ("\u00b5s", "s", 1e-6),
    ("\u03bcs", "s", 1e-6),
    ("microseconds", "s", 1e-6),
    ("ms", "s", 1e-3),
    ("[sec]".strip("[]"), "s", 1.0),
    ("MB/sec", "B/s", 1e6),
    ("MiB/s", "B/s", 2.0**20),
    ("KBps", "B/s", 1e3),
    ("ops/sec", "ops/s", 1.0),
    ("jobs/min", "jobs/min", 1.0),
    ("%", "%", 1.0),
    ("", "", 1.0),
]


@pytest.mark.parametrize(("printed", "unit", "factor"), UNITS)
def test_a_unit_has_a_base_unit_and_a_factor(printed: str, unit: str, factor: float) -> None:
    assert base(printed) == (unit, factor)
