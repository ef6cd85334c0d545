"""What a file of the kernel says, and whether it is what was asked for."""

from __future__ import annotations

import contextlib
import re

from kdelta.model.cpus import cpu_list

SELECTED = re.compile(r"(?<!\S)\[([^\[\]\s]+)\](?!\S)")
SIZE = re.compile(r"(\d+)([kmgt]?)", re.IGNORECASE)
TRUTH = {"1": "Y", "0": "N"}
"""A module's parameter of type bool is written as a digit and read as a letter."""


def fold(text: str) -> str:
    return " ".join(text.split())


def value_of(text: str) -> str:
    """What to write to get `text` back: of a choice such as "always [madvise] never" the word in brackets."""
    selected = SELECTED.findall(text)
    return selected[0] if len(selected) == 1 and "\n" not in text.strip() else text.rstrip("\n")


def same(wanted: str, found: str) -> bool:
    """Whether `found` is `wanted`, up to white space."""
    return fold(wanted) == fold(found) or TRUTH.get(fold(wanted)) == fold(found)


def agrees(wanted: str, found: str) -> bool:
    """Whether `found` is what a control group makes of `wanted`.

    Its files read sizes with a unit and lists of CPUs, and show what was left out: "max" written to cpu.max is
    "max 100000", and io.max shows all four limits of a device.
    """
    if same(wanted, found) or (_bytes(wanted) is not None and _bytes(wanted) == _bytes(found)):
        return True
    with contextlib.suppress(ValueError):
        if cpu_list(wanted) == cpu_list(found):
            return True
    words = set(wanted.split())
    return any(words <= set(line.split()) for line in found.splitlines()) if words else False


def _bytes(text: str) -> int | None:
    match = SIZE.fullmatch(text.strip())
    return int(match[1]) << (10 * " kmgt".index(match[2].lower() or " ")) if match else None
