"""Lists of CPUs as the kernel writes them: "0-3,8" (Documentation/admin-guide/kernel-parameters.rst, "cpu lists")."""

from __future__ import annotations

import re

PART = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


def cpu_list(text: str) -> frozenset[int]:
    """The CPUs in `text`, none for an empty one. Raises ValueError where it is no such list."""
    found: set[int] = set()
    for part in text.split(",") if text.strip() else ():
        match = PART.fullmatch(part.strip())
        if match is None or int(match[2] or match[1]) < int(match[1]):
            raise ValueError(f"'{text}' is no list of CPUs")
        found.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return frozenset(found)
