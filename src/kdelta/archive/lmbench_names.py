"""What lmbench measures, by our names where kdelta measures the same, by lmbench's own elsewhere."""

from __future__ import annotations

import msgspec

KIB = 1024
SELECT = 200
"""Descriptors that our own `select` waits for."""


class Named(msgspec.Struct, frozen=True):
    """As in Entry; `metric` is a time unless said otherwise."""

    program: str
    benchmark: str
    parameters: dict[str, str] = {}
    metric: str = "time"


def own(name: str, **parameters: str) -> Named:
    """What only lmbench measures: a latency."""
    return Named("lmbench", f"lmbench-{name}", parameters)


def bandwidth(name: str, **parameters: str) -> Named:
    return Named("lmbench", f"lmbench-bw-{name}", parameters, "bandwidth")


def switch(procs: str, kib: int) -> Named:
    """A hop in a ring of `procs` processes, each of which sums `kib` KiB."""
    size = {"size": str(kib * KIB)} if kib else {}
    return Named("ctx", f"ctx-{procs}-{kib}k" if kib else f"ctx-{procs}", {"procs": procs} | size)


def select(descriptors: str, kind: str = "") -> Named:
    if kind:
        return own(f"select-{kind}-{descriptors}", descriptors=descriptors)
    name = "select" if descriptors == str(SELECT) else f"select-{descriptors}"
    return Named("select", name, {"descriptors": descriptors})


def created(kib: int) -> Named:
    """A file of so many KiB is made."""
    size = {"size": str(kib * KIB)} if kib else {}
    return Named("file", f"lat-file-create-{kib}k" if kib else "lat-file-create", size)


def deleted(kib: int) -> Named:
    size = {"size": str(kib * KIB)} if kib else {}
    return Named("file", f"lat-file-delete-{kib}k" if kib else "lat-file-delete", {"work": "delete"} | size)


NULL = Named("null", "null")
OPEN = Named("open", "syscall-open")
FORK = Named("proc", "proc-fork")
EXEC = Named("proc", "proc-exec", {"child": "exec"})
SHELL = Named("proc", "proc-sh", {"child": "sh"})
PIPE = Named("pingpong", "pipe")
UNIX = Named("pingpong", "af-unix", {"over": "unix"})
MMAP = Named("mmap", "mmap")
PAGE_FAULT = Named("pagefault", "pagefault-file", {"pages": "file"})
"""lmbench maps a file and reads its pages."""

STAT = own("stat")
SIGNAL_INSTALL = own("signal-install")
SIGNAL = own("signal")
PROTECTION_FAULT = own("protection-fault")
UDP = own("udp")
TCP = own("tcp")
RPC_UDP = own("rpc-udp")
RPC_TCP = own("rpc-tcp")
TCP_CONNECT = own("tcp-connect")
BW_PIPE = bandwidth("pipe")
BW_UNIX = bandwidth("unix")
BW_TCP = bandwidth("tcp")
BW_FILE = bandwidth("file-reread")
BW_MMAP = bandwidth("mmap-reread")
BW_COPY = bandwidth("bcopy-libc")
BW_COPY_BY_HAND = bandwidth("bcopy-hand")
BW_READ = bandwidth("mem-read")
BW_WRITE = bandwidth("mem-write")
