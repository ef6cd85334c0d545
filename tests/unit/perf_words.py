"""What perf and the wrappers of distributions say when they cannot, and what must be advised then."""

from __future__ import annotations

PARANOID = """Error:
Access to performance monitoring and observability operations is limited.
Consider adjusting /proc/sys/kernel/perf_event_paranoid setting to open
access to performance monitoring and observability operations for processes
without CAP_PERFMON, CAP_SYS_PTRACE or CAP_SYS_ADMIN Linux capability.
perf_event_paranoid setting is {}:
  -1: Allow use of (almost) all events by all users
>= 1: Disallow CPU event access
"""
OLD_PARANOID = """Error:
You may not have permission to collect system-wide stats.

Consider tweaking /proc/sys/kernel/perf_event_paranoid,
which controls use of the performance events system by
unprivileged users (without CAP_SYS_ADMIN).

The current value is 2:
"""
SECCOMP = """perf_event_open(..., PERF_FLAG_FD_CLOEXEC) failed with unexpected error 1 (Operation not permitted)
perf_event_open(..., 0) failed unexpectedly with error 1 (Operation not permitted)
Error:
No permission to enable cpu-clock event.
"""
HIDDEN = """WARNING: Kernel address maps (/proc/{kallsyms,modules}) are restricted,
check /proc/sys/kernel/kptr_restrict and /proc/sys/kernel/perf_event_paranoid.

Samples in kernel functions may not be resolved if a suitable vmlinux
file is not found in the buildid cache or in the vmlinux path.
"""
MLOCK = """Permission error mapping pages.
Consider increasing /proc/sys/kernel/perf_event_mlock_kb,
or try again with a smaller value of -m/--mmap_pages.
(current value: 4294967295,0)
"""
UBUNTU = """WARNING: perf not found for kernel 5.15.0-25

  You may need to install the following packages for this specific kernel:
    linux-tools-5.15.0-25-generic
"""
RATE = """error: Maximum frequency rate (100 Hz) exceeded.
       Please use -F freq option with a lower value or consider
       tweaking /proc/sys/kernel/perf_event_max_sample_rate.
"""
SYSCALL = """perf_event_open(..., 0) failed unexpectedly with error {0}
Error:
The sys_perf_event_open() syscall returned with {0} for event (cpu-clock).
/bin/dmesg | grep -i perf may provide additional information.
"""
# (what perf 4.15 to 6.12 and the distributions' wrappers say, the words of the advice)
TOLD = {
    "paranoid": (PARANOID.format(2), "sysctl kernel.perf_event_paranoid=-1, or run as root or with CAP_PERFMON"),
    "Debian's paranoid": (PARANOID.format(3), "sysctl kernel.perf_event_paranoid=-1"),
    "old paranoid": (OLD_PARANOID, "sysctl kernel.perf_event_paranoid=-1"),
    "old perf, refused by a filter": ("Error:\nNo permission to enable cpu-clock event.\n\n" + OLD_PARANOID, "seccomp=unconfined"),
    "allowed, yet refused": (PARANOID.format(-1), "ausearch"),
    "seccomp": (SECCOMP, "seccomp=unconfined"),
    "hidden symbols": (HIDDEN + "Events disabled\n[ perf record: Woken up 1 times to write data ]\n", "kernel.kptr_restrict=0"),
    "ENOSYS": (SYSCALL.format("38 (Function not implemented)"), "CONFIG_PERF_EVENTS"),
    "ENOENT": ("Error:\nThe cpu-clock event is not supported.\n", "CONFIG_PERF_EVENTS"),
    "EBUSY": (SYSCALL.format("16 (Device or resource busy)"), "end it"),
    "EMFILE": ("Error:\nToo many events are opened.\nProbably the maximum number of open file descriptors", "ulimit -n"),
    "pipes": ("failed to create 'ready' pipe: Too many open files\nCouldn't run the workload!\n", "ulimit -n"),
    "mlock": (MLOCK, "CAP_IPC_LOCK"),
    "Ubuntu's wrapper": (UBUNTU, "linux-tools-$(uname -r)"),
    "Debian's wrapper": (
        "/usr/bin/perf: line 13: exec: perf_5.10: not found\nE: linux-perf-5.10 is not installed.\n",
        "linux-perf",
    ),
    "too old": ("  Error: unknown option `strict-freq'\n\n Usage: perf record [<options>] [<command>]\n", "Linux 4.17"),
    "rate": (RATE, "kernel.perf_event_max_sample_rate"),
    "full": ("failed to write perf data, error: No space left on device\n", "make room"),
    "too large": ("[ perf record: perf size limit reached (324 KB), stopping session ]\n", "smaller benchmark"),
    "anything else": (SYSCALL.format("22 (Invalid argument)"), "try it by hand"),
    "nothing": ("", "try it by hand"),
}
