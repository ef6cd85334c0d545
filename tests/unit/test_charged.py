"""To whom counts were charged, as it stands below a profile or a difference."""

from __future__ import annotations

from kdelta.profile.charge import account
from kdelta.profile.leaves import leaves
from kdelta.report.charged import Charged, render

LOCKS = leaves("locks")
OLD = {"do_exit;_raw_spin_lock": 300, "do_fork;mutex_lock": 100, "do_fork": 600}
NEW = {"do_exit;_raw_spin_lock": 200, "do_fork;_raw_spin_lock": 900, "do_fork": 900}


def charged(stacks: dict[str, int], work: float = 10.0) -> Charged:
    return Charged(account(stacks, LOCKS), work)


def test_callers_of_both_sides_stand_with_what_was_charged_to_them_per_work_the_largest_first() -> None:
    assert render([charged(OLD), charged(NEW)], "locks").splitlines() == [
        "Charged to 2 callers: locks, 40.0% of the old profile and 55.0% of the new profile:",
        "        10.0 -> 90.0  do_fork (_raw_spin_lock)",
        "        30.0 -> 20.0  do_exit (_raw_spin_lock)",
    ]


def test_of_one_profile_there_is_one_column() -> None:
    assert render([charged(OLD, 1.0)], "locks").splitlines()[1] == "               300.0  do_exit (_raw_spin_lock)"


def test_a_caller_of_many_leaf_functions_names_the_largest() -> None:
    stacks = {f"do_fork;{name}": 10 - place for place, name in enumerate(("mutex_lock", "up_read", "up_write", "down_read"))}
    assert render([charged(stacks)], "locks").splitlines()[1].endswith("do_fork (mutex_lock, up_read, up_write, 1 more)")


def test_many_callers_are_cut_and_counted() -> None:
    stacks = {f"f{place:02d};mutex_lock": 100 - place for place in range(12)}
    assert render([charged(stacks)], "locks").splitlines()[-2:] == [
        "                 9.1  f09 (mutex_lock)",
        "  and 2 more callers",
    ]


def test_what_has_no_caller_is_said() -> None:
    lines = render([charged(OLD | {"mutex_lock": 50}), charged(NEW)], "locks").splitlines()
    assert lines[-1] == "  not charged of the old profile, for want of a caller: 5.0"


def test_where_no_lock_was_met_nobody_is_charged() -> None:
    assert render([charged({"a;b": 1})], "locks") == "Charged to 0 callers: locks, 0.0% of the profile:\n"
