"""Functions in which a CPU waits for work.

A profile by time counts them as any other, and on a machine with more CPUs than work they are most of it. What only leads there
(`do_idle`, `cpu_startup_entry`, the tick that is stopped and started) is work, if for nobody. Of an interrupt that is taken while
a CPU waits only the innermost function counts, as everywhere: it is work, whatever it interrupted.
"""

from __future__ import annotations

IDLE = frozenset(
    (
        # Any architecture. cpuidle_enter_state() enables interrupts behind a wait without them: a clock's sample falls there.
        *("default_idle", "default_idle_call", "arch_cpu_idle", "cpu_idle_poll", "poll_idle", "cpuidle_enter_state"),
        # Up to 3.9 the loop of each architecture, with the wait itself in it where that was inlined.
        "cpu_idle",
        # x86, and ACPI
        *("safe_halt", "native_safe_halt", "pv_native_safe_halt", "xen_safe_halt", "tdx_safe_halt", "acpi_safe_halt"),
        *("mwait_idle", "mwait_idle_with_hints", "c1e_idle", "amd_e400_idle"),
        *("intel_idle", "intel_idle_irq", "intel_idle_ibrs", "intel_idle_xstate", "intel_idle_hlt", "intel_idle_hlt_irq_on"),
        *("acpi_processor_idle", "acpi_processor_ffh_cstate_enter", "acpi_idle_do_entry", "acpi_idle_enter", "acpi_idle_enter_bm"),
        *("acpi_idle_enter_c1", "acpi_idle_enter_simple"),
        # ARM, LoongArch, MIPS
        *("cpu_do_idle", "cpu_v7_do_idle", "psci_cpu_suspend_enter", "__arch_cpu_idle", "r4k_wait", "__r4k_wait"),
        # POWER
        *("pseries_dedicated_idle_sleep", "snooze_loop", "dedicated_cede_loop", "shared_cede_loop", "check_and_cede_processor"),
        *("isa206_idle_insn_mayloss", "isa300_idle_stop_mayloss", "isa300_idle_stop_noloss"),
        # s390, SPARC, and on Itanium the call of its firmware, which hardly anything else makes
        *("psw_idle", "psw_idle_exit", "enabled_wait", "cpu_yield", "ia64_pal_call_static"),
    )
)


def is_idle(name: str) -> bool:
    """Whether the function `name` waits for work, be it a clone or of a module."""
    return name.partition(" [")[0].partition(".")[0] in IDLE
