"""Errors carry what was wrong, and the next thing to try."""

from __future__ import annotations

import pytest

from kdelta.model.errors import BoxLostError, KdeltaError, MisuseError, StoreError, unknown


def test_an_unknown_name_is_told_with_its_kind() -> None:
    assert str(unknown("suite", "quikc", ["quick"])) == "there is no suite 'quikc'"


def test_an_unknown_name_is_told_with_the_place_where_it_is_missing() -> None:
    assert str(unknown("variant", "olde", ["old"], "in run 3")) == "there is no variant 'olde' in run 3"


def test_an_unknown_name_is_misuse() -> None:
    assert isinstance(unknown("suite", "x", ["quick"]), MisuseError)


def test_the_nearest_name_comes_first_in_the_advice() -> None:
    assert unknown("suite", "quikc", ["sched", "mem", "quick"]).advice.startswith("did you mean 'quick'? ")


def test_nothing_is_guessed_where_no_name_is_near() -> None:
    assert "did you mean" not in unknown("suite", "zzzzzz", ["sched", "mem", "quick"]).advice


def test_the_advice_lists_the_whole_set_in_order() -> None:
    assert unknown("suite", "zzzzzz", ["sched", "mem", "quick"]).advice == "known: mem, quick, sched"


def test_an_empty_set_is_called_none() -> None:
    assert unknown("suite", "quick", []).advice == "known: none"


def test_the_set_may_be_an_iterator() -> None:
    assert unknown("suite", "quikc", iter(["quick"])).advice == "did you mean 'quick'? known: quick"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        pytest.param(KdeltaError, 2, id="any"),
        pytest.param(MisuseError, 2, id="misuse"),
        pytest.param(StoreError, 2, id="store"),
        pytest.param(BoxLostError, 3, id="box lost"),
    ],
)
def test_a_lost_box_has_an_exit_code_of_its_own(kind: type[KdeltaError], code: int) -> None:
    assert kind("what was wrong").exit_code == code


def test_an_error_keeps_message_and_advice_apart() -> None:
    error = MisuseError("the box is full", "empty it")
    assert (str(error), error.advice) == ("the box is full", "empty it")
