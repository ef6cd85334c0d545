"""Measure what the statistics promise: `python -m tests.validation [--scale S] [--only NAME]`.

A table of all rows, and the table of peers; the exit status is 1 where something lies outside its bounds. A scale of 1 is the full
size, which takes some minutes on two cores.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor

from tests.validation import (
    always_valid,
    blocks,
    equivalence,
    later,
    order,
    peers,
    profiles,
    pseudo,
    published,
    runs,
    sequential,
    small,
    stopping,
    table,
    verdicts,
)
from tests.validation.simulate import Row

PROCESSES = 2

GROUPS: dict[str, Callable[[float], Iterator[Row]]] = {
    "sequential": sequential.rows,
    "equivalence": equivalence.rows,
    "verdicts": verdicts.rows,
    "table": table.rows,
    "blocks": blocks.rows,
    "order": order.rows,
    "always-valid": always_valid.rows,
    "stopping": stopping.rows,
    "pseudo": pseudo.rows,
    "small": small.rows,
    "runs": runs.rows,
    "published": published.rows,
    "peers": peers.rows,
    "change-points": later.change_point_rows,
    "bisection": later.bisection_rows,
    "profiles": later.profile_rows,
    "profile-differences": profiles.rows,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.validation", description="Measure what the statistics promise.")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full size; below 1 bounds are wider")
    parser.add_argument("--only", action="append", choices=GROUPS, metavar="NAME", help=f"of {', '.join(GROUPS)}; may be repeated")
    arguments = parser.parse_args()
    names = list(arguments.only or GROUPS)
    began, failed = time.monotonic(), 0
    with ProcessPoolExecutor(min(PROCESSES, len(names))) as pool:
        for name, (rows, lines, seconds) in zip(names, pool.map(measured, names, [arguments.scale] * len(names)), strict=True):
            failed += sum(not holds(row) for row in rows)
            print(f"== {name} ({seconds:.0f} s)", *printed(rows), *lines, "", sep="\n", flush=True)
    print(f"{failed} rows out of bounds; {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


def measured(name: str, scale: float) -> tuple[list[Row], list[str], float]:
    """The rows of a group, what else it prints, and the seconds it took."""
    began = time.monotonic()
    rows = list(GROUPS[name](scale))
    lines = ["", *peers.table(scale)] if name == "peers" else []
    return rows, lines, time.monotonic() - began


def holds(row: Row) -> bool:
    _, value, low, high, _ = row
    return low <= value <= high


def printed(rows: Iterable[Row]) -> Iterator[str]:
    """Aligned; one that does not hold says so at its beginning."""
    known = list(rows)
    width = max((len(row[0]) for row in known), default=0)
    for row in known:
        name, value, low, high, note = row
        yield f"{'ok' if holds(row) else 'FAIL':4} {name:{width}} {value:10.4f} {low:10.4f} {high:10.4f}  {note}"


if __name__ == "__main__":
    sys.exit(main())
