"""Files of the kernel that change when another is written, and files that no setting can be made of.

Each is known from the kernel's source, which is named where the coupling is not documented in Documentation/admin-guide.
"""

from __future__ import annotations

import os
from fnmatch import fnmatch

from kdelta.box.settings.host import Host

VM = "/proc/sys/vm"
IPV4 = "/proc/sys/net/ipv4"
IPV6 = "/proc/sys/net/ipv6"
THP = "/sys/kernel/mm/transparent_hugepage"

# A file (a pattern) -> those that change with it, as patterns from the folder that it lies in.
ALONG: tuple[tuple[str, tuple[str, ...]], ...] = (
    # Of each pair one is in force and the other 0.
    (f"{VM}/dirty_bytes", ("dirty_ratio",)),
    (f"{VM}/dirty_ratio", ("dirty_bytes",)),
    (f"{VM}/dirty_background_bytes", ("dirty_background_ratio",)),
    (f"{VM}/dirty_background_ratio", ("dirty_background_bytes",)),
    (f"{VM}/overcommit_kbytes", ("overcommit_ratio",)),
    (f"{VM}/overcommit_ratio", ("overcommit_kbytes",)),
    # khugepaged raises min_free_kbytes when it starts: set_recommended_min_free_kbytes(), mm/khugepaged.c.
    (f"{THP}/enabled", (f"{VM}/min_free_kbytes",)),
    (f"{THP}/hugepages-*/enabled", (f"{VM}/min_free_kbytes",)),
    # A new I/O scheduler begins with its own defaults: blk_mq_init_sched(), block/blk-mq-sched.c.
    ("*/queue/scheduler", ("nr_requests", "wbt_lat_usec", "iosched/*")),
    # intel_pstate and amd-pstate hold the preference at performance under the governor of that name.
    ("*/scaling_governor", ("energy_performance_preference",)),
    # Each of the three is made of, or makes, the others: kernel/watchdog.c.
    ("/proc/sys/kernel/*watchdog", ("watchdog", "nmi_watchdog", "soft_watchdog")),
    # Turning it on wakes CPUs that were offline before.
    ("/sys/devices/system/cpu/smt/control", ("../cpu[0-9]*/online",)),
    # Forwarding makes a router or a host of the machine: inet_forward_change(), net/ipv4/devinet.c.
    (f"{IPV4}/ip_forward", ("conf/*/forwarding", "conf/*/accept_redirects")),
    (f"{IPV4}/conf/all/forwarding", (f"{IPV4}/ip_forward", "../*/forwarding", "../*/accept_redirects")),
    (f"{IPV6}/conf/all/forwarding", ("../*/forwarding",)),
    (f"{IPV6}/conf/all/disable_ipv6", ("../*/disable_ipv6",)),
)

# Reading them back says nothing of what was written.
TRIGGERS = {
    f"{VM}/drop_caches": "set `drop_caches = true` of the box: it is done before each visit",
    f"{VM}/compact_memory": "write it in `setup`",
    f"{VM}/stat_refresh": "write it in `setup`",
    "/proc/sysrq-trigger": "leave it out",
}

# Once set they stay until the next boot. None: whatever the value.
ONE_WAY: dict[str, frozenset[str] | None] = {
    "/proc/sys/kernel/kexec_load_disabled": None,
    "/proc/sys/kernel/modules_disabled": None,
    "/proc/sys/kernel/unprivileged_bpf_disabled": frozenset({"1"}),
    "/proc/sys/kernel/yama/ptrace_scope": frozenset({"3"}),
}

# Each word is written by itself, and turned round by or without a "NO_": kernel/sched/debug.c.
WORD_BY_WORD = ("/sys/kernel/debug/sched/features", "/sys/kernel/debug/sched_features")


def along(host: Host, path: str) -> list[str]:
    """The files that may change when `path` is written, as far as this machine has them."""
    folder = os.path.dirname(path)
    patterns = [
        os.path.normpath(os.path.join(folder, other)) for pattern, others in ALONG if fnmatch(path, pattern) for other in others
    ]
    found = dict.fromkeys(other for pattern in patterns for other in host.glob(pattern))
    return [other for other in found if other != path]
