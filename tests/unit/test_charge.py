"""Counts of leaf functions charged to their callers, and which functions those are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.model.errors import MisuseError
from kdelta.model.profile import SEPARATOR, by_function
from kdelta.profile.chains import functions
from kdelta.profile.charge import account, callers, charge
from kdelta.profile.leaves import Kind, Leaves, leaves

LOCKS = leaves("locks")

# Ticks of hackbench over sockets, on two CPUs of a guest.
SOCKETS = {
    "vfs_read;unix_stream_read_generic": 519,
    "vfs_read;unix_stream_read_generic;__raw_callee_save___pv_queued_spin_unlock": 537,
    "vfs_read;unix_stream_read_generic;_raw_spin_lock": 76,
    "vfs_read;unix_stream_read_generic;mutex_lock": 16,
    "vfs_read;unix_stream_read_generic;mutex_lock;__mutex_lock.constprop.0;schedule": 30,
    "vfs_write;unix_stream_sendmsg": 535,
    "vfs_write;unix_stream_sendmsg;_raw_spin_lock": 484,
    "vfs_write;unix_stream_sendmsg;_raw_spin_lock;__pv_queued_spin_lock_slowpath": 2,
    "_raw_spin_lock": 3,
}

# Chains as they may come, and as they had better not.
NAME = st.sampled_from(["f", "[user]", "main (a.out)", "_raw_spin_lock", "mutex_lock.part.0", "preempt_count_add", "schedule", ""])
CHAIN = st.lists(NAME, min_size=1, max_size=6).map(SEPARATOR.join)
STACKS = st.dictionaries(CHAIN, st.integers(0, 2**60), max_size=12).map(lambda stacks: {**stacks, "p;q": 1})

OF_LOCKS = """
_raw_spin_lock_irqsave _raw_spin_unlock_irqrestore _spin_lock_bh _read_lock_irq __write_lock_failed __preempt_spin_lock
do_raw_spin_lock native_queued_spin_lock_slowpath __pv_queued_spin_lock_slowpath queued_write_lock_slowpath __ticket_spin_lock
ia64_spinlock_contention _raw_spin_lock_wait mspin_lock mutex_spin_on_owner __mutex_unlock_slowpath.isra.0 ww_mutex_lock up
down_trylock __up_wakeup down_write_killable rwsem_down_write_slowpath rwsem_down_read_failed call_rwsem_wake percpu_down_write
rt_mutex_slowlock.constprop.0 rt_spin_lock __rwbase_read_lock _lock_kernel .text.lock.sched down.isra.0
"""
NOT_OF_LOCKS = """
schedule try_to_wake_up wake_up_q rt_mutex_setprio rt_mutex_schedule atomic_dec_and_lock lockref_get_not_dead __lock_page
lock_sock_nested folio_memcg_lock __task_rq_lock __rcu_read_lock lockdown_is_locked_down locks_remove_posix update_curr __mutex_init
"""


def charged(chain: str, of: Leaves = LOCKS) -> str:
    """The chain that pays for `chain`, beside another one so that there are chains."""
    paid = charge({chain: 1, "p;q": 0}, of)
    return next(one for one, count in paid.items() if count)


# ---- to whom ----


@pytest.mark.parametrize(
    ("chain", "payer"),
    [
        pytest.param("a;b;_raw_spin_lock", "a;b", id="a lock"),
        pytest.param("a;b;mutex_lock;__mutex_lock_slowpath;osq_lock", "a;b", id="a lock's own functions"),
        pytest.param("a;b;rwsem_wake.isra.0", "a;b", id="a clone"),
        pytest.param("a;b.cold [ext4];down_read", "a;b.cold [ext4]", id="a caller keeps its name"),
        pytest.param("a;__down_failed;__down", "a", id="a semaphore of 2.6"),
        pytest.param("a;.text.lock.aic7xxx_osm;__down_failed_interruptible;__down_interruptible", "a", id="a section of locks"),
        pytest.param("a;lock_kernel;_spin_lock", "a", id="the big kernel lock"),
        pytest.param("a;mutex_lock;schedule", "a;mutex_lock;schedule", id="what a lock calls is its own"),
        pytest.param(
            "a;mutex_lock;schedule;raw_spin_rq_lock_nested;_raw_spin_lock", "a;mutex_lock;schedule", id="a lock of the scheduler"
        ),
        pytest.param("a;_raw_spin_lock;asm_timer;tick", "a;_raw_spin_lock;asm_timer;tick", id="an interrupt in a lock"),
        pytest.param("a;asm_timer;_raw_spin_lock", "a;asm_timer", id="a lock in an interrupt"),
        pytest.param("a;_raw_spin_lock;preempt_count_add", "a", id="a helper of a lock"),
        pytest.param("a;_raw_spin_unlock_bh;__local_bh_enable_ip;preempt_count_sub", "a", id="a helper of a helper"),
        pytest.param("a;preempt_count_add", "a;preempt_count_add", id="a helper of another"),
        pytest.param("a;preempt_count_add;_raw_spin_lock", "a;preempt_count_add", id="a helper as the caller"),
        pytest.param("[unknown];_raw_spin_lock", "[unknown]", id="a caller without a symbol"),
    ],
)
def test_the_count_goes_to_the_nearest_function_that_is_no_leaf(chain: str, payer: str) -> None:
    assert charged(chain) == payer


@pytest.mark.parametrize(
    "chain",
    ["_raw_spin_lock", "mutex_lock;osq_lock", "[user];_raw_spin_lock", "main (a.out);mutex_lock;_raw_spin_lock"],
)
def test_what_no_function_of_the_kernel_called_stays_where_it_is(chain: str) -> None:
    assert charged(chain) == chain
    assert account({chain: 7, "p;q": 1}, LOCKS).left == {functions(chain)[-1]: 7}


@given(STACKS)
def test_nothing_is_lost_and_all_of_it_is_accounted_for(stacks: dict[str, int]) -> None:
    paid, said = charge(stacks, LOCKS), account(stacks, LOCKS)
    assert sum(paid.values()) == sum(stacks.values()) == said.before == said.after
    flat = by_function(paid)
    for caller in said.callers:
        assert caller.own + caller.added + said.left.get(caller.name, 0) == flat[caller.name]


@given(STACKS)
def test_what_still_ends_in_a_leaf_is_what_could_not_be_charged(stacks: dict[str, int]) -> None:
    left = {name: count for name, count in by_function(charge(stacks, LOCKS)).items() if LOCKS.kind(name) is Kind.LEAF}
    said = account(stacks, LOCKS).left
    assert left == {name: count for name, count in said.items() if LOCKS.kind(name) is Kind.LEAF}


def test_a_flat_profile_cannot_be_charged() -> None:
    with pytest.raises(MisuseError, match=r"the profile is flat.*\.text\.lock\.NAME is a section") as caught:
        charge({"schedule": 106769, ".text.lock.sched": 169770, "__down": 307163}, LOCKS)
    assert "perf record -g" in caught.value.advice


def test_an_empty_profile_stays_empty() -> None:
    assert charge({}, LOCKS) == {}


# ---- the account ----


def test_the_account_says_what_was_charged_to_whom() -> None:
    said = account(SOCKETS, LOCKS)
    assert [(caller.name, caller.own, caller.added) for caller in said.callers] == [
        ("unix_stream_read_generic", 519, 629),
        ("unix_stream_sendmsg", 535, 486),
    ]
    assert list(said.callers[0].charged.items()) == [
        ("__raw_callee_save___pv_queued_spin_unlock", 537),
        ("_raw_spin_lock", 76),
        ("mutex_lock", 16),
    ]
    assert (said.left, said.before, said.after) == ({"_raw_spin_lock": 3}, 2202, 2202)


def test_the_callers_that_cost_most_come_first() -> None:
    assert [caller.name for caller in callers(SOCKETS, LOCKS, most=1)] == ["unix_stream_read_generic"]
    assert [caller.name for caller in callers(SOCKETS, leaves("_raw_spin_lock"))] == [
        "unix_stream_sendmsg",
        "unix_stream_read_generic",
    ]


# ---- which functions are leaves ----


@pytest.mark.parametrize("name", [*OF_LOCKS.split(), ".text.lock.super [ext3]"])
def test_a_function_of_a_lock_is_one_of_the_locks(name: str) -> None:
    assert LOCKS.kind(name) is Kind.LEAF


@pytest.mark.parametrize("name", [*NOT_OF_LOCKS.split(), "down_write [made_up]", "up (program)", "[user]", "[unknown]", ""])
def test_other_functions_are_not(name: str) -> None:
    assert LOCKS.kind(name) is not Kind.LEAF


@pytest.mark.parametrize(
    ("text", "leaf", "other"),
    [
        ("memcpy*,clear_page*", ["memcpy_orig", "memcpy [nfs]", "clear_page_rep.part.0"], ["__memcpy", "memcpy (libc.so.6)"]),
        (" locks , memset ", ["_raw_spin_lock", "memset"], ["memset_orig"]),
        ("*[ext4]", ["ext4_map_blocks [ext4]", "x.isra.0 [ext4]"], ["ext4_map_blocks", "f [ext2]"]),
        ("crc32c* [*]", ["crc32c_intel_update [crc32c_intel]"], ["crc32c_le"]),
        ("mem*(libc.so.6)", ["memset (libc.so.6)"], ["memset", "memset (libc.so.7)", "memset (libcXso.6)"]),
        ("*", ["f", "g [h]"], ["f (libc.so.6)", "[user]", "[unknown]"]),
        ("dma[0-9]", ["dma7"], ["dma", "dma [0-9]"]),
        ("f[", ["f["], ["f"]),
    ],
)
def test_a_pattern_is_of_names_and_of_a_place(text: str, leaf: list[str], other: list[str]) -> None:
    found = leaves(text)
    assert [name for name in leaf if found.kind(name) is not Kind.LEAF] == []
    assert [name for name in other if found.kind(name) is Kind.LEAF] == []


def test_a_librarys_leaves_are_charged_to_the_program() -> None:
    assert charged("main (a.out);malloc (libc.so.6);int_malloc (libc.so.6)", leaves("*(libc.so.6)")) == "main (a.out)"


@pytest.mark.parametrize("text", ["", " ", "locks,", "a,,b"])
def test_an_empty_pattern_is_refused(text: str) -> None:
    with pytest.raises(MisuseError, match="an empty pattern"):
        leaves(text)


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_pattern_is_tried_on_any_name_without_a_fault(pattern: str, name: str) -> None:
    try:
        found = leaves(pattern)
    except MisuseError:
        return
    assert found.kind(name) in Kind
