"""What boxes and columns are called in a mail."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kdelta.model import words
from kdelta.model.plan import PUBLISHED, BoxSpec
from kdelta.model.record import BootRecord, RunRecord

TOPOLOGY = re.compile(r"(\d+) sockets?, \d+ cores?, (\d+) threads?")


def called(box: BoxSpec, records: Iterable[BootRecord]) -> str:
    """`2/4-way HT P4-Xeon box`: its processors and what the kernel takes for CPUs, where those differ; else `4-way xeon box`.

    So Ingo Molnar's mail called two processors of two threads each, and one of two cores. Only what all boots agree on is told.
    """
    if box.kind == PUBLISHED:
        return words.called(box)
    found = {record.boot.environment.get("topology", "") for record in records if record.box == box.name}
    match = TOPOLOGY.fullmatch(found.pop()) if len(found) == 1 else None
    sockets, threads = map(int, match.groups()) if match else (box.cpus, box.cpus)
    processors = f"{sockets}/" if threads == box.cpus and sockets != threads else ""
    return f"{processors}{box.cpus}-way {box.name} box"


def columns(run: RunRecord, number: int) -> str:
    """`kernel`, or `column` where some have the same kernel and differ in their settings; with an s but for one."""
    keys = {kernel.key for kernel in run.kernels.values()}
    return f"{'kernel' if len(keys) == len(run.plan.variants) else 'column'}{'' if number == 1 else 's'}"
