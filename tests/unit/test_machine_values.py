"""The two small values that follow a machine: its growing file, and its silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from kdelta.box.machine import DataTail, SilenceWatch


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)


def test_a_file_that_is_not_there_yet_has_no_lines(data: Path) -> None:
    assert DataTail(data).new_lines() == []


def test_lines_are_told_once(data: Path) -> None:
    tail = DataTail(data)
    append(data, b"one\ntwo\n")
    assert (tail.new_lines(), tail.new_lines()) == (["one", "two"], [])


def test_lines_that_arrive_later_are_told_later(data: Path) -> None:
    tail = DataTail(data)
    append(data, b"one\n")
    tail.new_lines()
    append(data, b"two\n")
    assert tail.new_lines() == ["two"]


def test_half_a_line_is_kept_back_until_its_end_arrives(data: Path) -> None:
    tail = DataTail(data)
    append(data, b"one\ntw")
    assert tail.new_lines() == ["one"]
    append(data, b"o")
    assert tail.new_lines() == []
    append(data, b"\nthree\n")
    assert tail.new_lines() == ["two", "three"]


def test_half_a_line_that_never_ends_is_no_line(data: Path) -> None:
    append(data, b'{"event": "do')
    assert DataTail(data).new_lines() == []


def test_a_character_cut_in_two_is_put_together_again(data: Path) -> None:
    tail = DataTail(data)
    append(data, "ä".encode()[:1])
    assert tail.new_lines() == []
    append(data, "ä".encode()[1:] + b"\n")
    assert tail.new_lines() == ["ä"]


def test_bytes_that_are_no_text_are_replaced_and_cost_no_other_line(data: Path) -> None:
    append(data, b"\xff\xfe\ngood\n")
    assert DataTail(data).new_lines() == ["\ufffd\ufffd", "good"]


def test_empty_lines_and_carriage_returns_are_left_as_they_are(data: Path) -> None:
    append(data, b"\na\r\n")
    assert DataTail(data).new_lines() == ["", "a\r"]


def test_two_tails_of_one_file_do_not_disturb_each_other(data: Path) -> None:
    append(data, b"one\n")
    first, second = DataTail(data), DataTail(data)
    assert first.new_lines() == second.new_lines() == ["one"]


def test_the_first_look_is_no_silence_however_late_it_is() -> None:
    assert SilenceWatch().silence(1_000_000) == 0


def test_silence_is_counted_from_the_first_look_while_nothing_is_heard() -> None:
    watch = SilenceWatch()
    assert [watch.silence(now) for now in (100, 130, 190)] == [0, 30, 90]


def test_a_word_from_the_guest_starts_the_count_again() -> None:
    watch = SilenceWatch()
    watch.silence(100)
    watch.silence(500)
    watch.heard()
    assert [watch.silence(now) for now in (600, 650)] == [0, 50]


def test_many_words_between_two_looks_count_as_one() -> None:
    watch = SilenceWatch()
    watch.silence(0)
    watch.heard()
    watch.heard()
    assert [watch.silence(now) for now in (10, 20)] == [0, 10]


def test_a_machine_that_was_never_looked_at_shows_no_clock() -> None:
    assert SilenceWatch().seconds is None


def test_the_clock_last_seen_is_remembered() -> None:
    watch = SilenceWatch()
    watch.silence(100)
    watch.silence(250)
    assert watch.seconds == 250
