"""/proc/kallsyms: the symbols of a kernel, in which there are no results. Where it hides its addresses, they are all 0.

ffffffff81000000 T startup_64
0000000000000000 t nf_nat_init	[nf_nat]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kdelta.archive.reader import Reader
from kdelta.archive.text import Text
from kdelta.model.published import Block, Remark

NAME = "kallsyms"

LEAST = 3
"""Symbols, by which it is known."""

_SYMBOL = re.compile(r"(?P<address>[0-9a-f]{8}(?:[0-9a-f]{8})?) [a-zA-Z] \S+(?:\s+\[\w+\])?\s*$")
HIDDEN = "kernel addresses hidden: all are 0, names alone are known; read it as root, with the sysctl kernel.kptr_restrict=0"
KNOWN = "symbols of a kernel, and no results"


def read(text: Text) -> Iterator[Block]:
    """A remark, and nothing else."""
    found = [(line, match) for line in text.lines if (match := _SYMBOL.match(line.text))]
    if len(found) < LEAST:
        return
    hidden = sum(not match["address"].strip("0") for _, match in found)
    first, last = found[0][0].number, found[-1][0].number
    remarks = [Remark(first, KNOWN), *([Remark(first, HIDDEN)] if hidden >= LEAST else [])]
    yield Block(format=NAME, first=first, last=last, remarks=tuple(remarks))


READER = Reader(
    NAME,
    tuple(f" {kind} " for kind in "TtDdBbRrWwA"),
    read,
    "lines `address type symbol`, also with `[module]`: there are no results in it, but hidden addresses are told",
)
