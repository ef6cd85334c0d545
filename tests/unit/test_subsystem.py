"""Functions and source files to subsystems: by module, by file, by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.profile.subsystem import Subsystem, SubsystemTable, by_source, table

HOT = [line.split() for line in Path(__file__).with_name("hot_functions.txt").read_text().splitlines()]
"""Functions with nine tenths and more of the instructions of each benchmark of the quick suite on Debian's 6.1 and 6.12, each with
its file by their debug information."""

NAMES = {
    "sched/core": "schedule __schedule do_schedule resched_curr sched_yield",
    "sched/fair": "enqueue_task_fair dequeue_entities update_curr pick_eevdf load_balance sched_balance_rq find_busiest_group",
    "sched/load tracking": "update_load_avg __update_load_avg_se __update_load_avg_cfs_rq update_load_avg.isra.0",
    "sched/wakeups": "try_to_wake_up ttwu_do_activate select_task_rq_fair __wake_up_common autoremove_wake_function __wake_up",
    "sched/idle": "default_idle cpu_idle do_idle poll_idle mwait_idle intel_idle native_safe_halt cpuidle_enter_state",
    "sched/pressure stalls": "psi_group_change psi_task_switch",
    "sched/context switch": "__switch_to __switch_to_asm finish_task_switch.isra.0 switch_fpu_return",
    "mm/page allocator": "__alloc_pages get_page_from_freelist __alloc_frozen_pages_noprof buffered_rmqueue free_unref_folios",
    "mm/slab": "kmem_cache_alloc kmem_cache_alloc_noprof kfree __slab_free __kmalloc ___slab_alloc __pcs_replace_full_main",
    "mm/page tables and faults": "handle_mm_fault do_anonymous_page do_no_page zap_pte_range copy_page_range exc_page_fault",
    "mm/rmap": "page_remove_rmap folio_remove_rmap_ptes anon_vma_clone page_add_file_rmap __pte_chain_free",
    "mm/memcg": "__mod_memcg_lruvec_state try_charge_memcg mod_objcg_state charge_memcg memcg1_commit_charge",
    "mm/lru and folios": "release_pages folios_put_refs lru_add_fn folio_batch_move_lru lru_gen_add_folio",
    "mm/vmas": "find_vma vma_merge mmap_region unlink_file_vma vm_area_dup dup_mmap do_brk_flags",
    "mm/page cache": "filemap_map_pages next_uptodate_folio find_get_page generic_file_read_iter do_generic_mapping_read",
    "mm/shmem": "shmem_get_folio_gfp shmem_fault",
    "mm/swap": "free_swap_cache swap_readpage",
    "mm/tlb": "flush_tlb_mm_range switch_mm_irqs_off tlb_finish_mmu native_flush_tlb_one_user",
    "maple tree": "mas_walk mtree_range_walk mas_wr_node_store mt_find",
    "copying and zeroing": "memset_orig memcpy clear_page_erms clear_page_rep copy_user_generic_string __copy_to_user_ll"
    " rep_movs_alternative _copy_from_iter copy_user_enhanced_fast_string __memset __arch_copy_to_user folio_zero_user",
    "process/fork": "copy_process kernel_clone do_fork __x64_sys_clone mmput",
    "process/exec": "load_elf_binary bprm_execve begin_new_exec __x64_sys_execve copy_strings.isra.0",
    "process/exit": "do_exit release_task wait_consider_task __do_sys_wait4",
    "process/signals": "get_signal recalc_sigpending __send_signal_locked",
    "process/pids": "alloc_pid __task_pid_nr_ns put_pid",
    "process/namespaces": "copy_namespaces create_new_namespaces",
    "process/credentials": "prepare_creds copy_creds put_cred_rcu",
    "vfs/namei": "link_path_walk path_openat path_lookup walk_component __legitimize_path",
    "vfs/dcache": "__d_lookup d_lookup dput __d_lookup_rcu",
    "vfs/inodes": "touch_atime current_time iput update_atime vfs_getattr",
    "vfs/open and file tables": "do_sys_openat2 do_dentry_open fput __fput alloc_fd __fget_light close_fd get_empty_filp",
    "vfs/read and write": "vfs_read vfs_write ksys_read new_sync_read rw_verify_area",
    "vfs/pipes": "pipe_read pipe_write pipe_writev",
    "vfs/select and poll": "do_select core_sys_select do_poll __pollwait",
    "vfs/eventfd and epoll": "eventfd_write ep_poll_callback",
    "vfs/locks": "__posix_lock_file locks_alloc_lock",
    "ext4": "ext4_file_write_iter ext4_mark_iloc_dirty",
    "jbd2": "jbd2_journal_stop journal_dirty_metadata do_get_write_access start_this_handle",
    "xfs": "xfs_file_write_iter xlog_cil_commit",
    "btrfs": "btrfs_search_slot",
    "net/core": "__alloc_skb dev_queue_xmit netif_rx __netif_receive_skb_core",
    "net/sockets": "sock_sendmsg lock_sock_nested sock_wfree __sys_sendto",
    "net/unix": "unix_stream_sendmsg unix_stream_read_generic",
    "net/tcp": "tcp_sendmsg_locked tcp_v4_rcv tcp_ack",
    "net/loopback": "loopback_xmit",
    "locking": "_raw_spin_lock native_queued_spin_lock_slowpath mutex_lock down_read rwsem_down_write_slowpath .text.lock.namei"
    " _spin_lock_irqsave atomic_dec_and_lock __down _read_lock",
    "locking/futex": "futex_wait do_futex",
    "rcu": "__rcu_read_unlock call_rcu rcu_core",
    "timers": "hrtimer_start_range_ns ktime_get read_tsc tick_sched_timer native_sched_clock",
    "entry and system calls": "entry_SYSCALL_64 asm_exc_page_fault do_syscall_64 system_call syscall_exit_to_user_mode error_entry",
    "irqs": "do_IRQ sysvec_apic_timer_interrupt __do_softirq smp_call_function_many_cond",
    "mitigations": "__x86_indirect_thunk_rax __x86_return_thunk srso_safe_ret",
    "lib/xarray": "xas_load radix_tree_lookup idr_alloc_u32",
    "lib/rbtree": "rb_insert_color rb_erase",
    "lib/strings": "strcmp vsnprintf",
    "security/hooks": "security_file_permission cap_vm_enough_memory",
    "security/apparmor": "apparmor_file_open aa_file_perm",
    "security/selinux": "selinux_file_permission avc_has_perm",
    "audit": "__audit_syscall_entry",
    "tracing": "ftrace_caller trace_event_buffer_reserve kprobe_ftrace_handler perf_trace_sched_switch",
    "block": "submit_bio blk_mq_submit_bio generic_make_request",
    "workqueue": "process_one_work queue_work_on",
    "percpu": "percpu_counter_add_batch pcpu_alloc",
}


@pytest.mark.parametrize(("subsystem", "name"), [(subsystem, name) for subsystem, names in NAMES.items() for name in names.split()])
def test_a_function_is_of_a_subsystem(name: str, subsystem: str) -> None:
    assert table().of(name) == subsystem


@pytest.mark.parametrize(
    ("name", "subsystem"),
    [
        ("schedule [ext4]", "ext4"),
        ("f [jbd2]", "jbd2"),
        ("f [xfs]", "xfs"),
        ("f.isra.0 [btrfs]", "btrfs"),
        ("f [virtio_blk]", "block"),
        ("bpf_prog_6deef7357e7b4530 [bpf]", "bpf"),
        ("f [i915]", "module i915"),
        ("[user]", "userspace"),
        ("main (hackbench)", "userspace"),
        ("[unknown] (libc.so.6)", "userspace"),
        ("__vdso_gettimeofday ([vdso])", "userspace"),
        ("[unknown]", "unknown"),
        ("[kernel]", "unknown"),
        ("no_function_of_any_kernel", "other"),
    ],
)
def test_what_is_not_of_the_kernel_itself_says_so(name: str, subsystem: str) -> None:
    assert table().of(name) == subsystem


def test_a_hot_function_is_of_the_same_subsystem_by_its_name_and_by_its_file() -> None:
    sources = {name: path for name, path in HOT}
    by_file = table().with_sources(sources)
    assert {name: table().of(name) for name in sources} == {name: by_file.of(name) for name in sources}


@pytest.mark.parametrize(
    ("path", "subsystem"),
    [
        ("mm/slub.c", "mm/slab"),
        ("mm/sparse.c", "mm/other"),
        ("fs/ext4/inode.c", "ext4"),
        ("fs/namei.c", "vfs/namei"),
        ("net/ipv4/tcp_input.c", "net/tcp"),
        ("net/ipv4/route.c", "net/ip"),
        ("arch/x86/lib/clear_page_64.S", "copying and zeroing"),
        ("arch/x86/mm/fault.c", "mm/page tables and faults"),
        ("kernel/sched/core.c", "sched/core"),
        ("drivers/net/loopback.c", "net/loopback"),
        ("sound/core/pcm.c", "drivers"),
        ("tools/perf/perf.c", "other"),
        ("", "other"),
    ],
)
def test_a_file_is_of_a_subsystem(path: str, subsystem: str) -> None:
    assert by_source(path) == subsystem


# ---- which of them decides ----


def of(name: str, sources: dict[str, str] | None = None) -> str:
    subsystems = {
        "slab": Subsystem(sources=("mm/slub.c",), functions=("kmem_*", "_kmem_strange"), modules=("slab_test",)),
        "mm": Subsystem(sources=("mm/",), functions=("kmem_cache_alloc", "k*", "sys_mmap"), always=("kmem_zero",)),
        "sched": Subsystem(sources=("kernel/sched/",), functions=("psi_*",)),
    }
    return SubsystemTable(subsystems, ["kernel/sched/build.c"], sources).of(name)


@pytest.mark.parametrize(
    ("name", "subsystem"),
    [
        pytest.param("kmem_cache_free", "slab", id="the longest beginning"),
        pytest.param("kmalloc", "mm", id="a shorter beginning"),
        pytest.param("kmem_cache_alloc", "mm", id="a whole name before a beginning"),
        pytest.param("__kmem_cache_free", "slab", id="without underscores"),
        pytest.param("_kmem_strange", "slab", id="with underscores, where the table has them"),
        pytest.param("kmem_zero", "mm", id="a name that always decides"),
        pytest.param("kmem_cache_alloc.constprop.0", "mm", id="a clone"),
        pytest.param("kmem_cache_alloc [slab_test]", "slab", id="a module first"),
        pytest.param("f [slab-test]", "slab", id="a module's file"),
        pytest.param("__x64_sys_mmap", "mm", id="a system call"),
        pytest.param("__do_compat_sys_mmap", "mm", id="a system call of the other width"),
        pytest.param("ksys_mmap", "mm", id="a system call inside of the kernel"),
        pytest.param("f", "other", id="none"),
        pytest.param("", "other", id="no name"),
    ],
)
def test_without_files_the_name_decides(name: str, subsystem: str) -> None:
    assert of(name) == subsystem


@pytest.mark.parametrize(
    ("name", "path", "subsystem"),
    [
        pytest.param("kmem_cache_free", "mm/memory.c", "mm", id="a file before a name"),
        pytest.param("kmem_zero", "mm/slub.c", "mm", id="a name that always decides before a file"),
        pytest.param("psi_change", "kernel/sched/build.c", "sched", id="a name in a file of files"),
        pytest.param("f", "kernel/sched/build.c", "sched", id="a file of files where the name says nothing"),
        pytest.param("kmem_cache_free", "certs/x.c", "other", id="a file that the table does not know"),
        pytest.param("f.isra.0", "mm/slub.c", "slab", id="a clone"),
    ],
)
def test_a_file_that_is_known_decides(name: str, path: str, subsystem: str) -> None:
    assert of(name, {name: path}) == subsystem


def test_a_function_is_found_by_the_file_of_its_clone() -> None:
    assert of("psi_change", {"psi_change.constprop.0": "mm/slub.c"}) == "slab"


def test_a_module_s_function_does_not_take_the_file_of_the_kernel_s() -> None:
    assert of("f [other_module]", {"f": "mm/slub.c"}) == "module other_module"


@given(st.text())
def test_every_name_has_a_subsystem(name: str) -> None:
    assert table().of(name)


# ---- the data ----


@pytest.mark.parametrize("key", ["sources", "functions", "always", "modules"])
def test_nothing_is_of_two_subsystems(key: str) -> None:
    named = [one for subsystem in table().subsystems.values() for one in getattr(subsystem, key)]
    assert len(named) == len(set(named))


def test_a_pattern_has_one_star_at_its_end_or_none() -> None:
    patterns = [pattern for subsystem in table().subsystems.values() for pattern in subsystem.functions]
    assert [pattern for pattern in patterns if "*" in pattern[:-1] or pattern == "*"] == []


def test_no_pattern_says_what_a_shorter_one_says_anyway() -> None:
    """The table stays as short as it can be."""
    subsystems = table().subsystems
    patterns = {pattern: name for name, subsystem in subsystems.items() for pattern in subsystem.functions}
    needless = [pattern for pattern, name in patterns.items() if _shorter(pattern, patterns) == name]
    assert needless == []


def _shorter(pattern: str, patterns: dict[str, str]) -> str | None:
    """What the longest other pattern says of all that `pattern` fits."""
    text = pattern.removesuffix("*")
    ends = range(len(text) - pattern.endswith("*"), 0, -1)
    return next((patterns[f"{text[:end]}*"] for end in ends if f"{text[:end]}*" in patterns), None)
