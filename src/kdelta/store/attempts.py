"""What several attempts at one boot of the plan say together.

A boot that is repeated whole replaces what came of it before. A visit of a real machine that was interrupted is resumed: the
next attempt measures only what the ones before it did not close, and all of them together are the boot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kdelta.model.boot import Outcome
from kdelta.model.record import BootRecord
from kdelta.model.sample import Sample

INTERRUPTED = "the visit was interrupted"
AGAIN = "measured again"


def together(attempts: Sequence[BootRecord]) -> BootRecord:
    """The last of `attempts`, with what stands of the earlier ones, oldest first, and what is still to be seen of them."""
    last = attempts[-1]
    if len(attempts) == 1:
        return last
    judged = _judged(attempts)
    each = [(one, {name for name, by in judged.items() if by is one}) for one in attempts]
    boot = msgspec.structs.replace(
        last.boot,
        cells=tuple(cell for one, names in each for cell in one.boot.cells if cell.benchmark in names),
        samples=tuple(sample for one, names in each for sample in _samples(one, names)),
    )
    benchmarks = tuple(name for one, names in each for name in one.benchmarks if name in names)
    return msgspec.structs.replace(last, benchmarks=benchmarks, boot=boot)


def _judged(attempts: Sequence[BootRecord]) -> dict[str, BootRecord]:
    """Which attempt counts for a benchmark: the last if it had to measure it, else the last one that closed it."""
    judged: dict[str, BootRecord] = {}
    for one in attempts:
        for name in one.benchmarks:
            judged.setdefault(name, one)
        judged.update({cell.benchmark: one for cell in one.boot.cells})
    return judged | {name: attempts[-1] for name in attempts[-1].benchmarks}


def _samples(one: BootRecord, names: set[str]) -> Iterator[Sample]:
    """Those of the benchmarks `names`, and, not to be judged, all others of an attempt that was interrupted."""
    for sample in one.boot.samples:
        if sample.benchmark in names:
            yield sample
        elif one.boot.outcome is Outcome.INTERRUPTED:
            yield msgspec.structs.replace(sample, discarded=sample.discarded or AGAIN)
