"""Benchmarks of our own catalogue that old mails measured under the same names: what program they are, and its parameters."""

from __future__ import annotations

import re

OURS: dict[str, tuple[str, dict[str, str]]] = {
    "null": ("null", {}),
    "syscall-open": ("open", {}),
    "select": ("select", {}),
    "mmap": ("mmap", {}),
    "pagefault": ("pagefault", {}),
    "proc-fork": ("proc", {}),
    "proc-exec": ("proc", {"child": "exec"}),
    "proc-sh": ("proc", {"child": "sh"}),
    "ctx-2": ("ctx", {}),
    "ctx-20": ("ctx", {"procs": "20"}),
    "ctx-200": ("ctx", {"procs": "200"}),
    "hackbench-10": ("hackbench", {}),
    "hackbench-20": ("hackbench", {"groups": "20"}),
    "hackbench-50": ("hackbench", {"groups": "50"}),
    "volano": ("volano", {}),
    "pipe": ("pingpong", {}),
    "af-unix": ("pingpong", {"over": "unix"}),
}
"""By name, as workload.catalogue has them, which the archive may not import; a test compares the two."""

_SCRIPTS = re.compile(r"\bsdet(?:bench)?[ _/-]?(?P<scripts>\d{1,6})\b", re.IGNORECASE)
_TIMES = re.compile(r"\bN\s*=\s*(\d{1,3})\s*x\b")


def program(name: str) -> tuple[str, dict[str, str]]:
    """The program that `name` is in our catalogue, with its parameters; no name and none where it is not there."""
    return OURS.get(name, ("", {}))


def sdet(scripts: str) -> str:
    """Its name with so many scripts at once."""
    return f"sdet-{scripts}"


def named(title: str) -> str:
    """The benchmark that a line tells of: "SDET 32 (see disclaimer)", "sdetbench/128/profile", "Kernbench: (... N = 2 x num_cpus)".

    Empty where it tells of none of the two.
    """
    if found := _SCRIPTS.search(title):
        return sdet(found["scripts"])
    lower = title.lower()
    if "kernbench" not in lower:
        return ""
    if times := _TIMES.search(title):
        return f"kernbench-{times[1]}x"
    return "kernbench-maximal" if "maximal" in lower else "kernbench"
