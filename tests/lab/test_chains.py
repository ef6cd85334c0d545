"""The exact lab's profiles by call chain: nothing is lost in them, and the kernel's calls are what they are known to be."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from kdelta.model.boot import Boot
from kdelta.model.kernel import Kernel
from kdelta.model.profile import USER, by_function
from kdelta.profile.chains import functions

from . import lab

# Where the processor enters the kernel, or a new task begins, by parts of the functions' names in 6.1 and 6.12.
WAYS_IN = ("entry_SYS", "asm_", "ret_from_fork", "common_interrupt", "swapgs_restore", "syscall_return", "error_", USER)


@pytest.fixture(scope="module")
def boots(oldest: Kernel, newest: Kernel, twice: list[Boot]) -> dict[str, Boot]:
    """Side by side, and so sooner."""
    asked = {
        "oldest": (lab.make_box(chains=True), lab.request(oldest, lab.MIXED)),
        "newest, without chains": (lab.make_box(), lab.request(newest, lab.MIXED)),
    }
    with ThreadPoolExecutor(lab.SIDE_BY_SIDE) as pool:
        came = pool.map(lambda one: lab.boot(*one)[0], asked.values())
    return {"newest": twice[0], **dict(zip(asked, came, strict=True))}


@pytest.fixture(params=["oldest", "newest"])
def came(request: pytest.FixtureRequest, boots: dict[str, Boot]) -> Boot:
    return boots[request.param]


def check_sums(came: Boot) -> None:
    flat: dict[str, Counter[str]] = {}
    for profile in came.profiles:
        flat.setdefault(profile.benchmark, Counter()).update(profile.counts)
    assert {one.benchmark: by_function(one.counts) for one in came.stacks} == flat


def test_chains_hold_every_instruction_of_every_function(came: Boot) -> None:
    assert [one.benchmark for one in came.stacks] == [cell.benchmark for cell in came.cells]
    check_sums(came)


def test_chains_of_two_cpus_hold_every_instruction_of_every_function(twice_on_two_cpus: list[Boot]) -> None:
    check_sums(twice_on_two_cpus[0])


def test_profiles_and_values_are_the_same_without_chains(boots: dict[str, Boot]) -> None:
    beside, without = boots["newest"], boots["newest, without chains"]
    assert without.stacks == ()
    assert (without.samples, without.profiles) == (beside.samples, beside.profiles)


def test_chains_begin_where_the_kernel_is_entered(came: Boot) -> None:
    for one in came.stacks:
        began: Counter[str] = Counter()
        for chain, count in one.counts.items():
            began[functions(chain)[0]] += count
        elsewhere = {name: count for name, count in began.items() if not name.startswith(WAYS_IN)}
        assert sum(elsewhere.values()) < 0.002 * began.total(), (one.benchmark, elsewhere)


CALLS = {
    "null": ("do_syscall_64", "__x64_sys_getppid"),
    "syscall-open": ("do_sys_openat2", "do_filp_open", "path_openat"),
    "proc-fork": ("kernel_clone", "copy_process", "copy_page_range"),
    "ctx-20": ("pipe_write", "__wake_up_common"),
    "pagefault": ("asm_exc_page_fault", "handle_mm_fault", "__handle_mm_fault"),
}


@pytest.mark.parametrize(("benchmark", "calls"), CALLS.items(), ids=list(CALLS))
def test_functions_are_within_those_that_call_them(came: Boot, benchmark: str, calls: tuple[str, ...]) -> None:
    [found] = [one for one in came.stacks if one.benchmark == benchmark]
    chains = [iter(functions(chain)) for chain in found.counts]
    assert any(all(name in chain for name in calls) for chain in chains)


def test_nobody_but_the_scheduler_and_its_callers_is_around_the_switch_of_tasks(came: Boot) -> None:
    """A context that leaked from one task to the next would show here first."""
    [found] = [one for one in came.stacks if one.benchmark == "ctx-20"]
    total = sum(found.counts.values())
    within = sum(count for chain, count in found.counts.items() if {"pipe_write", "pipe_read"} <= set(functions(chain)))
    assert within < 0.001 * total
