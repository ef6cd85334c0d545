"""From the profiles of two sides to what is said of their difference: moves, charging and the account, put together."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from kdelta.inquiry.explained import Asked, explain
from kdelta.kernel import debuginfo
from kdelta.model.errors import MisuseError
from kdelta.model.profile import INSTRUCTIONS, TICKS
from kdelta.profile.change import Side
from kdelta.profile.explained import Explained
from kdelta.profile.leaves import leaves
from kdelta.profile.profiled import Profiled

RENAMED = {"do_syscall_64;do_fork;kmem_cache_alloc": 4000}, {"do_syscall_64;do_fork;kmem_cache_alloc_noprof": 4200}
SAME = {"do_syscall_64;do_fork": 6000, "do_syscall_64": 1000}


def profiled(
    name: str, chains: dict[str, int], *, build_id: str | None = None, metric: tuple[float, ...] = (), **rest: object
) -> Profiled:
    """Three alike profiles, each of ten operations."""
    flat: dict[str, int] = {}
    for chain, count in chains.items():
        flat[chain.rpartition(";")[2]] = flat.get(chain.rpartition(";")[2], 0) + count
    unit = str(rest.pop("unit", INSTRUCTIONS))
    side = Side(name=name, counts=(flat,) * 3, work=(10.0,) * 3, unit=unit)
    return Profiled(side=side, stacks=(chains,) * 3, build_id=build_id, metric=metric, **rest)  # type: ignore[arg-type]


def names(found: Explained) -> list[str]:
    return [change.name for change in found.difference.changes if change.delta]


def test_what_a_renamed_function_lost_and_gained_is_one_change() -> None:
    found = explain(profiled("old", RENAMED[0] | SAME, build_id="a"), profiled("new", RENAMED[1] | SAME, build_id="b"), Asked())
    assert names(found) == ["kmem_cache_alloc -> kmem_cache_alloc_noprof"]
    assert [move.name for move in found.moves] == names(found)


def test_nothing_is_joined_where_that_is_not_wanted() -> None:
    sides = profiled("old", RENAMED[0] | SAME), profiled("new", RENAMED[1] | SAME)
    assert names(explain(*sides, Asked(fold=False))) == ["kmem_cache_alloc_noprof", "kmem_cache_alloc"]


def test_in_one_and_the_same_kernel_nothing_was_renamed() -> None:
    sides = profiled("old", RENAMED[0] | SAME, build_id="a"), profiled("new", RENAMED[1] | SAME, build_id="a")
    assert explain(*sides, Asked()).moves == ()


LOCKED = {"do_fork;_raw_spin_lock": 500, "do_exit;_raw_spin_lock": 300}


def test_what_is_charged_is_compared_in_the_callers_and_said_of_both_sides() -> None:
    more = {**LOCKED, "do_exit;_raw_spin_lock": 900}
    found = explain(profiled("old", LOCKED | SAME), profiled("new", more | SAME), Asked(charge=leaves("locks")))
    assert [(change.name, change.delta) for change in found.difference.changes if change.delta] == [("do_exit", 60.0)]
    assert [[caller.name for caller in side.callers] for side in found.callers] == [["do_fork", "do_exit"], ["do_exit", "do_fork"]]


def test_the_account_is_of_the_benchmarks_own_change() -> None:
    old, new = profiled("old", SAME, metric=(700.0,) * 3), profiled("new", {**SAME, "do_syscall_64": 1500}, metric=(750.0,) * 3)
    account = explain(old, new, Asked()).account
    assert account is not None
    assert (account.change, account.functions.items[0].name, account.functions.items[0].amount) == (50.0, "do_syscall_64", 50.0)
    assert account.functions.share == pytest.approx(1.0)


def test_without_a_value_of_the_benchmark_the_account_is_of_the_profiles_total() -> None:
    found = explain(profiled("old", SAME), profiled("new", {**SAME, "do_syscall_64": 1500}), Asked())
    assert found.account is not None
    assert (found.accounted, found.account.old, found.account.change, found.account.unit) == (
        ", profile",
        700.0,
        50.0,
        INSTRUCTIONS,
    )


def test_and_of_ticks_it_is_cpu_time() -> None:
    old, new = profiled("old", SAME, unit=TICKS, hertz=100.0), profiled("new", {**SAME, "do_fork": 0}, unit=TICKS, hertz=100.0)
    found = explain(old, new, Asked())
    assert found.account is not None
    assert (found.accounted, found.account.old, found.account.unit) == (", CPU time", 7.0, "s")


@pytest.mark.parametrize("hertz", [None, 499.0])
def test_ticks_of_which_the_length_is_not_known_on_both_sides_have_no_account(hertz: float | None) -> None:
    sides = profiled("old", SAME, unit=TICKS, hertz=997.0), profiled("new", SAME, unit=TICKS, hertz=hertz)
    assert explain(*sides, Asked()).account is None


def test_work_that_is_not_known_has_no_account() -> None:
    sides = [profiled(name, SAME, metric=(1.0,)) for name in ("old", "new")]
    unknown = [msgspec.structs.replace(one, side=msgspec.structs.replace(one.side, work=())) for one in sides]
    assert explain(unknown[0], unknown[1], Asked()).account is None


def test_the_kernels_own_time_is_shared_out_over_the_kernel_alone() -> None:
    """Two seconds of the system, of which fork has a half; the program's own ticks have no part in it."""
    ticks = {"cc1 (cc1)": 9000, "do_syscall_64;do_fork": 1000, "do_syscall_64;do_exit": 1000}
    old = profiled("old", ticks, metric=(2.0,) * 3, unit=TICKS, of_kernel=True, hertz=997.0)
    new = profiled("new", {**ticks, "do_syscall_64;do_fork": 2000}, metric=(3.0,) * 3, unit=TICKS, of_kernel=True, hertz=997.0)
    account = explain(old, new, Asked()).account
    assert account is not None
    assert (account.unit, account.change) == ("s", 1.0)
    assert {item.name: round(item.amount, 9) for item in account.functions.items} == {"do_fork": 1.0}


def test_a_vmlinux_that_was_named_and_says_nothing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "vmlinux"
    path.write_text("none")
    sides = profiled("old", SAME, metric=(1.0,)), profiled("new", SAME, metric=(1.0,))
    with pytest.raises(MisuseError, match="vmlinux cannot be used"):
        explain(*sides, Asked(vmlinux=path))


def test_one_that_lies_where_distributions_put_it_is_left_alone_if_it_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "vmlinux"
    path.write_text("none")
    monkeypatch.setattr(debuginfo, "usual_places", lambda release: [path])
    account = explain(profiled("old", SAME, metric=(700.0,)), profiled("new", SAME, metric=(700.0,)), Asked()).account
    assert account is not None
