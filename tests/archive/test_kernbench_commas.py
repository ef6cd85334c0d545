"""Logs of kernbench under a locale whose decimals stand behind a comma, read."""

from __future__ import annotations

from tests.archive.reading import blocks, entries, figures

from kdelta.archive.kernbench_log import READER

COMMAS = """\
cpusched=staircase

./kernbench -M -o 128
[..]
Average Optimal -j 128 Load Run:
Elapsed Time 611,6
User Time 616,4
System Time 81
Percent CPU 114,8
Context Switches 96470,2
Sleeps 122413
"""


def test_decimals_behind_a_comma_are_no_end_of_a_number() -> None:
    found = entries(blocks(READER, COMMAS))
    assert figures(found) == [611.6, 616.4, 81.0, 114.8, 96470.2, 122413.0]
    assert (found[0].figures["mean"].text, found[0].figures["mean"].column) == ("611,6", 14)


def test_commas_between_thousands_are_no_decimals() -> None:
    of = COMMAS.replace("611,6", "611.6").replace("616,4", "1,616.4").replace("114,8", "114.8").replace("96470,2", "96,470")
    assert figures(entries(blocks(READER, of))) == [611.6, 1616.4, 81.0, 114.8, 96470.0, 122413.0]


def test_a_command_and_what_was_left_out_stand_between_a_log_and_its_name() -> None:
    assert {one.variant for one in entries(blocks(READER, COMMAS))} == {"cpusched=staircase"}
