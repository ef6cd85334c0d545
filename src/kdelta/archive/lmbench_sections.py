"""The tables of lmbench's summaries: their titles, and what each column is (scripts/getsummary of lmbench 2 and 3).

File & VM system latencies in microseconds - smaller is better
Host                 OS   0K File      10K File      Mmap    Prot    Page
                        Create Delete Create Delete  Latency Fault   Fault
--------- ------------- ------ ------ ------ ------  ------- -----   -----
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from kdelta.archive import lmbench_names as names
from kdelta.archive.lmbench_names import Named

MHZ = names.own("mhz")
"""Of the processor: no result."""
WORDS = names.own("guesses")
"""The last column of memory latencies is in words."""

PROTECTION_WIDTH = 6
"""What a protection fault is printed in; a page fault has seven characters, so that its digits are never taken for the other."""


class Layout(msgspec.Struct, frozen=True):
    """Below a `ruler`, from behind the column of the kernel on."""

    ruler: str
    columns: tuple[Named, ...]
    widest: dict[int, int] = {}
    """Column -> characters of its longest number, where the ruler does not say."""


class Section(NamedTuple):
    """`title` is its beginning, without stars."""

    title: str
    layouts: tuple[Layout, ...]


def _operations(kind: str, *operations: str) -> tuple[Named, ...]:
    return tuple(names.own(f"{kind}-{operation}") for operation in operations)


_PROCESS = (
    MHZ,
    names.NULL,
    names.own("io"),
    names.STAT,
    names.OPEN,
    names.select("100", "tcp"),
    names.SIGNAL_INSTALL,
    names.SIGNAL,
    names.FORK,
    names.EXEC,
    names.SHELL,
)
_CONTEXT = tuple(
    names.switch(procs, kib) for procs, kib in (("2", 0), ("2", 16), ("2", 64), ("8", 16), ("8", 64), ("16", 16), ("16", 64))
)
_LOCAL = (names.switch("2", 0), names.PIPE, names.UNIX, names.UDP, names.RPC_UDP, names.TCP, names.RPC_TCP, names.TCP_CONNECT)
_REMOTE = tuple(names.own(f"remote-{one}") for one in ("udp", "rpc-udp", "tcp", "rpc-tcp", "tcp-connect"))
_FILE = (
    names.created(0),
    names.deleted(0),
    names.created(10),
    names.deleted(10),
    names.MMAP,
    names.PROTECTION_FAULT,
    names.PAGE_FAULT,
)
_BANDWIDTH = (
    names.BW_PIPE,
    names.BW_UNIX,
    names.BW_TCP,
    names.BW_FILE,
    names.BW_MMAP,
    names.BW_COPY,
    names.BW_COPY_BY_HAND,
    names.BW_READ,
    names.BW_WRITE,
)
_L1, _L2, _MAIN, _RANDOM = (names.own(f"memory-{one}") for one in ("l1", "l2", "main", "random"))

SECTIONS = (
    Section(
        "Processor, Processes",
        (
            Layout("---- ---- ---- ---- ---- ---- ---- ---- ---- ---- ----", _PROCESS),
            Layout("---- ---- ---- ---- ---- ----- ---- ---- ---- ---- ----", _PROCESS),
        ),
    ),
    Section(
        "Basic integer operations",
        (Layout("------ ------ ------ ------ ------", _operations("int", "bit", "add", "mul", "div", "mod")),),
    ),
    Section(
        "Basic uint64 operations",
        (Layout("------ ------ ------ ------ ------", _operations("uint64", "bit", "add", "mul", "div", "mod")),),
    ),
    Section("Basic float operations", (Layout("------ ------ ------ ------", _operations("float", "add", "mul", "div", "bogo")),)),
    Section(
        "Basic double operations", (Layout("------  ------ ------ ------", _operations("double", "add", "mul", "div", "bogo")),)
    ),
    Section(
        "Context switching",
        (
            Layout("----- ------ ------ ------ ------ ------- -------", _CONTEXT),
            Layout("------ ------ ------ ------ ------ ------- -------", _CONTEXT),
        ),
    ),
    Section("Local Communication latencies", (Layout("----- ----- ---- ----- ----- ----- ----- ----", _LOCAL),)),
    Section("Remote Communication latencies", (Layout("----- ----- ----- ----- ----", _REMOTE),)),
    Section(
        "File & VM system latencies",
        (
            Layout("------ ------ ------ ------  ------- -----   -----", _FILE, {5: PROTECTION_WIDTH, 6: 7}),
            Layout("------ ------ ------ ------ ------- ----- ------- -----", (*_FILE, names.select("100")), {5: PROTECTION_WIDTH}),
        ),
    ),
    Section("Local Communication bandwidths", (Layout("---- ---- ---- ------ ------ ------ ------ ---- -----", _BANDWIDTH),)),
    Section(
        "Memory latencies",
        (
            Layout("  ---   ----   ----    --------    --------    -------", (MHZ, _L1, _L2, _MAIN, _RANDOM, WORDS)),
            Layout("  ---   ----   ----    --------    -------", (MHZ, _L1, _L2, _MAIN, WORDS)),
        ),
    ),
)

_LONGEST = 200
"""Characters of a title, with what a mailer joined to it."""
_TITLE = re.compile(
    r"\s*\*?(?P<scope>Local|Remote)?\*? ?(?P<name>[A-Z][\w&, ]{3,40}?)(?: -|:)? {1,9}"
    r"(?:times )?in (?P<unit>microseconds|nanoseconds|MB/s)\b"
)


def section_of(title: str) -> tuple[Section, str] | None:
    """The section that begins with this line, and its unit as it is printed. None where none does."""
    match = _TITLE.match(title) if len(title) < _LONGEST else None
    if match is None:
        return None
    named = f"{match['scope']} {match['name']}" if match["scope"] else match["name"]
    found = next((section for section in SECTIONS if section.title == named.strip()), None)
    return (found, match["unit"]) if found else None
