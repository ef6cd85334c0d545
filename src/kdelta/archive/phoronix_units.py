"""Units and names of phoronix-test-suite, which are words of its test profiles: `Seconds`, `ms`, `Lookups/s`, `MiB/s`."""

from __future__ import annotations

import re

from kdelta.archive.units import TIMES, base
from kdelta.model.benchmark import Better

_RATE = re.compile(r"\S.{0,60}?(?:/s|/sec|/second| per second|ps)$", re.IGNORECASE)


def scale(printed: str) -> tuple[str, float]:
    """The base unit, and what one of `printed` is in it. Words of time may begin with a capital."""
    name = printed.strip()
    return base(name.lower() if len(name) > 2 and name.lower() in TIMES else name)


def direction(printed: str) -> Better | None:
    """Of a time or a rate; what else the word is of nobody says."""
    if scale(printed)[0] == "s":
        return Better.SMALLER
    return Better.LARGER if _RATE.match(printed.strip()) else None


def parameters(said: str) -> dict[str, str]:
    """Of `Test: OpenCL Histo - Size: 3`; without a colon they are one text."""
    found = {}
    for part in said.split(" - ") if said else ():
        name, colon, value = part.partition(": ")
        found[name.strip() if colon else "arguments"] = (value if colon else part).strip()
    return found


def profile(identifier: str) -> tuple[str, str]:
    """The test and its version: of `pts/mnn-2.1.0` these are `mnn` and `2.1.0`."""
    name = identifier.rpartition("/")[2]
    test, dash, version = name.rpartition("-")
    return (test, version) if dash and version[:1].isdigit() else (name, "")
