"""Facts that stay the same through a visit: hardware, kernel and settings."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shlex
import zlib
from pathlib import Path

from kdelta.box.observe import files, processor
from kdelta.box.observe.files import content, line

CLOCKSOURCE = "sys/devices/system/clocksource/clocksource0"
NODES = "sys/devices/system/node"
DMI = "sys/class/dmi/id"

# fact -> the file that is its value.
FILES = {
    "clocksource": f"{CLOCKSOURCE}/current_clocksource",
    "command line": "proc/cmdline",
    "kernel release": "proc/sys/kernel/osrelease",
    "kernel version": "proc/sys/kernel/version",
    "ASLR": "proc/sys/kernel/randomize_va_space",
    "firmware": f"{DMI}/bios_version",
}
# How a hypervisor names itself in DMI's vendor or product, or in the clocks that it offers.
HYPERVISORS = (
    *(
        ("kvm", "KVM"),
        ("xen", "Xen"),
        ("hvm domu", "Xen"),
        ("hyperv", "Hyper-V"),
        ("microsoft corporation virtual machine", "Hyper-V"),
    ),
    *(("vmware", "VMware"), ("virtualbox", "VirtualBox"), ("qemu", "QEMU"), ("bochs", "Bochs"), ("parallels", "Parallels")),
    *(("bhyve", "bhyve"), ("apple virtualization", "Apple"), ("google compute engine", "Google"), ("amazon ec2", "Amazon")),
    *(("openstack", "OpenStack"), ("dummy-virt", "QEMU")),
)
UNNAMED = "unnamed"
NO_HYPERVISOR = "none"
CONTAINERS = {"run/.containerenv": "podman", ".dockerenv": "docker"}
CONTAINER_IN_CGROUP = re.compile(r"docker|libpod|kubepods|lxc|containerd|nspawn")


def facts(root: Path = Path("/")) -> dict[str, str]:
    """All that could be read below `root`. A key is absent where nothing could."""
    found = {
        **processor.facts(root),
        **{fact: line(root / file) for fact, file in FILES.items()},
        "kernel configuration": _configuration(root),
        "kernel compiler": _compiler(line(root / "proc/version")),
        "memory": _memory(root),
        "NUMA nodes": _nodes(root),
        "swap": _swap(root),
        "transparent huge pages": _chosen(line(root / "sys/kernel/mm/transparent_hugepage/enabled")),
        "allowed CPUs": files.fields(content(root / "proc/self/status")).get("Cpus_allowed_list"),
        "machine": _machine(root),
        "hypervisor": _hypervisor(root),
        "container": _container(root),
        "distribution": _distribution(root),
    }
    return {fact: value for fact, value in found.items() if value}


def _configuration(root: Path) -> str | None:
    """SHA-256 of the kernel's configuration as text."""
    try:
        text = gzip.decompress((root / "proc/config.gz").read_bytes())
    except (OSError, EOFError, zlib.error):
        text = _beside(root)
    return hashlib.sha256(text).hexdigest() if text else None


def _beside(root: Path) -> bytes:
    release = line(root / "proc/sys/kernel/osrelease") or ""
    try:
        return (root / "boot" / f"config-{release.replace('/', '_')}").read_bytes()
    except OSError:
        return b""


def _compiler(version: str | None) -> str | None:
    """The second parenthesis of /proc/version; the first holds who built the kernel and where."""
    found = re.match(r"Linux version \S+ \([^)]*\) \((.+)\) #", version or "")
    return found[1] if found else None


def _memory(root: Path) -> str | None:
    """What the kernel has to give. Two kernels on one machine differ by what each takes for itself."""
    amount, _, unit = files.fields(content(root / "proc/meminfo")).get("MemTotal", "").partition(" ")
    kib = files.to_number(amount)
    return None if kib is None or unit != "kB" else f"{kib // 1024} MiB"


def _nodes(root: Path) -> str | None:
    nodes = files.names(root / NODES, r"node\d+")
    lists = [line(root / NODES / node / "cpulist") or "no CPUs" for node in nodes]
    return f"{len(nodes)} ({'; '.join(lists)})" if nodes else None


def _swap(root: Path) -> str | None:
    """Each area with its size. The file has a heading, so that of a machine without swap is not empty."""
    rows = [row.split() for row in content(root / "proc/swaps").splitlines()]
    if not rows or rows[0][:1] != ["Filename"]:
        return None
    sizes = [(row, files.to_number(row[2])) for row in rows[1:] if len(row) > 2]
    return ", ".join(f"{row[0]} {row[1]} {kib // 1024} MiB" for row, kib in sizes if kib is not None) or "none"


def _chosen(choices: str | None) -> str | None:
    """The one in brackets: `always [madvise] never`."""
    found = re.search(r"\[(\w+)\]", choices or "")
    return found[1] if found else None


def _machine(root: Path) -> str | None:
    """Who made it and what it is called: by DMI, or by the device tree of boards without one."""
    said = [line(root / DMI / name) for name in ("sys_vendor", "product_name")]
    return " ".join(part for part in said if part) or line(root / "proc/device-tree/model")


def _hypervisor(root: Path) -> str | None:
    """Who runs this guest; `none` where an x86 processor says that nobody does. Elsewhere no sign is no answer."""
    flags = [block["flags"].split() for block in files.cpuinfo(root) if "flags" in block]
    told = line(root / "sys/hypervisor/type")
    if flags and not any("hypervisor" in words for words in flags) and told is None:
        return NO_HYPERVISOR
    machine = line(root / DMI / "product_name") or ""
    signs = [told, None if machine.endswith(".metal") else _machine(root), line(root / CLOCKSOURCE / "available_clocksource")]
    signs += [line(root / "proc/device-tree" / name) for name in ("compatible", "hypervisor/compatible")]
    said = " ".join(sign for sign in signs if sign).lower()
    return files.distinct(name for sign, name in HYPERVISORS if sign in said) or told or (UNNAMED if flags else None)


def _container(root: Path) -> str | None:
    """A hint that this runs in a container. There need not be one, so that no hint says nothing."""
    marks = [name for mark, name in CONTAINERS.items() if os.path.exists(root / mark)]
    in_cgroup = CONTAINER_IN_CGROUP.search(content(root / "proc/1/cgroup"))
    return line(root / "run/systemd/container") or next(iter(marks), None) or (in_cgroup[0] if in_cgroup else None)


def _distribution(root: Path) -> str | None:
    """PRETTY_NAME of os-release, which is written as a shell would read it."""
    text = content(root / "etc/os-release") or content(root / "usr/lib/os-release")
    found = re.search(r"^PRETTY_NAME=(.*)$", text, re.MULTILINE)
    try:
        return " ".join(shlex.split(found[1])) or None if found else None
    except ValueError:
        return None
