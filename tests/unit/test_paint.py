"""Which words of a report have a colour; and that a colour is all that they are given."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.golden import GOLDENS

from kdelta.cli.paint import BETTER, COLOURS, DOUBT, GONE, LOUD_DOUBT, STATES, WARNINGS, WORSE, painted

SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")
WORDS = st.sampled_from(
    [
        *COLOURS,
        "equivalent",
        "new",
        "old",
        ":",
        ";",
        ",",
        "]",
        "(",
        ")",
        " ",
        "  ",
        "\n",
        "\n    ",
        "on",
        "2",
        "but",
        "WARNING",
        "----",
    ]
)
REPORTS = sorted(path.name for path in GOLDENS.glob("*.txt"))


def marked(text: str) -> list[tuple[str, str]]:
    """The painted words of `text` with their colours, in order."""
    return [(word, colour) for colour, word in re.findall(r"\x1b\[([0-9;]+)m(.*?)\x1b\[0m", painted(text))]


# ---- the text stays ----


@given(st.lists(WORDS, max_size=30).map("".join))
def test_paint_that_is_taken_off_leaves_the_text(text: str) -> None:
    assert SEQUENCE.sub("", painted(text)) == text


@pytest.mark.parametrize("name", REPORTS)
def test_paint_that_is_taken_off_leaves_the_report(name: str) -> None:
    text = (GOLDENS / name).read_text()
    assert SEQUENCE.sub("", painted(text)) == text


@given(st.lists(WORDS, max_size=30).map("".join))
def test_no_colour_goes_on_to_the_next_line(text: str) -> None:
    for line in painted(text).split("\n"):
        starts = SEQUENCE.findall(line)
        assert starts[1::2] == ["\x1b[0m"] * (len(starts) // 2)
        assert len(starts) % 2 == 0


@pytest.mark.parametrize("colour", [WORSE, BETTER, DOUBT, LOUD_DOUBT, GONE])
def test_a_colour_is_one_of_those_that_are_read_on_light_and_on_dark(colour: str) -> None:
    assert set(colour.split(";")) <= {"1", "7", "31", "34", "35"}


# ---- what is painted ----

PLACES = {
    "a row that is slower": ("   ctx-2: +17.7% [+15.2, +20.1]  slower     a   .002       5", [("slower", WORSE)]),
    "a row that is faster": ("    mmap:  -8.1%  [-9.0,  -7.2]  faster  .002       4", [("faster", BETTER)]),
    "a row that is undecided": ("    fork:  +0.5%  [-1.9,  +3.0]  undecided .300", [("undecided", DOUBT)]),
    "a row without an interval": ("  ctx-2:   -    undecided   a      -     2+2", [("undecided", DOUBT)]),
    "a row without a value": ("  volano:   -                    no value   c      -", [("no value", GONE)]),
    "a row that is equivalent": ("  select:  +0.3%  [+0.1,  +0.5]  equivalent     .002", []),
    "cells that failed": ("  mmap:    failed    100.00           failed", [("failed", GONE)] * 2),
    "a block that failed": ("Average Half load -j 4 Run (std deviation):\nfailed\n", [("failed", GONE)]),
    "a false alarm": ("    proc-fork:    1.23%       2.02%   slower", [("slower", WORSE)]),
    "a clause of a sentence": (
        "  new against old: slower on 3 of 12 (ctx-2 +1%); faster on mmap",
        [("slower", WORSE), ("faster", BETTER)],
    ),
    "a clause that is broken": ("  (ctx-2 +1%); undecided\n    on 2", [("undecided", DOUBT)]),
    "the whole": ("equivalent within 1% on select; on the\n    whole slower: +1.3%", [("slower", WORSE)]),
    "an objection": ("-3.1%, the geometric mean of 12; but\n    slower on 2 (x)", [("slower", WORSE)]),
    "the mean": ("Geometric mean of 4, new against old: +1.9% [+0.7, +3.1] slower, 5 rounds.", [("slower", WORSE)]),
    "a win": ("new is a net win over old: -3.1%", [("win", BETTER)]),
    "a loss": ("new is a net loss\n    against old: +3.1%", [("loss", WORSE)]),
    "agreement and dissent": (
        "new against old: ctx-2 slower on 2 of 3 (P4 dissents: faster, 1 CPU; G5 undecided)",
        [("slower", WORSE), ("faster", BETTER), ("undecided", DOUBT)],
    ),
    "a side that failed": ("  without\n    a value on volano (too few visits)", [("without", GONE), ("a value", GONE)]),
    "what cannot be told": ("new against old: cannot tell on any of 4 benchmarks", [("cannot tell", DOUBT)]),
    "nothing": ("new against old: nothing was measured; too few", [("nothing was measured", GONE)]),
    "a gate that failed": (
        "Gate failed: 1 breach; 2 passed.\n  breach: ctx-2, b against a: slower +1%",
        [("Gate failed", WORSE), ("breach", WORSE), ("slower", WORSE)],
    ),
    "what a gate could not see": (
        "  no value: volano, b against a\n  not decided: fork",
        [("no value", GONE), ("not decided", DOUBT)],
    ),
    "a boot that was lost": ("Boot of old on exact, seed 2: lost: QEMU ended", [("lost", GONE)]),
    "a visit whose kernel was another": ("Visit of old on local, round 2: wrong kernel", [("wrong kernel", GONE)]),
    "why a cell failed": ("  null, new: seed 1, 3 failed: exit status 1", [("failed", GONE)]),
    "a warning of a boot": ("Warning (old on exact, seed 1): not idle", [("Warning", LOUD_DOUBT)]),
    "a warning of a box": ("WARNING (exact): another compiler", [("WARNING", LOUD_DOUBT)]),
    "a warning below a mean": ("  WARNING: left out: volano", [("WARNING", LOUD_DOUBT)]),
}


@pytest.mark.parametrize(("text", "words"), PLACES.values(), ids=PLACES)
def test_what_was_decided_and_what_went_wrong_has_its_colour(text: str, words: list[tuple[str, str]]) -> None:
    assert marked(text) == words


OTHERS = {
    "a name that holds one": "faster-patch against old: equivalent within 1% on all 12 benchmarks",
    "columns in a head": "   MEDIAN          old    faster    failed\n----------------------------------------",
    "a name that a line begins with": "                   failed       45.37       90.91",
    "a title": "failed against slower:",
    "a gate that passed what it saw": "Gate passed; 2 missing.",
    "what is ruled out": "  not slower than 3.0%",
    "an explanation": "At most 5% of what is called slower or faster is expected to be false.",
    "what is not listed": "on all 3 benchmarks on which -rc2 is slower; kept",
    "another word": "the guest is warning: nobody",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_a_word_elsewhere_has_none(text: str) -> None:
    assert painted(text) == text


def test_a_profile_shows_warnings_alone_in_colour() -> None:
    text = "   431   13.6%  failed\nWARNING: optimistic"
    assert painted(text, WARNINGS) == "   431   13.6%  failed\n\x1b[1;35mWARNING\x1b[0m: optimistic"


def test_a_state_that_is_not_well_has_its_colour() -> None:
    text = "ok       QEMU: missing  x\nmissing  store: none\npartly   perf: no"
    assert (
        painted(text, STATES)
        == "ok       QEMU: missing  x\n\x1b[7;31mmissing\x1b[0m  store: none\n\x1b[35mpartly\x1b[0m   perf: no"
    )
