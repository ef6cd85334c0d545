"""What is read of a machine: of a laptop, a server, a guest and a board, of nothing, of garbage, and of this one."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.box import observe
from kdelta.box.observe.moment import MOST_FREQUENCIES, PAGE_BYTES, TICKS_PER_SECOND, CpuTime, Pressure

CPU = "sys/devices/system/cpu"
DMI = "sys/class/dmi/id"
CLOCK = "sys/devices/system/clocksource/clocksource0"
CONFIG = b"CONFIG_64BIT=y\n"
Tree = dict[str, str | bytes]


def each_cpu(count: int, file: str, values: list[str]) -> Tree:
    """`file` of every CPU, `values` in turn."""
    return {f"{CPU}/cpu{cpu}/{file}": values[cpu % len(values)] for cpu in range(count)}


def cpuinfo(count: int, block: str) -> str:
    return "\n\n".join(f"processor\t: {cpu}\n{block}" for cpu in range(count)) + "\n\n"


# An Intel laptop: two cores with two threads each, CPU 0 and 2 the first core's.
LAPTOP: Tree = {
    "proc/cpuinfo": cpuinfo(
        4,
        "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 142\nmodel name\t: Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz\n"
        "stepping\t: 10\nmicrocode\t: 0xf4\ncpu MHz\t\t: 900.000\nflags\t\t: fpu tsc ht\npower management:",
    ),
    "proc/stat": "cpu  1000 20 300 90000 50 6 7 8 9 10\ncpu0 1 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\nprocs_running 3\n",
    "proc/uptime": "123.45 900.00\n",
    "proc/loadavg": "0.25 0.50 0.75 3/500 4242\n",
    "proc/meminfo": "MemTotal:       16252928 kB\nMemFree:  1 kB\nMemAvailable:   8126464 kB\n",
    "proc/vmstat": "nr_free_pages 1\npswpin 3\npswpout 4\n",
    "proc/pressure/cpu": "some avg10=1.50 avg60=0.00 avg300=0.00 total=2500000\n",
    "proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=10\nfull avg10=9.00 avg60=0.00 avg300=0.00 total=99\n",
    "proc/swaps": "Filename\tType\tSize\tUsed\tPriority\n/dev/dm-1\tpartition\t8388604\t0\t-2\n",
    "proc/cmdline": "BOOT_IMAGE=/vmlinuz-6.1.0 root=/dev/dm-0 ro quiet\n",
    "proc/config.gz": gzip.compress(CONFIG),
    "proc/version": "Linux version 6.1.0 (builder@host) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld 2.40) #1 SMP Debian 6.1.1\n",
    "proc/sys/kernel/osrelease": "6.1.0\n",
    "proc/sys/kernel/version": "#1 SMP Debian 6.1.1\n",
    "proc/sys/kernel/randomize_va_space": "2\n",
    "etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
    f"{CPU}/online": "0-3\n",
    f"{CPU}/smt/control": "on\n",
    f"{CPU}/vulnerabilities/meltdown": "Mitigation: PTI\n",
    f"{CPU}/intel_pstate/no_turbo": "0\n",
    f"{CPU}/cpuidle/current_driver": "intel_idle\n",
    f"{CLOCK}/current_clocksource": "tsc\n",
    f"{DMI}/sys_vendor": "Maker\n",
    f"{DMI}/product_name": "Laptop 5\n",
    f"{DMI}/bios_version": "1.2.3\n",
    "sys/class/hwmon/hwmon0/name": "nvme\n",
    "sys/class/hwmon/hwmon0/temp1_input": "90000\n",
    "sys/class/hwmon/hwmon1/name": "coretemp\n",
    "sys/class/hwmon/hwmon1/temp1_input": "61000\n",
    "sys/class/hwmon/hwmon1/temp2_input": "63500\n",
    "sys/class/thermal/thermal_zone0/type": "acpitz\n",
    "sys/class/thermal/thermal_zone0/temp": "99000\n",
    "sys/class/thermal/thermal_zone1/type": "x86_pkg_temp\n",
    "sys/class/thermal/thermal_zone1/temp": "62000\n",
    **each_cpu(4, "topology/core_siblings_list", ["0-3"]),
    **each_cpu(4, "topology/thread_siblings_list", ["0,2", "1,3"]),
    **each_cpu(4, "cpufreq/scaling_governor", ["powersave"]),
    **each_cpu(4, "cpufreq/scaling_driver", ["intel_pstate"]),
    **each_cpu(4, "cpufreq/energy_performance_preference", ["balance_performance"]),
    **each_cpu(4, "cpufreq/scaling_min_freq", ["400000"]),
    **each_cpu(4, "cpufreq/scaling_max_freq", ["3400000"]),
    **each_cpu(4, "cpufreq/scaling_cur_freq", ["800000", "3400123"]),
    **each_cpu(4, "thermal_throttle/core_throttle_count", ["5", "6"]),
    **each_cpu(4, "thermal_throttle/package_throttle_count", ["7"]),
}
LAPTOP_FACTS = {
    "processor": "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz",
    "processor id": "vendor_id GenuineIntel, cpu family 6, model 142, stepping 10",
    "microcode": "0xf4",
    "topology": "1 socket, 2 cores, 4 threads",
    "online CPUs": "0-3",
    "SMT": "on",
    "vulnerability meltdown": "Mitigation: PTI",
    "governor": "powersave",
    "frequency driver": "intel_pstate",
    "energy preference": "balance_performance",
    "frequency limits": "400..3400 MHz",
    "turbo": "on",
    "idle driver": "intel_idle",
    "clocksource": "tsc",
    "command line": "BOOT_IMAGE=/vmlinuz-6.1.0 root=/dev/dm-0 ro quiet",
    "kernel release": "6.1.0",
    "kernel version": "#1 SMP Debian 6.1.1",
    "ASLR": "2",
    "firmware": "1.2.3",
    "kernel configuration": hashlib.sha256(CONFIG).hexdigest(),
    "kernel compiler": "gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld 2.40",
    "memory": "15872 MiB",
    "swap": "/dev/dm-1 partition 8191 MiB",
    "transparent huge pages": "always",
    "machine": "Maker Laptop 5",
    "hypervisor": "none",
    "distribution": "Debian GNU/Linux 12 (bookworm)",
}
# An AMD server: two sockets, which are two nodes, of two cores each without threads.
SERVER: Tree = {
    "proc/cpuinfo": cpuinfo(4, "vendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 7302\nflags\t\t: fpu"),
    f"{CPU}/cpufreq/boost": "0\n",
    "sys/devices/system/node/node0/cpulist": "0-1\n",
    "sys/devices/system/node/node1/cpulist": "2-3\n",
    "proc/swaps": "Filename\tType\tSize\tUsed\tPriority\n",
    "proc/sys/kernel/osrelease": "6.12.0\n",
    "boot/config-6.12.0": CONFIG,
    **{f"{CPU}/cpu{cpu}/topology/core_siblings_list": "0-1" if cpu < 2 else "2-3" for cpu in range(4)},
    **{f"{CPU}/cpu{cpu}/topology/thread_siblings_list": str(cpu) for cpu in range(4)},
    **each_cpu(4, "cpufreq/scaling_governor", ["performance", "schedutil"]),
}
GUEST: Tree = {
    "proc/cpuinfo": cpuinfo(1, "model name\t: QEMU Virtual CPU\ncpu MHz\t\t: 2596.096\nflags\t\t: fpu hypervisor tsc"),
    f"{DMI}/sys_vendor": "QEMU\n",
    f"{DMI}/product_name": "Standard PC (Q35 + ICH9, 2009)\n",
    f"{CLOCK}/available_clocksource": "kvm-clock tsc acpi_pm\n",
    ".dockerenv": "",
}
BOARD: Tree = {
    "proc/cpuinfo": cpuinfo(
        2,
        "BogoMIPS\t: 108.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\n"
        "CPU part\t: 0xd08\nCPU revision\t: 3",
    ),
    "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
    "sys/class/thermal/thermal_zone0/type": "cpu-thermal\n",
    "sys/class/thermal/thermal_zone0/temp": "48312\n",
}


def grow(root: Path, tree: Tree) -> Path:
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


# ---- facts ----


def test_a_laptop_tells_all_its_facts(tmp_path: Path) -> None:
    assert observe.facts(grow(tmp_path, LAPTOP)) == LAPTOP_FACTS


# What a fact is where one of its files is missing: less, and still true.
LESS = {
    f"{DMI}/sys_vendor": {"machine": "Laptop 5"},
    f"{DMI}/product_name": {"machine": "Maker"},
    **{f"{CPU}/cpu{cpu}/topology/thread_siblings_list": {"topology": "1 socket, 2 cores, 3 threads"} for cpu in range(4)},
}


@pytest.mark.parametrize("file", sorted(LAPTOP))
def test_a_file_that_cannot_be_read_takes_its_facts_away_and_makes_up_none(tmp_path: Path, file: str) -> None:
    found = observe.facts(grow(tmp_path, {name: text for name, text in LAPTOP.items() if name != file}))
    assert {fact: value for fact, value in found.items() if value != LAPTOP_FACTS[fact]} == LESS.get(file, {})


def test_a_server_tells_its_sockets_and_nodes(tmp_path: Path) -> None:
    found = observe.facts(grow(tmp_path, SERVER))
    assert (found["topology"], found["NUMA nodes"]) == ("2 sockets, 4 cores, 4 threads", "2 (0-1; 2-3)")


def test_a_node_of_memory_alone_is_counted(tmp_path: Path) -> None:
    tree = {**SERVER, "sys/devices/system/node/node2/cpulist": "\n"}
    assert observe.facts(grow(tmp_path, tree))["NUMA nodes"] == "3 (0-1; 2-3; no CPUs)"


def test_cpus_that_are_set_differently_are_both_told(tmp_path: Path) -> None:
    assert observe.facts(grow(tmp_path, SERVER))["governor"] == "performance and schedutil"


def test_turbo_of_amd_is_not_written_upside_down(tmp_path: Path) -> None:
    assert observe.facts(grow(tmp_path, SERVER))["turbo"] == "off"


def test_the_configuration_in_boot_serves_where_the_kernel_has_none(tmp_path: Path) -> None:
    assert observe.facts(grow(tmp_path, SERVER))["kernel configuration"] == hashlib.sha256(CONFIG).hexdigest()


def test_a_machine_without_swap_says_so(tmp_path: Path) -> None:
    assert observe.facts(grow(tmp_path, SERVER))["swap"] == "none"


def test_a_guest_names_its_hypervisor_by_every_sign(tmp_path: Path) -> None:
    assert observe.facts(grow(tmp_path, GUEST))["hypervisor"] == "KVM and QEMU"


@pytest.mark.parametrize(
    ("signs", "name"),
    [
        ({}, "unnamed"),
        ({"sys/hypervisor/type": "xen\n"}, "Xen"),
        ({"sys/hypervisor/type": "phyp\n"}, "phyp"),
        ({f"{DMI}/sys_vendor": "VMware, Inc.\n"}, "VMware"),
        ({f"{DMI}/sys_vendor": "Microsoft Corporation\n", f"{DMI}/product_name": "Virtual Machine\n"}, "Hyper-V"),
        ({f"{CLOCK}/available_clocksource": "hyperv_clocksource_tsc_page acpi_pm\n"}, "Hyper-V"),
    ],
)
def test_a_hypervisor_is_known_by_what_it_offers(tmp_path: Path, signs: Tree, name: str) -> None:
    assert observe.facts(grow(tmp_path, {"proc/cpuinfo": GUEST["proc/cpuinfo"], **signs}))["hypervisor"] == name


def test_a_board_without_a_model_name_is_told_by_its_numbers(tmp_path: Path) -> None:
    assert observe.facts(grow(tmp_path, BOARD)) == {
        "processor id": "implementer 0x41, architecture 8, variant 0x0, part 0xd08, revision 3",
        "machine": "Raspberry Pi 4 Model B Rev 1.4",
    }


def test_a_guest_of_another_architecture_is_known_by_its_machine(tmp_path: Path) -> None:
    tree = {**BOARD, f"{DMI}/sys_vendor": "QEMU\n", f"{DMI}/product_name": "KVM Virtual Machine\n"}
    assert observe.facts(grow(tmp_path, tree))["hypervisor"] == "KVM and QEMU"


def test_a_guest_that_hides_its_flag_is_known_by_what_the_kernel_says(tmp_path: Path) -> None:
    tree = {**SERVER, "sys/hypervisor/type": "xen\n"}
    assert observe.facts(grow(tmp_path, tree))["hypervisor"] == "Xen"


def test_rented_metal_is_no_guest(tmp_path: Path) -> None:
    tree = {**BOARD, f"{DMI}/sys_vendor": "Amazon EC2\n", f"{DMI}/product_name": "c6g.metal\n"}
    assert "hypervisor" not in observe.facts(grow(tmp_path, tree))


@pytest.mark.parametrize(
    ("hint", "name"),
    [
        ({".dockerenv": ""}, "docker"),
        ({"run/.containerenv": ""}, "podman"),
        ({"run/systemd/container": "systemd-nspawn\n"}, "systemd-nspawn"),
        ({"proc/1/cgroup": "0::/kubepods/besteffort/pod1\n"}, "kubepods"),
    ],
)
def test_a_container_is_known_by_what_it_leaves(tmp_path: Path, hint: Tree, name: str) -> None:
    assert observe.facts(grow(tmp_path, hint)) == {"container": name}


# ---- a moment ----


def test_a_laptop_tells_its_state(tmp_path: Path) -> None:
    now = observe.snapshot(grow(tmp_path, LAPTOP))
    ticks = [tick / TICKS_PER_SECOND for tick in (1000, 20, 300, 90000, 50, 6, 7, 8)]
    assert (now.cpu, now.cpus, now.runnable, now.uptime_seconds) == (CpuTime(*ticks), 2, 3, 123.45)
    assert (now.load, now.available_mib, now.swapped_bytes) == ((0.25, 0.5, 0.75), 7936, 7 * PAGE_BYTES)
    assert now.throttles == {
        f"cpu{cpu} {what}": count for cpu in range(4) for what, count in (("core", 5 + cpu % 2), ("package", 7))
    }


def test_pressure_is_that_of_some_tasks_and_missing_where_the_kernel_has_none(tmp_path: Path) -> None:
    found = observe.snapshot(grow(tmp_path, LAPTOP)).pressure
    assert found == {"CPU": Pressure(1.5, 2.5), "memory": Pressure(0.0, 0.00001)}


def test_the_temperature_is_the_highest_of_the_processor_alone(tmp_path: Path) -> None:
    assert observe.snapshot(grow(tmp_path, LAPTOP)).temperature_c == 63.5


def test_a_board_has_its_temperature_in_a_thermal_zone(tmp_path: Path) -> None:
    assert observe.snapshot(grow(tmp_path, BOARD)).temperature_c == 48.312


def test_frequencies_are_those_of_cpufreq(tmp_path: Path) -> None:
    assert observe.snapshot(grow(tmp_path, LAPTOP)).frequencies_mhz == (800.0, 3400.123, 800.0, 3400.123)


def test_frequencies_of_a_guest_are_those_of_cpuinfo(tmp_path: Path) -> None:
    assert observe.snapshot(grow(tmp_path, GUEST)).frequencies_mhz == (2596.096,)


def test_a_few_cpus_stand_for_all_of_a_large_machine(tmp_path: Path) -> None:
    tree = each_cpu(4 * MOST_FREQUENCIES, "cpufreq/scaling_cur_freq", [f"{mhz}000" for mhz in range(1, 4 * MOST_FREQUENCIES + 1)])
    found = observe.snapshot(grow(tmp_path, tree)).frequencies_mhz
    assert found == tuple(float(mhz) for mhz in range(1, 4 * MOST_FREQUENCIES + 1, 4))


def test_a_stat_line_of_a_kernel_that_does_not_count_steal_is_not_filled_up_with_zeros(tmp_path: Path) -> None:
    assert observe.snapshot(grow(tmp_path, {"proc/stat": "cpu 1 2 3 4 5 6 7\n"})).cpu is None


# ---- nothing, garbage, and this machine ----


def test_nothing_readable_is_nothing_known(tmp_path: Path) -> None:
    now = observe.snapshot(tmp_path)
    found = (observe.facts(tmp_path), now, observe.described(now, now), observe.warnings({}, now, now, 0.0))
    assert found == ({}, observe.Snapshot(), {}, ())


def test_a_folder_in_place_of_every_file_is_nothing_known(tmp_path: Path) -> None:
    for name in LAPTOP:
        (tmp_path / name).mkdir(parents=True)
    assert observe.facts(tmp_path) == {}


# Without the time: it would be in the names of tests, and two workers collect theirs at two times.
PACKED = gzip.compress(CONFIG, mtime=0)


@pytest.mark.parametrize(
    ("file", "text", "fact"),
    [
        ("proc/config.gz", b"not packed", "kernel configuration"),
        ("proc/config.gz", PACKED[:-9], "kernel configuration"),
        ("proc/config.gz", PACKED[:12] + b"\xff" * 9, "kernel configuration"),
        ("proc/meminfo", "MemTotal: \u0663 kB\n", "memory"),
        ("proc/meminfo", "MemTotal: \u00b2 kB\n", "memory"),
        ("proc/meminfo", f"MemTotal: {'9' * 5000} kB\n", "memory"),
        ("proc/meminfo", "MemTotal: 100 MB\n", "memory"),
        ("proc/swaps", "cannot say\n", "swap"),
        ("proc/version", "Linux version 6.1.0 (builder@host) (gcc\n", "kernel compiler"),
        ("etc/os-release", 'PRETTY_NAME="Debian\n', "distribution"),
        (f"{CPU}/intel_pstate/no_turbo", "2\n", "turbo"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "always never\n", "transparent huge pages"),
    ],
)
def test_what_makes_no_sense_is_missing(tmp_path: Path, file: str, text: str | bytes, fact: str) -> None:
    assert observe.facts(grow(tmp_path, {**LAPTOP, file: text})) == {k: v for k, v in LAPTOP_FACTS.items() if k != fact}


WORDS = st.sampled_from(
    ["cpu", "cpu MHz", ":", "kB", "some avg10=", "total=", "[", ")", "(", '"', "\0", "-1", "nan", "1e999", "٣", "9" * 400]
)
GARBAGE = st.binary(max_size=60) | st.lists(WORDS, max_size=12).map(lambda words: " ".join(words).encode())


@given(st.data())
def test_garbage_in_any_file_neither_raises_nor_makes_an_empty_value(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("root")
    spoilt: Tree = {
        name: data.draw(GARBAGE) for name in data.draw(st.sets(st.sampled_from(sorted(LAPTOP)), min_size=1, max_size=8))
    }
    found, now = observe.facts(grow(root, {**LAPTOP, **spoilt})), observe.snapshot(root)
    told = {**found, **observe.described(observe.Snapshot(), now), **observe.described(now, now)}
    assert isinstance(observe.warnings(found, now, now, 0.0), tuple)
    assert all(value.strip() for value in told.values())
    assert msgspec.json.decode(msgspec.json.encode(told)) == told


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="needs a /proc")
def test_this_machine_can_be_read() -> None:
    before, found, after = observe.snapshot(), observe.facts(), observe.snapshot()
    assert {"kernel release", "kernel version", "command line", "memory"} <= found.keys()
    assert before.cpu
    assert {"uptime before", "time during", "CPU time during", "load before", "load after"} <= observe.described(
        before, after
    ).keys()
