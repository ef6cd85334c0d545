"""Durations, shares and lists of CPUs as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.model.cpus import cpu_list
from kdelta.model.errors import MisuseError
from kdelta.plan import units


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("5m", 300), ("2h", 7200), ("1d", 86400), ("1h30m", 5400), ("1.5h", 5400), ("2 h", 7200)]
)
def test_a_duration_is_read(text: str, seconds: float) -> None:
    assert units.seconds("budget", text) == seconds


@pytest.mark.parametrize("text", ["", "2", "h", "2 hours", "-5m", "0s", "1h30", "nan", "5 m x", "1e3s"])
def test_a_duration_without_unit_or_sense_is_refused_with_its_key(text: str) -> None:
    with pytest.raises(MisuseError, match=f"budget is '{text}'") as caught:
        units.seconds("budget", text)
    assert "1h30m" in caught.value.advice


@pytest.mark.parametrize(("text", "share"), [("1%", 0.01), ("0.5%", 0.005), ("100 %", 1.0)])
def test_a_share_is_read(text: str, share: float) -> None:
    assert units.share("spread", text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["", "1", "0.01", "-1%", "0%", "101%", "one%", "1%%"])
def test_a_share_that_is_none_is_refused_with_its_key(text: str) -> None:
    with pytest.raises(MisuseError, match=f"spread is '{text}'"):
        units.share("spread", text)


@pytest.mark.parametrize(
    ("text", "cpus"), [("", set()), ("0", {0}), ("0-3", {0, 1, 2, 3}), ("0-1,8", {0, 1, 8}), (" 2 , 1 ", {1, 2}), ("3-3", {3})]
)
def test_a_list_of_cpus_is_read(text: str, cpus: set[int]) -> None:
    assert cpu_list(text) == cpus


@pytest.mark.parametrize("text", ["a", "1-", "-1", "3-1", "1,,2", "0x1", "1;2", "123456", "1-2-3"])
def test_what_is_no_list_of_cpus_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no list of CPUs"):
        cpu_list(text)


@given(st.sets(st.integers(0, 99999), max_size=20))
def test_every_set_of_cpus_can_be_written(cpus: set[int]) -> None:
    assert cpu_list(",".join(map(str, cpus))) == cpus
