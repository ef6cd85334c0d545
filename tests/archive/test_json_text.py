"""JSON, with the place of each number."""

from __future__ import annotations

import msgspec
import pytest
from tests.archive.reading import text

from kdelta.archive import budget, json_text
from kdelta.archive.json_text import NULL, Json, words
from kdelta.model.errors import MisuseError


class Shape(msgspec.Struct):
    a: msgspec.Raw = NULL
    b: list[msgspec.Raw] = []


WRITTEN = 'a line above\n {"a": 1.50,\n "\u00e9": "\u00e9", "b": [1,2,\n null, "x", 3e9, 1e999]}\nand one below\n'


def test_a_number_is_as_it_is_printed_and_where() -> None:
    json = Json(text(WRITTEN))
    found = json.decode(Shape)
    assert found is not None
    number = json.number(found.a, 1e-3)
    assert number is not None
    assert (number.text, number.value, number.line, number.column) == ("1.50", 0.0015, 2, 8)


def test_columns_count_characters_and_not_bytes() -> None:
    json = Json(text(WRITTEN))
    found = json.decode(Shape)
    assert found is not None
    assert json.place(found.b[0]) == (3, 18)


def test_what_is_no_number_that_a_float_holds_is_none() -> None:
    json = Json(text(WRITTEN))
    found = json.decode(Shape)
    assert found is not None
    values = [number.value if (number := json.number(raw)) else None for raw in found.b]
    assert values == [1.0, 2.0, None, None, 3e9, None]
    assert json.number(NULL) is None


@pytest.mark.parametrize("written", ["", "no json", "{", "[1,", '{"b": 1}', "{" * 100_000, "}{"])
def test_what_is_cut_or_of_another_shape_is_none(written: str) -> None:
    assert Json(text(written)).decode(Shape) is None


def test_what_is_too_long_is_refused_with_a_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MOST_BYTES", 8)
    json = Json(text('{"a": 12345678}'))
    assert json.decode(Shape) is None
    assert "is not read: split it" in json.refusal("x").remarks[0].text


def test_too_many_values_are_refused_before_they_are_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MOST_VALUES", 3)
    assert Json(text('{"a": [1, 2, 3, 4, 5]}')).decode(Shape) is None


def test_numbers_of_json_are_counted_against_the_bound_of_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MOST_NUMBERS", 2)
    json = Json(text("[1, 2, 3]"))
    with pytest.raises(MisuseError, match="holds more than"), budget.budget("text"):
        [json.number(one) for one in json.decode(list[msgspec.Raw]) or []]


@pytest.mark.parametrize(("raw", "said"), [(b'"a\\"b"', 'a"b'), (b"12", "12"), (b"null", ""), (b"true", "true")])
def test_words_are_without_quotes(raw: bytes, said: str) -> None:
    assert words(msgspec.Raw(raw)) == said


def test_nan_and_infinity_are_no_numbers_and_move_nothing() -> None:
    json = Json(text('{"b": [NaN, -Infinity, 7], "a": Infinity}'))
    found = json.decode(Shape)
    assert found is not None
    assert [json.number(raw) for raw in (*found.b[:2], found.a)] == [None, None, None]
    assert bytes(found.b[0]) == json_text.NAN
    assert json.place(found.b[2]) == (1, 24)
