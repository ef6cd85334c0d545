"""Readers of /proc and /sys below a root that tests replace. What cannot be read is None or empty."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

NUMBER = re.compile(r"-?\d{1,20}", re.ASCII)
CPUS = "sys/devices/system/cpu"


def content(path: Path) -> str:
    """The whole text; empty where there is none. An empty file says as little as a missing one."""
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""


def line(path: Path) -> str | None:
    """The text on one line: words separated by one space. Strings of the device tree end with a NUL."""
    return " ".join(content(path).replace("\0", " ").split()) or None


def number(path: Path) -> int | None:
    return to_number(content(path).strip())


def to_number(text: str | None) -> int | None:
    return int(text) if text and NUMBER.fullmatch(text) else None


def names(folder: Path, pattern: str) -> list[str]:
    """Entries of `folder` that `pattern` matches as a whole, cpu2 before cpu10."""
    try:
        found = os.listdir(folder)
    except OSError:
        return []
    return sorted((name for name in found if re.fullmatch(pattern, name, re.ASCII)), key=lambda name: (len(name), name))


def cpus(root: Path) -> list[Path]:
    """The folder of each CPU in /sys."""
    return [root / CPUS / name for name in names(root / CPUS, r"cpu\d+")]


def cpuinfo(root: Path) -> list[dict[str, str]]:
    """/proc/cpuinfo: its blocks, one for each CPU and on some machines one for the whole."""
    blocks = re.split(r"\n\s*\n", content(root / "proc/cpuinfo"))
    return [fields(block) for block in blocks]


def fields(text: str) -> dict[str, str]:
    """Lines of `name : value`, as in cpuinfo and meminfo; those without a value are left out."""
    pairs = (part.partition(":") for part in text.splitlines())
    return {name.strip(): " ".join(value.split()) for name, _, value in pairs if value.strip()}


def distinct(values: Iterable[str | None]) -> str | None:
    """The different values among `values`: one for most machines, several where CPUs differ."""
    return " and ".join(sorted({value for value in values if value})) or None
