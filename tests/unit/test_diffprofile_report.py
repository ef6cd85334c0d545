"""The difference of two profiles as text and as data: whole texts, and what holds for all of them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.golden import check

from kdelta.model.profile import INSTRUCTIONS, TICKS
from kdelta.profile.change import Change, Difference
from kdelta.profile.readers import reading
from kdelta.report.diffprofile import heading, render_difference
from kdelta.report.diffprofile_json import to_json

JUDGED = (
    Change(name="total_vm_pages [xfs]", old=90.0, new=3815.2, low=3512.0, high=3938.4, q=0.00004, real=True),
    Change(name="journal_start", old=None, new=433.5, low=391.6, high=475.4, q=0.0021, real=True),
    Change(name="do_get_write_access", old=309.0, new=351.1, low=12.2, high=72.0, q=0.041, real=True),
    Change(name="schedule", old=220.7, new=245.7, low=-5.0, high=55.0, q=0.31),
    Change(name="rare_event", old=None, new=0.3, low=0.1, high=0.5),
    Change(name="put_filp", old=0.0, new=0.0),
    Change(name="find_get_page", old=202.6, new=197.0, low=-20.0, high=8.8, q=0.6),
    Change(name="fget", old=779.0, new=677.0, low=-140.0, high=-64.0, q=0.0151, real=True),
    Change(name=".text.lock.sched", old=3475.3, new=None, low=-3700.1, high=-3250.5, q=0.00001, real=True),
)
IDLE = (Change(name="default_idle", old=8000.0, new=8491.8), Change(name="poll_idle", old=7.0, new=None))
EXACT = Difference(old="v1", new="v2", changes=JUDGED, profiles=(3, 3))
TIME = Difference(
    old="v1",
    new="v2",
    changes=tuple(
        msgspec.structs.replace(
            one,
            old=one.old and one.old / 1e6,
            new=one.new and one.new / 1e6,
            low=one.low / 1e6,
            high=one.high / 1e6,
        )
        for one in JUDGED
    ),
    idle=(Change(name="default_idle", old=0.008, new=0.0084918), Change(name="poll_idle", old=0.000007, new=None)),
    unit=TICKS,
    profiles=(1, 4),
    doubts=("optimistic: assumes Poisson ticks, and boots differ by more; profile each kernel in 3 boots or more",),
)
ONE_BOOT = Difference(
    old="v1",
    new="v2",
    changes=tuple(Change(name=one.name, old=one.old, new=one.new) for one in JUDGED),
    idle=IDLE,
    doubts=("one boot on a side: nothing is known of chance, only sizes; boot each kernel with 3 seeds or more",),
)
NOTHING = Difference(old="v1", new="v2", changes=())


def test_what_is_beyond_noise_stands_above_and_below_what_is_not() -> None:
    check("diffprofile_judged", render_difference(EXACT))


def test_what_is_beyond_noise_and_cut_is_summed_apart() -> None:
    check("diffprofile_judged_cut", render_difference(EXACT, 3))


def test_a_mail_has_the_columns_of_the_old_tool() -> None:
    check("diffprofile_plain", render_difference(EXACT, plain=True))


def test_a_mail_is_read_back_with_all_functions_that_it_lists(tmp_path: Path) -> None:
    (mail := tmp_path / "mail").write_text(f"{heading('fork', EXACT)}\n{render_difference(EXACT, plain=True)}")
    found = reading.read(mail)
    assert [(one.name, one.delta) for one in found.changes] == [
        ("total_vm_pages [xfs]", 3725.0),
        ("journal_start", 434.0),
        ("do_get_write_access", 42.0),
        ("fget", -102.0),
        (".text.lock.sched", -3475.0),
    ]
    assert found.total == 643


def test_ticks_are_per_as_much_work_as_makes_them_readable_and_idle_time_is_apart() -> None:
    check("diffprofile_ticks", f"{heading('fork', TIME)}\n{render_difference(TIME)}")


def test_without_knowledge_of_noise_the_largest_are_shown_and_that_is_said() -> None:
    check("diffprofile_one_boot", render_difference(ONE_BOOT, 5))


def test_no_functions_are_a_total_of_nothing() -> None:
    assert render_difference(NOTHING).splitlines()[1].split() == ["0", "-", "-", "-", "total"]


def test_where_nothing_is_beyond_noise_nothing_is_listed_but_the_total() -> None:
    quiet = msgspec.structs.replace(EXACT, changes=tuple(one for one in JUDGED if not one.real))
    lines = render_difference(quiet, plain=True).splitlines()
    assert lines[:3] == [
        "      19.7     4.7% total",
        "...",
        "(... 4 functions within noise, together +19.7, the largest schedule +25.0)",
    ]


def test_a_single_function_is_not_many() -> None:
    one = msgspec.structs.replace(EXACT, changes=JUDGED[:4])
    assert "... 1 function within noise" in render_difference(one)
    assert "... 1 more function beyond noise" in render_difference(one, 2)


@pytest.mark.parametrize(
    ("unit", "per", "total", "words"),
    [
        (INSTRUCTIONS, "operation", 328.5, "instructions per operation"),
        (INSTRUCTIONS, "operation", 0.01, "instructions per operation"),
        (TICKS, "operation", 5000.0, "ticks per operation"),
        (TICKS, "operation", 5.0, "ticks per 1000 operations"),
        (TICKS, "unit of work", 0.002, "ticks per 1000000 units of work"),
        (TICKS, "build", 1e-30, "ticks per 1000000000 builds"),
        (TICKS, "old profile", 5.0, "ticks per old profile"),
        (TICKS, "profile", 5.0, "ticks per profile"),
        (TICKS, "operation", 0.0, "ticks per operation"),
    ],
)
def test_the_heading_says_what_is_counted_and_per_what(unit: str, per: str, total: float, words: str) -> None:
    found = Difference(old="v1", new="v2", changes=(Change(name="f", old=total, new=None),), unit=unit, per=per)
    assert heading("fork", found) == f"Diffprofile for fork, {words} (-ve numbers better with v2)"


@pytest.mark.parametrize(("q", "shown"), [(0.0, "<.001"), (0.0004, "<.001"), (0.0006, ".001"), (0.05, ".050"), (1.0, "1.000")])
def test_q_has_three_decimals_and_is_never_0(q: float, shown: str) -> None:
    changes = (Change(name="f", old=10.0, new=20.0, low=8.0, high=12.0, q=q, real=True),)
    (row,) = (line for line in render_difference(Difference(old="a", new="b", changes=changes)).splitlines() if line.endswith(" f"))
    assert row.split()[-2] == shown


def test_a_name_that_a_terminal_would_obey_is_shown_without_what_it_obeys() -> None:
    name = "\x1b[2Jf\u202eo\n"
    for plain in (False, True):
        shown = render_difference(_of(name), plain=plain)
        assert "?[2Jf?o?" in shown
        assert name not in shown


def _of(name: str) -> Difference:
    return Difference(old="a", new="b", changes=(Change(name=name, old=1.0, new=9.0),))


def test_a_long_name_loses_its_middle() -> None:
    row = render_difference(_of("start_" + "x" * 200 + "_end"), plain=True).splitlines()[0]
    assert (len(row), row[20:26], row[-4:], ".." in row) == (78, "start_", "_end", True)


@pytest.mark.parametrize("difference", [EXACT, TIME, ONE_BOOT], ids=["judged", "ticks", "one boot"])
def test_a_mail_and_a_terminal_show_all_lines_unbroken(difference: Difference) -> None:
    for plain, width in ((True, 78), (False, 100)):
        text = render_difference(difference, plain=plain)
        assert text.isascii()
        assert max(map(len, text.splitlines())) <= width


COUNT = st.none() | st.floats(0.0, 1e8)
CHANGES = st.lists(
    st.builds(
        lambda name, old, new, low, high, q, real: Change(name=name, old=old, new=new, low=low, high=high, q=q, real=real),
        st.text(max_size=60),
        COUNT,
        COUNT,
        st.just(math.nan) | st.floats(-1e8, 1e8),
        st.just(math.nan) | st.floats(-1e8, 1e8),
        st.just(math.nan) | st.floats(0.0, 1.0),
        st.booleans(),
    ),
    max_size=8,
    unique_by=lambda change: change.name,
)


@given(CHANGES, CHANGES, st.integers(1, 10), st.booleans(), st.sampled_from([TICKS, INSTRUCTIONS]))
def test_any_difference_is_ascii_of_bounded_width(
    changes: list[Change], idle: list[Change], rows: int, plain: bool, unit: str
) -> None:
    found = Difference(old="a", new="b", changes=tuple(changes), idle=tuple(idle), unit=unit, per="old profile")
    lines = render_difference(found, rows, plain=plain).splitlines()
    assert all(line.isascii() and line.isprintable() for line in lines)
    sane = all(abs(one.percent or 0.0) < 1e6 for one in changes)
    assert not sane or max(map(len, lines)) <= (78 if plain else 100)


# ---- as data ----


def test_a_difference_is_data_with_what_is_not_known_as_null() -> None:
    check("diffprofile_json", json.dumps(to_json(TIME), indent=1, allow_nan=False) + "\n")


@given(CHANGES)
def test_any_difference_is_data(changes: list[Change]) -> None:
    found = to_json(Difference(old="a", new="b", changes=tuple(changes)))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
